# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/run says of a program that does not compile."""

import unittest

from blackhole_tile import compiler
from test_run import Run, watch

INLINED = """\
In file included from /src/include/blackhole-tile/insn.h:16,
                 from trisc1.c:7:
In function 'tt_encode_SFPLOADI',
    inlined from 'main' at trisc1.c:11:5:
/src/decode/fields.h:81:18: error: call to 'cut' declared with attribute \
error: SFPLOADI.imm16 has 16 bits
   81 |                  error();
/src/decode/fields.h:62:9: note: in expansion of macro 'CHECK'
"""
EXPANDED = """\
trisc1.c: In function 'main':
/src/include/blackhole-tile/insn.h:9:2: error: operand 9 is too large
    9 |     #define X
trisc1.c:20:5: note: in expansion of macro 'TTINSN'
trisc1.c:21:5: error: expected ';' before '}' token
"""
OWN_MACRO = """\
/src/include/blackhole-tile/insn.h:9:2: error: bad header
/src/runtime/crt0.S:3: note: in expansion of macro 'X'
brisc.c:4:1: fatal error: none.h: No such file or directory
"""


class Errors(Run):
    def test_the_line_of_the_program(self):
        for output, found in (
                (INLINED * 2, ['trisc1.c:11: SFPLOADI.imm16 has 16 bits']),
                (EXPANDED, ['trisc1.c:20: operand 9 is too large',
                            "trisc1.c:21: expected ';' before '}' token"]),
                (OWN_MACRO, ['/src/include/blackhole-tile/insn.h:9: bad header',
                             'brisc.c:4: none.h: No such file or directory']),
                ('make: *** no rule\n', [])):
            self.assertEqual(compiler.errors(output), found)

    def test_errors_come_first(self):
        """Before what make and the compiler print."""
        self.save_text('Makefile', 'all:\n\t@printf "In file included from '
                       'x.h:1:\\nx.c:3:1: error: no way\\n"; exit 1\n')
        done = self.ends(watch.USE, self.folder)
        self.assertEqual(done.stderr.splitlines()[1:4],
                         ['x.c:3: no way', 'In file included from x.h:1:',
                          'x.c:3:1: error: no way'])

    def save_text(self, name, text):
        """A file in the folder."""
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    unittest.main()
