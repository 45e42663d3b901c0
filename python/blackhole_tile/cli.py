# SPDX-License-Identifier: GPL-2.0-or-later
"""What the command lines of scripts/ share."""

from __future__ import annotations

import argparse
import os
import re
from typing import Dict, List, NoReturn, Optional, Tuple

from .machine import INSTALLED
from .memory_map import HARTS

WRONG_USE = 1                        # exit status
TOOL_NAME = re.compile(r'\bscripts/(run|debug|timeline|picture|view)\b')
# The tool that the launcher has started (scripts/lib.sh); '' for a library
STARTED = os.environ.pop('TENSIX_TOOL', '')


def command(tool: str) -> str:
    """What a user types for a tool: scripts/run in a tree, blackhole-tile-run
    where it is installed."""
    return f'blackhole-tile-{tool}' if INSTALLED else f'scripts/{tool}'


def program(tool: str) -> str:
    """The command that was typed.  tool: without a launcher."""
    return command(STARTED or tool)


def with_commands(text: str) -> str:
    """A text with each scripts/TOOL as the user types it."""
    return TOOL_NAME.sub(lambda found: command(found[1]), text)


def error_line(tool: str, text: object) -> str:
    """An error of that tool, without a line's end."""
    return f'{program(tool)}: error: {str(text).rstrip()}'


class UseError(Exception):
    """What the command line asks for makes no sense; the text says why."""


class Parser(argparse.ArgumentParser):
    """Options in full only; wrong use has a status of its own.  usage: what
    comes after the command."""

    def __init__(self, tool: str, description: str, epilog: str = '',
                 usage: Optional[str] = None):
        super().__init__(prog=program(tool), description=description,
                         epilog=epilog,
                         formatter_class=argparse.RawDescriptionHelpFormatter,
                         allow_abbrev=False,
                         usage=usage and f'{program(tool)} {usage}')

    def format_help(self) -> str:
        """With the commands as the user types them."""
        return with_commands(super().format_help())

    def error(self, message: str) -> NoReturn:
        """Says what is wrong, and where help is."""
        self.exit(WRONG_USE, f'{self.prog}: error: {message}\n'
                             f'{self.prog} --help tells more\n')


def halves(text: str, what: str) -> Tuple[str, str]:
    """The two sides of an equals sign.  what: the form, for UseError."""
    left, equals, right = text.partition('=')
    if not (left and equals and right):
        raise UseError(f'{text!r} is not of the form {what}')
    return left, right


def by_hart(texts: List[str], what: str = 'HART=FILE') -> Dict[str, str]:
    """{hart: what stands behind its equals sign}.  Raises UseError."""
    found = dict(halves(text, what) for text in texts)
    unknown = set(found) - set(HARTS)
    if unknown:
        raise UseError(f'no hart {sorted(unknown)[0]}; there are '
                       f'{" ".join(HARTS)}')
    return found
