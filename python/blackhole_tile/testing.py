# SPDX-License-Identifier: GPL-2.0-or-later
"""What this tree's own tests share: machines that run a program of
tests/firmware by its name, programs of scripts/ that start at once, every
accelerator in turn, children that heed Ctrl-C.

    with Tile(program='demo', accel='single') as tile:
        status = tile.wait_for_exit(60)
        print(tile.output())
"""

from __future__ import annotations

import functools
import gc
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from typing import (IO, Any, Callable, Dict, Mapping, NoReturn, Optional,
                    Sequence, Union)

from . import cli, console, firmware, machine
from .machine import ACCELERATORS, BUILD, ROOT

QEMU = os.path.join(BUILD, machine.EMULATOR)
FIRMWARE = os.path.join(BUILD, 'firmware')

SHARED = 0x20000            # SHARED_BASE of include/blackhole-tile/map.h


def images(program: str) -> Dict[str, str]:
    """The ELFs of a program of tests/firmware, by hart.  Raises
    FileNotFoundError if they have not been made."""
    try:
        return firmware.images(FIRMWARE, program)
    except FileNotFoundError as error:
        raise FileNotFoundError(f'{error}; run make -C tests/firmware') \
            from None


class Tile(machine.Tile):
    """program: of tests/firmware, or images: {hart: ELF file, or its bytes}.
    The other options are those of machine.Tile; the emulator is this tree's.
    """

    def __init__(self, program: Optional[str] = None, accel: str = 'single',
                 images: Optional[Mapping[str, Union[str, bytes]]] = None,
                 **options: Any):
        # pylint: disable=redefined-outer-name
        self._elfs = tempfile.TemporaryDirectory(prefix='elfs-')
        if program:
            images = globals()['images'](program)
        try:
            super().__init__({hart: self._file(hart, image)
                              for hart, image in (images or {}).items()},
                             accel, qemu=QEMU, **options)
        except BaseException:
            self._elfs.cleanup()
            raise

    def _file(self, hart: str, image: Union[str, bytes]) -> str:
        if not isinstance(image, bytes):
            return image
        path = os.path.join(self._elfs.name, f'{hart}.elf')
        with open(path, 'wb') as file:
            file.write(image)
        return path

    def _forget(self) -> None:
        super()._forget()
        self._elfs.cleanup()


def script(name: str, *words: str, cwd: Optional[str] = None,
           merged: bool = False, text: bool = True, timeout: float = 300
           ) -> subprocess.CompletedProcess[Any]:
    """scripts/NAME with these words, and what it has printed, as text or as
    bytes; merged: standard error is in standard output, too.  It is forked
    from this process, which has imported the package already: a start takes
    10 ms of processor instead of 250.  What launches a script is not tested by
    that.  Raises subprocess.TimeoutExpired."""
    if 'COVERAGE_PROCESS_START' in os.environ:   # it counts what has started
        return subprocess.run(
            [os.path.join(ROOT, 'scripts', name), *words], cwd=cwd, text=text,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            timeout=timeout, check=False)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            _become(name, words, cwd, (out, out if merged else err))
        status = _status_of(child, [name, *words], timeout)
        said = []
        for file in out, err:
            file.seek(0)
            said.append(file.read().decode() if text else file.read())
        return subprocess.CompletedProcess([name, *words], status, *said)


def _status_of(child: int, words: Sequence[str], timeout: float) -> int:
    """That it ends with, as subprocess has it; it is killed if it does not."""
    with open(os.pidfd_open(child), closefd=True) as ended:
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        in_time = poll.poll(timeout * 1000)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not in_time:
        raise subprocess.TimeoutExpired(list(words), timeout)
    return status


def _become(name: str, words: Sequence[str], cwd: Optional[str],
            outputs: Sequence[IO[bytes]]) -> NoReturn:
    """In the child of a fork: runs the program and ends the process, without
    an end of what belongs to the parent."""
    # pylint: disable=consider-using-with,unspecified-encoding
    status = 1
    try:
        gc.freeze()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, file in enumerate(outputs, 1):
            os.dup2(file.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (
            open(0, 'r'), open(1, 'w'), open(2, 'w'))
        os.chdir(cwd or '.')
        os.environ['TENSIX_BUILD'] = BUILD
        cli.STARTED = name
        sys.argv = [name, *words]
        module = f'blackhole_tile.{name}'
        for imported in [one for one in sys.modules
                         if one == module or one.startswith(module + '.')]:
            del sys.modules[imported]     # as runpy wants it
        getattr(console, name)()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else bool(end.code)
        if status and end.code is not status:
            print(end.code, file=sys.stderr)
    except BaseException:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def resident(tile: machine.Tile) -> int:
    """Bytes of memory that the emulator has."""
    with open(f'/proc/{tile.process.pid}/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def heed_control_c() -> None:
    """For preexec_fn of a child that is to get SIGINT: the tests may run in
    the background of a shell, where it is ignored, as children inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def every_accelerator(test: Callable) -> Callable:
    """Decorator of a method of a unittest.TestCase: runs it as a subtest with
    each accelerator, whose name is its argument."""
    @functools.wraps(test)
    def run(self: Any) -> None:
        for accel in ACCELERATORS:
            with self.subTest(accel):
                test(self, accel)
    return run
