# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/perturb: delays at the places of a program where it
synchronises, and which of them change its result or its end."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from . import bands_svg, run
from .cli import Parser, Progress, UseError, command
from .delays import (HART, LATE, NO_DELAY, OBJECT, SITE, STORE, THREAD, WHATS,
                     Band, Delay, Issued, Site, Variants)
from .errors import TileError

FIRST, LAST, MOST = 0, 100, 100000   # cycles
MOST_JOBS = 8
FAILS = 5                            # exit status: a result differs
STRIP = 51                           # columns of a table's picture
LETTERS = {'done': '.', 'differs': 'x', 'deadlock': 'D', 'time-out': 'T'}
LINE = re.compile(r'([^:]+):(\d+)')
FIRST_ACCESS = re.compile(r'(?:by|of) (\w+) pc (0x[0-9a-f]+)')
SYNC, UNITS_TOO, ALL = 'sync', 'default', 'all'

DESCRIPTION = """\
Runs a program many times, each time with one delay at one place where it
synchronises, and says which delays change its result (what --expect and --get
name) or its end.
"""
EPILOG = """\
PROGRAM and all other options are those of scripts/run.

SITE     default      instructions of the Sync Unit (STALLWAIT, SEMWAIT,
                      SEMPOST, SEMGET, ATGETM, ATRELM, ...), where hart, thread
                      and all units of the thread are delayed; and those of
                      the Matrix and Vector Unit, packer, unpackers and mover,
                      where the unit is; and stores of harts to GPRs and
                      configuration
         sync         the former alone
         all          each instruction of the coprocessor: hart, thread, unit
         FILE:LINE    those of a source line
         HART@PC      what is pushed there; HART@PC/WORD: of an expansion
WHAT     hart, thread, store, or a unit: config scalar mover unpacker0
         unpacker1 matrix vector packer

exit status:
  0  no delay changed anything
  1  wrong use
  5  a delay changes the result or the end
  6  the program does not end as it should without a delay, or the emulator
     failed
"""


# --- machines ---

class Machines:
    """Emulators that share the variants of a program."""

    def __init__(self, words: List[str], count: int):
        self.stack = contextlib.ExitStack()
        self.variants = [self.machine(words) for _ in range(count)]

    def machine(self, words: List[str]) -> Variants:
        """A stopped one, before the kernel."""
        job = run.parse_repeated(words, 'has no variants')
        job.extra = [*OBJECT, *job.extra]
        tile = self.stack.enter_context(job.tile())
        run.prepare(job, tile, stopped=True)
        return Variants(job, tile)

    def begin(self) -> List[Issued]:
        """Runs without a delay; the sites.  Raises TileError if that fails."""
        for variants in self.variants:
            band = variants.run([NO_DELAY])[0]
            if band.fails:
                raise TileError(f'without a delay it ends with a '
                                f'{band.outcome}:\n{variants.tile.why()}')
        return self.variants[0].issued()

    def run(self, delays: List[Delay], report: Progress) -> Iterator[Band]:
        """All of them, in their order."""
        done = 0
        with ThreadPoolExecutor(len(self.variants)) as pool:
            free = list(self.variants)

            def one(delay: Delay) -> List[Band]:
                """By a machine that is free."""
                variants = free.pop()
                try:
                    return variants.run([delay])
                finally:
                    free.append(variants)

            for bands in pool.map(one, delays):
                done += 1
                report.report(done, len(delays), 'places')
                yield from bands

    def close(self) -> None:
        """Ends all."""
        self.stack.close()


def default_jobs() -> int:
    """As many as the host runs at once."""
    return min(len(os.sched_getaffinity(0)), MOST_JOBS)


# --- which delays ---

class Choice(NamedTuple):
    """What is asked for.  whats: [] for all that may make a difference."""
    sites: List[str]
    whats: List[str]
    first: int
    last: int


