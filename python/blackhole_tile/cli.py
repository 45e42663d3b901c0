# SPDX-License-Identifier: GPL-2.0-or-later
"""What the command lines of scripts/ share."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import time
from typing import Dict, Iterable, List, Match, NoReturn, Optional, Tuple

from .memory_map import HARTS
from .paths import IN_TREE

WRONG_USE = 1                        # exit status
LINE_SECONDS, BAR_SECONDS = 10, 0.2  # between two lines of progress
CLEAR_LINE = '\r\x1b[K'
OPTION_NAMES = 0.7                   # how much alike: all begin with --
TOOL_NAME = re.compile(
    r'\bscripts/(accuracy|run|debug|perturb|sweep|timeline|picture|view)\b')
# The tool that the launcher has started (scripts/lib.sh); '' for a library
STARTED = os.environ.pop('TENSIX_TOOL', '')


def unquoted_choices(found: Match[str]) -> str:
    """Python before 3.12 puts each choice in quotes."""
    return f"no '{found[1]}' (one of {found[2].replace(chr(39), '')})"


# What argparse says, with the word that is wrong first
UNKNOWN = re.compile('unrecognized arguments: (.*)', re.S)
OBJECT_FIRST = tuple((re.compile(pattern, re.S), text) for pattern, text in (
    (r'^argument (-[-\w]+(?:/-[-\w]+)?|[A-Z]\w*): ', r'\1: '),
    (r"invalid choice: '(.*)' \(choose from (.*)\)$", unquoted_choices),
    ('^the following arguments are required: (.*)$', r'\1: missing'),
    ('expected one argument$', 'a value is missing'),
    (r'invalid (\w+) value: (.*)$', r'\2 is no \1')))


def did_you_mean(word: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """' (did you mean NAME?)' if a name resembles the word, else ''."""
    found = difflib.get_close_matches(word, list(names), 1, cutoff)
    return f' (did you mean {found[0]}?)' if found else ''


def command(tool: str) -> str:
    """What a user types for a tool: scripts/run in a tree, blackhole-tile-run
    where it is installed."""
    return f'scripts/{tool}' if IN_TREE else f'blackhole-tile-{tool}'


def program(tool: str) -> str:
    """The command that was typed.  tool: without a launcher."""
    return command(STARTED or tool)


def with_commands(text: str) -> str:
    """A text with each scripts/TOOL as the user types it."""
    return TOOL_NAME.sub(lambda found: command(found[1]), text)


def error_text(error: object) -> str:
    """An exception or a text, a file's name first."""
    if isinstance(error, OSError) and error.strerror:
        name = f'{error.filename}: ' if error.filename else ''
        return name + error.strerror
    return str(error).rstrip()


def error_line(tool: str, error: object) -> str:
    """An error of that tool, without a line's end."""
    return f'{program(tool)}: error: {error_text(error)}'


def drop_output() -> None:
    """After BrokenPipeError: what Python still has for stdout would be another
    error at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class UseError(Exception):
    """What the command line asks for makes no sense; the text says why."""


class Parser(argparse.ArgumentParser):
    """Options in full only; wrong use has its own status.  usage: what
    comes after the command; file: that the words are from, if any."""

    def __init__(self, tool: str, description: str, epilog: str = '',
                 usage: Optional[str] = None, file: str = ''):
        self.file = file
        super().__init__(prog=program(tool), description=description,
                         epilog=epilog,
                         formatter_class=argparse.RawDescriptionHelpFormatter,
                         allow_abbrev=False,
                         usage=usage and f'{program(tool)} {usage}')

    def format_help(self) -> str:
        """With the commands as the user types them."""
        return with_commands(super().format_help())

    def error(self, message: str) -> NoReturn:
        """Says what is wrong with which word, and where help is."""
        for pattern, text in OBJECT_FIRST:
            message = pattern.sub(text, message)
        found = UNKNOWN.fullmatch(message)
        if found:
            message = self.unknown(found[1])
        where = f'{self.file}: ' if self.file else ''
        hint = '' if message.endswith(')') else f' ({self.prog} --help)'
        self.exit(WRONG_USE, f'{self.prog}: error: {where}{message}{hint}\n')

    def unknown(self, words: str) -> str:
        """About words that have no meaning; the first of them."""
        word = words.split()[0]
        if not word.startswith('-'):
            return f'{word}: one word too many'
        options = [name for action in self._actions
                   for name in action.option_strings]
        name = word.partition('=')[0]
        hint = did_you_mean(name, options, OPTION_NAMES)
        return f'{name}: no such option{hint}'


def halves(text: str, what: str) -> Tuple[str, str]:
    """The two sides of an equals sign.  what: the form, for UseError."""
    left, equals, right = text.partition('=')
    if not (left and equals and right):
        raise UseError(f'{text}: not of the form {what}')
    return left, right


def by_hart(texts: List[str], what: str = 'HART=FILE') -> Dict[str, str]:
    """{hart: what is after its equals sign}.  Raises UseError."""
    found = dict(halves(text, what) for text in texts)
    unknown = set(found) - set(HARTS)
    if unknown:
        raise UseError(f'no hart {sorted(unknown)[0]} (harts: '
                       f'{" ".join(HARTS)})')
    return found


class Progress:
    """A line on stderr about work that takes its time: on a terminal one that
    changes, else one now and then."""

    def __init__(self, tool: str):
        self.tool, self.shown = tool, False
        self.start = self.line = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def report(self, done: int, total: int, what: str) -> None:
        """So many of all are done."""
        now = time.monotonic()
        if now - self.line < (BAR_SECONDS if self.terminal else LINE_SECONDS):
            return
        self.line, self.shown = now, True
        text = (f'{self.tool}: {now - self.start:.0f} s, {done} of {total} '
                f'{what}')
        print(f'{CLEAR_LINE}{text}' if self.terminal else text,
              end='' if self.terminal else '\n', file=sys.stderr, flush=True)

    def close(self) -> None:
        """Takes the line away."""
        if self.shown and self.terminal:
            print(CLEAR_LINE, end='', file=sys.stderr, flush=True)
