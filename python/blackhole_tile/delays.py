# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of a program with delays: the object tensix-perturb of the machine."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from . import firmware
from .cli import UseError
from .errors import TileError, TileTimeout
from .memory_map import HARTS
from .watch import DEADLOCK, TIME_OUT, VIOLATION, Watch
from .watch import DONE as ENDED_WELL

if TYPE_CHECKING:
    from .machine import Tile
    from .places import Place
    from .run import Job

OBJECT = ['-object', 'tensix-perturb,id=perturb']
HART, THREAD, STORE = 'hart', 'thread', 'store'
UNITS = ('config', 'scalar', 'mover', 'unpacker0', 'unpacker1', 'matrix',
         'vector', 'packer')
WHATS = (HART, THREAD, STORE, *UNITS)
# what may take effect some time after it has issued
LATE = (STORE, *UNITS[2:])
SITE = re.compile(r'(\w+)@(0x[0-9a-f]+)(?:/(0x[0-9a-f]+))?', re.I)
DELAY = re.compile(r'(.+):(\w+)=(\d+)')
COMPARISONS = {'=': 'equal', '!=': 'differs', '>=': 'at-least'}
HERE = re.compile(r'^(?:.*inlined in )?(.*)$')
SPACE = 1 << 32
NAP_SECONDS, RUN_SECONDS = 0.1, 600
DONE = 'done'


# --- places of programs ---

@dataclass(frozen=True, order=True)
class Site:
    """What a hart pushes at a pc: all of it, or one word of an expansion."""
    hart: str
    pc: int
    word: Optional[int] = None

    @staticmethod
    def parse(text: str) -> 'Site':
        """HART@PC or HART@PC/WORD.  Raises UseError."""
        found = SITE.fullmatch(text)
        if not found or found[1] not in HARTS:
            raise UseError(f'{text}: not of the form HART@0xPC or '
                           f'HART@0xPC/0xWORD (harts: {" ".join(HARTS)})')
        site = Site(found[1], int(found[2], 16),
                    int(found[3], 16) if found[3] else None)
        if max(site.pc, site.word or 0) >= SPACE:
            raise UseError(f'{text}: no number of 32 bits')
        return site

    def __str__(self) -> str:
        word = '' if self.word is None else f'/{self.word:#010x}'
        return f'{self.hart}@{self.pc:#x}{word}'


@dataclass(frozen=True)
class Delay:
    """Delays of a range of cycles."""
    site: Site
    what: str
    first: int
    last: int

    @staticmethod
    def parse(text: str) -> 'Delay':
        """SITE:WHAT=CYCLES.  Raises UseError."""
        found = DELAY.fullmatch(text)
        if not found:
            raise UseError(f'{text}: not of the form SITE:WHAT=CYCLES, as '
                           f'trisc1@0xc104:thread=12')
        if found[2] not in WHATS:
            raise UseError(f'{text}: no {found[2]} can be delayed (one of '
                           f'{" ".join(WHATS)})')
        cycles = int(found[3])
        return Delay(Site.parse(found[1]), found[2], cycles, cycles)

    def of_qmp(self) -> Dict[str, Any]:
        """A TensixDelayRange."""
        found: Dict[str, Any] = {
            'hart': self.site.hart, 'pc': self.site.pc, 'what': self.what,
            'first': self.first, 'last': self.last}
        if self.site.word is not None:
            found['word'] = self.site.word
        return found

    def option(self, cycles: int) -> str:
        """That of scripts/run for one of them."""
        return f'--delay={self.site}:{self.what}={cycles}'


NO_DELAY = Delay(Site('brisc', 0), THREAD, 0, 0)


@dataclass(frozen=True)
class Issued:
    """A site of a run without a delay: an instruction that it issued, or a
    store of a hart (unit: STORE)."""
    site: Site
    thread: Optional[int]
    text: str
    source: str                # 'f (a.h:9), inlined in main (a.c:10)', or ''
    unit: Optional[str]
    sync: bool
    count: int

    @staticmethod
    def of(row: dict) -> 'Issued':
        """From a TensixPerturbSite."""
        insn = row['insn']
        expanded = 'mop-word' in insn or 'replay-slot' in insn
        return Issued(
            Site(insn['hart'], insn['pc'],
                 insn['word'] if expanded else None),
            insn['thread'], insn['text'].split()[0].removeprefix('tt'),
            row.get('source', ''), row.get('unit'), row['sync'], row['count'])

    @staticmethod
    def of_store(row: dict) -> 'Issued':
        """From a TensixPerturbStore."""
        return Issued(Site(row['hart'], row['pc']), None, 'store',
                      row.get('source', ''), STORE, False, row['count'])

    @property
    def place(self) -> str:
        """Where in the program, and what."""
        found = re.search(r'\(([^()]*:\d+)\)$', HERE.sub(r'\1', self.source))
        where = found[1].rpartition('/')[2] if found else f'{self.site.pc:#x}'
        return f'{self.site.hart} {where} {self.text}'


