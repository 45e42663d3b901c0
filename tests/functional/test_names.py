# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports use the program's own names of semaphores."""

import os
import tempfile
import unittest

from blackhole_tile.testing import script

SECONDS = 120
DEADLOCK = 4
SOURCE = '''#include "blackhole-tile/tile.h"
%s
int main(void)
{
    TTINSN(SEMINIT, .max_value = 2, .sem_sel = SEM_MASK(%s));
    TTINSN(SEMWAIT, .stall_res = BLOCK_ALL, .wait_sem_cond = WHILE_ZERO,
           .sem_sel = SEM_MASK(%s));
    TTINSN(DMANOP);
    wait_coprocessor();
    return 0;
}
'''


class Names(unittest.TestCase):
    def verdict(self, names: str, used: str) -> str:
        """What is reported of a TRISC1 that waits for a semaphore."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (
                    ('Makefile', 'include $(BLACKHOLE_TILE)/runtime/kernel.mk\n'),
                    ('trisc1.c', SOURCE % (names, used, used))):
                with open(os.path.join(folder, name), 'w',
                          encoding='utf-8') as file:
                    file.write(text)
            done = script('run', folder, merged=True, timeout=SECONDS)
        self.assertEqual(done.returncode, DEADLOCK, done.stdout)
        return done.stdout

    def test_the_programs_own(self) -> None:
        text = self.verdict('enum { SEM_OTHER = 2, SEM_TILE_READY = 3 };',
                            'SEM_TILE_READY')
        self.assertIn('SEMWAIT until TILE_READY (semaphore 3) is not 0\n'
                      '  TILE_READY is 0 of 2: never posted', text)

    def test_else_those_of_llk(self) -> None:
        for names in ('', 'enum { SEM_BIG = 8, SEM_MINUS = -5, READY = 3 }; '
                          'enum { SEM_ = 3 };'):
            with self.subTest(names):
                text = self.verdict(
                    names + 'unsigned known = '
                    + ('SEM_BIG + SEM_MINUS + READY + SEM_;' if names else '0;'),
                    '3')
                self.assertIn('UNPACK_OPERAND_SYNC (semaphore 3)', text)


if __name__ == '__main__':
    unittest.main()
