# SPDX-License-Identifier: GPL-2.0-or-later
"""One running blackhole-tile: start it, query it, read its state, end it.

    with Tile(images('build/examples/add'), words={0x20000: 4}) as tile:
        tile.wait_for_word(0x20004, 4)
        print(tile, tile.read32(0x20008))

Memory is read and written through the qtest protocol, which goes along with
TCG: the addresses are those of BRISC, hart views and the aperture above 4 GiB
included (memory_map.py), and no access blocks.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import functools
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from . import buffers as declared
from . import firmware, tiles
from .elf import Elf, read_elf
from .errors import (CheckError, EndedError, StartError, TileDeadlock,
                     TileError, TileTimeout)
from .formats import format_named
from .memory_map import (ALL_HELD, APERTURE, APERTURE_SIZE, HARTS, L1_SIZE,
                         NCRISC_RESET_PC_OVERRIDE, PUSH_WINDOW, RESET_BITS,
                         SOFT_RESET, TRISC_RESET_PC_OVERRIDE, check_access,
                         hart_view, jump_to, reset_pc, tile_address)
# pylint: disable=unused-import    (this is where users find them)
from .paths import BUILD, EMULATOR, INSTALLED, ROOT, emulator
from .qmp import Lines, Qmp
from .registers import Registers
from .state import State

ACCELERATORS = {
    'single': ['-accel', 'tcg,thread=single'],
    'multi': ['-accel', 'tcg,thread=multi'],
    'icount': ['-accel', 'tcg,thread=single',
               '-icount', 'shift=0,sleep=off'],
}
BLOCK = 1 << 16                      # bytes of memory in a qtest command
SHORTEST_NAP, LONGEST_NAP = 0.0002, 0.005
SAMPLE_NAP = 0.02                    # between samples of what is executed
END_SECONDS = 5                      # between a closed socket and the end
LOAD_SECONDS = 60                    # for a snapshot that save() wrote
EXIT_SECONDS = 0.1                   # between two checks for a deadlock
GRACE_SECONDS = 0.05                 # after a deadlock's report
FIFO_WORDS, THREADS = 32, 3          # of a thread's FIFO; threads
COMMAND_SHOWN = 40                   # characters of it in an error
PR_SET_PDEATHSIG = 1
FINDINGS = 3                         # status of a machine with check=all
# What a host does that ends no deadlock
READS = ('read', 'b64read', 'query-', 'qom-get', 'qom-list', 'info ', 'stop',
         'cont')
LOST_PUSH = re.compile(r'host, .*: push of 0x[0-9a-f]+ lost')
# A report follows what a guest has printed, which need not end a line; of
# several tiles it names its own
OF_TILE = r'tensix: (tile \(\d+,\d+\): )?'
VIOLATION = re.compile(OF_TILE + r'(?!deadlock|unfinished|check|suppress)'
                       r'([a-z-]+): (.*(?:\n  .*)?)$', re.M)
UNFINISHED = re.compile(OF_TILE + r'unfinished: (.*)$', re.M)
SUMMARY = re.compile(r'tensix: check: .*\n?'
                     r'(?:(?:  |tensix: suppress: ).*\n?)*')


class Connection(Lines):
    """A socket to QEMU; QEMU gets `theirs` as an open file."""

    def __init__(self) -> None:
        ours, self.theirs = socket.socketpair()
        super().__init__(ours)

    def close(self) -> None:
        """Closes both ends."""
        super().close()
        self.theirs.close()


def dies_with_us(with_thread: bool) -> Optional[Callable[[], Any]]:
    """What a child calls to be killed when this thread ends; None where the
    thread may end before the process, and the child is not to end then."""
    if threading.current_thread() is not threading.main_thread() and \
            not with_thread:
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def file_option(name: str, path: Optional[str]) -> str:
    """NAME=PATH for -M; a comma in a value is doubled."""
    return path and f'{name}={os.path.abspath(path).replace(",", ",,")}' or ''


class OneTile:
    """One tile of a machine.  tile.read() and the like take
    address(ADDRESS)."""

    def __init__(self, machine: 'Tile', number: int):
        self.machine, self.number = machine, number
        self.state = State(machine, f'/machine/tile[{number}]')
        self.registers = Registers(machine, self.state, number)

    def address(self, address: int) -> int:
        """Where an address of this tile is seen, hart_view()s included."""
        return tile_address(self.number, address)

    def read32(self, address: int) -> int:
        """A word at an address of this tile, hart_view()s included."""
        return self.machine.read32(self.address(address))

    def hart_pcs(self) -> Dict[str, str]:
        """{hart: pc} of its five, as the monitor sees them."""
        return self.machine.hart_pcs(self.number)

    def computes(self) -> bool:
        """Whether a hart runs, and not in a loop that waits for memory."""
        return any(hart.state == 'running'
                   for hart in self.state.harts().values())

    def waits(self) -> bool:
        """Whether a hart or a thread waits."""
        return any(node.state == 'waiting' for node in self.state.why().nodes)

    def __repr__(self) -> str:
        return f'<{type(self).__name__}: {self.number}>'


class Tile:
    """A running machine.

    images: {hart: ELF file}, as images() finds them.  accel: 'single', 'multi'
    or 'icount'.  words: {address: value} put into memory before the start.
    machine: more options of -M.  stopped: do not start running.  extra: more
    arguments.  gdb: open a gdb server, on the socket self.gdb_socket, or where
    a string says.  report: log each violation, not only the first of each
    site.  qemu: the emulator, see emulator().  incoming: state that save()
    wrote, of a machine with the same options, which continues there.
    check: all checks (check=all); the end of a `with` then raises CheckError
    if there are findings, and close() ends the machine in order.  suppress: a
    file of rules for findings that are known (docs/reports.rst).
    dies_with_thread: the emulator is killed when the thread that made the
    machine ends, in whatever way.  coverage: an LCOV tracefile, written at the
    end (docs/debugging.rst, "Coverage").

    Raises StartError if it does not start; the text has what QEMU said.
    """

    # pylint: disable=too-many-instance-attributes,too-many-public-methods
    # pylint: disable=too-many-arguments
    def __init__(self, images: Optional[Mapping[str, str]] = None,
                 accel: str = 'single',
                 words: Optional[Mapping[int, int]] = None,
                 machine: str = '', stopped: bool = False,
                 extra: Sequence[str] = (), gdb: Any = False,
                 report: bool = False, qemu: Optional[str] = None,
                 incoming: Optional[str] = None, check: bool = False,
                 suppress: Optional[str] = None,
                 dies_with_thread: bool = False,
                 coverage: Optional[str] = None):
        program = emulator(qemu)
        self.check, self.dies_with_thread = check, dies_with_thread
        self.ends_files = bool(coverage)
        machine = ','.join(filter(None, [
            'check=all' * check, machine, file_option('suppress', suppress),
            file_option('coverage', coverage)]))
        if accel not in ACCELERATORS:
            raise ValueError(f'accel={accel!r}: no such accelerator; there '
                             f'are {" ".join(ACCELERATORS)}')
        self.folder = tempfile.mkdtemp(prefix='tile-')
        self.gdb_socket = os.path.join(self.folder, 'gdb')
        self.process: Any = None         # a Popen once it has started
        self._printed = b''              # once it has ended
        self.images = dict(images or {})
        self.state = State(self)
        self.registers = Registers(self, self.state)
        self.others_act = bool(gdb)  # may another client do that?
        self._acted = 0.0                # when the host last wrote something
        self.qmp_link, self.qtest_link = Connection(), Connection()
        self.protocol = Qmp(self.qmp_link)
        # pylint: disable=consider-using-with
        self.log = open(os.path.join(self.folder, 'output'), 'w+b')
        try:
            self.command = [program, *self._command(accel, words or {},
                                                    machine)]
            # Not before QMP has been greeted: a program may end that fast
            self.command.append('-S')
            if gdb:
                self.command += ['-gdb', gdb if isinstance(gdb, str) else
                                 f'unix:{self.gdb_socket},server=on,wait=off']
            if report:
                self.command += ['-d', 'guest_errors,unimp']
            if incoming:
                self.command += ['-incoming', f'file:{incoming}']
            self.command += extra
            self._start()
            if incoming:
                self._load_state()
            if not stopped:
                self.go()
        except BaseException:            # Ctrl-C too
            self.close()
            raise

    def _command(self, accel: str, words: Mapping[int, int],
                 machine: str) -> List[str]:
        options = ['blackhole-tile']
        # a comma in a value is doubled
        options += [f'{hart}={path.replace(",", ",,")}'
                    for hart, path in self.images.items()]
        options += [machine] if machine else []
        qmp, qtest = self.qmp_link, self.qtest_link
        command = [
            '-M', ','.join(options), *ACCELERATORS[accel],
            '-display', 'none', '-nodefaults',
            '-semihosting-config', 'enable=on,target=native',
            '-chardev', f'socket,id=qmp,fd={qmp.theirs.fileno()}',
            '-mon', 'chardev=qmp,mode=control',
            '-chardev', f'socket,id=qtest,fd={qtest.theirs.fileno()}',
            '-qtest', 'chardev:qtest', '-qtest-log', 'none',
        ]
        for address, value in words.items():
            command += ['-device', f'loader,addr={address:#x},'
                                   f'data={value:#x},data-len=4']
        return command

    def _start(self) -> None:
        fds = (self.qmp_link.theirs.fileno(), self.qtest_link.theirs.fileno())
        try:
            # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
            self.process = subprocess.Popen(
                self.command, pass_fds=fds, stdin=subprocess.DEVNULL,
                stdout=self.log, stderr=self.log,
                preexec_fn=dies_with_us(self.dies_with_thread),
                start_new_session=True)      # Ctrl-C is for us, or for gdb
        except OSError as error:
            raise StartError(f'{self.command[0]}: '
                             f'{error.strerror}') from None
        for link in (self.qmp_link, self.qtest_link):
            link.theirs.close()
        try:
            self.protocol.greet()
        except (TileError, OSError) as error:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(END_SECONDS)
            raise StartError(self.output() or str(error)) from None

    def _load_state(self) -> None:
        try:
            self.wait_for(lambda tile: tile.status() != 'inmigrate',
                          LOAD_SECONDS, 'the end of loading')
        except EndedError as error:
            raise StartError(self.output() or str(error)) from None

    def go(self) -> None:
        """Starts the harts of a stopped machine; they may end QEMU before it
        answers."""
        try:
            self.qmp('cont')
        except EndedError:
            self.wait_for_exit(10)

    def __repr__(self) -> str:
        programs = ', '.join(f'{hart} {path}'
                             for hart, path in self.images.items())
        return (f'<{type(self).__name__}: {self._state_text()}, '
                f'{programs or "no program"}>')

    def _state_text(self) -> str:
        """'running', 'ended with status 0', ..."""
        try:
            return self.status()
        except (TileError, OSError, ValueError):
            status = self.process and self.process.poll()
        return 'closed' if self.log.closed else f'ended with status {status}'

    def __enter__(self) -> 'Tile':
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.close()
        if self.check and kind is None and self.process.returncode == FINDINGS:
            raise CheckError(self.summary() or self.output())

    def _forget(self) -> None:
        self.qmp_link.close()
        self.qtest_link.close()
        if not self.log.closed:
            with contextlib.suppress(OSError):
                self._printed = self.output_bytes()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Ends QEMU if it still runs, and discards everything but what it
        printed."""
        if (self.check or self.ends_files) and self.process and \
                self.process.poll() is None:
            with contextlib.suppress(TileError):
                self.settle()
            with contextlib.suppress(TileError):
                self.quit()          # prints the summary, writes the file
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._forget()

    # --- the monitors ---

    def qmp(self, command: str, **arguments: Any) -> Any:
        """Answer of a QMP command; events that come in between are kept in
        self.events."""
        try:
            return self.protocol.execute(command, arguments)
        except (EndedError, OSError):
            raise self._ended(command) from None
        finally:
            self._has_acted(arguments.get('command-line', command))

    def _has_acted(self, command: str) -> None:
        """The host has done something after which a deadlock may end."""
        if not command.startswith(READS):
            self._acted = time.time()

    @property
    def events(self) -> List[dict]:
        """QMP's events so far."""
        return self.protocol.events

    def take_events(self, seconds: float = 0) -> None:
        """Adds to events what has arrived, or arrives in so long.  Raises
        EndedError."""
        try:
            self.protocol.take_events(seconds)
        except (EndedError, OSError):
            raise self._ended('the next event') from None

    def hmp(self, line: str) -> str:
        """Text that a command of the human monitor prints."""
        return self.qmp('human-monitor-command', **{'command-line': line})

    def qtest(self, line: str) -> List[str]:
        """Words of the answer to a qtest command, without the OK."""
        try:
            self.qtest_link.send(line)
            answer = self.qtest_link.receive().split()
        except (EndedError, OSError):
            raise self._ended(line[:COMMAND_SHOWN]) from None
        self._has_acted(line)
        if answer[0] != 'OK':
            raise TileError(f'{line}: {" ".join(answer)}')
        return answer[1:]

    def _ended(self, command: str) -> EndedError:
        """What to say when a connection breaks."""
        try:
            status = f'with status {self.process.wait(END_SECONDS)}'
        except subprocess.TimeoutExpired:
            status = 'its connection'
        return EndedError(f'{command}: QEMU has ended {status}: '
                          f'{self.output().rstrip() or "without a word"}')

    @functools.cached_property
    def tiles(self) -> List['OneTile']:
        """Each tile of a machine with several (tiles=COLUMNSxROWS), row by
        row: its `state` and `registers`."""
        size = self.qmp('qom-get', path='/machine', property='tiles')
        columns, rows = map(int, size.split('x'))
        return [OneTile(self, n) for n in range(columns * rows)]

    def why(self) -> str:
        """What every hart and thread waits for: `info tensix why`, text for
        people.  state.why() has it as objects."""
        return self.hmp('info tensix why')

    def time(self) -> str:
        """Estimated cycles and what they were spent on, of a machine with
        timing=published: `info tensix time`, text for people.  state.time()
        has it as data."""
        return self.hmp('info tensix time')

    def stop(self) -> None:
        """Stops all harts and the coprocessor."""
        self.qmp('stop')

    def cont(self) -> None:
        """Lets them continue."""
        self.qmp('cont')

    def status(self) -> str:
        """'running', 'paused', 'debug' (stopped by a violation or a
        deadlock), 'inmigrate', ..."""
        return self.qmp('query-status')['status']

    def save(self, path: str, seconds: float = 60) -> None:
        """Stops the machine and writes its state, a snapshot, to a file, for
        the option incoming of another machine with the same options.  cont()
        lets this one continue."""
        self.qmp('migrate', uri=f'file:{os.path.abspath(path)}')
        self.wait_for(lambda tile: tile.qmp('query-migrate').get('status') in
                      ('completed', 'failed'), seconds, 'the end of save()')
        state = self.qmp('query-migrate')
        if state['status'] != 'completed':
            raise TileError(f'{path}: {state.get("error-desc", "not saved")}')

    # --- memory ---

    def read32(self, address: int) -> int:
        """A word.  Raises AddressError, as all of these functions do, where
        there is no memory."""
        check_access(address, 4)
        return int(self.qtest(f'readl {address:#x}')[0], 16)

    def write32(self, address: int, value: int) -> None:
        """Writes a word."""
        check_access(address, 4)
        self.qtest(f'writel {address:#x} {value:#x}')

    def read8(self, address: int) -> int:
        """A byte."""
        check_access(address, 1)
        return int(self.qtest(f'readb {address:#x}')[0], 16)

    def write8(self, address: int, value: int) -> None:
        """Writes a byte."""
        check_access(address, 1)
        self.qtest(f'writeb {address:#x} {value:#x}')

    def read(self, address: int, size: int) -> bytes:
        """Bytes of memory."""
        check_access(address, size)
        return b''.join(
            base64.b64decode(self.qtest(f'b64read {address + n:#x} '
                                        f'{min(BLOCK, size - n):#x}')[0])
            for n in range(0, size, BLOCK))

    def write(self, address: int, data: bytes) -> None:
        """Writes bytes."""
        check_access(address, len(data))
        for n in range(0, len(data), BLOCK):
            block = data[n:n + BLOCK]
            self.qtest(f'b64write {address + n:#x} {len(block):#x} '
                       f'{base64.b64encode(block).decode("ascii")}')

    def l1(self) -> bytes:
        """All of L1."""
        return self.read(0, L1_SIZE)

    def put(self, address: int, values: Any, form: str) -> None:
        """Writes an array in C order, in a format of formats.py."""
        self.write(address, tiles.encode(values, form))

    def get(self, address: int, shape: Sequence[int], form: str) -> Any:
        """Array of that shape from memory."""
        size = format_named(form).size(math.prod(shape))
        return tiles.decode(self.read(address, size), shape, form)

    def put_tiles(self, address: int, matrix: Any, form: str,
                  by_column: bool = False) -> None:
        """Writes a matrix (multiples of 32) as tiles, by rows of tiles or by
        columns of tiles."""
        self.write(address, tiles.tilize(matrix, form, by_column))

    def get_tiles(self, address: int, shape: Sequence[int], form: str,
                  by_column: bool = False) -> Any:
        """Matrix of that shape (rows, columns) from its tiles."""
        tiles.check_shape(shape)
        size = format_named(form).size(math.prod(shape))
        return tiles.untilize(self.read(address, size), shape, form,
                              by_column)

    def buffer(self, address: int, size: int, name: str,
               **more: int) -> None:
        """Declares a buffer in L1 or DRAM (dram_address()), instead of one
        with that name, for bounds=report and check=True: accesses beyond it
        are violations.  Without that check it does nothing.  Of a circular
        buffer: stream=N, the overlay stream whose registers count its pages,
        and page=N, bytes of a page."""
        declared.declare(self, address, size, name, **more)

    def remove_buffer(self, name: str) -> None:
        """Removes that declaration."""
        declared.remove(self, name)

    def aperture(self) -> bytes:
        """All register files of the coprocessor, as the manual's table has
        them.  `registers` has them as arrays."""
        return self.read(APERTURE, APERTURE_SIZE)

    # --- instructions ---

    def push(self, thread: int, *words: int) -> None:
        """Pushes instructions (tt()) to thread 0, 1 or 2, before its MOP
        expander, as its TRISC does.  Raises TileError where the thread's FIFO
        is full: that word and those after it are not pushed."""
        if not 0 <= thread < THREADS:
            raise ValueError(f'no thread {thread}; there are 0, 1 and 2')
        window = hart_view(f'trisc{thread}', PUSH_WINDOW)
        for n, word in enumerate(words):
            if not 0 <= word < 1 << 32:
                raise ValueError(f'{word:#x} is no instruction word')
            lost = self._lost_pushes()
            if len(self.state.threads()[thread].fifo) < FIFO_WORDS:
                self.write32(window, word)
                if self._lost_pushes() == lost:
                    continue
            raise TileError(f'word {n} of {len(words)}, {word:#010x}, not '
                            f'pushed: the FIFO of thread {thread} is full: '
                            f'{self._wait_text(f"thread{thread}")}')

    def _lost_pushes(self) -> int:
        """The host's: a hart may fill the FIFO between check and push."""
        return sum(site.count for site in self.state.violations().sites
                   if LOST_PUSH.match(site.text))

    def _wait_text(self, node: str) -> str:
        wait = self.state.why()[node].wait
        return wait.text if wait else 'it does not wait, so push again'

    # --- harts ---

    def hold(self, *harts: str) -> None:
        """Holds harts in soft reset; all of them if none is named."""
        mask = sum(RESET_BITS[hart] for hart in harts) or ALL_HELD
        self.write32(SOFT_RESET, self.read32(SOFT_RESET) | mask)

    def release(self, *harts: str) -> None:
        """Lets harts start where load() said."""
        mask = sum(RESET_BITS[hart] for hart in harts)
        self.write32(SOFT_RESET, self.read32(SOFT_RESET) & ~mask)

    def load(self, hart: str, path: str) -> Elf:
        """Writes an ELF's segments as that hart sees memory, and makes its
        entry the place where the hart leaves reset.  For a hart in reset."""
        image = read_elf(path)
        for address, data in image.segments:
            self.write(hart_view(hart, address), data)
        self._start_at(hart, image.entry)
        self.name_symbols(hart, path)
        return image

    def name_symbols(self, hart: str, path: str, offset: int = 0) -> None:
        """Names an ELF that a hart executes, `offset` bytes after its own
        addresses, so that reports show functions and lines.  Done already for
        what images, load(), boot_firmware() and launch() load."""
        self.qmp('qom-set', path='/machine', property=f'{hart}-symbols',
                 value=f'{os.path.abspath(path)}@{offset & 0xFFFFFFFF:#x}')

    def _start_at(self, hart: str, entry: int) -> None:
        register = reset_pc(hart)
        if register is None:
            if entry:
                self.write32(0, jump_to(entry))
            return
        self.write32(register, entry)
        if hart == 'ncrisc':
            self.write32(NCRISC_RESET_PC_OVERRIDE, 1)
        else:
            bit = 1 << int(hart[-1])
            self.write32(TRISC_RESET_PC_OVERRIDE,
                         self.read32(TRISC_RESET_PC_OVERRIDE) | bit)

    # --- tt-metal's firmware (firmware.py) ---

    def boot_firmware(self, folder: str, seconds: float = 30) -> None:
        """Boots the five ELFs of a folder, brisc.elf to trisc2.elf, for
        launch()."""
        firmware.boot(self, folder, seconds)

    def launch(self, kernels: Mapping[str, firmware.Kernel],
               args: Optional[Mapping[str, Sequence[int]]] = None,
               buffers: Optional[Mapping[int, firmware.Buffer]] = None,
               semaphores: Sequence[int] = (),
               seconds: Optional[float] = 60,
               first_stream: int = firmware.FIRST_STREAM) -> None:
        """Runs kernels on the firmware that was booted, and waits until they
        are over; seconds=None does not wait (see firmware.finished()).
        kernels: {hart: ELF, raw file or bytes of code}; args: {hart: words};
        buffers: {number: firmware.Buffer}; first_stream: see
        firmware.Launch."""
        what = firmware.Launch(kernels, args, buffers, semaphores,
                               first_stream)
        declared.declare_circular(self, what)
        what.write(self)
        what.go(self)
        if seconds is not None:
            self.wait_for(firmware.finished, seconds, 'the end of the kernel')

    def write_pages(self, base: int, data: bytes,
                    page_bytes: int = firmware.PAGE) -> None:
        """Writes an interleaved buffer in DRAM, page n to bank n % 7, from
        offset `base` of every bank on."""
        firmware.write_pages(self, base, data, page_bytes)

    def read_pages(self, base: int, size: int,
                   page_bytes: int = firmware.PAGE) -> bytes:
        """Reads one."""
        return firmware.read_pages(self, base, size, page_bytes)

    # --- waiting ---

    def wait_for(self, condition: Callable[['Tile'], Any],
                 seconds: float = 20, what: str = 'the condition') -> None:
        """Polls until condition(self) is true.  Raises TileTimeout; at once
        TileDeadlock, a kind of it, if the machine reports a deadlock or has
        reported one since the host last wrote something."""
        end, nap = time.monotonic() + seconds, SHORTEST_NAP
        while not condition(self):
            if self._deadlock():
                time.sleep(GRACE_SECONDS)
                if condition(self):
                    return
                raise self._deadlock_error(what)
            if time.monotonic() > end:
                raise TileTimeout(f'{what} did not come true in {seconds} s; '
                                  f'{self.hart_pcs()} {self.output()}',
                                  self._why_if_possible())
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP)

    def wait_for_word(self, address: int, value: int,
                      seconds: float = 20) -> None:
        """Polls until the word at that address is `value`.  A word that goes
        on may pass it between two polls: wait_for() takes any condition.
        Raises TileTimeout, which says what the word is."""
        last = -1

        def there(tile: 'Tile') -> bool:
            nonlocal last
            last = tile.read32(address)
            return last == value

        try:
            self.wait_for(there, seconds, f'word {address:#x} = {value:#x}')
        except TileTimeout as error:
            error.args = (f'it is {last:#x}: {error}',)
            raise

    def _deadlock(self) -> Dict[str, Any]:
        """Data of a deadlock that has been reported; {} if there is none, if
        the host has acted since or if another client may end it."""
        if self.others_act:
            return {}
        with contextlib.suppress(EndedError, OSError, ValueError):
            self.protocol.take_events()
        for event in reversed(self.events):
            at = event.get('timestamp', {})
            if event['event'] == 'TENSIX_DEADLOCK':
                later = at['seconds'] + at['microseconds'] / 1e6 > self._acted
                return event['data'] if later else {}
        return {}

    def _deadlock_error(self, what: str) -> TileDeadlock:
        data = self._deadlock()
        return TileDeadlock.of(f'{what} did not come true and cannot, '
                               f'{data.get("reason", "")}: {self.output()}',
                               data)

    def _why_if_possible(self) -> str:
        try:
            return self.why()
        except (TileError, OSError):
            return ''

    # --- the process ---

    def output(self) -> str:
        """What QEMU and the firmware have printed so far."""
        return self.output_bytes().decode('utf-8', 'replace')

    def output_bytes(self, start: int = 0) -> bytes:
        """The same from byte `start` on."""
        if self.log.closed:
            return self._printed[start:]
        self.log.flush()
        with open(self.log.name, 'rb') as file:
            file.seek(start)
            return file.read()

    def violations(self) -> List[tuple]:
        """(category, text) of each reported violation: the first of each
        site, or all with the option report.  The text has a second, indented
        line if there are details."""
        return [(found[2], (found[1] or '') + found[3])
                for found in VIOLATION.finditer(self.output())]

    def unfinished(self) -> List[str]:
        """What is unfinished now, or was when the machine ended."""
        if self.process.poll() is not None:
            return [found[2] for found in UNFINISHED.finditer(self.output())]
        return [row.text for tile in self.tiles
                for row in tile.state.unfinished()]

    def summary(self) -> str:
        """The summary of check=all, after the end; '' without one."""
        found = SUMMARY.search(self.output())
        return found[0] if found else ''

    def settle(self, seconds: float = 0.5) -> None:
        """Lets harts and coprocessors end what is under way: until no hart
        computes and none waits, nor a thread, or no thread executed anything
        between two samples."""
        end, last = time.monotonic() + seconds, -1
        running = self.status() == 'running'
        while time.monotonic() < end:
            executed = sum(sum(one.state.units().values())
                           for one in self.tiles)
            if not (running and any(one.computes() for one in self.tiles)) \
                    and (executed == last or
                         not any(one.waits() for one in self.tiles)):
                return
            last = executed
            time.sleep(SAMPLE_NAP)

    def quit(self, seconds: float = 20) -> int:
        """Ends QEMU in an orderly way, in which it sums violations up in
        output(); its exit status."""
        with contextlib.suppress(TileError, OSError):
            self.qmp('quit')
        return self.wait_for_exit(seconds)

    def wait_for_exit(self, seconds: float = 60) -> int:
        """Exit status of QEMU, once it ends.  Raises TileTimeout, at once
        TileDeadlock where wait_for() does."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.process.wait(max(0, min(left, EXIT_SECONDS)))
            if self._deadlock().get('action', 'exit') != 'exit':
                raise self._deadlock_error("the machine's exit")
            if left <= 0:
                raise TileTimeout(f'still running after {seconds} s; '
                                  f'{self.hart_pcs()}; {self.output()}',
                                  self._why_if_possible())

    def cpu_seconds(self) -> float:
        """CPU time that the process has used so far."""
        with open(f'/proc/{self.process.pid}/stat', encoding='ascii') as file:
            fields = file.read().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def hart_pcs(self, number: int = 0) -> Dict[str, str]:
        """{hart: pc} of a tile's five, as the monitor sees them."""
        first = number * len(HARTS)
        try:
            text = self.hmp('info registers -a')
        except (TileError, OSError):
            return {}
        pcs = re.findall(r'\bpc\s+([0-9a-f]+)', text)
        return dict(zip(HARTS, (f'{int(pc, 16) & 0xFFFFFFFF:#x}'
                                for pc in pcs[first:])))
