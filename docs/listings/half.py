# SPDX-License-Identifier: GPL-2.0-or-later
import numpy
import blackhole_tile as bt

images, x = bt.images('service/build'), numpy.load('service/build/x.npy')
with bt.Tile(images, accel='icount', stopped=True) as tile:
    tile.put_tiles(bt.dram_address(2, 0x1000), x, 'bf16')
    tile.put(0x20000, [16, 2, 0x1000, 5, 0x80000], 'u32')
    tile.go()
    tile.wait_for(lambda tile: tile.read32(0x20014) >= 1)
    tile.save('half.state')
    print(tile.state.harts()['brisc'].state, tile.state.semaphores()[1])
with bt.Tile(images, accel='icount', incoming='half.state') as tile:
    tile.wait_for_word(0x20014, 16)
    y = tile.get_tiles(bt.dram_address(5, 0x80000), x.shape, 'fp32')
    print('equal:', (y == x * x).all())
