# SPDX-License-Identifier: GPL-2.0-or-later
"""How hw/tenstorrent is built: layers in order, nothing of the process's.

No machine is started: this examines sources, and objects in build/qemu.
"""

import collections
import os
import re
import subprocess
import sys
import unittest

from blackhole_tile import formats
from blackhole_tile.testing import BUILD, ROOT

sys.path.insert(0, os.path.join(ROOT, 'scripts'))
from lib_layers import INCLUDE, read_layers, symbols  # noqa: E402

FOLDER = os.path.join(ROOT, 'hw', 'tenstorrent')
HEADERS = os.path.join(ROOT, 'include', 'hw', 'tenstorrent')
OBJECTS = os.path.join(BUILD, 'qemu')
OBJECT = re.compile(r'hw_tenstorrent_(([a-z]+)_\w+\.c)\.o')
# What finds an object of the process instead of being wired to it.
LOOK_UPS = re.compile(r'\b(object_resolve_path|object_resolve_path_type|'
                      r'object_resolve_path_at|qdev_find_recursive|'
                      r'qdev_get_machine|current_machine|qemu_get_cpu|'
                      r'first_cpu|current_cpu)\b')
# The folder of each unit: only there its instructions have opcodes.
UNITS = {
    'FRONTEND': 'core/frontend', 'SYNC': 'core/sync', 'CFG': 'core/config',
    'THCON': 'core/scalar', 'MISC': 'core/adc', 'XMOV': 'core/mover',
    'UNPACK': 'core/unpack', 'PACK': 'core/pack', 'MATRIX': 'core/matrix',
    'VECTOR': 'core/vector',
}
OPCODE = re.compile(r'\bTENSIX_OP_(\w+)')
OPCODE_BY_NUMBER = re.compile(r'(?:\bopcode|>> 24\)?) *[=!]= *(?:0x|\d)|'
                              r'>> 24\)? *[=!]= *\w+\([^)]*\) *>> 24')
# But for these, and why.
LOOKS_UP = {'tensix_instrument.c': 'property "tile" is a path of QOM',
            'tensix_qmp.c': 'an argument is a path of QOM'}
# Headers without a source, in the lowest layer of devices
COMPATIBILITY = {'qemu_compat.h', 'qemu_compat_tcg.h'}
# A type that implements the interface, or several
BUSY = r'= TENSIX_BUSY_INTERFACES|\{ TYPE_TENSIX_BUSY \}, \{'
# Variables of the process, and why they are none of a machine's.
PROCESS = {
    'ended_by': 'a process has one exit status',
    'accelerator_defaults': 'constant, but not for compat_props_add()',
    'user_creatable': 'constant, but not for TypeInfo',
    'tensix_tcg_ops': "constant once the class is there: made of RISC-V's own",
    'tensix_sysemu_ops': 'the same',
}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def layers():
    """Names of the layers, lowest first."""
    listed = read_layers(os.path.join(FOLDER, 'layers.txt'))
    return [layer.name for layer in listed][::-1]


def sources():
    """{path: layer} of all sources and headers of the devices."""
    found = {}
    for layer in layers():
        folder = os.path.join(FOLDER, layer)
        if layer != 'core':
            for name in os.listdir(folder):
                if name.endswith(('.c', '.h')):
                    found[os.path.join(folder, name)] = layer
    by_stem = {os.path.basename(path)[:-2]: layer
               for path, layer in found.items() if path.endswith('.c')}
    for name in os.listdir(HEADERS):
        found[os.path.join(HEADERS, name)] = by_stem.get(
            name[:-2], 'source' if name in COMPATIBILITY else None)
    return found


def included_layer(path, name, files):
    """The layer that #include "NAME" in PATH leads to; None: not ours."""
    for candidate in (os.path.join(os.path.dirname(path), name),
                      os.path.join(ROOT, name),
                      os.path.join(ROOT, 'include', name)):
        candidate = os.path.normpath(candidate)
        if candidate in files:
            return files[candidate]
        if candidate.startswith(os.path.join(FOLDER, 'core') + os.sep):
            return 'core'
    return None


def core_headers(path):
    """Headers of the core that PATH includes, itself or by others of them."""
    folder = os.path.join(FOLDER, 'core')
    found, todo = set(), [path]
    while todo:
        at = todo.pop()
        for name in INCLUDE.findall(read(at)):
            for base in os.path.dirname(at), ROOT, folder:
                header = os.path.normpath(os.path.join(base, name))
                if (header.startswith(folder + os.sep) and
                        os.path.exists(header) and header not in found):
                    found.add(header)
                    todo.append(header)
    return found