def is_chosen(issued: Issued, text: str) -> bool:
    """Is it one of the sites that a word of --site names?"""
    if text in (SYNC, ALL, UNITS_TOO):
        return text != SYNC or issued.sync
    line = LINE.fullmatch(text)
    if SITE.fullmatch(text):
        site = Site.parse(text)
        return issued.site == site or (
            site.word is None and
            (issued.site.hart, issued.site.pc) == (site.hart, site.pc))
    if not line:
        raise UseError(f'{text}: neither {SYNC} nor {ALL} nor FILE:LINE nor '
                       'HART@0xPC')
    return re.search(rf'\b{re.escape(line[1])}:{line[2]}\b',
                     issued.source) is not None


def units_of(issued: List[Issued]) -> Dict[int, List[str]]:
    """{thread: units that it uses}."""
    found: Dict[int, Set[str]] = {}
    for one in issued:
        if one.thread is not None and one.unit:
            found.setdefault(one.thread, set()).add(one.unit)
    return {thread: [what for what in WHATS if what in units]
            for thread, units in found.items()}


def whats_at(one: Issued, units: Dict[int, List[str]]) -> List[str]:
    """What to delay there: at an instruction of the Sync Unit each unit of
    the thread, elsewhere its own."""
    if one.unit == STORE:
        return [STORE]
    own = [one.unit] if one.unit else []
    return [HART, THREAD, *(units.get(one.thread, []) if one.sync else own)]


def delays_of(issued: List[Issued], choice: Choice) -> List[Delay]:
    """All of them; a hart pushes an expansion once."""
    units, found = units_of(issued), []
    for one in issued:
        if not any(is_chosen(one, text) for text in choice.sites):
            continue
        whats = choice.whats or whats_at(one, units)
        if choice.sites == [UNITS_TOO] and not one.sync:
            whats = [what for what in whats if what in LATE]
        for what in whats:
            site = one.site if what != HART else \
                Site(one.site.hart, one.site.pc)
            found.append(Delay(site, what, choice.first, choice.last))
    return list(dict.fromkeys(found))


# --- what is printed ---

def strip(bands: List[Band], first: int, last: int) -> str:
    """A picture of one line: the worst outcome of the delays of a column."""
    columns = min(STRIP, last - first + 1)
    cells = ['.'] * columns
    for band in bands:
        if band.fails:
            left, right = (
                (at - first) * columns // (last - first + 1)
                for at in (band.first, band.last))
            for at in range(left, right + 1):
                cells[at] = LETTERS[band.outcome]
    return ''.join(cells)


def band_text(band: Band) -> str:
    """'the result differs (512 bytes) at delays 3 to 41'."""
    what = f'the result differs ({band.differing} bytes)' \
        if band.end == 'done' else f'it ends in a {band.end}'
    many = band.first != band.last
    return (f'{what} at delay{"s" * many} {band.first}'
            f'{f" to {band.last}" * many}')


def with_delay(words: List[str], band: Band) -> str:
    """The command that shows one variant of a band."""
    return ' '.join([command('run'), shlex.join(words),
                     band.delay.option(band.first)])


class Findings:
    """Bands by their delays."""

    def __init__(self, words: List[str], issued: List[Issued]):
        self.words = words
        self.issued = {one.site: one for one in reversed(issued)}
        self.pushes = {Site(one.site.hart, one.site.pc): one
                       for one in reversed(issued)}
        self.rows: Dict[Delay, List[Band]] = {}

    def add(self, band: Band) -> None:
        """One more."""
        self.rows.setdefault(band.delay, []).append(band)

    def name(self, delay: Delay) -> str:
        """'trisc1 math.c:52 sempost: thread'."""
        one = self.issued.get(delay.site) or self.pushes.get(delay.site)
        return f'{one.place if one else delay.site}: {delay.what}'

    def failing(self) -> List[Band]:
        """All that fail."""
        return [band for bands in self.rows.values() for band in bands
                if band.fails]

    def tables(self) -> Iterator[Tuple[str, List[Band]]]:
        """Delays that change something: a heading, and what fails."""
        for delay, bands in self.rows.items():
            failing = [band for band in bands if band.fails]
            if failing:
                yield (f'{self.name(delay)}  '
                       f'{strip(bands, delay.first, delay.last)}', failing)

    def table(self, heading: str, failing: List[Band]) -> Iterator[str]:
        """Lines of one of them."""
        yield heading
        for band in failing:
            yield f'  {band_text(band)}: {with_delay(self.words, band)}'

    def lines(self) -> Iterator[str]:
        """The table: what changes something."""
        for heading, failing in self.tables():
            yield from self.table(heading, failing)


