# SPDX-License-Identifier: GPL-2.0-or-later
"""What the machine does, as objects: QMP's query-tensix-... commands.

    tile.state.why().nodes[0].wait.kind         # 'mailbox-empty'
    tile.state.config()[0]['ALU_ACC_CTRL_Fp32_enabled']
    tile.state.mark('before'); ...; tile.state.changes('before')

Each answer is of one moment, and asking disturbs nothing.  Fields are those of
the commands (docs/qmp.rst), with _ for -.
"""

from __future__ import annotations

import typing
from dataclasses import dataclass, field, is_dataclass
from typing import (TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Type,
                    TypeVar, Union)

from . import notebook

if TYPE_CHECKING:
    from .machine import Tile

SPECIAL = {'nan': float('nan'), 'inf': float('inf'),
           'minus-inf': float('-inf')}
T = TypeVar('T')


@dataclass(frozen=True)
class Operand:
    """An operand of an instruction."""
    name: str
    value: int


@dataclass(frozen=True)
class Origin:
    """A place in a program."""
    hart: str
    pc: int


@dataclass(frozen=True)
class Unfinished:
    """One thing that a program has left unfinished."""
    kind: str
    text: str


@dataclass(frozen=True)
class SourceFrame:
    """A function that an instruction is in; None: not known."""
    function: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None


@dataclass(frozen=True)
class Insn:
    """An instruction of the coprocessor; hart and pc: of its push; mop_from
    and replay_from: of the store of the word of its expansion."""
    word: int
    mnemonic: str
    operands: List[Operand]
    text: str
    thread: int
    hart: str
    pc: int
    mop_word: Optional[int] = None
    mop_from: Optional[Origin] = None
    replay_slot: Optional[int] = None
    replay_from: Optional[Origin] = None


@dataclass(frozen=True)
class Semaphore:
    """A semaphore, with its posts and gets since the latest SEMINIT."""
    index: int
    name: str
    value: int
    max: int
    posts: int
    gets: int


@dataclass(frozen=True)
class Wait:
    """What a waiter waits for; None: not of this kind of wait."""
    kind: str
    text: str
    helpers: List[str]
    thread: Optional[int] = None
    hart: Optional[str] = None
    mutex: Optional[int] = None
    semaphores: Optional[List[Semaphore]] = None
    conditions: Optional[int] = None
    stream: Optional[int] = None
    target: Optional[int] = None
    address: Optional[int] = None
    resources: Optional[int] = None


@dataclass(frozen=True)
class Node:
    """A hart or a thread: 'brisc', ..., 'thread0', ...; its state is idle,
    running, waiting or stopped."""
    node: str
    state: str
    unresolvable: bool
    pc: Optional[int] = None
    wait: Optional[Wait] = None
    instruction: Optional[Insn] = None
    latched: Optional[Insn] = None


@dataclass(frozen=True)
class Scheduled:
    """An instruction that SFPLOADMACRO has scheduled."""
    unit: str
    delay: int
    word: int
    text: str
    lanes: int
    by_instruction: bool
    vd: int
    vb: Optional[int] = None
    vc: Optional[int] = None
    mod0: Optional[int] = None
    address: Optional[int] = None


@dataclass(frozen=True)
class Late:
    """Results of the MAD sub-unit that come next."""
    lanes: int
    vd: List[int]
    values: List[int]


@dataclass(frozen=True)
class Swap:
    """Second half of an SFPSWAP."""
    lanes: int
    vc: int
    vd: int


@dataclass(frozen=True)
class Macro:
    """What SFPLOADMACRO has under way."""
    active: bool
    scheduled: List[Scheduled]
    instruction: Optional[Insn] = None
    late: Optional[Late] = None
    swap: Optional[Swap] = None


@dataclass(frozen=True)
class Why:
    """All waits; cycle: nodes that wait for each other; summary: the
    answer in at most three lines, empty if nothing waits."""
    nodes: List[Node]
    cycle: List[str]
    macro: Macro
    summary: List[str]

    def __getitem__(self, name: str) -> Node:
        return next(node for node in self.nodes if node.node == name)

    def _repr_html_(self) -> str:
        return notebook.waits(self.nodes, self.cycle)


@dataclass(frozen=True)
class Hart:
    """A hart: reset, paused, waiting, spinning or running."""
    hart: str
    state: str
    pc: int
    wait: Optional[Wait] = None


