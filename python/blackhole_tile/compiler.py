# SPDX-License-Identifier: GPL-2.0-or-later
"""What a compiler's output says first: the errors, at lines of the program."""

from __future__ import annotations

import re
from typing import Iterator, List, Optional

ERROR = re.compile(r'(?P<place>[^\s:][^:]*:\d+)(:\d+)?: (fatal )?error: '
                   r"(call to '\w+' declared with attribute error: )?"
                   r'(?P<text>.*)')
# where code of a header was inlined, or a macro of one expanded
USED_AT = re.compile(
    r' *inlined from .* at (?P<place>[^\s:]+:\d+)(:\d+)?[,:]$|'
    r'(?P<macro>[^\s:][^:]*:\d+)(:\d+)?: note: in expansion of')
# files of headers and of the runtime, which a program includes
HEADER = re.compile(r'(^|/)(blackhole-tile|runtime|decode)/')


def used_at(line: str) -> Optional[str]:
    """FILE:LINE of the program where a header is used, if the line says so."""
    found = USED_AT.match(line)
    place = found and (found['place'] or found['macro'])
    return place if place and not HEADER.search(place) else None


def places(lines: List[str]) -> Iterator[str]:
    """'FILE:LINE: TEXT' of each error.  An error in a header is reported at
    its use in the program: gcc names calls before the error, macros after."""
    before: Optional[str] = None
    for n, line in enumerate(lines):
        error = ERROR.match(line)
        if line.startswith(('In function', 'In file')):
            before = None
        elif not error:
            before = used_at(line) or before
        else:
            place = error['place']
            if HEADER.search(place):
                place = before or first_use(lines[n + 1:]) or place
            yield f'{place}: {error["text"]}'


def first_use(lines: List[str]) -> Optional[str]:
    """Where the program uses a header, in the notes before the next error."""
    for line in lines:
        if ERROR.match(line):
            return None
        if used_at(line):
            return used_at(line)
    return None


def errors(output: str) -> List[str]:
    """Each error of a compiler's output once."""
    return list(dict.fromkeys(places(output.splitlines())))
