# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/run: a kernel from the command line."""

from __future__ import annotations

import argparse
import os
import re
import runpy
import shlex
import signal
import sys
import time
import traceback
import types
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Tuple

from . import firmware
from .buffers import are_checked, declare, declare_circular
from .cli import Parser, UseError, drop_output, error_line, error_text
from .comparison import Tolerance
from .delays import OBJECT, Delay, DelayedWatch
from .elf import ElfError, read_elf
from .errors import AddressError, TileDeadlock
from .findings import findings
from .formats import FormatError
from .machine import (ACCELERATORS, OF_TILE, ROOT, StartError, Tile,
                      TileError, TileTimeout)
from .memory_map import HARTS, dram_address
from .npy import ArrayFileError
from .places import (MOST_LINES, Condition, Expect, Get, Place, Put, Symbols,
                     Words, launch_options)
from .program import RUN_ARGS, Program, start_error
from .registers import DEST_VIEWS, LREG_VIEWS, SRC_VIEWS
from .watch import (CLEAR_LINE, DEADLOCK, DIFFERS, DONE, ENDED, INTERRUPTED,
                    NO_READER, SHOWN_VIOLATIONS, TERMINATED, TIME_OUT, USE,
                    VERDICTS, VIOLATION, Watch, paused)

SECONDS, BOOT_SECONDS = 60.0, 30.0
DEADLOCK_LINE = re.compile(OF_TILE + 'deadlock: ')
LATEST = 8                           # events that are shown of a deadlock
WRONG_USE = (UseError, FormatError, ArrayFileError, ElfError,
             firmware.FirmwareError, StartError, AddressError)

DESCRIPTION = """\
Runs a program on one Tensix tile: loads an ELF for each hart, puts values
into memory, waits, reads results.
"""
EPILOG = f"""\
PROGRAM  a folder with brisc.elf, trisc0.elf, ...; or FOLDER/NAME for
         FOLDER/NAME-brisc.elf, ...; or a folder with a Makefile, which is
         made first (into build/PATH for what is in this tree, else into
         FOLDER/build).  If the folder has a file run.args, its words come
         before those of the command line; files in it are below the folder
         that was made.

PLACE    l1:ADDRESS        L1
         dram:BANK:OFFSET  a DRAM bank, 0 to 7
         pages:OFFSET      interleaved buffer: 2048 bytes a page, 7 banks
         noc:X:Y:ADDRESS   memory of another tile
         HART:ADDRESS      as that hart sees it; a symbol of its ELF will do
         ADDRESS           as BRISC sees it
FORMAT   fp32 tf32 bf16 fp16 e5m2 e4m3 bfp8 bfp4 bfp2 bfp8a bfp4a bfp2a
         int32 int16 int8 (sign and magnitude, as Tensix has them) uint16 uint8
         u32 u16 u8 s32 s16 s8 (as programs of the harts have them)
layout   :tiles    tiles of 32x32, by rows of tiles
         :columns  by columns of tiles
SOURCE   PLACE:SHAPE:FORMAT[:layout], SHAPE being 1024 or 32x32; or a register
         file: dest[:{'|'.join(DEST_VIEWS)}],
         srca, srcb[:{'|'.join(SRC_VIEWS)}],
         lregs[:{'|'.join(LREG_VIEWS)}], semaphores, gprs

exit status:
  0  done: what --until names came true, and --expect found no difference
  1  wrong use: an option, a file, an ELF
  2  time-out; the report lists all waits
  3  a violation was reported (--allow-violations: no reason for a status), or
     with --check anything is unfinished; what is wrong besides, 2 and 4 to 6,
     comes first
  4  a deadlock: nothing in the tile can continue, or all of it rests while
     --until has not come true; with --strict, anything that is unfinished
     when the program ends
  5  a result differs from what --expect names
  6  the program ended the machine: with a status other than 0, or before
     --until, --get or --expect could be served; or the emulator failed
  128+N  ended by signal N: 130 Ctrl-C, 143 kill, 141 its output is closed

examples:
  scripts/run examples/add
  scripts/run --brisc hello.elf
  scripts/run --brisc b.elf --trisc0 t0.elf --word l1:0x20000=1 --put \\
      l1:0x40000=a.npy:bf16:tiles --until l1:0x20004=1 \\
      --get l1:0x80000:32x32:bf16:tiles=out.npy --get dest:bf16=dest.npy
  scripts/run --firmware p100a --kernel brisc=writer.elf --args brisc=0x40000,1
"""


