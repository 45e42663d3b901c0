# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/sweep, blackhole_tile.sweep, and scripts/run --seed."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import numpy

import rv_asm as rv
from blackhole_tile import UseError, sweep_output, sweep_runs, sweep_workers
from blackhole_tile.delays import OBJECT
from blackhole_tile.sweep import sweep
from blackhole_tile.testing import ROOT, Tile, script
from rv_asm import A0, A1, ZERO

ADD = os.path.join(ROOT, 'examples', 'add')
TILE_H = os.path.join(ROOT, 'include', 'blackhole-tile', 'tile.h')
# a wait that is missing: the packer's work is counted before it has ended
EARLY = r'(inline void end_pack_half.*?)    TTINSN\(STALLWAIT.*?UNTIL_PACKED' \
    r'.*?\);\n'
# the third tile waits for good
NO_GET = r'(inline void end_pack_half.*?)    TTINSN\(SEMGET.*?;\n'
COMMAND = re.compile(r'^run \d+, .*: (scripts/.*)$', re.M)
SECONDS = 120
RUNS = 400                           # of the sweep that loses a worker


def tool(name, *words):
    """Runs scripts/NAME; (status, what it prints)."""
    done = script(name, *words, cwd=ROOT, merged=True)
    return done.returncode, done.stdout