@dataclass(frozen=True)
class Band:
    """Successive delays with the same outcome: end is done, deadlock or
    time-out; differing is how many bytes of the results differ."""
    delay: Delay
    first: int
    last: int
    end: str
    differing: int
    violations: int

    @property
    def fails(self) -> bool:
        """Does it differ from the run without a delay?"""
        return self.end != DONE or self.differing > 0

    @property
    def outcome(self) -> str:
        """A word for tables."""
        if self.end != DONE:
            return self.end
        return 'differs' if self.differing else DONE


# --- a machine that runs the variants of a job ---

def ranges_of(where: 'Place', size: int) -> List[Dict[str, int]]:
    """TensixMemoryRanges of a place."""
    if not where.pages:
        return [{'address': where.address, 'size': size}]
    page = firmware.PAGE
    return [{'address': firmware.page_address(where.address, n),
             'size': min(page, size - n * page)}
            for n in range((size + page - 1) // page)]


def results_of(job: 'Job') -> List[Dict[str, int]]:
    """What is compared: what --expect and --get name in memory."""
    sources = [item.source for item in [*job.expects, *job.gets]]
    return [row for source in sources if source.where and source.data
            for row in ranges_of(source.where, source.data.size())]


def question(job: 'Job') -> Dict[str, Any]:
    """What ends a run of the job, for the command tensix-perturb."""
    until = [{'address': c.where.address, 'value': c.value,
              'comparison': COMPARISONS[c.operator]} for c in job.conditions]
    if job.launch and not job.options.until:
        until = [{'address': firmware.GO_WORD, 'mask': 0xFF << 24,
                  'value': firmware.GO_DONE, 'comparison': 'equal'}]
    found: Dict[str, Any] = {'until': until} if until else {}
    if until and 'rest' in job.options.until:
        found['idle'] = True
    return found


class Variants:
    """The variants of a job on its stopped machine."""

    def __init__(self, job: 'Job', tile: 'Tile'):
        self.job, self.tile, self.asked = job, tile, False

    def start(self, delays: List[Delay]) -> None:
        """Begins to run them; results are those of the first run."""
        self.begin(delays=[d.of_qmp() for d in delays])

    def start_seed(self, seed: int) -> None:
        """Begins a run with the schedule of a seed, which its user follows."""
        self.begin(seeds=[{'first': seed, 'last': seed}], report=True)

    def begin(self, **variants: Any) -> None:
        """Begins to run what tensix-perturb takes."""
        arguments = question(self.job)
        if not self.asked:
            arguments['results'] = results_of(self.job)
        self.tile.qmp('tensix-perturb', **variants, **arguments)
        self.asked = True
        self.tile.cont()

    def run(self, delays: List[Delay]) -> List[Band]:
        """All of them.  Raises TileError if the machine stops before."""
        self.start(delays)
        end = time.monotonic() + RUN_SECONDS
        while self.tile.status() == 'running':
            if time.monotonic() > end:
                raise TileTimeout('the variants take too long',
                                  self.tile.why())
            self.tile.take_events(NAP_SECONDS)    # STOP is one
        return self.bands(delays)

    def bands(self, delays: List[Delay]) -> List[Band]:
        """What came of them."""
        info = self.tile.qmp('query-tensix-perturb')
        if info['left']:
            raise TileError(f'the machine has stopped (state '
                            f'{self.tile.status()}), {info["left"]} variants '
                            f'are not done')
        return [Band(delays[row['delays']], row['first'], row['last'],
                     row['end'], row['differing'], row['violations'])
                for row in info['bands']]

    def issued(self) -> List[Issued]:
        """Sites of the first run."""
        info = self.tile.qmp('query-tensix-perturb')
        return [*map(Issued.of, info['sites']),
                *map(Issued.of_store, info['stores'])]

    def length(self) -> 'tuple[int, int]':
        """(instructions of all harts, cycles) of the first run."""
        info = self.tile.qmp('query-tensix-perturb')
        return info['instructions'], info['cycles']


class DelayedWatch(Watch):
    """Waits for the end of one variant, as its user may follow it."""

    STATUS = {DONE: ENDED_WELL, 'deadlock': DEADLOCK, 'time-out': TIME_OUT}
    variants = None

    def begin(self) -> None:
        """Starts it."""
        self.variants = Variants(self.job, self.tile)
        if self.job.delay:
            self.variants.start([self.job.delay])
        else:
            self.variants.start_seed(self.job.options.seed)

    def step(self) -> Optional[int]:
        """One poll; a status once it is over."""
        self.show_output()
        state = self.tile.status()
        if state == 'debug':
            return VIOLATION
        if state != 'running' and self.variants:
            band = self.variants.bands([self.job.delay or NO_DELAY])[0]
            return self.STATUS[band.end]
        if self.job.seconds and \
                time.monotonic() - self.start > self.job.seconds:
            return TIME_OUT
        self.progress()
        return None