def positive(text: str) -> float:
    """A number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f'{text!r} is no number of seconds '
                                         f'above 0')
    return value


def seed(text: str) -> int:
    """A number of 32 bits"""
    if not re.fullmatch(r'[0-9]{1,10}', text) or int(text) >= 1 << 32:
        raise argparse.ArgumentTypeError(f'{text!r} is no seed, a number from '
                                         f'0 to {(1 << 32) - 1}')
    return int(text)


def tolerance(text: str) -> Tolerance:
    """X[,R]"""
    try:
        return Tolerance.parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f'{text!r} is not X or X,R, numbers from 0 on') from None


def parser(file: str = '') -> Parser:
    """The options.  file: where the words are, if not in the command line."""
    p = Parser('run', DESCRIPTION, EPILOG,
               usage='[PROGRAM] [OPTION]... [-- QEMU-OPTION...]', file=file)
    p.add_argument('program', nargs='?', metavar='PROGRAM',
                   help='folder of ELFs, see below')
    load = p.add_argument_group('what runs')
    for hart in HARTS:
        load.add_argument(f'--{hart}', metavar='ELF',
                          help=f'ELF for {hart.upper()}')
    load.add_argument('--firmware', metavar='FOLDER',
                      help="boots tt-metal's firmware: brisc.elf to "
                           'trisc2.elf; then launches --kernel')
    load.add_argument('--kernel', metavar='HART=FILE', action='append',
                      default=[], help='ELF or bytes of code of a kernel')
    load.add_argument('--args', metavar='HART=VALUE,...', action='append',
                      default=[], help="a kernel's run-time arguments")
    load.add_argument('--cb', metavar='N=ADDRESS:SIZE[:PAGE]',
                      action='append', default=[],
                      help='circular buffer of the kernels')
    load.add_argument('--cb-stream', metavar='N', type=int, choices=(0, 8),
                      default=firmware.FIRST_STREAM,
                      help='overlay stream of circular buffer 0: 8, or 0 for '
                           'kernels of newer tt-metal')
    values = p.add_argument_group('values')
    values.add_argument('--put', metavar='PLACE=FILE[:FORMAT[:layout]]',
                        action='append', default=[],
                        help='puts a .npy file into memory before the start '
                             '(other files: as they are)')
    values.add_argument('--word', metavar='PLACE=VALUE,...', action='append',
                        default=[], help='stores words before the start')
    values.add_argument('--prepare', metavar='FILE.py',
                        help='a Python file that runs before the start, with '
                             '"tile", the machine')
    values.add_argument('--get', metavar='SOURCE[=FILE]', action='append',
                        default=[], help='reads a result into a .npy file '
                        '(other names: raw), or shows it: folded, the first '
                        f'{MOST_LINES} lines, or all with SOURCE:all')
    values.add_argument('--expect', metavar='SOURCE=FILE.npy',
                        action='append', default=[],
                        help='compares a result with a .npy file')
    values.add_argument('--tolerance', type=tolerance,
                        default=Tolerance(), metavar='X[,R]',
                        help='largest difference that --expect accepts '
                             '(default 0), and R times the wanted number more')
    add_run_options(p.add_argument_group('how it runs'))
    return p


def add_run_options(how: Any) -> None:
    """Those that are about the machine."""
    how.add_argument('--until', metavar='CONDITION', action='append',
                     default=[],
                     help='what to wait for: PLACE=VALUE, PLACE!=VALUE, '
                          'PLACE>=VALUE of a word; exit (by semihosting); '
                          'rest (every hart paused by ebreak, in reset or in '
                          'an empty endless loop, the coprocessor idle). All '
                          'if given more than once; the default is exit or '
                          'rest')
    how.add_argument('--timeout', type=positive, metavar='SECONDS',
                     help=f'(default {SECONDS:g}; none with --gdb)')
    how.add_argument('--accel', choices=ACCELERATORS, default='single',
                     help='one thread for all harts (default), a thread a '
                          'hart, or reproducible time')
    how.add_argument('--on-violation', choices=('log', 'stop', 'exit'),
                     default='log')
    how.add_argument('--allow-violations', action='store_true',
                     help='violations that are only logged leave the exit '
                          'status as it is')
    how.add_argument('--check', action='store_true',
                     help='reports uninitialised reads, hazards, races, '
                          'bounds and what is unfinished, with a summary in '
                          'the end')
    how.add_argument('--suppress', metavar='FILE',
                     help='rules for reports that are not made, a line each: '
                          'CATEGORY PLACE REASON, with * and ? in the first '
                          'two; PLACE is a function, FILE:LINE, a register')
    how.add_argument('--prove', action='store_true',
                     help='as --check; then tries delays of what races, '
                          'up to 100 cycles, that change the result')
    how.add_argument('--time', action='store_true',
                     help='estimates cycles by published figures '
                          '(timing=published, --accel icount) and shows in '
                          'the end what they were spent on')
    how.add_argument('--delay', metavar='SITE:WHAT=CYCLES',
                     help='holds back what is pushed at HART@PC, each time: '
                          'the hart, the thread, or the unit '
                          '(trisc1@0xc104:thread=12), as '
                          'scripts/perturb does')
    how.add_argument('--seed', metavar='N', type=seed,
                     help='with the schedule of a seed (0: eager), as '
                          'scripts/sweep runs it; other than with '
                          '--machine=schedule=seed=N')
    how.add_argument('--machine', metavar='OPTIONS', default='',
                     help='more options of -M: hazards=on, schedule=seed=7')
    how.add_argument('--coverage', metavar='FILE',
                     help='writes how often each source line was executed, '
                          'by a hart and by the coprocessor (LCOV tracefile)')
    how.add_argument('--trace', metavar='FILE',
                     help='writes each Tensix instruction with its hart and '
                          'pc, and violations')
    how.add_argument('--all-violations', action='store_true',
                     help='shows each one, not only the first of each site '
                          f'and of {SHOWN_VIOLATIONS} sites')
    how.add_argument('--gdb', action='store_true',
                     help='waits for gdb before the start; the machine stays '
                          'until gdb or Ctrl-C ends it (TILE_HARTS=trisc1 '
                          'before the printed command: gdb attaches to that '
                          'hart alone)')
    how.add_argument('--gdb-at', metavar='WHERE',
                     help='with --gdb: where gdb finds it, as -gdb of QEMU '
                          'takes it (default: a socket in a private folder)')
    how.add_argument('--why', action='store_true',
                     help='shows in the end what each hart waits for')
    how.add_argument('--strict', action='store_true',
                     help='status 4 if a hart or a thread still waits, or '
                          'anything else is unfinished, when the program ends')
    how.add_argument('--quiet', action='store_true',
                     help="no progress, only the program's output and faults")


# --- the job ---

def images_of(options: argparse.Namespace, program: Program
              ) -> Dict[str, str]:
    """{hart: ELF} of PROGRAM and of the options."""
    found = program.images()
    for hart in HARTS:
        path = getattr(options, hart)
        if path:
            found[hart] = path
    for path in found.values():
        read_elf(path)
    return found


class Job:
    """All that the command line asks for, parsed and read."""

    # pylint: disable=too-many-instance-attributes
    def __init__(self, options: argparse.Namespace, program: Program,
                 extra: List[str]):
        options.check |= options.prove
        self.options, self.extra = options, extra
        self.typed: List[str] = []       # words of the command line
        self.tile_options: Dict[str, Any] = {}   # more of Tile's
        self.is_variant = bool(options.delay) or options.seed is not None
        self.images = images_of(options, program)
        self.symbols = Symbols(self.images)
        self.check()
        self.launch = launch_options(options.kernel, options.args, options.cb,
                                     options.cb_stream)
        self.puts = self.parse(Put.parse, 'put')
        self.words = self.parse(Words.parse, 'word')
        self.gets = self.parse(Get.parse, 'get')
        self.expects = self.parse(Expect.parse, 'expect')
        self.conditions = self.parse(Condition.parse, 'until',
                                     ('exit', 'rest'))
        self.delay = options.delay and Delay.parse(options.delay)
        self.machine = ','.join(
            ['check=all'] * options.check +
            ['timing=published'] * options.time +
            [options.machine] * bool(options.machine) +
            [f'on-violation={options.on_violation}'] *
            (options.on_violation != 'log'))
        if self.is_variant or options.prove:
            self.check_tiles()
        self.gdb_at = options.gdb_at
        self.seconds = options.timeout or (None if options.gdb else SECONDS)

    def parse(self, function: Callable, option: str,
              keywords: Tuple[str, ...] = ()) -> list:
        """One object for each value of an option that is no keyword.  Raises
        UseError, which names the option as it was typed, and OSError."""
        found = []
        for text in getattr(self.options, option):
            try:
                if text not in keywords:
                    found.append(function(text, self.symbols))
            except (UseError, FormatError, ArrayFileError,
                    AddressError) as error:
                why = str(error).removeprefix(f'{text}: ')
                raise UseError(f'--{option}={text}: {why}') from None
        return found

    def check(self) -> None:
        """Raises UseError where options do not go together."""
        o = self.options
        if o.firmware and self.images:
            raise UseError('--firmware brings the ELFs of all harts')
        if o.kernel and not o.firmware:
            raise UseError('--kernel needs --firmware')
        if o.delay and o.seed is not None:
            raise UseError('--delay and --seed exclude each other')
        if self.is_variant and (o.check or o.gdb):
            raise UseError(f'--{"delay" if o.delay else "seed"}: the run is a '
                           'variant that --check, --prove and --gdb would '
                           'change')
        if (self.is_variant or o.prove) and 'exit' in o.until:
            raise UseError('with delays or seeds a program has to end by '
                           'ebreak, or by a word that --until waits for, not '
                           'by exit')
        if o.prepare and not os.path.isfile(o.prepare):
            raise UseError(f'--prepare={o.prepare}: there is no such file')
        if o.gdb_at and not o.gdb:
            raise UseError('--gdb-at says where --gdb waits: it needs --gdb')
        if not self.images and not o.firmware:
            raise UseError('nothing to run: name a PROGRAM, an ELF for a hart '
                           '(--brisc ELF) or --firmware')
        if 'exit' in o.until and (o.get or o.expect):
            raise UseError('after an exit nothing can be read any more: let '
                           'the program end by ebreak, or by a word that '
                           '--until waits for')

    def check_tiles(self) -> None:
        """Raises UseError if there are tiles without delays and seeds."""
        found = re.search(r'\btiles=(\d+)x(\d+)', self.machine)
        if found and found.groups() != ('1', '1'):
            raise UseError(f'{found[0]}: delays and seeds are those of one '
                           'tile, and the machine has several')

    def named_memory(self) -> Iterator[Tuple[str, int, int]]:
        """(name, address, bytes) of all memory that the command line names;
        an interleaved buffer has one a bank."""
        found = [(f'--put={put.where.text}', put.where, len(put.data))
                 for put in self.puts]
        found += [(f'--word={words.where.text}', words.where,
                   4 * len(words.values)) for words in self.words]
        found += [(f'--until={condition.where.text}', condition.where, 4)
                  for condition in self.conditions]
        for option, items in ('get', self.gets), ('expect', self.expects):
            found += [(f'--{option}={item.source.text}', item.source.where,
                       item.source.data.size()) for item in items
                      if item.source.where and item.source.data]
        for name, where, size in found:
            if where.pages:
                for bank, part in firmware.page_ranges(size):
                    yield (f'{name} bank {bank}',
                           dram_address(bank, where.address), part)
            else:
                yield name, where.address, size

    def tile(self) -> Tile:
        """A stopped machine."""
        o = self.options
        make_private_folder(self.gdb_at or '')
        trace = ['-trace', 'tensix_insn', '-trace', 'tensix_violation',
                 '-D', o.trace] if o.trace else []
        try:
            return Tile(self.images,
                        'icount' if self.is_variant or o.time else o.accel,
                        machine=self.machine,
                        stopped=True, gdb=o.gdb and (self.gdb_at or True),
                        report=o.all_violations,
                        extra=trace + OBJECT * self.is_variant + self.extra,
                        suppress=o.suppress, coverage=o.coverage,
                        **self.tile_options)
        except StartError as error:
            raise StartError(start_error(str(error), o.machine)) from None


def make_private_folder(where: str) -> None:
    """The folder of unix:FOLDER/NAME, if there is none: for its user alone,
    which may do with gdb's server whatever the emulator may."""
    found = re.match(r'unix:(?:path=)?([^,]*)/[^/,]*', where)
    if found:
        os.makedirs(found[1] or '/', mode=0o700, exist_ok=True)