@dataclass(frozen=True)
class Mop:
    """MOP expander of a thread."""
    state: str
    words: int
    outer: int
    outer_count: int
    inner: int
    inner_count: int
    mask: int
    mask_hi: int
    config: List[int]
    instruction: Optional[Insn] = None


@dataclass(frozen=True)
class Replay:
    """REPLAY expander of a thread."""
    state: str
    slot: int
    left: int
    buffer: List[int]
    instruction: Optional[Insn] = None


@dataclass(frozen=True)
class Gate:
    """Wait gate of a thread."""
    blocked: int
    instruction: Optional[Insn] = None
    wait: Optional[Wait] = None
    latched: Optional[Insn] = None


@dataclass(frozen=True)
class Thread:
    """Front end of a thread."""
    thread: int
    idle: bool
    fifo: List[Insn]
    brisc_fifo: List[Insn]
    mop: Mop
    replay: Replay
    gate: Gate
    flight: List[Insn]


@dataclass(frozen=True)
class Flags:
    """Flags of the Vector Unit; masks have lane 0 in bit 0."""
    lane_flags: int
    use_lane_flags: int
    flag_stack: List[Dict[str, int]]
    lane_config: List[int]
    prng: List[int]


@dataclass(frozen=True)
class Row:
    """A row of a register file; values: None in the format raw."""
    row: int
    cells: List[int]
    valid: Optional[bool] = None
    values: Optional[List[Any]] = None

    def numbers(self) -> List[float]:
        """The values, with nan and inf as Python has them."""
        return [SPECIAL[x] if isinstance(x, str) else x
                for x in self.values or []]


@dataclass(frozen=True)
class Rows:
    """Rows of a register file, and how they were read."""
    format: str
    rows: List[Row]
    bank: Optional[int] = None
    owner: Optional[str] = None

    def _repr_html_(self) -> str:
        bank = '' if self.bank is None else f', bank {self.bank}'
        owner = f", {self.owner}'s" if self.owner else ''
        return notebook.grid(
            f'{self.format}{bank}{owner}',
            [row.cells if row.values is None else row.values
             for row in self.rows], self.rows[0].row if self.rows else 0,
            [row.valid for row in self.rows])


@dataclass(frozen=True)
class Bank:
    """The banks of SrcA or SrcB."""
    src: str
    owners: List[str]
    matrix_bank: int
    unpack_bank: int


@dataclass(frozen=True)
class Site:
    """A place that violated."""
    category: str
    hart: str
    pc: int
    text: str
    count: int
    instruction: Optional[Insn] = None


@dataclass(frozen=True)
class Violations:
    """Violations of this run of QEMU, the most frequent sites first."""
    total: int
    elsewhere: int
    sites: List[Site] = field(default_factory=list)


@dataclass(frozen=True)
class Change:
    """A named value that differs."""
    group: str
    name: str
    before: int
    after: int


def make(kind: Type[T], data: Any) -> T:
    """Object of a dataclass from what QMP said."""
    hints = typing.get_type_hints(kind)
    names = {name.replace('-', '_'): value for name, value in data.items()}
    return kind(**{name: convert(hints[name], value)
                   for name, value in names.items() if name in hints})


def convert(hint: Any, value: Any) -> Any:
    """A value of a member with that type."""
    if typing.get_origin(hint) is Union:          # Optional[...]
        return convert(typing.get_args(hint)[0], value)
    if typing.get_origin(hint) is list:
        kind = typing.get_args(hint)[0]
        return [convert(kind, item) for item in value]
    return make(hint, value) if is_dataclass(hint) else value