def objects():
    """(layer, name, path) of each object of the devices and of the core."""
    core = os.path.join('hw', 'tenstorrent', 'core')
    for folder in ['.', core]:
        for library in sorted(os.listdir(os.path.join(OBJECTS, folder))):
            where = os.path.join(OBJECTS, folder, library)
            names = os.listdir(where) if library.endswith('.a.p') else []
            for name in sorted(names):
                match = OBJECT.fullmatch(name)
                if match:
                    yield match[2], match[1], os.path.join(where, name)
                elif folder == core and name.endswith('.o'):
                    yield 'core', name[:-2], os.path.join(where, name)


def variables(path):
    """Names of the variables of an object that can be written."""
    text = subprocess.run(['objdump', '-t', path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    for line in text.splitlines():
        match = re.search(r'^\S+ .{6}O (\.\S+)\s+\S+\s+(?:\.hidden )?(\S+)$',
                          line)
        if match and re.match(r'\.(bss|data(?!\.rel\.ro))', match[1]):
            yield match[2]


class Layers(unittest.TestCase):
    def test_every_file_is_in_a_room(self):
        names = set(layers())
        for name in os.listdir(FOLDER):
            if os.path.isdir(os.path.join(FOLDER, name)):
                self.assertIn(name, names)
        for path, layer in sources().items():
            self.assertIn(layer, names, path)

    def test_the_build_enters_them_from_the_lowest(self):
        entered = re.findall(r"^subdir\('(\w+)'\)",
                             read(os.path.join(FOLDER, 'meson.build')),
                             re.MULTILINE)
        self.assertEqual(entered, layers())

    def test_no_include_goes_up(self):
        height = {layer: n for n, layer in enumerate(layers())}
        files = sources()
        seen = 0
        for path, layer in files.items():
            for name in INCLUDE.findall(read(path)):
                other = included_layer(path, name, files)
                if other:
                    seen += 1
                    self.assertLessEqual(
                        height[other], height[layer],
                        f'{os.path.relpath(path, ROOT)}: layer {other} is '
                        f'above: #include "{name}"')
        self.assertGreater(seen, len(files))

    def test_what_is_in_the_core_is_its_own(self):
        inside = os.path.join(FOLDER, 'core', 'tensix_core_struct.h')
        self.assertIn(inside, core_headers(os.path.join(FOLDER, 'core',
                                                        'core.c')))
        seen = set()
        for path in sources():
            headers = core_headers(path)
            seen |= headers
            self.assertNotIn(inside, headers, path)
        self.assertIn(os.path.join(FOLDER, 'core', 'tensix_core.h'), seen)

    def test_no_call_goes_up(self):
        height = {layer: n for n, layer in enumerate(layers())}
        home, used = {}, collections.defaultdict(set)
        for layer, name, path in objects():
            defined, undefined = symbols(path)
            home.update(dict.fromkeys(defined, (layer, name)))
            used[layer, name] |= undefined
        self.assertEqual({layer for layer, _ in used}, set(height))
        for (layer, name), wanted in used.items():
            for symbol in wanted & home.keys():
                other, source = home[symbol]
                self.assertLessEqual(
                    height[other], height[layer],
                    f'{name}: layer {other} is above: {symbol} of {source}')


class Rows(unittest.TestCase):
    """What an instruction is and does is in its row of the core's tables:
    no other place distinguishes instructions."""

    def setUp(self):
        table = read(os.path.join(FOLDER, 'core', 'decode', 'insn_table.h.inc'))
        self.unit = dict(re.findall(
            r'^(?:INSN|UNIMP)\(0x\w\w, (\w+), (\w+),', table, re.MULTILINE))
        self.assertEqual(len(self.unit), 137)

    def complaints(self, folder, text):
        """What TEXT, of a file in FOLDER, knows of opcodes and should not."""
        for mnemonic in OPCODE.findall(text):
            if mnemonic and UNITS.get(self.unit.get(mnemonic)) != folder:
                yield 'TENSIX_OP_' + mnemonic
        yield from OPCODE_BY_NUMBER.findall(text)

    def test_no_opcode_outside_of_decode_and_the_unit(self):
        seen = 0
        for where, _, names in os.walk(FOLDER):
            folder = os.path.relpath(where, FOLDER)
            for name in names if folder != 'core/decode' else []:
                if name.endswith(('.c', '.h', '.inc')):
                    seen += 1
                    text = read(os.path.join(where, name))
                    self.assertEqual(list(self.complaints(folder, text)), [],
                                     os.path.join(folder, name))
        self.assertGreater(seen, 200)

    def test_formats_of_the_package(self):
        table = read(os.path.join(FOLDER, 'core', 'num', 'format_table.h.inc'))
        rows = dict(re.findall(r'^FORMAT\((\d+), \w+, (\d+),', table,
                               re.MULTILINE))
        self.assertEqual(len(rows), 14)
        self.assertEqual({row.code: row.bits for row in formats.ROWS
                          if row.code is not None},
                         {int(code): int(bits) for code, bits in rows.items()})

    def test_it_is_noticed(self):
        for folder, text, wrong in (
                ('core/hazard', 'case TENSIX_OP_MVMUL:', True),
                ('core/matrix', 'case TENSIX_OP_MVMUL:', False),
                ('core/vector', 'if (opcode == TENSIX_OP_STALLWAIT) {', True),
                ('inspect', 'g->opcode == 0xa2', True),
                ('core/views', 'word >> 24 == 0x26', True),
                ('core/views', 'word >> 24 == TT(NOP) >> 24', True),
                ('core/vector', '[TENSIX_OP_##m] = tensix_vector_##m,', False)):
            self.assertIs(bool(list(self.complaints(folder, text))), wrong,
                          text)


class CleanUp(unittest.TestCase):
    """What a device registers with QEMU it takes back: no machine of a process
    with several leaves a handler behind.  (A machine is never unrealized
    today, so no run can show it.)"""

    PAIRS = (
        (r'qemu_add_vm_change_state_handler\w*', 'qemu_del_vm_change_state_handler'),
        ('qemu_add_exit_notifier', 'qemu_remove_exit_notifier'),
        ('qemu_register_resettable', 'qemu_unregister_resettable'),
        ('tensix_bus_subscribe', '(?:notifier_remove|tensix_bus_unsubscribe)'),
        ('tensix_bus_subscribe_all', 'tensix_bus_unsubscribe_all'),
        (r'timer_new\w*', 'timer_free'),
        ('qemu_bh_new', 'qemu_bh_delete'),
        ('address_space_init', 'address_space_destroy'),
        (r'vmstate_register\w*', 'vmstate_unregister'),
        ('tensix_poller_start', 'tensix_poller_stop'),
        ('tensix_pump_init', 'tensix_pump_finish'),
    )

    def test_each_registration_has_its_end(self):
        for folder, _, names in os.walk(FOLDER):
            for name in names:
                if not name.endswith('.c'):
                    continue
                text = read(os.path.join(folder, name))
                for begin, end in self.PAIRS:
                    begins = re.findall(rf'^ +.*\b{begin}\(', text, re.M)
                    ends = re.findall(rf'^ +.*\b{end}\(', text, re.M)
                    with self.subTest(name, begin=begin):
                        self.assertLessEqual(len(begins), len(ends))


class Busy(unittest.TestCase):
    """A search for a deadlock or the end of a kernel asks each device that
    may have work under way: it implements the interface "tensix-busy"."""

    WORK = re.compile(r'\b(tensix_pump_init|timer_new\w*|qemu_bh_new\w*|'
                      r'aio_bh_new\w*|async_run_on_cpu)\(')
    # What these do is not seen by the guest
    NO_WORK = {
        'tensix_pump': 'what a device owns',
        'tensix_report': 'stops the machine',
        'tensix_poller': 'asks the others',
        'tensix_perturb': 'ends a run',
    }

    def test_devices_with_work_implement_the_interface(self):
        stems = {os.path.basename(path)[:-2]: read(path)
                 for path in sources() if path.endswith('.c')}
        devices = {stem: text for stem, text in stems.items()
                   if 'DEFINE_TYPES(' in text}
        seen = set()
        for stem, text in stems.items():
            if not self.WORK.search(text) or stem in self.NO_WORK:
                continue
            owners = [name for name in devices
                      if stem == name or stem.startswith(name + '_')]
            owner = max(owners or ['tensix_hart'], key=len)
            self.assertRegex(devices[owner], BUSY,
                          f'{stem}.c has work for {owner}.c')
            seen.add(owner)
        self.assertGreaterEqual(seen, {'tensix_cop', 'tensix_niu', 'tensix_hart',
                                       'tensix_debug', 'tensix_host'})


class Process(unittest.TestCase):
    """Two tiles in one process would not meet."""

    def test_no_variable_but_the_process_s_own(self):
        found = set()
        for layer, name, path in objects():
            for variable in variables(path) if layer != 'core' else []:
                self.assertIn(variable, PROCESS, name)
                found.add(variable)
        self.assertEqual(found, set(PROCESS))

    def test_no_search_for_the_one_object_of_a_type(self):
        for path in sources():
            if os.path.basename(path) in LOOKS_UP:
                continue
            match = LOOK_UPS.search(read(path))
            self.assertIsNone(match, f'{path}: {match and match[0]}')

    def test_errors_go_up_to_the_machine(self):
        places = [os.path.basename(path) for path in sources()
                  for _ in re.findall(r'&error_fatal', read(path))]
        self.assertEqual(places, ['blackhole_tile.c'])


if __name__ == '__main__':
    unittest.main()