# --- one run ---

def shortest(path: str) -> str:
    """A path as people like to read it."""
    return min(os.path.relpath(path), os.path.abspath(path), key=len)


def take_results(watch: Watch) -> int:
    """Serves --get and --expect on a stopped machine."""
    job, tile, differing = watch.job, watch.tile, []
    tile.stop()
    for get in job.gets:
        text = get.take(tile)
        if text:
            print(text, flush=True)
        elif not job.options.quiet:
            watch.say(f'{get.source.text} is in {shortest(get.path)}')
    for expect in job.expects:
        wrong, text = expect.compare(tile, job.options.tolerance)
        if wrong:
            if not differing:
                watch.show_unfinished()
            differing.append(expect)
        if wrong or not job.options.quiet:
            watch.say(text)
    if not differing:
        return DONE
    for text in findings(tile, job.puts, differing, job.options.tolerance):
        watch.say(text)
    return DIFFERS


def verdict(watch: Watch, status: int) -> int:
    """Prints the last lines; the exit status."""
    job, tile = watch.job, watch.tile
    alive = watch.ended() is None
    if alive and (status == TIME_OUT or job.options.why):
        if status == TIME_OUT:
            places = ', '.join(map(' '.join, tile.hart_pcs().items()))
            watch.say(f'time-out after {job.seconds:g} s of waiting for '
                      f'{watch.wanted()}; harts are at {places}')
        print(tile.why().rstrip(), file=sys.stderr)
    if alive and status == DEADLOCK and not job.options.quiet and \
            'on-deadlock=stop' not in job.machine:   # else they are shown
        watch.say('the latest events:')
        print(tile.hmp(f'info tensix recent {LATEST}').rstrip(),
              file=sys.stderr)
    if alive and job.options.time:
        print(tile.time().rstrip(), file=sys.stderr)
    if alive:
        for hart, text in paused(tile).items():
            watch.say(f'{hart} waits for {text}')
    if alive and not job.options.gdb:
        tile.quit()      # sums violations up, ends files like a timeline
        watch.show_output(last=True)
    watch.show_held()
    count = watch.count_violations()
    seconds = time.monotonic() - watch.start
    text = f'{VERDICTS[status]} in {seconds:.2f} s'
    if count:
        text += f', {count} violation{"s" if count > 1 else ""} reported'
    # the report of a deadlock covers what it names
    left = len(tile.unfinished()) or len(DEADLOCK_LINE.findall(tile.output()))
    if left:
        text += f', {left} unfinished'
    if left and status == DONE and job.options.strict:
        status = DEADLOCK
        text += f': status {status} (without --strict: 0)'
    elif status == DONE and (
            left and job.options.check or
            count and not job.options.allow_violations):
        status = VIOLATION
        text += f': status {status}'
        if not (left and job.options.check):
            text += ' (--allow-violations: 0)'
    if status or count or left or not job.options.quiet:
        watch.say(text)
    return status


