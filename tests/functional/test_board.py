# SPDX-License-Identifier: GPL-2.0-or-later
"""The board: options, images, which harts leave reset, soft reset, interrupts."""

import contextlib
import json
import os
import re
import socket
import subprocess
import tempfile
import time
import unittest

import rv_asm as rv
from blackhole_tile import (ACCELERATORS, HARTS, SOFT_RESET, TileError,
                            hart_view)
from blackhole_tile.qmp import Lines, Qmp
from blackhole_tile.testing import QEMU, ROOT, Tile, every_accelerator
from rv_asm import A0, A1, A2, T0

ALL_HELD = 0x47800
RESET_BITS = {'brisc': 1 << 11, 'ncrisc': 1 << 18, 'trisc0': 1 << 12,
              'trisc1': 1 << 13, 'trisc2': 1 << 14}
RESET_PCS = {'brisc': 0, 'ncrisc': 0x12000, 'trisc0': 0x6000,
             'trisc1': 0xa000, 'trisc2': 0xe000}
LOCAL_RAM = 0xFFB00000
SLOW_PATH = {'brisc': 0xFFB14000, 'ncrisc': 0xFFB16000, 'trisc0': 0xFFB18000,
             'trisc1': 0xFFB1A000, 'trisc2': 0xFFB1C000}
RESULT = 0x100000
DISABLE_RESET = 0xFFB12224
PIC = 0xFFB13000


def write_words(tile, address, words):
    for index, word in enumerate(words):
        tile.write32(address + 4 * index, word)


def store(value, address):
    """Code that stores a word and stays."""
    return rv.li(A0, value) + rv.li(A1, address) + [rv.sw(A0, A1)] + rv.HALT


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as file:
            file.write(content)
        return path

    def elf(self, name, segments, entry, **options):
        return self.file(name, rv.elf({
            address: rv.code(words) for address, words in segments.items()
        }, entry, **options))

    def tile(self, **options):
        tile = Tile(**options)
        return self.enterContext(tile)


class LocalRam(Folder):
    """What an image puts there is there at the first start, and cleared by a
    soft reset, as anything else is."""

    SEEN = 0x100000
    WORDS = rv.li(A0, LOCAL_RAM) + [rv.lw(A1, A0)] + rv.li(A0, SEEN) + \
        [rv.sw(A1, A0), rv.sw(A0, A0, 4)] + rv.HALT

    def seen(self, tile):
        """What the hart finds in its first word."""
        tile.wait_for_word(self.SEEN + 4, self.SEEN)
        tile.write32(self.SEEN + 4, 0)
        return tile.read32(self.SEEN)

    def start_again(self, tile, hart):
        tile.hold(hart)
        tile.write(RESET_PCS[hart], rv.code(self.WORDS))
        tile.release(hart)

    def image(self, hart):
        return self.elf(hart, {0x20000: self.WORDS, LOCAL_RAM: [0x77]}, 0x20000)

    def test_a_hart_that_runs_from_power_on(self):
        for hart in ('brisc', 'trisc1'):
            with self.subTest(hart):
                tile = self.tile(images={hart: self.image(hart)})
                self.assertEqual(self.seen(tile), 0x77)
                self.start_again(tile, hart)
                self.assertEqual(self.seen(tile), 0)
                tile.close()

    def test_a_hart_that_is_released(self):
        brisc = self.elf('brisc', {0x28000: rv.HALT}, 0x28000)
        tile = self.tile(images={'brisc': brisc,
                                 'trisc1': self.image('trisc1')})
        for wanted in (0x77, 0, 0):
            self.start_again(tile, 'trisc1')
            self.assertEqual(self.seen(tile), wanted)


class Help(unittest.TestCase):
    def test_the_board_is_listed(self):
        listed = subprocess.run([QEMU, '-M', 'help'], text=True, check=True,
                                stdout=subprocess.PIPE).stdout
        self.assertRegex(listed, r'(?m)^blackhole-tile +\S')