class State:
    """The queries of a Tile, as tile.state.  path: of QOM, of one of several
    tiles (tile.tiles)."""

    def __init__(self, tile: 'Tile', path: Optional[str] = None):
        self.tile, self.path = tile, path

    def _command(self, command: str, **arguments: Any) -> Any:
        """Arguments that are None are left out."""
        return self.tile.qmp(command, **{
            name: value for name, value in
            {**arguments, 'path': self.path}.items() if value is not None})

    def ask(self, topic: str, **arguments: Any) -> Any:
        """Answer of query-tensix-TOPIC as JSON has it; arguments that are
        None are left out."""
        return self._command('query-tensix-' + topic, **arguments)

    def _list(self, kind: Type[T], topic: str) -> List[T]:
        return [make(kind, item) for item in self.ask(topic)]

    # --- waits ---

    def why(self) -> Why:
        """What every hart and thread waits for."""
        return make(Why, self.ask('why'))

    def unfinished(self) -> List[Unfinished]:
        """What is unfinished now."""
        return self._list(Unfinished, 'unfinished')

    def harts(self) -> Dict[str, Hart]:
        """{name: hart} of the five."""
        return {hart.hart: hart for hart in self._list(Hart, 'harts')}

    def threads(self) -> List[Thread]:
        """FIFOs, MOP, REPLAY and gate of the three threads."""
        return self._list(Thread, 'threads')

    def macro(self) -> Macro:
        """What SFPLOADMACRO has scheduled."""
        return make(Macro, self.ask('macro'))

    # --- registers ---

    def semaphores(self) -> List[Semaphore]:
        """The eight."""
        return self._list(Semaphore, 'semaphores')

    def mutexes(self) -> Dict[int, Optional[int]]:
        """{mutex: thread that has it, or None}."""
        return {m['index']: m.get('owner') for m in self.ask('mutexes')}

    def rwcs(self) -> List[Dict[str, int]]:
        """Read/write counters by thread, as {'dst': ..., 'dst-cr': ...}."""
        return self.ask('rwcs')

    def adcs(self) -> List[Dict[str, Any]]:
        """Address counters: a dictionary for each thread, unit, channel."""
        return self.ask('adcs')

    def flags(self) -> Flags:
        """Lane flags, flag stack, LaneConfig, PRNG."""
        return make(Flags, self.ask('flags'))

    def gprs(self) -> List[List[int]]:
        """Scalar registers by thread."""
        return [thread['values'] for thread in self.ask('gprs')]

    def banks(self) -> Dict[str, Bank]:
        """{'srca': ..., 'srcb': ...}."""
        return {bank.src: bank for bank in self._list(Bank, 'banks')}

    def units(self) -> Dict[str, int]:
        """{unit: instructions executed}."""
        return {unit['unit']: unit['executed'] for unit in self.ask('units')}

    def time(self) -> Dict[str, Any]:
        """Estimated cycles of a machine with timing=published, as
        query-tensix-time has them."""
        return self.ask('time')

    def _fields(self, topic: str, of: str, count: int,
                names: Optional[Sequence[str]]) -> List[Dict[str, int]]:
        found: List[Dict[str, int]] = [{} for _ in range(count)]
        for item in self.ask(topic, names=names):
            found[item[of]][item['name']] = item['value']
        return found

    def config(self, names: Optional[Sequence[str]] = None
               ) -> List[Dict[str, int]]:
        """{field: value} of bank 0 and bank 1: those that are not 0, or those
        of these names."""
        return self._fields('config', 'bank', 2, names)

    def thread_config(self, names: Optional[Sequence[str]] = None
                      ) -> List[Dict[str, int]]:
        """The same of the three threads."""
        return self._fields('thread-config', 'thread', 3, names)

    def dest(self, row: Optional[int] = None, count: Optional[int] = None,
             form: Optional[str] = None) -> Rows:
        """Rows of Dest, in the configured format unless one is given."""
        return make(Rows, self.ask('dest', row=row, count=count, format=form))

    def src(self, src: str, bank: int = 0, row: Optional[int] = None,
            count: Optional[int] = None, form: Optional[str] = None) -> Rows:
        """Rows of a bank of 'srca' or 'srcb'."""
        return make(Rows, self.ask('src', src=src, bank=bank, row=row,
                                   count=count, format=form))

    def lregs(self, form: Optional[str] = None) -> Rows:
        """The vector registers: raw, fp32 or int32."""
        return make(Rows, self.ask('lregs', format=form))

    # --- violations, and what a kernel leaves behind ---

    def violations(self) -> Violations:
        """All sites, and how often each has violated."""
        return make(Violations, self.ask('violations'))

    def source(self, hart: str, pc: int) -> List[SourceFrame]:
        """Where in the sources a place is: the function, then those that it
        is inlined in; [] if nothing is known."""
        return [make(SourceFrame, item)
                for item in self.ask('source', hart=hart, pc=pc)]

    def values(self) -> Dict[str, int]:
        """{name: value} of all that a kernel may leave behind and that is not
        0; leaks.py compares two of these."""
        return {item['name']: item['value'] for item in self.ask('state')}

    def mark(self, name: str) -> None:
        """Keeps this moment for changes()."""
        self._command('tensix-mark', name=name)

    def unmark(self, name: str) -> None:
        """Deletes it."""
        self._command('tensix-unmark', name=name)

    def changes(self, since: str, until: Optional[str] = None
                ) -> List[Change]:
        """What differs between a mark and another one, or now."""
        return [make(Change, item) for item in
                self.ask('changes', since=since, until=until)]