def announce_gdb(watch: Watch) -> None:
    """How to attach."""
    at = watch.job.gdb_at or watch.tile.gdb_socket
    where = re.sub(r'^(tcp:|unix:(path=)?)', '', at).split(',')[0]
    where = shlex.quote(where)
    watch.say(f'waiting for gdb: TILE_GDB={where} gdb-multiarch -x '
              f'{shortest(os.path.join(ROOT, "scripts", "tile.gdb"))}')
    watch.say('to attach to one hart alone, put TILE_HARTS=trisc1 before that '
              'command')


def run_file(path: str, tile: Tile) -> None:
    """Runs --prepare's file.  Raises UseError, which names its line."""
    try:
        runpy.run_path(path, {'tile': tile})
    except (*WRONG_USE, TileError):
        raise
    except Exception as error:       # pylint: disable=broad-except
        lines = [at.lineno for at in traceback.extract_tb(error.__traceback__)
                 if at.filename == path]
        line = f'line {lines[-1]}: ' if lines else ''
        why = ''.join(traceback.format_exception_only(error)).strip()
        raise UseError(f'--prepare={path}: {line}{why}') from None


def prepare(job: Job, tile: Tile, stopped: bool = False) -> None:
    """Everything before the harts start.  stopped: no kernel runs yet."""
    if job.options.firmware:
        tile.boot_firmware(job.options.firmware, job.seconds or BOOT_SECONDS)
    if stopped:
        tile.stop()
    checked = are_checked(tile)
    if checked:
        for name, address, size in job.named_memory():
            declare(tile, address, size, name)
    for item in [*job.puts, *job.words]:
        item.write(tile)
    if job.options.prepare:
        run_file(job.options.prepare, tile)
    if job.launch:
        if checked:
            declare_circular(tile, job.launch)
        job.launch.write(tile)
        job.launch.go(tile)
    tile.events.clear()