def wait_for(condition, what):
    """Polls."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def parents():
    """{process: its parent} of all emulators."""
    found = {}
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{name}/stat', encoding='ascii',
                      errors='replace') as file:
                head, _, tail = file.read().rpartition(')')
        except OSError:
            continue
        if 'qemu-system' in head:
            found[int(name)] = int(tail.split()[1])
    return found


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.out = os.path.join(self.folder, 'out')

    def racy(self, part=EARLY):
        """examples/add with its own tile.h, which lacks something."""
        folder = os.path.join(self.folder, 'add')
        shutil.copytree(ADD, folder)
        with open(TILE_H, encoding='utf-8') as file:
            text, count = re.subn(part, r'\1', file.read(), count=1,
                                  flags=re.S)
        self.assertEqual(count, 1)
        own = os.path.join(folder, 'blackhole-tile')
        os.mkdir(own)
        with open(os.path.join(own, 'tile.h'), 'w', encoding='utf-8') as file:
            file.write(text)
        return folder


class Seeds(Folder):
    def test_correct(self):
        status, text = tool('sweep', ADD, '--seeds', '0:40', '--workers=0')
        self.assertEqual(status, 0, text)
        self.assertRegex(text, 'sweep: 0 of 41 runs fail; 41 in')

    def test_each_failure_is_repeated_by_its_command(self):
        program = self.racy()
        status, text = tool('sweep', program, '--seeds=1:12', '--workers=0',
                            '--out', self.out)
        self.assertEqual(status, 5, text)
        records = sweep_output.records(self.out)
        self.assertEqual([one['seed'] for one in records],
                         list(range(1, 13)))
        failing = [one for one in records if one['outcome'] != 'done']
        commands = COMMAND.findall(text)
        self.assertEqual(len(commands), len(failing))
        self.assertTrue(0 < len(failing) < 12, text)
        for record, words in zip(failing[:3], commands):
            status, output = tool(*words.removeprefix('scripts/').split())
            self.assertEqual(status, 5, output)
            self.assertIn(f'all {record["differing"]} wrong numbers', output)
        good = next(one for one in records if one['outcome'] == 'done')
        status, output = tool('run', program, f'--seed={good["seed"]}')
        self.assertEqual(status, 0, output)

    def test_a_run_depends_on_its_seed_alone(self):
        program = self.racy()
        together = sweep(program, seeds=(1, 8))
        alone = [sweep(program, seeds=(seed, seed))[0]
                 for seed in (8, 3)]
        self.assertEqual([one['digest'] for one in alone],
                         [together[seed - 1]['digest'] for seed in (8, 3)])
        self.assertGreater(len({one['digest'] for one in together}), 2)

    def test_deadlock(self):
        records = sweep(self.racy(NO_GET), seeds=(0, 2))
        self.assertEqual([one['outcome'] for one in records],
                         ['deadlock'] * 3)

    def test_without_expect_the_eager_run_is_what_is_right(self):
        program = self.racy()
        args = os.path.join(program, 'run.args')
        with open(args, encoding='utf-8') as file:
            text = re.sub('^--expect.*$', '', file.read(), flags=re.M)
        with open(args, 'w', encoding='utf-8') as file:
            file.write(text)
        records = sweep(program, seeds=(0, 8))
        self.assertEqual(records[0]['outcome'], 'done')
        for one in records:
            self.assertEqual(one['outcome'] == 'done',
                             one['digest'] == records[0]['digest'])

    def test_an_emulator_that_ends_loses_nothing(self):
        runs = [sweep_runs.Run(n, sweep_runs.NO_ROW, n) for n in range(9)]
        load = sweep_runs.Load((self.racy(),), ROOT, '')
        task = sweep_runs.Task(load, {}, runs, False)
        try:
            whole = sweep_runs.work(task)
            sweep_runs.KEPT.kernel.tile.process.kill()
            self.assertEqual(sweep_runs.work(task).records, whole.records)
        finally:
            sweep_runs.drop_kernel()


class Inputs(Folder):
    def test_rows(self):
        a, b = numpy.random.default_rng(1).integers(-9, 9, (2, 5, 64, 64))
        wrong = a + b
        wrong[3, 7, 7] += 1
        records = sweep(ADD, a=a, b=b, expected=wrong, out=self.out)
        self.assertEqual([one['outcome'] for one in records],
                         ['done'] * 3 + ['differs', 'done'])
        found = sweep_output.arrays(self.out)
        for row in range(5):
            numpy.testing.assert_array_equal(found[row]['c'], a[row] + b[row])

    def test_bits_and_only(self):
        words = (os.path.join(ROOT, 'examples', 'sfpu'),
                 '--input=x=fp32:0x3f800000:0x3f809001', '--seeds=0:1',
                 '--allow-violations')
        status, text = tool('sweep', *words, '--workers=0', '--out', self.out)
        self.assertEqual(status, 0, text)
        records = sweep_output.records(self.out)
        self.assertEqual([one['row'] for one in records],
                         [n // 2 for n in range(20)])
        found = sweep_output.arrays(self.out)
        self.assertTrue((found[18]['y'] == found[18]['y'][0, 0]).all())
        status, text = tool('sweep', *words, '--only=7')
        self.assertEqual((status, json.loads(text)), (0, records[7]))

    def test_refused(self):
        for words, wanted in (
                (['--input=z=a.npy'], 'No such file'),
                (['--input=z=fp32:0:1'], 'no --put has such a file'),
                (['--input=a=fp32:1:0'], 'numbers up to 0xffffffff'),
                (['--input=a'], 'not of the form NAME=ROWS'),
                (['--seeds=2:1'], 'is not FIRST:LAST'),
                (['--delay=trisc1@0x4:thread=1'], 'scripts/run has it'),
                (['--until=exit'], 'after an exit'),
                (['--emulator=/dev/null'], 'no program'),
                (['--only=100', '--seeds=1:1'], 'there are runs 0 to 0')):
            status, text = tool('sweep', ADD, '--workers=0', *words)
            self.assertEqual((status, wanted in text), (1, True), text)
        path = os.path.join(self.folder, 'one.npy')
        numpy.save(path, numpy.float32(1))
        status, text = tool('sweep', ADD, '--workers=0', f'--input=a={path}')
        self.assertEqual((status, 'no rows' in text), (1, True), text)
        with self.assertRaisesRegex(UseError, 'the program takes'):
            sweep(ADD, a=numpy.zeros((2, 3)))
        with self.assertRaisesRegex(UseError, 'have 2 and 3 rows'):
            sweep(ADD, a=numpy.zeros((2, 64, 64)), b=numpy.zeros((3, 64, 64)))


    def test_damaged_arrays(self):
        """Files that numpy takes for archives, and arrays of texts."""
        path = os.path.join(self.folder, 'rows.npy')
        numpy.save(path, numpy.zeros((4, 32, 32), numpy.float32))
        with open(path, 'rb') as file:
            good = file.read()
        for data, expected in (
                (b'PK\3\4' + bytes(64), 'no .npy file'),
                (good[:-1], 'no .npy file'),
                (good.replace(b'(4, 32, 32)', b'(((((((((('), 'no .npy file'),
                (good.replace(b"'<f4'", b"'<U1'"), 'holds numbers of type')):
            with self.subTest(expected=expected, data=data[:80]):
                with open(path, 'wb') as file:
                    file.write(data)
                status, text = tool('sweep', ADD, '--workers=0',
                                    f'--input=a={path}')
                self.assertEqual((status, text.count('\n')), (1, 1), text)
                self.assertIn(expected, text)


class Page(Folder):
    def test_code(self):
        with open(os.path.join(ROOT, 'docs', 'sweep.rst'),
                  encoding='utf-8') as file:
            found = re.search(r'code-block:: python\n\n((?:    .*\n|\n)+)',
                              file.read())
        code = textwrap.dedent(found[1]).replace(
            "'sums'", repr(self.out)).replace("'examples/add'", repr(ADD))
        exec(code, {'numpy': numpy})     # pylint: disable=exec-used


class Resumed(Folder):
    def test_resumed(self):
        program = self.racy()
        whole = sweep(program, seeds=(1, 200), out=self.out)
        path = os.path.join(self.out, 'runs.jsonl')
        with open(path, encoding='utf-8') as file:
            lines = file.readlines()
        with open(path, 'w', encoding='utf-8') as file:
            file.writelines(lines[:100])
            file.write(lines[100][:20])
        status, text = tool('sweep', program, '--seeds=1:200', '--workers=0',
                            '--out', self.out)
        self.assertEqual(status, 5, text)
        self.assertIn('; 100 were there already; 100 in', text)
        self.assertEqual(sweep(program, seeds=(1, 200), out=self.out), whole)

    def test_of_another_sweep(self):
        sweep(ADD, seeds=(1, 2), out=self.out)
        with self.assertRaisesRegex(UseError, 'another sweep .seeds differ'):
            sweep(ADD, seeds=(1, 3), out=self.out)

    def test_two_at_once(self):
        """The second is refused, and reads nothing that the first writes."""
        sweep(ADD, seeds=(1, 2), out=self.out)
        lock = sweep_output.locked(self.out)
        with self.assertRaisesRegex(UseError, 'another sweep writes there'):
            sweep(ADD, seeds=(1, 2), out=self.out)
        sweep_output.unlock(lock)
        self.assertEqual(len(sweep(ADD, seeds=(1, 2), out=self.out)), 2)

    def test_of_no_sweep(self):
        sweep(ADD, seeds=(1, 2), out=self.out)
        for name in 'runs.jsonl', 'sweep.json':
            for text in '[]\n', '{}}\n', '[' * 100000 + '\n':
                with open(os.path.join(self.out, name), 'w',
                          encoding='utf-8') as file:
                    file.write(text)
                with self.assertRaisesRegex(UseError, 'no sweep has written'):
                    sweep(ADD, seeds=(1, 2), out=self.out)


class Cluster(Folder):
    """A scheduler and workers of Dask on loopback."""

    def start(self, module, *words):
        """A process of Dask's."""
        with open(os.path.join(self.folder, 'log'), 'a',
                  encoding='utf-8') as log:
            process = subprocess.Popen(
                [sys.executable, '-m', f'distributed.cli.{module}', *words],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.folder, env={
                    **os.environ,
                    'PYTHONPATH': os.path.join(ROOT, 'python')})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def scheduler(self):
        """Its address."""
        place = os.path.join(self.folder, 'scheduler.json')
        self.start('dask_scheduler', '--host', '127.0.0.1', '--port', '0',
                   '--no-dashboard', '--scheduler-file', place)
        wait_for(lambda: os.path.exists(place) and
                 os.path.getsize(place), 'no scheduler')
        with open(place, encoding='utf-8') as file:
            return json.load(file)['address']

    def worker(self, address):
        """A process that nothing starts again."""
        return self.start('dask_worker', address, '--nthreads', '1',
                          '--no-nanny', '--no-dashboard', '--local-directory',
                          self.folder)

    def lines(self):
        """Of the results so far."""
        try:
            with open(os.path.join(self.out, 'runs.jsonl'), 'rb') as file:
                return file.read().count(b'\n')
        except OSError:
            return 0

    def test_a_worker_that_dies_loses_nothing(self):
        program = self.racy()
        serial = sweep(program, seeds=(1, RUNS))
        address = self.scheduler()
        workers = [self.worker(address) for _ in range(2)]
        made = subprocess.Popen(
            [os.path.join(ROOT, 'scripts', 'sweep'), program,
             f'--seeds=1:{RUNS}', '--scheduler', address, '--out', self.out],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        pids = {worker.pid for worker in workers}
        wait_for(lambda: self.lines() and
                 set(parents().values()) >= pids, 'no runs by both')
        emulators = [pid for pid, parent in parents().items()
                     if parent == workers[0].pid]
        os.kill(workers[0].pid, signal.SIGKILL)
        self.assertLess(self.lines(), RUNS)
        text = made.communicate(timeout=SECONDS)[0]
        self.assertEqual(made.returncode, 5, text)
        self.assertEqual(sweep_output.records(self.out), serial)
        wait_for(lambda: not parents().keys() & set(emulators),
                 "the dead worker's emulator runs")

    def test_local(self):
        program = self.racy()
        self.assertEqual(sweep(program, seeds=(1, 100), workers=2),
                         sweep(program, seeds=(1, 100)))

    def test_strangers(self):
        """Other users of this machine reach the port; what workers receive
        they execute."""
        workers = sweep_workers.workers_of(None, 1)
        self.addCleanup(workers.close)
        address = workers.cluster.scheduler_address
        self.assertRegex(address, r'^tls://127\.')
        dask = workers.dask
        for where, keys in (
                (address.replace('tls:', 'tcp:'), {}),
                (address, {'security': dask.Security.temporary()})):
            with self.subTest(where=where), self.assertRaises(OSError):
                dask.Client(where, timeout=2, **keys)

    def test_no_scheduler(self):
        with self.assertRaisesRegex(UseError, 'cannot be reached'):
            sweep(ADD, scheduler='tcp://127.0.0.1:1')

    def test_without_dask(self):
        with open(os.path.join(self.folder, 'distributed.py'), 'w',
                  encoding='utf-8') as file:
            file.write('raise ImportError\n')
        done = subprocess.run(
            [os.path.join(ROOT, 'scripts', 'sweep'), ADD], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env={**os.environ, 'PYTHONPATH': self.folder}, timeout=SECONDS)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('python3-distributed', done.stdout)


class Object(unittest.TestCase):
    """What tensix-perturb does with seeds."""

    @staticmethod
    def machine():
        return Tile(accel='icount', stopped=True, extra=OBJECT)

    def test_code_of_another_run_is_not_executed(self):
        """A word of the code is replaced before one run, on its page alone."""
        code = [rv.jump(0x2000), *[0] * 0x7FF, *rv.li(A1, 0x8000),
                rv.addi(A0, ZERO, 1), rv.sw(A0, A1), rv.jump(0)]
        with self.machine() as tile:
            tile.write(0, rv.code(code))
            place = 4 * code.index(rv.addi(A0, ZERO, 1))
            tile.release('brisc')
            for number in (1, 2, 1, 3, 1):
                tile.events.clear()
                more = {} if number == 1 else {'writes': [
                    {'address': place, 'data': base64.b64encode(
                        rv.code([rv.addi(A0, ZERO, number)])).decode()}]}
                tile.qmp('tensix-perturb', seeds=[{'first': 0, 'last': 0}],
                         until=[{'address': 0x8000, 'value': 0,
                                 'comparison': 'differs'}], **more)
                tile.cont()
                sweep_runs.wait_for_stop(tile)
                self.assertEqual(tile.read32(0x8000), number)

    ONCE = {                           # what is reported once
        'unaligned': rv.li(A1, 0x8102) + [rv.lw(A0, A1)],
        'debug bus': rv.li(A1, 0xFFB12000) + rv.li(A0, 0x20FF1234) +
        [rv.sw(A0, A1, 0x54), rv.lw(A0, A1, 0x5C)],
        'counter': rv.li(A1, 0xFFB12000) + rv.li(A0, 27 << 8) +
        [rv.sw(A0, A1, 4), rv.lw(A0, A1, 0x104)],
        'harts of tile': [
            word for offset, value in (
                (0, 0xFFB121B0), (4, 0), (8, 3 << 6 | 2), (0x1C, 0xA),
                (0x20, 0xF), (0x28, 0), (0x40, 1))
            for word in rv.li(A1, 0xFFB20000) + rv.li(A0, value) +
            [rv.sw(A0, A1, offset)]],
    }

    def test_each_run_has_all_violations(self):
        """Also those that are reported once: a run that seems to have fewer
        than the first would be a finding."""
        for name, words in self.ONCE.items():
            with self.subTest(name), self.machine() as tile:
                tile.write(0, rv.code(
                    words + rv.li(A1, 0x8000) + rv.li(A0, 1) +
                    [rv.sw(A0, A1), rv.jump(0)]))
                tile.release('brisc')
                found = [self.violations(tile) for _ in range(3)]
                self.assertEqual(found, [1, 1, 1])

    def test_memory_that_no_device_has(self):
        """A user's, which comes before L1 in QEMU's list."""
        with self.machine() as tile:
            tile.write(0, rv.code(rv.li(A1, 0x8000) + [
                rv.lw(A0, A1), rv.addi(A0, A0, 1), rv.sw(A0, A1),
                rv.jump(0)]))
            tile.release('brisc')
            for change in (
                    lambda: None,
                    lambda: tile.qmp('object-add', **{
                        'qom-type': 'memory-backend-ram', 'id': 'mine',
                        'size': 4 << 20}),
                    lambda: tile.qmp('object-del', id='mine')):
                change()
                band = self.band(tile)
                self.assertEqual((band['end'], band['differing']),
                                 ('done', 0))
                self.assertEqual(tile.read32(0x8000), 1)

    def violations(self, tile):
        """Of one run."""
        return self.band(tile)['violations']

    @staticmethod
    def band(tile):
        """Of one run."""
        tile.events.clear()
        tile.qmp('tensix-perturb', seeds=[{'first': 0, 'last': 0}])
        tile.cont()
        sweep_runs.wait_for_stop(tile)
        return tile.qmp('query-tensix-perturb')['bands'][0]

    def test_refused(self):
        seeds = [{'first': 1, 'last': 1}]
        with self.machine() as tile:
            for arguments, wanted in (
                    ({'seeds': []}, 'none is given'),
                    ({'seeds': [{'first': 2, 'last': 1}]}, 'above the last'),
                    ({'seeds': seeds, 'delays': []}, 'exclude each other'),
                    ({'seeds': seeds, 'writes': [
                        {'address': 0, 'data': '!'}]}, 'Base64')):
                with self.assertRaisesRegex(Exception, wanted):
                    tile.qmp('tensix-perturb', **arguments)


if __name__ == '__main__':
    sys.exit(unittest.main())
