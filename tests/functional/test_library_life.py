# SPDX-License-Identifier: GPL-2.0-or-later
"""libblackhole-tile.so and processes: forks, signals, ends of all kinds."""

import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import rv_asm as rv
from blackhole_tile import SOFT_RESET
from blackhole_tile.testing import heed_control_c
from rv_asm import A0, A1
from tile_library import (LIBRARY, SIZE_2M, Chip, Options, Output, children,
                          is_alive, wait_until)

DRAM = (0, 0)
NO_DEVICE = 0xFFFFFFFF
ALL_HELD = 0x47800
BRISC = 1 << 11
COUNTER = 0x10000
WALL_CLOCK = 0xFFB121F0
FOLDER = os.path.dirname(os.path.abspath(__file__))


FORKS = r'''
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
static void (*read_tile)(uint32_t, uint32_t, uint64_t, void *, uint32_t);
static void (*write_tile)(uint32_t, uint32_t, uint64_t, const void *, uint32_t);
static void take_time(void) { usleep(100000); }
/* A child has its parent's word. */
static void *forks(void *status)
{
    pid_t pid = fork();
    if (pid == 0) {
        uint32_t word = 0;
        read_tile(1, 2, 0x1000, &word, 4);
        _exit(word != 5);
    }
    waitpid(pid, status, 0);
    return 0;
}
int main(int argc, char **argv)
{
    uint32_t word = 5;
    int status[2];
    pthread_t thread[2];
    pthread_atfork(take_time, 0, 0);     /* runs after the library's */
    void *library = dlopen(argv[1], RTLD_NOW);
    read_tile = dlsym(library, "libttsim_tile_rd_bytes");
    write_tile = dlsym(library, "libttsim_tile_wr_bytes");
    ((void (*)(void))dlsym(library, "libttsim_init"))();
    write_tile(1, 2, 0x1000, &word, 4);
    for (int n = 0; n < 2; n++) {
        pthread_create(&thread[n], 0, forks, &status[n]);
        usleep(30000);
    }
    for (int n = 0; n < 2; n++) {
        pthread_join(thread[n], 0);
    }
    ((void (*)(void))dlsym(library, "libttsim_exit"))();
    return status[0] || status[1];
}
'''


def count_up(chip):
    """BRISC increments a word of L1 for ever."""
    chip.write(0, rv.code(rv.li(A0, COUNTER) + [
        rv.addi(A1, 0, 0), rv.addi(A1, A1, 1), rv.sw(A1, A0), rv.jump(-8)]))
    chip.write32(SOFT_RESET, ALL_HELD & ~BRISC)


def in_child(action):
    """Forks; the child sends back what ACTION() returns, bytes. A function
    that waits for them."""
    back, there = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(there, action())
        finally:
            os._exit(0)
    os.close(there)

    def result():
        with os.fdopen(back, 'rb') as file:
            data = file.read()
        os.waitpid(pid, 0)
        return data

    return result


class Gate:
    """What a child waits for before it continues."""

    def __init__(self):
        self.back, self.there = os.pipe()

    def open(self):
        os.write(self.there, b'.')

    def wait(self):
        os.read(self.back, 1)

    def close(self):
        os.close(self.back)
        os.close(self.there)