def run(job: Job) -> int:
    """The whole job; exit status."""
    races: List[dict] = []
    with job.tile() as tile:
        watch = (DelayedWatch if job.is_variant else Watch)(job, tile)
        prepare(job, tile, stopped=job.is_variant)
        if job.options.gdb:
            announce_gdb(watch)
        elif isinstance(watch, DelayedWatch):
            watch.begin()
        elif not job.options.firmware:
            tile.go()
        status = watch.wait()
        watch.show_output(last=True)
        if status == DONE and watch.ended() is None:
            tile.settle()
            status = take_results(watch)
        if job.options.prove and watch.ended() is None:
            races = races_of(tile)
        status = verdict(watch, status)
        if job.options.gdb and watch.ended() is None:
            watch.say("the machine stays for gdb until gdb's kill or Ctrl-C")
            tile.process.wait()
    if job.options.prove:
        prove(job, races)
    return status


def races_of(tile: Tile) -> List[dict]:
    """TensixViolationSites of races."""
    sites = tile.qmp('query-tensix-violations')['sites']
    return [site for site in sites if site['category'] == 'race']


def prove(job: Job, races: List[dict]) -> None:
    """Searches for delays with which races change the result."""
    # pylint: disable=import-outside-toplevel,cyclic-import
    from .perturb import prove_races
    prove_races(job.typed, races)