class Options(Folder):
    def refused(self, option, *others):
        done = subprocess.run([QEMU, '-M', f'blackhole-tile{option}',
                               '-display', 'none', *others],
                              capture_output=True, text=True, timeout=20,
                              check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_l1_that_cannot_be_written(self):
        path = self.file('l1', bytes(0x180000))
        self.assertIn('l1 is read-only', self.refused(
            ',memory-backend=m', '-object', 'memory-backend-file,id=m,'
            f'size=1536K,mem-path={path},readonly=on'))

    def test_bad_images_are_named(self):
        good = rv.code(rv.HALT)
        cases = {
            'missing': (None, 'No such file'),
            'text': (b'#!/bin/sh\n' * 20, 'not a 32-bit RISC-V ELF'),
            'short': (b'\x7fELF', 'not an ELF'),
            'arm': (rv.elf({0x1000: good}, 0x1000, machine=40),
                    'not a 32-bit RISC-V ELF'),
            'rv64': (rv.elf({0x1000: good}, 0x1000, elf_class=2),
                     'not a 32-bit RISC-V ELF'),
            'beyond': (rv.elf({0x17fffc: good}, 0x17fffc),
                       'outside the memory of trisc1'),
            'ram': (rv.elf({LOCAL_RAM + 0x1000: good}, 0),
                    'outside the memory of trisc1'),
            'cut': (rv.elf({0x1000: good}, 0x1000)[:60],
                    'no usable program headers'),
            'odd': (rv.elf({0x1000: good}, 0x1002), '0x00001002'),
            'in-ram': (rv.elf({LOCAL_RAM: good}, LOCAL_RAM), '0xffb00000'),
        }
        for name, (content, text) in cases.items():
            with self.subTest(name):
                path = os.path.join(self.folder, name)
                if content is not None:
                    self.file(name, content)
                message = self.refused(f',trisc1={path}')
                self.assertIn(path, message)
                self.assertIn(text, message)
                self.assertIn('trisc1', message)

    def test_what_is_no_file_is_no_image(self):
        """A FIFO has no writer, and /dev/zero no end."""
        fifo = os.path.join(self.folder, 'fifo')
        os.mkfifo(fifo)
        for path in (fifo, '/dev/zero', self.folder):
            for option in (f',trisc1={path}', f',trisc1-symbols={path}',
                           f',host-socket={self.folder}/h,'
                           f'host-soc-descriptor={path}'):
                with self.subTest(option):
                    message = self.refused(option)
                    self.assertIn('not a file', message)
                    self.assertIn(path, message)

    def test_bad_values_are_refused(self):
        for option, text in (('on-violation=maybe', 'log, stop or exit'),
                             ('hazards=maybe', "'on' or 'off'"),
                             ('schedule=often', 'eager, or seed=N'),
                             ('schedule=seed=', 'eager, or seed=N'),
                             ('schedule=seed=0', 'eager, or seed=N'),
                             ('schedule=seed=1x', 'eager, or seed=N'),
                             ('memory-backend=none', 'none'),
                             ('trisc3=file', 'trisc3')):
            with self.subTest(option):
                self.assertIn(text, self.refused(f',{option}'))

    def test_l1_cannot_be_resized(self):
        self.assertIn('1536 KiB', self.refused('', '-m', '2M'))

    def test_options_without_a_meaning_are_refused(self):
        path = self.elf('kernel', {0x1000: rv.HALT}, 0x1000)
        for option in ('-kernel', '-bios'):
            with self.subTest(option):
                self.assertIn('brisc=FILE', self.refused('', option, path))

    def test_seeds_without_icount_are_warned_of(self):
        """As the manual quotes it; not with the cure that it names."""
        with open(os.path.join(ROOT, 'docs', 'options.rst'),
                  encoding='utf-8') as file:
            quoted = re.search(r'^ *(schedule=seed=3: (?:.*\n)+?)\n',
                               file.read(), re.M)
        message = ' '.join(quoted[1].split())
        for accel in ('single', 'multi', 'icount'):
            tile = self.tile(accel=accel, machine='schedule=seed=3')
            tile.qmp('quit')
            tile.wait_for_exit(20)
            with self.subTest(accel):
                self.assertEqual('schedule=' in tile.output(),
                                 accel != 'icount')
                self.assertEqual(f'warning: {message}\n' in tile.output(),
                                 accel != 'icount')
        self.assertRegex(message, r'^schedule=seed=3: .*: .* \(add .*\)$')
        self.assertIn(' '.join(ACCELERATORS['icount'][-2:]), message)

    def test_compressed_code_is_warned_of(self):
        image = bytearray(rv.elf({0x1000: rv.code(rv.HALT)}, 0x1000))
        image[36] |= 1             # e_flags: EF_RISCV_RVC
        path = self.file('compressed', bytes(image))
        tile = self.tile(images={'trisc0': path})
        tile.qmp('quit')
        tile.wait_for_exit(20)
        self.assertRegex(tile.output(), r"warning: .*trisc0.*compressed")

    def test_options_can_be_read_back(self):
        tile = self.tile(machine='on-violation=stop,schedule=seed=7',
                         stopped=True)
        for name, value in (('on-violation', 'stop'), ('schedule', 'seed=7'),
                            ('brisc', '')):
            self.assertEqual(tile.qmp('qom-get', path='/machine',
                                      property=name), value)


class Wires(unittest.TestCase):
    def test_every_link_of_a_device_leads_somewhere(self):
        links = 0
        with Tile(accel='single') as tile:
            for child in tile.qmp('qom-list', path='/machine/tile[0]'):
                if not child['type'].startswith('child<tensix-'):
                    continue
                path = '/machine/tile[0]/' + child['name']
                for prop in tile.qmp('qom-list', path=path):
                    if prop['type'].startswith('link<') and \
                            prop['name'] != 'parent_bus':
                        links += 1
                        self.assertTrue(
                            tile.qmp('qom-get', path=path,
                                     property=prop['name']),
                            f'{path}.{prop["name"]}')
        self.assertGreater(links, 80)


class Devices(unittest.TestCase):
    def paths(self, tile, parent='/machine'):
        for entry in tile.qmp('qom-list', path=parent):
            if entry['type'].startswith('child<'):
                path = f'{parent}/{entry["name"]}'
                yield path
                yield from self.paths(tile, path)

    def test_none_can_be_unrealized(self):
        """Others have wires to it, and a reset resets it."""
        with Tile(stopped=True) as tile:
            devices = [path for path in self.paths(tile)
                       if '/peripheral' not in path and
                       'realized' in [p['name'] for p in
                                      tile.qmp('qom-list', path=path)]]
            self.assertGreater(len(devices), 30)
            for path in devices:
                if path.startswith('/machine/unattached/'):
                    continue       # QEMU's system bus
                with self.subTest(path), \
                        self.assertRaisesRegex(TileError, 'hotplug'):
                    tile.qmp('qom-set', path=path, property='realized',
                             value=False)
            tile.qmp('system_reset')
            tile.cont()
            self.assertEqual(tile.status(), 'running')


class Monitor(unittest.TestCase):
    """QMP takes more than a byte at a time (patch qmp-read)."""

    def setUp(self):
        self.tile = Tile(stopped=True)
        self.addCleanup(self.tile.close)

    def ids(self, last):
        """Those of the answers, up to the last one."""
        ids = []
        while not ids or ids[-1] != last:
            answer = json.loads(self.tile.qmp_link.receive())
            ids.append(answer.get('id'))
        return ids

    def query(self, ident):
        return f'{{"execute":"query-status","id":{ident}}}'

    def test_many_requests_at_once_are_answered_in_order(self):
        self.tile.qmp_link.send(''.join(map(self.query, range(200))))
        self.assertEqual(self.ids(199), list(range(200)))

    def test_bytes_that_are_many_errors(self):
        for text in (']' * 300, '1]' * 300, '[]' * 300, '{}{"a":1}' * 100):
            self.tile.qmp_link.send(text)
            self.tile.qmp_link.send(self.query(7))
            ids = self.ids(7)
            self.assertGreater(len(ids), 100)
            self.assertEqual(set(ids[:-1]), {None})


class Exits(unittest.TestCase):
    """Requests arrive until the last moment (patch qmp-shutdown)."""

    EXITS = 60                     # without it QEMU dies at about one in 15

    def client(self, path):
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.connect(path)
        lines = Lines(client)
        lines.receive()
        Qmp(lines).execute('qmp_capabilities', {'enable': ['oob']})
        client.setblocking(False)
        return client

    def flooded_exit(self, folder):
        paths = [os.path.join(folder, f'qmp{n}') for n in range(3)]
        options = [word for path in paths
                   for word in ('-qmp', f'unix:{path},server=on,wait=off')]
        with Tile(stopped=True, extra=options) as tile:
            clients = [self.client(path) for path in paths]
            for client in clients[1:]:
                client.send(b'0 ' * 20000)
            with contextlib.suppress(ConnectionError):
                clients[0].send(b'{"execute": "quit"}' + b'0 ' * 5000)
            return tile.process.wait(60)

    def test_none_is_a_crash(self):
        for n in range(self.EXITS):
            with tempfile.TemporaryDirectory() as folder:
                self.assertEqual(self.flooded_exit(folder), 0, n)

    def exit_with_a_command(self, folder, seconds):
        """The program ends QEMU some time after it is resumed; where the
        command has been first, the machine is stopped for good."""
        with Tile('idle', 'icount', machine='on-deadlock=exit,tiles=2x1',
                  stopped=True) as tile:
            tile.cont()
            time.sleep(seconds)
            with contextlib.suppress(TileError):
                tile.qmp('migrate', uri=f'file:{folder}/state')
                tile.quit()
            return tile.process.wait(60)

    def test_a_command_of_the_last_moment(self):
        """Without the patch some of these die of an assertion."""
        with tempfile.TemporaryDirectory() as folder:
            for n in range(self.EXITS):
                self.assertIn(
                    self.exit_with_a_command(folder, n % 20 / 2000), (0, 4), n)


class Start(Folder):
    def image(self, hart, address=0x20000):
        return self.elf(hart, {address: store(HARTS.index(hart) + 1,
                                              RESULT + 4 *
                                              HARTS.index(hart))}, address)

    def images(self, harts):
        return {hart: self.image(hart, 0x20000 + 0x1000 * HARTS.index(hart))
                for hart in harts}

    def started(self, tile):
        return {hart for index, hart in enumerate(HARTS)
                if tile.read32(RESULT + 4 * index) == index + 1}

    def test_without_image_all_stay_in_reset(self):
        tile = self.tile()
        self.assertEqual(tile.read32(SOFT_RESET), ALL_HELD)
        self.assertEqual(tile.hart_pcs(), {
            hart: f'{pc:#x}' for hart, pc in RESET_PCS.items()})

    def test_without_brisc_every_hart_with_an_image_starts(self):
        harts = {'ncrisc', 'trisc1', 'trisc2'}
        tile = self.tile(images=self.images(harts))
        tile.wait_for(lambda t: self.started(t) == harts)
        self.assertEqual(tile.read32(SOFT_RESET),
                         RESET_BITS['brisc'] | RESET_BITS['trisc0'])

    def test_with_brisc_only_brisc_starts(self):
        tile = self.tile(images=self.images(HARTS))
        tile.wait_for(lambda t: self.started(t) == {'brisc'})
        self.assertEqual(tile.read32(SOFT_RESET),
                         ALL_HELD & ~RESET_BITS['brisc'])

    def test_loader_with_cpu_num(self):
        path = self.image('trisc0')
        tile = self.tile(extra=['-device', f'loader,file={path},cpu-num=2'])
        tile.wait_for(lambda t: self.started(t) == {'trisc0'})

    def test_private_data_of_an_image(self):
        code = rv.li(A1, LOCAL_RAM) + [rv.lw(A0, A1)] + rv.li(A1, RESULT) + \
            [rv.sw(A0, A1)] + rv.HALT
        path = self.elf('data', {0x20000: code, LOCAL_RAM: [0xcafe]}, 0x20000)
        tile = self.tile(images={'trisc2': path})
        tile.wait_for_word(RESULT, 0xcafe)
        self.assertEqual(tile.read32(SLOW_PATH['trisc2']), 0xcafe)
        self.assertEqual(tile.read32(SLOW_PATH['trisc1']), 0)

    def test_system_reset_starts_again(self):
        tile = self.tile(images=self.images({'trisc1'}))
        tile.wait_for(lambda t: self.started(t) == {'trisc1'})
        tile.write32(RESULT + 4 * HARTS.index('trisc1'), 0)
        tile.qmp('system_reset')
        tile.wait_for(lambda t: self.started(t) == {'trisc1'})
        self.assertEqual(tile.read32(SOFT_RESET),
                         ALL_HELD & ~RESET_BITS['trisc1'])


class SoftReset(Folder):
    @every_accelerator
    def test_release_starts_at_the_reset_pc_in_every_accelerator(self, accel):
        tile = self.tile(accel=accel)
        for index, hart in enumerate(HARTS):
            write_words(tile, RESET_PCS[hart],
                        store(index + 1, RESULT + 4 * index))
        tile.write32(SOFT_RESET, 0)
        for index in range(len(HARTS)):
            tile.wait_for_word(RESULT + 4 * index, index + 1)

    def test_registers_are_zero_after_release(self):
        tile = self.tile()
        fill = [word for reg in range(1, 32) for word in rv.li(reg, 0x55)]
        write_words(tile, 0x6000, fill + store(1, RESULT))
        tile.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS['trisc0'])
        tile.wait_for_word(RESULT, 1)
        tile.write32(SOFT_RESET, ALL_HELD)
        collect = []
        for reg in range(2, 32):
            collect.append(rv.r_type(rv.OP, 6, 0, 1, 1, reg))
        collect += rv.li(A0, 0x100)
        collect += [rv.r_type(rv.OP, 0, 0, 1, 1, A0)] + rv.li(A1, RESULT)
        write_words(tile, 0x6000, collect + [rv.sw(1, A1)] + rv.HALT)
        tile.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS['trisc0'])
        tile.wait_for_word(RESULT, 0x100)

    def test_a_pulse_restarts_the_hart(self):
        tile = self.tile()
        count = rv.li(A1, RESULT) + [rv.lw(A0, A1), rv.addi(A0, A0, 1),
                                     rv.sw(A0, A1)] + rv.HALT
        write_words(tile, 0xa000, count)
        for starts in range(1, 6):
            tile.write32(SOFT_RESET, ALL_HELD)
            tile.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS['trisc1'])
            tile.wait_for_word(RESULT, starts)

    def test_a_hart_resets_itself(self):
        tile = self.tile()
        code = rv.li(A1, RESULT) + [rv.lw(A0, A1), rv.addi(A0, A0, 1),
                                    rv.sw(A0, A1)]
        code += rv.li(A2, SOFT_RESET) + rv.li(T0, ALL_HELD)
        code += [rv.sw(T0, A2)] + [rv.NOP] * 64 + rv.HALT
        write_words(tile, 0xe000, code)
        for starts in (1, 2):
            tile.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS['trisc2'])
            tile.wait_for(lambda t: t.read32(SOFT_RESET) == ALL_HELD)
            self.assertEqual(tile.read32(RESULT), starts)

    def test_local_ram_is_cleared_unless_kept(self):
        for index, hart in enumerate(('trisc0', 'trisc1', 'trisc2', 'brisc',
                                      'ncrisc')):
            for keep in (0, 1 << 2 * index):
                with self.subTest(hart=hart, keep=keep):
                    tile = self.tile()
                    tile.write32(DISABLE_RESET, keep)
                    tile.write32(SLOW_PATH[hart] + 0x10, 0x1234)
                    write_words(tile, RESET_PCS[hart], rv.HALT)
                    tile.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS[hart])
                    self.assertEqual(tile.read32(SLOW_PATH[hart] + 0x10),
                                     0x1234 if keep else 0)
                    self.assertEqual(
                        tile.read32(hart_view(hart, LOCAL_RAM + 0x10)),
                        0x1234 if keep else 0)