class Forks(unittest.TestCase):
    def setUp(self):
        self.chip = Chip()
        self.addCleanup(self.chip.library.libttsim_exit)
        self.gate = Gate()
        self.addCleanup(self.gate.close)
        self.chip.write32(0x1000, 1)
        self.chip.write32(0x40, 2, DRAM)
        self.at = self.chip.set_window(5, 0x40, DRAM)

    def state(self):
        """L1, another tile, a window that was set before: 1, 2, 2"""
        return self.chip.read(0x1000, 4) + self.chip.read(0x40, 4, DRAM) + \
            self.chip.bar_read(self.at, 4)

    START = struct.pack('<3I', 1, 2, 2)

    def change(self, value):
        self.chip.write32(0x1000, value)
        self.chip.write32(0x40, value, DRAM)

    def test_child_has_the_state(self):
        self.assertEqual(in_child(self.state)(), self.START)
        self.assertEqual(self.state(), self.START)

    def test_child_does_not_change_the_parent(self):
        def act():
            self.change(7)
            return self.state()

        self.assertEqual(in_child(act)(), struct.pack('<3I', 7, 7, 7))
        self.assertEqual(self.state(), self.START)

    def test_parent_continues_first(self):
        """The child was late; still it is as at the fork."""
        def late():
            self.gate.wait()
            return self.state()

        result = in_child(late)
        self.change(9)
        self.gate.open()
        self.assertEqual(result(), self.START)
        self.assertEqual(self.state(), struct.pack('<3I', 9, 9, 9))

    def test_siblings(self):
        """One at once, two late, the parent acts in between."""
        def late():
            self.gate.wait()
            before = self.state()
            self.change(os.getpid())
            return before if self.chip.read32(0x1000) == os.getpid() else b''

        results = [in_child(late), in_child(late)]
        self.assertEqual(in_child(self.state)(), self.START)
        self.change(4)
        third = in_child(late)
        self.change(5)
        for _ in range(3):
            self.gate.open()
        for result in results:
            self.assertEqual(result(), self.START)
        self.assertEqual(third(), struct.pack('<3I', 4, 4, 4))
        self.assertEqual(self.state(), struct.pack('<3I', 5, 5, 5))

    def test_many_one_after_the_other(self):
        """As pytest --forked does it."""
        for count in range(8):
            self.assertEqual(in_child(self.state)(), self.START, count)
        self.assertEqual(len(children()), 1)

    def test_grandchildren(self):
        def child():
            first = in_child(self.state)()       # has no machine itself yet
            self.change(6)
            return first + in_child(self.state)()

        self.assertEqual(in_child(child)(),
                         self.START + struct.pack('<3I', 6, 6, 6))

    def test_two_threads_fork(self):
        """While one is between the handlers of its fork()."""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'forks')
            subprocess.run(['cc', '-o', program, '-xc', '-', '-ldl',
                            '-lpthread'], input=FORKS, text=True, check=True)
            done = subprocess.run([program, LIBRARY], text=True, timeout=120,
                                  capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ''))

    def test_what_the_parent_saw_is_no_longer_to_come(self):
        """No child is given an earlier state than its parent has read."""
        count_up(self.chip)
        self.assertTrue(wait_until(lambda: self.chip.read32(COUNTER) > 1000))
        for _ in range(3):
            seen = self.chip.read32(COUNTER)
            got = in_child(lambda: self.chip.read(COUNTER, 4))()
            self.assertGreaterEqual(int.from_bytes(got, 'little'), seen)

    def test_running_harts_run_in_both(self):
        count_up(self.chip)

        def continues():
            start = self.chip.read32(COUNTER)
            return b'yes' if start and wait_until(
                lambda: self.chip.read32(COUNTER) != start) else b'no'

        self.assertEqual(in_child(continues)(), b'yes')
        self.assertEqual(continues(), b'yes')

    def test_child_that_calls_nothing(self):
        """No emulator for it, and no snapshot when the parent continues."""
        in_child(lambda: b'')()
        start = time.monotonic()
        for _ in range(20):
            in_child(lambda: b'')()
        print(f'fork without use: {(time.monotonic() - start) * 50:.2f} ms')
        self.change(3)
        self.assertEqual(self.state(), struct.pack('<3I', 3, 3, 3))

    def test_exec(self):
        """A program that was started does not keep anything waiting."""
        pid = os.fork()
        if pid == 0:
            os.execvp('sleep', ['sleep', '60'])
        self.change(3)
        self.assertEqual(self.state(), struct.pack('<3I', 3, 3, 3))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def test_parent_ends_first(self):
        """By exit(): the child gets its state before."""
        def parent():
            back, there = os.pipe()
            if os.fork() == 0:
                self.gate.wait()
                os.write(there, self.state())
                os._exit(0)
            os.close(there)
            self.chip.library.libttsim_exit()
            self.gate.open()
            return os.read(back, 100)

        # A process in between, since this one's chip is needed later
        self.assertEqual(in_child(lambda: self.state() + parent())(),
                         self.START * 2)

    def test_parent_was_killed(self):
        back, there = os.pipe()
        pid = os.fork()
        if pid == 0:
            self.chip.read32(0x1000)
            if os.fork() == 0:
                self.gate.wait()
                with Output() as output:
                    self.chip.read32(0x1000)
                os.write(there, output.stdout().encode())
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        os.close(there)            # or a child that says nothing hangs us
        os.waitpid(pid, 0)
        self.gate.open()
        with os.fdopen(back, 'rb') as file:
            self.assertRegex(
                file.read().decode(),
                r'\] ERROR: SystemError: libttsim_tile_rd_bytes: .*')

    def test_child_that_dies_over_its_snapshot(self):
        """Killed at any time, it leaves parent and siblings a machine."""
        count_up(self.chip)
        for delay in range(0, 60, 4):
            pid = os.fork()
            if pid == 0:
                self.chip.read32(0x40, DRAM)
                time.sleep(60)
            time.sleep(delay / 1000)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.assertEqual(in_child(self.state)(), self.START)
        before = self.chip.read32(COUNTER)
        self.assertTrue(wait_until(
            lambda: self.chip.read32(COUNTER) != before))

    def test_cost_for_the_parent(self):
        """Nothing, if the children have ended: not a snapshot a write."""
        for _ in range(5):
            in_child(self.state)()
        start = time.monotonic()
        for value in range(200):
            self.change(value)
        each = (time.monotonic() - start) / 400
        print(f'write after forks: {each * 1e6:.0f} us')
        self.assertLess(each, 0.01)


