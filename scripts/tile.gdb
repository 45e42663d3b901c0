# SPDX-License-Identifier: GPL-2.0-or-later
#
# Attaches gdb to the five harts of a blackhole-tile that waits for it (scripts/run
# --gdb, or QEMU's options -gdb and -S), each with the ELF that the machine runs on
# it:
#
#   TILE_GDB=FOLDER/SOCKET gdb-multiarch -x scripts/tile.gdb
#
# Without $TILE_GDB it is localhost:1234, QEMU's option -s.  Inferior N is hart N of
# brisc, ncrisc, trisc0, trisc1, trisc2.  If gdb is connected already, as IDEs do
# themselves (extended-remote), that connection is used.
#
# It also loads python/blackhole_tile/ingdb: the command "tensix", .ttinsn words
# in disassembly, "layout tensix".

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


def image_of(hart):
    """The ELF that the machine's option names; '' if there is none."""
    answer = quietly('monitor qom-get /machine ' + hart)
    found = re.search(r'"(.+)"', answer)
    return found.group(1) if found else ''


def keeps_history():
    """Can the machine go back (its option rewind=on)?"""
    return 'true' in quietly('monitor qom-get /machine rewind')


def attach(number, hart):
    quietly('inferior %d' % number)
    quietly('attach %d' % number)
    path = image_of(hart)
    if os.path.exists(path):
        quietly('file ' + path.replace(' ', '\\ '))
    print('%d.1 %s %s' % (number, hart, path))


def is_connected():
    connection = gdb.selected_inferior().connection
    return connection is not None and connection.type == 'extended-remote'


def attach_all():
    if sum(bool(inferior.pid) for inferior in gdb.inferiors()) == len(HARTS):
        return                     # this script again
    if not is_connected():
        quietly('target extended-remote ' + os.environ.get('TILE_GDB',
                                                           'localhost:1234'))
    quietly('add-inferior -copies %d' % (len(HARTS) - 1))
    for number, hart in list(enumerate(HARTS, 1))[1:]:
        attach(number, hart)
    # gdb keeps quiet about stops of the hart that it met when it connected,
    # and waits for ever: it has to let that one go and attach to it, too
    quietly('inferior 1')
    quietly('detach')
    attach(1, HARTS[0])
    if keeps_history():
        # which hart goes back one instruction is told only then
        quietly('set scheduler-locking step')


tensix = load_tensix()
try:
    attach_all()
    for attached in tensix:
        attached()
    print('All harts stand still. Choose one (inferior 4), set breakpoints, '
          'continue.')
except (gdb.error, gdb.GdbError) as error:
    print('tile.gdb: %s' % error)
    print('tile.gdb: is a blackhole-tile waiting there? The tool run with '
          '--gdb says what TILE_GDB is; without it QEMU needs -s -S.')
end
