# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the words of a MOP or REPLAY were written down: the store to MopCfg,
the push that REPLAY recorded.  As the machine's reports do
(core/report/recorded.c), but of equal words in MopCfg the first is taken."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

from .timeline_file import NO_POSITION, TimelineFile

Origin = Tuple[int, int]           # number of a hart, pc
Word = Tuple[int, Origin]


class Recorded:
    """MopCfg and REPLAY's ring of each thread, as far as events have them."""

    def __init__(self, file: TimelineFile) -> None:
        self.harts = len(file.names.get('hart', []))
        self.mop: Dict[Tuple[int, int], Word] = {}
        self.slots: Dict[Tuple[int, int], Word] = {}
        self.replays: Dict[int, int] = {}
        self.known: Dict[Tuple[int, int], Optional[Origin]] = {}

    def mop_word(self, n: Tuple[int, ...]) -> None:
        """An event "mop_word"."""
        thread, index, word, pc, hart = n[:5]
        self.mop[thread, index] = (word, (hart, pc))
        self.known.clear()

    def slot(self, n: Tuple[int, ...]) -> None:
        """An event "slot"."""
        thread, slot, word, pc, hart = n[:5]
        self.slots[thread, slot] = (word, (hart, pc))

    def replay(self, n: Tuple[int, ...]) -> None:
        """An event "replay": what a MOP yields for the words that follow."""
        self.replays[n[1]] = n[0]

    def load(self, n: Tuple[int, ...]) -> None:
        """An event "load": a word of a MOP is from MopCfg."""
        word, thread, mop, _, pc, hart, slot = n
        origin: Optional[Origin] = (hart, pc)
        if mop != NO_POSITION:
            origin = self.stored(thread, word)
        if origin:
            self.slots[thread, slot] = (word, origin)

    def stored(self, thread: int, word: int) -> Optional[Origin]:
        """The writer of this word of MopCfg; None: not known."""
        if (thread, word) not in self.known:
            self.known[thread, word] = next(
                (origin for (its_thread, _), (its_word, origin)
                 in sorted(self.mop.items())
                 if (its_thread, its_word) == (thread, word)
                 and origin[0] < self.harts), None)
        return self.known[thread, word]

    def see(self, name: str, n: Tuple[int, ...]) -> None:
        """Any event; most say nothing of that."""
        if name == 'mop_word':
            self.mop_word(n)
        elif name == 'slot':
            self.slot(n)
        elif name == 'replay':
            self.replay(n)
        elif name == 'load':
            self.load(n)
        elif name in ('loaded', 'reset'):    # what is known follows
            self.mop.clear()
            self.slots.clear()
            self.known.clear()

    def origins(self, n: Tuple[int, ...]) -> Dict[str, Origin]:
        """{"MOP word from": ..., "REPLAY slot from": ...} of an instruction,
        as far as they are known."""
        word, thread, mop, slot = n[:4]
        found = {}
        if slot != NO_POSITION:
            its_word, origin = self.slots.get((thread, slot), (0, (0, 0)))
            if its_word == word and origin[0] < self.harts:
                found['REPLAY slot from'] = origin
            word = self.replays.get(thread, word)
        stored = self.stored(thread, word) if mop != NO_POSITION else None
        if stored:
            found['MOP word from'] = stored
        return found

    def writer(self, n: Tuple[int, ...]) -> Origin:
        """The word's recorder: the innermost of these, or its pusher."""
        origins = self.origins(n)
        return origins.get('REPLAY slot from',
                           origins.get('MOP word from', (n[5], n[4])))