class Nowhere(Folder):
    def test_access_where_nothing_is(self):
        code = rv.li(A1, 0x80000000) + [rv.NOP, rv.lw(A0, A1)] + \
            rv.li(A1, RESULT) + [rv.addi(A0, A0, 1), rv.sw(A0, A1)] + rv.HALT
        path = self.elf('nowhere', {0x20000: code}, 0x20000)
        tile = self.tile(images={'ncrisc': path}, extra=['-d', 'guest_errors'])
        tile.wait_for_word(RESULT, 1)
        self.assertRegex(tile.output(), r'(?s)NCRISC at pc 0x0*2000c.*0x80000000')

    def test_t_harts_have_4_kib_of_local_ram(self):
        for hart, size in (('trisc0', 0x1000), ('brisc', 0x2000)):
            tile = self.tile()
            end = hart_view(hart, LOCAL_RAM + size)
            tile.write32(end - 4, 5)
            tile.write32(end, 6)
            self.assertEqual(tile.read32(end - 4), 5)
            self.assertEqual(tile.read32(end), 0)

    def test_fetch_outside_l1(self):
        # 0xFFE80000 is a PCBuf: fetching there must not even try to pop it
        for target in (LOCAL_RAM, 0x180000, 0xFFE80000):
            with self.subTest(hex(target)):
                code = rv.li(A1, LOCAL_RAM) + [rv.lw(A0, A1)] + \
                    rv.li(A1, target) + [rv.i_type(rv.JALR, 0, 0, A1, 0)]
                path = self.elf('fetch', {0x20000: code,
                                          LOCAL_RAM: [rv.NOP]}, 0x20000)
                tile = self.tile(images={'trisc0': path},
                                 extra=['-d', 'guest_errors'])
                tile.wait_for(lambda t: 'no memory for code' in t.output())
                self.assertEqual(tile.hart_pcs()['trisc0'], f'{target:#x}')