def parse(words: List[str]) -> Job:
    """Raises what says that the use was wrong."""
    extra: List[str] = []
    if '--' in words:
        at = words.index('--')
        words, extra = words[:at], words[at + 1:]
    program = Program(parser().parse_args(words).program or '')
    if program.words:
        parser(os.path.join(program.path, RUN_ARGS)).parse_args(program.words)
    job = Job(parser().parse_args(program.words + words), program, extra)
    job.typed = words + ['--'] * bool(extra) + extra
    return job


def parse_repeated(words: List[str], has: str) -> Job:
    """Of a program that runs many times from one snapshot.  has: what one that
    ends by exit has not.  Raises what says that the use was wrong."""
    job = parse([*words, '--accel=icount', '--quiet'])
    if 'exit' in job.options.until:
        raise UseError(f'a program that ends by exit {has}: let it end by '
                       'ebreak, or by a word that --until waits for')
    job.check_tiles()
    return job


def tool_status(tool: str, work: Callable[[], int]) -> int:
    """Exit status of a tool that runs a program many times; an error is a
    line."""
    try:
        return work()
    except (*WRONG_USE, OSError) as error:
        text, status = error_text(error), USE
    except TileError as error:
        text, status = error_text(error), ENDED
    except KeyboardInterrupt:
        text, status = 'interrupted', INTERRUPTED
    print(error_line(tool, text), file=sys.stderr)
    return status


def main(words: List[str]) -> int:
    """Exit status."""
    try:
        return run(parse(words))
    except BrokenPipeError:
        drop_output()
        return NO_READER
    except (*WRONG_USE, OSError) as error:
        text, status = error_text(error), USE
    except TileTimeout as error:
        text = str(error).rstrip()
        status = DEADLOCK if isinstance(error, TileDeadlock) else TIME_OUT
    except TileError as error:
        text, status = str(error).rstrip(), ENDED
    except KeyboardInterrupt:
        text, status = 'interrupted', INTERRUPTED
    clear = CLEAR_LINE if sys.stderr.isatty() else ''
    print(clear + error_line('run', text), file=sys.stderr)
    return status


def terminate(*_: Any) -> NoReturn:
    """Leaves in an orderly way: no emulator, no files behind."""
    raise SystemExit(TERMINATED)


class _Run(types.ModuleType):
    """blackhole_tile.run, the module, is blackhole_tile.run(), too."""

    def __call__(self, program: str, *args: Any, **kwargs: Any) -> Any:
        # pylint: disable=import-outside-toplevel,cyclic-import
        from .kernel_run import run_program
        return run_program(program, *args, **kwargs)


sys.modules[__name__].__class__ = _Run

if __name__ == '__main__':
    signal.signal(signal.SIGTERM, terminate)
    sys.exit(main(sys.argv[1:]))
