# SPDX-License-Identifier: GPL-2.0-or-later
"""`layout tensix`: a window of gdb's text interface that follows the harts."""

from __future__ import annotations

from typing import Any, List, Optional

import gdb

from . import tables
from .commands import starting_with
from .link import LINK

WINDOW, THREADS = 'tensix', 'threads'
LAYOUT = f'tui new-layout {WINDOW} src 3 {WINDOW} 2 status 0 cmd 2'


class Window:
    """One window, as gdb.register_window_type() wants it."""

    all: List['Window'] = []         # gdb does not list them
    shown = THREADS                  # by all of them: the table, or a topic

    def __init__(self, tui: Any):
        self.tui, self.lines = tui, ['']
        self.first = self.left = 0
        tui.title = WINDOW
        Window.all.append(self)

    def close(self) -> None:
        """gdb takes it away."""
        Window.all.remove(self)

    @staticmethod
    def text() -> str:
        """What is to be shown now."""
        try:
            if Window.shown == THREADS:
                return tables.threads()
            return LINK.info(Window.shown)
        except (gdb.error, gdb.GdbError) as error:
            return str(error)

    def update(self) -> None:
        """Asks the machine, which must be stopped."""
        self.lines = self.text().splitlines()
        self.tui.title = 'tensix ' + Window.shown
        self.render()

    def render(self) -> None:
        """Shows the lines from the first one on."""
        if not self.tui.is_valid():
            return
        height, width = self.tui.height, self.tui.width
        lines = [line[self.left:self.left + width]
                 for line in self.lines[self.first:self.first + height]]
        self.tui.erase()
        # a full line wraps into the next one
        self.tui.write(''.join(line if len(line) == width else line + '\n'
                               for line in lines))

    def vscroll(self, count: int) -> None:
        """Down, or up."""
        last = max(0, len(self.lines) - self.tui.height)
        self.first = min(max(0, self.first + count), last)
        self.render()

    def hscroll(self, count: int) -> None:
        """Right, or left."""
        longest = max(map(len, self.lines), default=0)
        self.left = min(max(0, self.left + count), max(0, longest - 1))
        self.render()


def update_all(*_: Any) -> None:
    """Before each prompt: a command may have changed anything."""
    for window in Window.all:
        window.update()


class Show(gdb.Command):
    """What the window of `layout tensix` shows.

tensix window threads         the table of harts and threads
tensix window TOPIC [WORDS]   a topic with its words, as in
                              tensix window dest 0 16 bf16"""

    def __init__(self) -> None:
        super().__init__('tensix window', gdb.COMMAND_TUI)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """From now on."""
        Window.shown = line.strip() or THREADS
        for window in Window.all:
            window.first = window.left = 0
            window.update()
        if not Window.all:
            print(f'layout {WINDOW} shows: {Window.shown}')

    def complete(self, _text: str, word: Optional[str]) -> List[str]:
        """The table and topics."""
        return starting_with([THREADS, *LINK.topics()], word)


def register() -> None:
    """The window, its layout, and what keeps it up to date."""
    try:
        gdb.register_window_type(WINDOW, Window)
        gdb.execute(LAYOUT)
    except (AttributeError, gdb.error):    # a gdb without the text interface
        return
    gdb.events.before_prompt.connect(update_all)
    Show()
