# SPDX-License-Identifier: GPL-2.0-or-later
#
# Attaches gdb to the harts of a blackhole-tile that waits for it (scripts/run
# --gdb, or QEMU's options -gdb and -S), each with the ELF that the machine runs on
# it:
#
#   TILE_GDB=FOLDER/SOCKET gdb-multiarch -x scripts/tile.gdb
#   TILE_HARTS=trisc1 TILE_GDB=FOLDER/SOCKET gdb-multiarch -x scripts/tile.gdb
#
# Without $TILE_GDB it is localhost:1234, QEMU's option -s.  TILE_HARTS names the
# harts, with commas: trisc1 or, of tile 1, tile1-trisc1; the others run whenever
# these continue.  Without it, all are attached: inferior N is hart N of brisc,
# ncrisc, trisc0, trisc1, trisc2, and of each further tile (tiles=) the same five.
# If gdb is connected already, as IDEs do themselves (extended-remote), that
# connection is used.
#
# It also loads python/blackhole_tile/ingdb: the command "tensix", .ttinsn words
# in disassembly, "layout tensix".

# First of all: for GNU/Linux, which bare ELFs are taken for, gdb steps in
# software, and takes half a .ttinsn word for a compressed branch
set osabi none
set confirm off
set architecture riscv:rv32
set schedule-multiple on

python
import os
import re
import sys

import gdb

HARTS = ('brisc', 'ncrisc', 'trisc0', 'trisc1', 'trisc2')


def own_folder():
    """That of this script: gdb does not say, but has the file open."""
    for fd in os.listdir('/proc/self/fd'):
        try:
            path = os.readlink('/proc/self/fd/' + fd)
        except OSError:
            continue
        if os.path.basename(path) == 'tile.gdb':
            return os.path.dirname(path)
    raise ImportError('this script cannot find its own folder')


def load_tensix():
    """The functions to be called once gdb is attached."""
    try:
        folder = os.path.join(os.path.dirname(own_folder()), 'python')
        if folder not in sys.path:
            sys.path.insert(0, folder)
        from blackhole_tile.ingdb import load
        load.load()
        return [load.attached]
    except ImportError as error:
        print('tile.gdb: no command "tensix", no .ttinsn in disassembly: %s'
              % error)
        return []


def quietly(command):
    return gdb.execute(command, to_string=True)


def all_harts():
    """Tile by tile; number N is process N + 1.  Needs a hart that is attached."""
    columns, rows = re.search(r'(\d+)x(\d+)',
                              quietly('monitor qom-get /machine tiles')).groups()
    return [('tile%d-' % tile if tile else '') + hart
            for tile in range(int(columns) * int(rows)) for hart in HARTS]


def image_of(hart):
    """The ELF that the machine's option names, or the latest whose symbols it
    knows, at the ELF's own addresses; '' if there is none."""
    hart = hart.rpartition('-')[2]
    found = re.search(r'"(.+)"', quietly('monitor qom-get /machine ' + hart))
    if found:
        return found.group(1)
    answer = quietly('monitor qom-get /machine %s-symbols' % hart)
    return (re.findall(r'([^" ]+)@0x0\b', answer) or [''])[-1]


def keeps_history():
    """Can the machine go back (its option rewind=on)?"""
    return 'true' in quietly('monitor qom-get /machine rewind')


def wanted_harts(there):
    """Those of TILE_HARTS in its order, or all of them."""
    names = os.environ.get('TILE_HARTS', '').replace(',', ' ').split()
    for name in names:
        if name not in there:
            raise gdb.GdbError('TILE_HARTS: no hart %s; there are %s'
                               % (name, ' '.join(there)))
    return list(dict.fromkeys(names)) or there


def attach(inferior, hart, number):
    quietly('inferior %d' % inferior)
    if not gdb.selected_inferior().pid:
        quietly('attach %d' % (number + 1))
    path = image_of(hart)
    if os.path.exists(path):
        quietly('file ' + path.replace(' ', '\\ '))
    print('%d.1 %s %s' % (inferior, hart, path))


def is_connected():
    connection = gdb.selected_inferior().connection
    return connection is not None and connection.type == 'extended-remote'


def attach_others(harts, there):
    """In an inferior each, number 2 and up."""
    if harts:
        quietly('add-inferior -copies %d' % len(harts))
    for inferior, hart in enumerate(harts, 2):
        attach(inferior, hart, there.index(hart))


def count_attached():
    return sum(bool(inferior.pid) for inferior in gdb.inferiors())


def connect():
    if not is_connected():
        quietly('target extended-remote ' + os.environ.get('TILE_GDB',
                                                           'localhost:1234'))


def attach_to(harts, there):
    met = there[gdb.selected_inferior().pid - 1]
    attach_others([hart for hart in harts if hart != met], there)
    # With several inferiors gdb does not report stops of the hart that it met
    # when it connected, and waits for ever: unless it detaches and attaches.
    # Never from the only one: the machine would continue.
    if harts != [met]:
        quietly('inferior 1')
        quietly('detach')
    if met in harts:
        attach(1, met, there.index(met))
    else:
        quietly('inferior 2')
        quietly('remove-inferiors 1')
    if keeps_history():
        # only then gdb says which hart shall go back one instruction
        quietly('set scheduler-locking step')


tensix = load_tensix()
try:
    before = count_attached()
    connect()
    all_there = all_harts()
    chosen = wanted_harts(all_there)
    if before != len(chosen):      # else it is this script again
        attach_to(chosen, all_there)
    for attached in tensix:
        attached()
    print('All harts are stopped.%s Set breakpoints, continue.'
          % (' Choose one (inferior %d).' % min(4, len(chosen))
             if len(chosen) > 1 else ''))
except (gdb.error, gdb.GdbError) as error:
    print('tile.gdb: %s' % error)
    print('tile.gdb: is a blackhole-tile waiting there? The tool run with '
          '--gdb says what TILE_GDB is; without it QEMU needs -s -S.')
end
