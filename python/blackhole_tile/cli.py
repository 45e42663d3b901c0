# SPDX-License-Identifier: GPL-2.0-or-later
"""What the command lines of scripts/ share."""

from __future__ import annotations

import argparse
from typing import Dict, List, NoReturn, Optional, Tuple

from .memory_map import HARTS

WRONG_USE = 1                        # exit status


class UseError(Exception):
    """What the command line asks for makes no sense; the text says why."""


class Parser(argparse.ArgumentParser):
    """Options in full only; wrong use has a status of its own."""

    def __init__(self, prog: str, description: str, epilog: str,
                 usage: Optional[str] = None):
        super().__init__(prog=prog, description=description, epilog=epilog,
                         formatter_class=argparse.RawDescriptionHelpFormatter,
                         allow_abbrev=False, usage=usage)

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