class Interrupt(Folder):
    """BRISC counts in a loop; a handler at 0x30000 answers interrupt 3."""

    HANDLER, NUMBER = 0x30000, 3

    def handler(self):
        words = rv.li(A0, RESULT) + rv.li(A1, PIC)
        words += [rv.lw(T0, A1, 0x8), rv.sw(T0, A0, 4)]      # BRISC_INT_NO
        words += [rv.lw(T0, A1, 0x18 + 4 * self.NUMBER), rv.sw(T0, A0, 8)]
        words += [rv.csrrs(T0, 0xbca), rv.sw(T0, A0, 12)]    # intp_restore_pc
        words += rv.li(T0, 0x77)
        words += [rv.csrrw(0, 0x7c3, T0), rv.csrrs(T0, 0x7c3),
                  rv.sw(T0, A0, 16)]
        words += [rv.lw(T0, A0, 20), rv.addi(T0, T0, 1), rv.sw(T0, A0, 20)]
        return words + [rv.MRET]

    def loop(self):
        words = rv.li(rv.S0, RESULT) + [rv.addi(rv.S1, 0, 0)]
        return words + [rv.addi(rv.S1, rv.S1, 1), rv.sw(rv.S1, rv.S0),
                        rv.jump(-8)]

    def check(self, accel):
        path = self.elf('loop', {0x20000: self.loop(),
                                 self.HANDLER: self.handler()}, 0x20000)
        tile = self.tile(images={'brisc': path}, accel=accel)
        tile.write32(PIC + 0xA8 + 4 * self.NUMBER, self.HANDLER)
        tile.write32(PIC, 1 << self.NUMBER)
        tile.wait_for(lambda t: t.read32(RESULT) > 0)
        for times in range(1, 4):
            tile.write32(PIC + 0x18 + 4 * self.NUMBER, 0xabc0 + times)
            tile.wait_for_word(RESULT + 20, times)
            self.assertEqual(tile.read32(RESULT + 4), self.NUMBER)
            self.assertEqual(tile.read32(RESULT + 8), 0xabc0 + times)
            self.assertIn(tile.read32(RESULT + 12), range(0x20008, 0x20018, 4))
            self.assertEqual(tile.read32(RESULT + 16), 0,
                             'handlers cannot write CSRs')
            before = tile.read32(RESULT)
            tile.wait_for(lambda t, b=before: t.read32(RESULT) > b)

    @every_accelerator
    def test_in_every_accelerator(self, accel):
        self.check(accel)


    def test_a_stalled_hart_takes_it_and_retries(self):
        mailbox = rv.li(A2, 0xFFEC1000) + [rv.lw(A2, A2)] + \
            rv.li(rv.S0, RESULT) + [rv.sw(A2, rv.S0)] + rv.HALT
        path = self.elf('stall', {0x20000: mailbox,
                                  self.HANDLER: self.handler()}, 0x20000)
        for accel in ACCELERATORS:
            with self.subTest(accel):
                tile = self.tile(images={'brisc': path}, accel=accel)
                tile.write32(PIC + 0xA8 + 4 * self.NUMBER, self.HANDLER)
                tile.write32(PIC, 1 << self.NUMBER)
                tile.wait_for(lambda t: t.hart_pcs()['brisc'] == '0x20008')
                for times in (1, 2):
                    tile.write32(PIC + 0x18 + 4 * self.NUMBER, times)
                    tile.wait_for_word(RESULT + 20, times)
                    tile.wait_for(lambda t: t.hart_pcs()['brisc'] == '0x20008')
                    self.assertEqual(tile.read32(RESULT + 12), 0x20008)
                self.assertEqual(tile.read32(RESULT), 0)
                tile.write32(hart_view('trisc0', 0xFFEC0000), 0x5eed)
                tile.wait_for_word(RESULT, 0x5eed)


