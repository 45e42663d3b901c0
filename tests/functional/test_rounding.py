# SPDX-License-Identifier: GPL-2.0-or-later
"""Each row of the table in docs/rounding.rst, executed: ties and their
neighbours of both signs, denormals, overflow, NaN."""

import re
import unittest
from typing import Any, Dict, Iterator, List, Tuple

from rounding import HALF, Float, rounded, rows
from rounding_cases import Case, Cases, cases
from rounding_machine import LANES, Machine

SPECIALS = ('denormals', 'overflow', 'nan')


def each(row: Dict[str, str]) -> Iterator[Tuple[str, Dict[str, str]]]:
    """A row for each of its targets; overflow may differ between them."""
    targets = re.split(r', (?=\w)', row['to'])
    for n, target in enumerate(targets):
        single = dict(row, to=target)
        for name in ('overflow', 'nan'):
            parts = row[name].split(', ')
            single[name] = parts[n] if len(parts) > 1 else parts[0]
        yield target, single


class RoundingTest(unittest.TestCase):
    machine: Machine
    known: Cases

    @classmethod
    def setUpClass(cls) -> None:
        cls.machine, cls.known = Machine(), cases()
        cls.addClassCleanup(cls.machine.close)

    def test_table_is_complete(self) -> None:
        named = [(row['instruction'], row['from'], target)
                 for row in rows() for target, _ in each(row)]
        self.assertEqual(sorted(named), sorted(self.known))

    def test_each_row(self) -> None:
        for row in rows():
            for target, single in each(row):
                with self.subTest(row=row['instruction'], source=row['from'],
                                  target=target):
                    case = self.known[row['instruction'], row['from'], target]
                    self.check_rounding(case, row['rounding'])
                    for name in SPECIALS:
                        self.check_special(case, single[name],
                                           getattr(case, name))
        self.assertEqual(self.machine.complaints(), [])

    def check_rounding(self, case: Case, rule: str) -> None:
        found = case.run(self.machine, list(case.inputs))
        rests = set()
        for given, word in zip(case.inputs, found):
            exact = case.value(given)
            place = case.target.place(exact)
            rests.add((exact > 0, abs(exact) / place % 1))
            self.assertIn(self.value(case, word),
                          rounded(exact, place, rule, case.dropped),
                          (given, hex(word)))
        if rule != 'exact':
            for sign in {sign for sign, _ in rests}:
                some = {rest for negative, rest in rests if negative == sign}
                self.assertTrue(some >= {0, HALF}, rests)
                self.assertTrue(min(some - {0}) < HALF < max(some), rests)
        if rule == 'stochastic':
            self.check_stochastic(case)

    @staticmethod
    def value(case: Case, word: int) -> Any:
        return case.target.value(word)

    def check_stochastic(self, case: Case) -> None:
        """Ties are rounded both ways."""
        tie = next(given for given in case.inputs if
                   abs(case.value(given)) /
                   case.target.place(case.value(given)) % 1 == HALF)
        self.assertEqual(len(set(case.run(self.machine, LANES * [tie]))), 2)

    def check_special(self, case: Case, word: str, inputs: List[Any]) -> None:
        self.assertEqual(word == 'none', not inputs, word)
        for given, found in zip(inputs, case.run(self.machine, list(inputs))
                                if inputs else ()):
            self.assertEqual(hex(found), hex(self.special(case, word, given)),
                             (word, given))

    @staticmethod
    def special(case: Case, word: str, given: Any) -> int:
        """What a word of the table says about one input."""
        sign, target = case.sign(given), case.target
        if word.isdigit():
            return int(word) | (sign << 31) * bool(int(word)) & target.sign
        top = sign << target.exponent + target.mantissa
        dropped = case.source.mantissa - target.mantissa
        if word == 'number':             # any exponent is an ordinary one
            exact, place = case.source.value(given), target.mantissa
            scale = abs(exact).numerator.bit_length() - \
                abs(exact).denominator.bit_length()
            return top | (scale + target.bias << place) + int(
                abs(exact) * 2 ** place / 2 ** scale) - (1 << place)
        return {
            '+0': 0,
            'signed zero': top,
            'infinity': top | target.infinity,
            'largest': top | target.ones,
            '0x7FC00000': 0x7FC00000,
            'kept': given >> dropped if isinstance(given, int) and dropped >= 0
                    else 0,
            'mantissa kept': top | (given & 0x3FF) << 13
                             if isinstance(given, int) else 0,
            'kept as upper half': given << 16 if isinstance(given, int) else 0,
        }[word]


if __name__ == '__main__':
    unittest.main()