# --- races that were reported ---

def sides_of(race: dict) -> List[Site]:
    """Where its two accesses were pushed, or made."""
    sides = [Site(hart, int(pc, 16))
             for hart, pc in FIRST_ACCESS.findall(race['text'])[:1]]
    return sides + [Site(race['hart'], race['pc'])]


def places_of(issued: List[Issued], side: Site) -> List[str]:
    """Where the hart stores there, and where it pushes there or before."""
    pushes = [one.site.pc for one in issued if one.unit != STORE and
              one.site.hart == side.hart and one.site.pc <= side.pc]
    return [f'{side.hart}@{pc:#x}'
            for pc in sorted({side.pc, max(pushes, default=side.pc)})]


def delays_of_race(issued: List[Issued], race: dict) -> List[Delay]:
    """Of all words of both pushes; of an access by a hart itself, of a store,
    and of what it has pushed last in the order of the code."""
    found: List[Delay] = []
    for side in sides_of(race):
        found += delays_of(issued, Choice(places_of(issued, side), [],
                                          FIRST, LAST))
    return list(dict.fromkeys(found))


class Proof:
    """Races whose delays have the same names, as those of a loop have."""

    def __init__(self) -> None:
        self.numbers: List[int] = []
        self.sides: List[List[Site]] = []
        self.delays: Dict[Delay, None] = {}

    def add(self, number: int, race: dict, delays: List[Delay]) -> None:
        """One more."""
        self.numbers.append(number)
        if set(sides_of(race)) not in map(set, self.sides):
            self.sides.append(sides_of(race))
        self.delays.update(dict.fromkeys(delays))

    def title(self) -> str:
        """'races 1 to 3 and 5, trisc1@0xc124 and trisc0@0x80ac'."""
        sides = ' and '.join(map(str, self.sides[0]))
        more = f' (and {len(self.sides) - 1} more)' * (len(self.sides) > 1)
        many = 's' * (len(self.numbers) > 1)
        return f'race{many} {ranges_text(self.numbers)}, {sides}{more}'