class Disassembly(Folder):
    def test_monitor_and_log_show_ttinsn(self):
        words = [rv.ttinsn(0x02000000), rv.ttinsn(0xa3100008)] + \
            store(1, RESULT)
        path = self.elf('words', {0x20000: words}, 0x20000)
        log = os.path.join(self.folder, 'log')
        tile = self.tile(images={'trisc0': path},
                         extra=['-d', 'in_asm', '-D', log])
        tile.wait_for_word(RESULT, 1)
        tile.hmp('cpu 2')
        text = tile.hmp('x/8i 0x20000')
        self.assertRegex(text, r'(?is)20000:\s+.*nop.*\n.*20004:\s+.*seminit')
        self.assertIn('fence', text)
        tile.qmp('quit')
        tile.wait_for_exit(20)
        with open(log, encoding='utf-8') as file:
            self.assertRegex(file.read(), r'(?i)20004:.*seminit')


class Snapshot(Folder):
    def test_a_paused_hart_and_its_csrs(self):
        code = rv.li(A0, 0x1234) + [rv.csrrw(0, 0x7c3, A0), rv.EBREAK] + \
            rv.HALT
        path = self.elf('pause', {0x20000: code}, 0x20000)
        state = os.path.join(self.folder, 'state')
        source = self.tile(images={'trisc2': path},
                           extra=['-d', 'guest_errors'])
        source.wait_for(lambda t: 'ebreak' in t.output())
        source.qmp('stop')
        source.qmp('migrate', uri=f'file:{state}')
        source.wait_for(lambda t: t.qmp('query-migrate')['status'] ==
                        'completed')
        target = self.tile(images={'trisc2': path},
                           extra=['-incoming', f'file:{state}'])
        target.wait_for(lambda t: t.qmp('query-status')['running'] is not None
                        and t.hart_pcs().get('trisc2') == '0x20010')
        self.assertEqual(target.qmp('qom-get',
                                    path='/machine/trisc2-hart',
                                    property='hart-id'), 4)
        target.qmp('cont')
        self.assertEqual(target.hart_pcs()['trisc2'], '0x20010')
        with self.assertRaises(TileError):
            target.wait_for(lambda t: t.hart_pcs()['trisc2'] != '0x20010', 0.5)


if __name__ == '__main__':
    unittest.main()
