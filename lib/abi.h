/*
 * The functions of libblackhole-tile.so: ttsim's single-chip ABI.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The contract is ttsim's, docs/libttsim_api.md; what is different here has a
 * table in docs/host-software.rst. No function fails: errors are printed, and
 * what is read then is 0.
 */

#ifndef BLACKHOLE_TILE_ABI_H
#define BLACKHOLE_TILE_ABI_H

#include <stdint.h>

#define TILE_API __attribute__((visibility("default")))

/* Starts an emulator, and ends it. */
TILE_API void libttsim_init(void);
TILE_API void libttsim_exit(void);

/*
 * Readers and writers of the host's memory for the device; before init. They
 * are called while the host calls the functions below, in the same thread, and must
 * not call any of them.
 */
TILE_API void libttsim_set_pci_dma_mem_callbacks(
    void (*read)(uint64_t paddr, void *dst, uint32_t size),
    void (*write)(uint64_t paddr, const void *src, uint32_t size));

/* PCI configuration space: bus 0, function 0; 0xffffffff: no such device. */
TILE_API uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function,
                                           uint32_t offset);
TILE_API void libttsim_pci_config_wr32(uint32_t bus_device_function,
                                       uint32_t offset, uint32_t data);

/* The BARs, where configuration space says that they are. */
TILE_API void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *dst,
                                        uint32_t size);
TILE_API void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *src,
                                        uint32_t size);

/* A tile, by its coordinates on NoC 0. */
TILE_API void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t addr,
                                     void *dst, uint32_t size);
TILE_API void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t addr,
                                     const void *src, uint32_t size);

/* Lets each hart that can run execute at least so many instructions. */
TILE_API void libttsim_clock(uint32_t n_clocks);

#endif