class Lockstep(unittest.TestCase):
    """The machine runs in clocks alone: all is the same again."""

    OPTIONS = '-icount shift=0,sleep=off -M host-clock=lockstep'

    @staticmethod
    def steps(chip):
        """The counter after some clocks, as bytes."""
        seen = b''
        for count in (1, 1, 10, 1000):
            chip.clock(count)
            seen += chip.read(COUNTER, 4)
        return seen

    def run_and_fork(self):
        """What parent, child and the parent of a late child see."""
        with Chip() as chip:
            count_up(chip)
            first = self.steps(chip)
            child = in_child(lambda: self.steps(chip))()
            parent = self.steps(chip)
            late = in_child(lambda: [time.sleep(0.1),
                                     self.steps(chip)][1])
            after = self.steps(chip)
            return first, child, parent, late(), after

    def test_as_many_clocks_as_there_can_be(self):
        """Virtual time passes with them, a nanosecond each."""
        most, hz = 0xFFFFFFFF, 1_350_000_000
        with Options(BLACKHOLE_TILE_OPTIONS=self.OPTIONS), Chip() as chip:
            chip.clock(1)
            before = chip.read32(WALL_CLOCK)
            chip.clock(most)
            passed = chip.read32(WALL_CLOCK) - before & most
            self.assertAlmostEqual(passed, most * hz // 1_000_000_000 & most,
                                   delta=hz // 1000)

    def test_forks(self):
        with Options(BLACKHOLE_TILE_OPTIONS=self.OPTIONS), \
                Output() as output:
            first, child, parent, late, after = self.run_and_fork()
            again = self.run_and_fork()
        self.assertEqual(output.errors(), [])
        self.assertEqual(child, parent)
        self.assertEqual(late, after)
        self.assertEqual(again, (first, child, parent, late, after))
        counts = struct.unpack('<4I', parent)
        self.assertGreater(counts[3] - counts[2], 300)
        self.assertLess(counts[1] - counts[0], 100)


class Signals(unittest.TestCase):
    def test_storm(self):
        """A signal a millisecond, which interrupts system calls."""
        count = [0]

        def on_alarm(*_):
            count[0] += 1

        old = signal.signal(signal.SIGALRM, on_alarm)
        signal.siginterrupt(signal.SIGALRM, True)
        chance = random.Random(1)
        model = bytearray(1 << 16)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
            with Output() as output, Chip() as chip:
                for _ in range(10_000):
                    size = chance.randrange(1, 64)
                    address = chance.randrange(len(model) - size)
                    data = chance.randbytes(size)
                    model[address:address + size] = data
                    chip.write(address, data, DRAM)
                    address = chance.randrange(len(model) - 64)
                    self.assertEqual(chip.read(address, 64, DRAM),
                                     model[address:address + 64])
                large = os.urandom(8 << 20)
                at = chip.set_window(0, 0, DRAM)
                for part in range(4):
                    chip.bar_write(at, large[part * SIZE_2M:][:SIZE_2M])
                    self.assertEqual(chip.bar_read(at, SIZE_2M),
                                     large[part * SIZE_2M:][:SIZE_2M])
                self.assertEqual(
                    in_child(lambda: chip.read(0, 64, DRAM))(),
                    large[3 * SIZE_2M:][:64])
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
        self.assertEqual(output.errors(), [])
        self.assertGreater(count[0], 50)

    def test_ctrl_c_is_for_the_host(self):
        with Chip() as chip:
            emulator = children()[-1]
            self.assertEqual(os.getpgid(emulator), emulator)
            self.assertNotEqual(os.getpgid(emulator), os.getpgid(0))
            self.assertEqual(chip.read32(0), 0)

    def test_dispositions_are_left_alone(self):
        numbers = (signal.SIGPIPE, signal.SIGCHLD, signal.SIGINT)
        before = [signal.getsignal(number) for number in numbers]
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        with Chip():
            pass
        self.assertEqual(before, [signal.getsignal(n) for n in numbers])
        self.assertEqual(mask, signal.pthread_sigmask(signal.SIG_BLOCK, []))


class Ends(unittest.TestCase):
    """Whichever process ends: a reason is reported and nothing is left behind."""

    def killed_emulator(self, action, number=signal.SIGKILL):
        """The errors that ACTION(chip) brings after the emulator's death."""
        with Output() as output, Chip() as chip:
            chip.write32(0x100, 5)
            emulator = children()[-1]
            os.kill(emulator, number)
            action(chip)
            self.assertFalse(is_alive(emulator))
            self.assertEqual(chip.config(0), NO_DEVICE)
            self.assertEqual(chip.read32(0x100), 0)
            chip.write32(0x100, 6)
            chip.clock(1000)
        return output.errors()

    @staticmethod
    def resume_later(emulator, seconds):
        """Stops it for a while."""
        os.kill(emulator, signal.SIGSTOP)
        os.waitid(os.P_PID, emulator, os.WSTOPPED | os.WNOWAIT)
        timer = threading.Timer(seconds, os.kill, (emulator, signal.SIGCONT))
        timer.start()
        return timer

    def test_emulator_stopped(self):
        """By a signal: the call waits, and says so."""
        with Output() as output, Chip() as chip:
            timer = self.resume_later(children()[-1], 6)
            chip.write32(0x40, 5, DRAM)
            self.assertEqual(chip.read32(0x40, DRAM), 5)
            timer.join()
        self.assertRegex(output.stderr(), r'libttsim_tile_wr_bytes waits for '
                         r'the emulator \(process \d+\) for 5 s now')
        self.assertEqual(output.errors(), [])

    def test_emulator_stopped_for_ever(self):
        """The host can end all the same."""
        with Chip():
            emulator = children()[-1]
            os.kill(emulator, signal.SIGSTOP)
            start = time.monotonic()
        self.assertLess(time.monotonic() - start, 30)
        self.assertFalse(is_alive(emulator))

    def test_emulator_stopped_when_a_child_wants_its_state(self):
        with Output() as output, Chip() as chip:
            chip.write32(0x40, 6, DRAM)
            timer = self.resume_later(children()[-1], 7)
            child = in_child(lambda: chip.read(0x40, 4, DRAM))
            self.assertEqual(child(), struct.pack('<I', 6))
            timer.join()
        self.assertRegex(output.stderr(), 'libttsim_tile_rd_bytes waits for '
                         'the emulator of another process for 5 s now')
        self.assertEqual(output.errors(), [])

    def test_a_full_disk_for_the_log(self):
        """It is lost, and nothing else."""
        bad = rv.code(rv.li(A0, 0x4000_0000) + [rv.lw(A1, A0)] + rv.HALT)
        with Output() as output, \
                Options(BLACKHOLE_TILE_LOG='/dev/full'), Chip() as chip:
            chip.write(0, bad)
            chip.write32(SOFT_RESET, ALL_HELD & ~BRISC)
            chip.clock(1000)
            chip.write32(0x40, 7, DRAM)
            self.assertEqual(chip.read32(0x40, DRAM), 7)
            self.assertTrue(wait_until(
                lambda: [chip.clock(64)] and 'BRISC' in output.stderr()))
        self.assertEqual(output.errors(), [])

    def test_emulator_killed(self):
        errors = self.killed_emulator(lambda chip: self.assertTrue(
            wait_until(lambda: chip.read32(0x40, DRAM) == 0)))
        self.assertEqual([error[0] for error in errors], ['SystemError'])
        self.assertRegex(errors[0][2], r'emulator.*signal 9 \(Killed\)')

    def test_emulator_killed_while_l1_is_polled(self):
        """No request fails, for none is made."""
        errors = self.killed_emulator(lambda chip: self.assertTrue(
            wait_until(lambda: chip.read32(0x100) == 0)))
        self.assertRegex(errors[0][2], 'signal 9')

    def test_emulator_killed_in_a_block(self):
        def action(chip):
            for _ in range(4):
                chip.write(0, bytes(16 << 20), DRAM)

        errors = self.killed_emulator(action, signal.SIGSEGV)
        self.assertRegex(errors[0][2], 'signal 11')

    def test_a_new_start_after_that(self):
        self.killed_emulator(lambda chip: chip.read32(0x40, DRAM))
        with Chip() as chip:
            self.assertEqual(chip.config(0), 0xB1401E52)

    def test_another_thread_waits_for_children(self):
        with Output() as output, Chip() as chip:
            emulator = children()[-1]
            os.kill(emulator, signal.SIGKILL)
            self.assertEqual(os.wait()[0], emulator)
            self.assertEqual(chip.read32(0x40, DRAM), 0)
        self.assertEqual(output.errors()[0][0], 'SystemError')

    CLIENT = '''
import sys; sys.path.insert(0, sys.argv[1])
from tile_library import *
import threading, time
def work():
    global chip
    chip = Chip()
    chip.write32(0x100, 5)
if sys.argv[2] == "thread":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    work()
emulator = children()[-1]
if sys.argv[2] == "fork" and os.fork() == 0:
    time.sleep(60)
print(emulator, flush=True)
if sys.argv[2] == "loop":
    while True:
        chip.write(0, bytes(1 << 20), (0, 0))
if sys.argv[2] == "end":
    sys.exit(0)
if sys.argv[2] == "_exit":
    os._exit(0)
while True:
    time.sleep(0.01)
    assert chip.read32(0x100) == 5
'''

    def client(self, how):
        process = subprocess.Popen(
            [sys.executable, '-c', self.CLIENT, FOLDER, how],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True, preexec_fn=heed_control_c)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)      # one that a test could not end
        emulator = int(process.stdout.readline())
        self.addCleanup(process.stdout.close)
        return process, emulator

    def test_client_killed(self):
        for how in ('idle', 'loop', 'thread', 'fork'):
            with self.subTest(how):
                process, emulator = self.client(how)
                self.assertTrue(is_alive(emulator))
                process.kill()
                process.wait()
                self.assertTrue(wait_until(lambda e=emulator: not is_alive(e)))
                if how == 'fork':
                    os.killpg(process.pid, signal.SIGKILL)

    def test_client_ends(self):
        for how in ('end', '_exit'):
            with self.subTest(how):
                process, emulator = self.client(how)
                self.assertEqual(process.wait(30), 0)
                self.assertTrue(wait_until(lambda e=emulator: not is_alive(e)))

    def test_the_thread_that_started_it_ends(self):
        process, emulator = self.client('thread')
        time.sleep(0.2)
        self.assertTrue(is_alive(emulator))
        self.assertIsNone(process.poll())
        process.kill()
        process.wait()

    def test_ctrl_c(self):
        """SIGINT to the whole group, as a terminal sends it."""
        process, emulator = self.client('idle')
        os.killpg(process.pid, signal.SIGINT)
        process.wait(30)
        self.assertTrue(wait_until(lambda: not is_alive(emulator)))

    def test_nothing_is_left(self):
        files = set(os.listdir('/proc/self/fd'))
        for _ in range(3):
            with Chip() as chip:
                in_child(lambda c=chip: c.read(0x40, 4, DRAM))()
        self.assertEqual(set(os.listdir('/proc/self/fd')), files)
        self.assertEqual(children(), [])

    def test_unloaded(self):
        """dlclose() without libttsim_exit()."""
        code = ('import sys; sys.path.insert(0, sys.argv[1]); '
                'from tile_library import *; import _ctypes; c = Chip(); '
                'pid = children()[-1]; _ctypes.dlclose(c.library._handle); '
                'print(pid, is_alive(pid)); sys.stdout.flush(); os._exit(0)')
        out = subprocess.run([sys.executable, '-c', code, FOLDER], text=True,
                             stdout=subprocess.PIPE, check=True,
                             timeout=60).stdout
        self.assertRegex(out, r'^\d+ False$')

    def test_without_standard_files(self):
        """As daemons run: no socket is taken for stdin, stdout or stderr."""
        code = ('import os, sys; sys.path.insert(0, sys.argv[1]); '
                'from tile_library import *; result = os.dup(1); '
                '[os.close(n) for n in range(3)]; c = Chip(); '
                'c.write32(0x40, 5, (0, 0)); c.read32(0x40, (99, 99)); '
                'pid = os.fork(); word = c.read(0x40, 4, (0, 0)); '
                'pid and os.waitpid(pid, 0); os.write(result, word); '
                'os._exit(0)')
        out = subprocess.run([sys.executable, '-c', code, FOLDER], check=True,
                             stdout=subprocess.PIPE, timeout=60).stdout
        self.assertEqual(out, struct.pack('<II', 5, 5))

    def test_calls_from_threads(self):
        """One after the other is the contract; at once is no disaster."""
        wrong = []

        def work(chip, place):
            for value in range(300):
                chip.write32(place, value)
                if chip.read32(place) != value:
                    wrong.append((place, value))

        with Chip() as chip:
            threads = [threading.Thread(target=work, args=(chip, 4 * n))
                       for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])


if __name__ == '__main__':
    unittest.main()