def ranges_text(numbers: List[int]) -> str:
    """'1 to 3 and 5' for [1, 2, 3, 5]."""
    ranges: List[List[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ' and '.join(
        str(first) if first == last else
        f'{first} {"to" if last - first > 1 else "and"} {last}'
        for first, last in ranges)


def proofs_of(findings: Findings, issued: List[Issued],
              races: List[dict]) -> List[Proof]:
    """All races, in groups."""
    proofs: Dict[frozenset, Proof] = {}
    for number, race in enumerate(races):
        delays = delays_of_race(issued, race)
        names = frozenset(map(findings.name, delays))
        proofs.setdefault(names, Proof()).add(number + 1, race, delays)
    return list(proofs.values())


def prove_races(typed: List[str], races: List[dict]) -> None:
    """Says for each race (a TensixViolationSite) which delays of its two
    sides change something.  typed: words of scripts/run."""
    words = [word for word in typed if word not in ('--check', '--prove')]
    if not races:
        print('no race was reported', flush=True)
        return
    progress = Progress('run')
    machines = Machines(words, default_jobs())
    try:
        issued = machines.begin()
        for proof in proofs_of(Findings(words, issued), issued, races):
            findings = Findings(words, issued)
            for band in machines.run(list(proof.delays), progress):
                findings.add(band)
            say_of_races(proof, findings)
    finally:
        progress.close()
        machines.close()


def say_of_races(proof: Proof, findings: Findings) -> None:
    """What was found; of delays with equal bands, the first."""
    found = list(findings.tables())
    print(f'{proof.title()}: ' + (
        'proved' if found else f'no delay up to {LAST} of '
        f'{len(findings.rows)} tried changed the result'), flush=True)
    seen = set()
    for heading, bands in found:
        outcome = (heading, *map(band_text, bands))
        if outcome in seen:
            continue
        seen.add(outcome)
        for line in findings.table(heading, bands):
            print(f'  {line}', flush=True)


# --- the program ---

def delay_range(text: str) -> 'tuple[int, int]':
    """FIRST:LAST"""
    found = re.fullmatch(r'(\d+):(\d+)', text)
    if not found or not int(found[1]) <= int(found[2]) <= MOST:
        raise argparse.ArgumentTypeError(
            f'{text!r} is not FIRST:LAST, cycles from 0 to {MOST}')
    return int(found[1]), int(found[2])


def parser() -> Parser:
    """Options beside those of scripts/run."""
    p = Parser('perturb', DESCRIPTION, EPILOG,
               usage='[PROGRAM] [OPTION]... [-- QEMU-OPTION...]')
    p.add_argument('--site', metavar='SITE', action='append', default=[],
                   help='where to delay (default: default)')
    p.add_argument('--what', metavar='WHAT', action='append', default=[],
                   choices=WHATS, help='what to delay (default: all that may '
                   'make a difference)')
    p.add_argument('--delays', metavar='FIRST:LAST', type=delay_range,
                   default=(FIRST, LAST),
                   help=f'cycles (default: {FIRST}:{LAST})')
    p.add_argument('--svg', metavar='FILE', help='draws all bands')
    p.add_argument('--jobs', metavar='N', type=int,
                   default=default_jobs(),
                   help='emulators (default: one a CPU of the host)')
    return p


def sums(findings: Findings, machines: Machines, seconds: float) -> str:
    """The last line."""
    variants = sum(d.last - d.first + 1 for d in findings.rows)
    insns, cycles = machines.variants[0].length()
    failing = sum(any(band.fails for band in bands)
                  for bands in findings.rows.values())
    return (f'perturb: {failing} of {len(findings.rows)} delays change the '
            f'result or the end; {variants} variants of {cycles} cycles and '
            f'{insns} instructions in {seconds:.1f} s, '
            f'{variants / seconds * 60:.0f} a minute')


def perturb(options: argparse.Namespace, words: List[str]) -> int:
    """Exit status."""
    choice = Choice(options.site or [UNITS_TOO], options.what, *options.delays)
    progress = Progress('perturb')
    machines = Machines(words, max(options.jobs, 1))
    try:
        issued = machines.begin()
        findings = Findings(words, issued)
        delays = delays_of(issued, choice)
        if not delays:
            raise UseError(f'no instruction is issued at '
                           f'{" ".join(choice.sites)}')
        start = time.monotonic()
        for band in machines.run(delays, progress):
            findings.add(band)
        text = sums(findings, machines, time.monotonic() - start)
    finally:
        progress.close()
        machines.close()
    for line in findings.lines():
        print(line)
    if options.svg:
        bands_svg.write(options.svg, {findings.name(delay): bands for
                                      delay, bands in findings.rows.items()})
    print(text)
    return FAILS if findings.failing() else 0


def main(words: List[str]) -> int:
    """Exit status."""
    return run.tool_status('perturb', lambda: perturb(
        *parser().parse_known_args(words)))


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, run.terminate)
    sys.exit(main(sys.argv[1:]))
