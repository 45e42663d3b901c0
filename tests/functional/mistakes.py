# SPDX-License-Identifier: GPL-2.0-or-later
"""Grading the mistakes of tests/firmware/mistakes: do the first three lines
that scripts/run prints about one name its line and its cause?

    PYTHONPATH=python python3 -B tests/functional/mistakes.py

prints the grades; with --update it writes those lines into docs/mistakes.rst.
"""

import functools
import os
import re
import sys
from dataclasses import dataclass
from typing import Tuple

from blackhole_tile.testing import ROOT, script

PAGE = os.path.join(ROOT, 'docs', 'mistakes.rst')
SOURCES = os.path.join(ROOT, 'tests', 'firmware', 'mistakes')
LINES, QUOTED = 3, 2
# what is not the program's own output
ABOUT_IT = r'(tensix|run|scripts/run): '


@dataclass(frozen=True)
class Mistake:
    """What has to be said: PATH below SOURCES or ROOT and the text of a line,
    words of the cause, the exit status of scripts/run; and the options without
    which nothing is said."""
    path: str
    text: str
    cause: Tuple[str, ...]
    status: int
    options: Tuple[str, ...] = ()

    def line(self) -> str:
        """FILE:LINE, a regular expression; of an option its text."""
        path = os.path.join(ROOT if self.path.startswith('examples/') else
                            SOURCES, self.path)
        with open(path, encoding='utf-8') as file:
            found = [n for n, line in enumerate(file, 1) if self.text in line]
        assert len(found) == 1, (path, self.text, found)
        if path.endswith('.args'):
            return re.escape(self.text)
        return rf'\b{re.escape(os.path.basename(path))}:{found[0]}\b'


# name: the line that is named, words of the cause
MISTAKES = {
    'dram': Mistake('dram/brisc.c', 'noc_read(',
                    ('DRAM', 'never written'), 5),
    'dvalid': Mistake('dvalid/trisc1.c', 'ELWADD', ('SrcB', 'data valid'), 4),
    'format': Mistake('format/trisc2.c', 'PACR',
                      ('no conversion', '16-bit Dst', 'INT32'), 3),
    'jump': Mistake('jump/trisc1.c', '    step();', ('jump',), 3),
    'l1_format': Mistake('l1_format/run.args', 'l1:0x40000=a.npy:fp32',
                         ('unpacker 0', 'BF16'), 5),
    'maximum': Mistake('maximum/trisc1.c', 'begin_dest_half',
                       ('MATH_PACK', 'maximum', r'\b0\b'), 4),
    'noc_tile': Mistake('noc_tile/brisc.c', 'noc_read(',
                        (r'\(12, ?17\)', 'Tensix tile'), 5),
    'operand': Mistake('operand/trisc1.c', 'TTINSN(SFPLOADI',
                       ('imm16', r'\b16\b'), 1),
    'overtake': Mistake('overtake/trisc1.c', 'SFPLOAD',
                        ('MOVA2D', 'missing: .*STALLWAIT'), 3,
                        ('--machine=hazards=on',)),
    'push': Mistake('push/ncrisc.c', 'SEMPOST', ('cannot push',), 3),
    'reset': Mistake('examples/add/trisc0.c', 'UNPACK_SRCA',
                     ('TRISC1.*in reset',), 4),
    'semaphore': Mistake('semaphore/trisc2.c', 'WHILE_ZERO',
                         ('MATH_PACK', 'posted 0 times|never posted',
                          'TRISC1.*returned from main'), 4),
    'setrwc': Mistake('examples/add/trisc0.c', 'UNPACK_SRCA',
                      ('TRISC0|thread 0', 'SrcA bank', 'given back'), 5),
    'stack': Mistake('stack/trisc1.c', 'numbers[i] = i', ('stack',), 3),
    'too_many': Mistake('too_many/trisc2.c', 'pack_tile(',
                        ('TRISC2', 'MATH_PACK'), 0),
    'unsent': Mistake('unsent/trisc1.c', 'MAILBOX', ('mail from BRISC',), 4),
    'unwritten': Mistake('unwritten/trisc2.c', 'PACR',
                         ('Dest', 'nothing has written|never written'), 3,
                         ('--machine=unwritten=report',)),
}


@functools.lru_cache(None)
def run(name: str, *options: str) -> Tuple[int, str]:
    """(exit status of scripts/run, what it prints)."""
    done = script('run', os.path.join(SOURCES, name), '--timeout=20',
                  *options, merged=True, timeout=60)
    return done.returncode, done.stdout


def first_lines(text: str, count: int = LINES) -> str:
    """The first COUNT about the mistake."""
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines)
                  if re.match(ABOUT_IT, line)), len(lines))
    return '\n'.join(lines[start:start + count])


@dataclass(frozen=True)
class Grade:
    """Whether the first three lines name line and cause, and the rest."""
    line: bool
    missing: Tuple[str, ...]
    status: int
    said: str


def grade(name: str) -> Grade:
    """Of one mistake."""
    mistake = MISTAKES[name]
    status, text = run(name, *mistake.options)
    # the name of the folder is not what names the cause
    said = first_lines(text).replace(f'mistakes/{name}/', '')
    return Grade(bool(re.search(mistake.line(), said)),
                 tuple(word for word in mistake.cause
                       if not re.search(word, said, re.I)), status, said)


def table() -> str:
    """All of them, for people."""
    rows, good = [], 0
    for name, mistake in sorted(MISTAKES.items()):
        found = grade(name)
        passes = found.line and not found.missing
        good += passes
        cause = f'without {", ".join(found.missing)}' if found.missing else 'yes'
        rows += [f'{name:10} {"pass" if passes else "FAIL"}  '
                 f'line: {"yes" if found.line else "no"}  cause: {cause}  '
                 f'status: {found.status} (wanted {mistake.status})  '
                 f'{" ".join(mistake.options)}'.rstrip(),
                 *(f'    | {line[:300]}' for line in found.said.splitlines())]
    return '\n'.join([*rows, f'{good} of {len(MISTAKES)}'])


# --- docs/mistakes.rst ---

def shortened(line: str) -> str:
    """A line as the page quotes it: without operands, folders, seconds."""
    line = re.sub(r'\((tt\w+) [^()]*\)', r'(\1 ...)', line)
    line = re.sub(r'(?<![\w.])/[\w./-]*/(?=[\w.-]+)', '.../', line)
    return re.sub(r'\b\d+\.\d+ s\b', '... s', line)


def quoted(name: str) -> str:
    """The literal block of a mistake in the page."""
    said = first_lines(run(name, *MISTAKES[name].options)[1], QUOTED)
    return ''.join(f'    {shortened(line)}'.rstrip() + '\n'
                   for line in said.splitlines())


def block_of(page: str, name: str) -> 're.Match[str]':
    """Where the page has it: the literal block after "(``NAME``)"."""
    found = re.search(rf'\(``{name}``\)(?:.|\n)*?\n::\n\n((?:    .*\n)+)',
                      page)
    assert found, name
    return found


def update() -> None:
    """Writes what is printed today into the page."""
    with open(PAGE, encoding='utf-8') as file:
        page = file.read()
    for name in MISTAKES:
        start, end = block_of(page, name).span(1)
        page = page[:start] + quoted(name) + page[end:]
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(page)


if __name__ == '__main__':
    if sys.argv[1:] == ['--update']:
        update()
    else:
        print(table())
