# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/accuracy: units in the last place against neighbours of a number,
references against decimal arithmetic, kernels that are right and wrong, and
the commands of docs/sfpi-tutorial.rst."""

import decimal
import math
import os
import re
import shutil
import subprocess
import textwrap
import unittest
from fractions import Fraction

import numpy
from blackhole_tile.testing import BUILD, ROOT, script
from blackhole_tile.ulp import LONG, PRECISIONS, REFERENCES, exact_values
from test_board import Folder

SECONDS = 300
PAGE = os.path.join(ROOT, 'docs', 'sfpi-tutorial.rst')
IDENTITY = '''#include "blackhole-tile/sfpi.h"
#include "sfpu.h"

static void copy()
{
    sfpi::vFloat x = sfpi::dst_reg[0];

    sfpi::dst_reg[0] = x;
    sfpi::dst_reg++;
}

int main()
{
    set_up_sfpu();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        sfpu_tile(tile % DEST_HALVES, copy);
    }
    return 0;
}
'''


def value(code, bits):
    """The number of a bit pattern without a sign, exact"""
    mantissa = code & (1 << bits - 1) - 1
    exponent = code >> bits - 1
    return (Fraction(mantissa) * Fraction(2) ** (-125 - bits) if not exponent
            else (mantissa + (1 << bits - 1)) *
            Fraction(2) ** (exponent - 126 - bits))


class Units(unittest.TestCase):
    def numbers(self, bits):
        """(code, a number between it and the next one)"""
        random = numpy.random.default_rng(bits)
        top = (255 << bits - 1) - 2
        codes = [0, 1, 2, (1 << bits - 1) - 1, 1 << bits - 1, top,
                 *random.integers(0, top, 200).tolist()]
        for code in codes:
            low, high = value(code, bits), value(code + 1, bits)
            for part in 0, 1, 5, 8, 11, 15:
                yield code, low, high, low + (high - low) * part / 16

    def test_units(self):
        """are the distances of neighbours"""
        for precision in PRECISIONS.values():
            for _, low, high, x in self.numbers(precision.bits):
                unit = precision.unit(LONG(float(x)))
                self.assertEqual(Fraction(float(unit)), high - low)

    def test_rounded(self):
        for precision in PRECISIONS.values():
            for code, low, high, x in self.numbers(precision.bits):
                up = (x - low, code & 1 == 0) > ((high - low) / 2, True) or \
                    x - low == (high - low) / 2 and code & 1
                for sign in 1, -1:
                    found = precision.rounded(LONG(float(x * sign)))
                    self.assertEqual(Fraction(float(found)),
                                     sign * (high if up else low))

    def test_errors(self):
        for precision in PRECISIONS.values():
            for _, low, high, x in self.numbers(precision.bits):
                for found in low, high:
                    self.assertAlmostEqual(
                        precision.errors(float(found), LONG(float(x))),
                        float(abs(found - x) / (high - low)), 12)

    def test_errors_that_are_none(self):
        inf, nan = math.inf, math.nan
        for found, exact, wanted in (
                (nan, nan, 0), (inf, inf, 0), (-inf, -inf, 0), (inf, 1e39, 0),
                (nan, 1, inf), (1, nan, inf), (inf, 1, inf), (1, inf, inf),
                (inf, -inf, inf), (3.38953e38, inf, inf), (-0.0, 0, 0)):
            with self.subTest(found=found, exact=exact):
                self.assertEqual(PRECISIONS['bf16'].errors(
                    found, LONG(exact)), wanted)


def series(x, first, ratio):
    """first(x) + terms, each the last one times ratio(n, x)"""
    term = total = first
    for n in range(1, 600):
        term *= ratio(n, x)
        total += term
    return total


def sigmoid(x):
    return 1 / (1 + (-x).exp())


def erfc(x):
    """By the series of erf"""
    pi = 4 * arctan(decimal.Decimal(1))
    total, power = decimal.Decimal(0), x
    for n in range(900):
        total += power / (2 * n + 1)
        power *= -x * x / (n + 1)
    return 1 - 2 / pi.sqrt() * total


def gelu(x):
    return x / 2 * erfc(-x / decimal.Decimal(2).sqrt())


def arctan(x):
    """By its series, of a tangent that is halved often enough"""
    for _ in range(6):
        x /= 1 + (1 + x * x).sqrt()
    return 64 * sum((-1) ** n * x ** (2 * n + 1) / (2 * n + 1)
                    for n in range(80))


DECIMAL = {
    'atan': arctan,
    'erfc': erfc,
    'cos': lambda x: series(x, decimal.Decimal(1), lambda n, x: -x * x / (
        (2 * n - 1) * 2 * n)),
    'sin': lambda x: series(x, x, lambda n, x: -x * x / (
        2 * n * (2 * n + 1))),
    'exp': lambda x: x.exp(),
    'exp2': lambda x: (x * decimal.Decimal(2).ln()).exp(),
    'expm1': lambda x: x.exp() - 1,
    'gelu': gelu,
    'log': lambda x: x.ln(),
    'log1p': lambda x: (1 + x).ln(),
    'reciprocal': lambda x: 1 / x,
    'rsqrt': lambda x: 1 / x.sqrt(),
    'sigmoid': sigmoid,
    'silu': lambda x: x * sigmoid(x),
    'softplus': lambda x: (1 + x.exp()).ln(),
    'sqrt': lambda x: x.sqrt(),
    'square': lambda x: x * x,
    'tanh': lambda x: 1 - 2 / ((2 * x).exp() + 1),
}
SIMPLE = {'abs': abs, 'identity': float, 'neg': lambda x: -x,
          'relu': lambda x: max(x, 0)}


class References(unittest.TestCase):
    # longdouble has fp32's 24 bits and 40 more; erfc in double loses some
    ALLOWED = Fraction(1, 1 << 42)

    def test_all(self):
        points = [0.001, 0.37, 1.0, 2.5, 12.625, -0.002, -0.75, -3.0, -11.5]
        positive = ('log', 'log1p', 'rsqrt', 'sqrt')
        self.assertEqual({*DECIMAL, *SIMPLE}, set(REFERENCES))
        with decimal.localcontext() as context:
            context.prec = 200
            for name, x in ((name, x) for name in REFERENCES for x in points
                            if x > 0 or name not in positive):
                with self.subTest(name, x=x):
                    exact = DECIMAL.get(name, SIMPLE.get(name))(
                        decimal.Decimal(x) if name in DECIMAL else x)
                    self.near(REFERENCES[name], x, exact)

    def near(self, reference, x, exact):
        found = exact_values(reference, numpy.array([x], LONG))[0]
        high = float(found)
        got = Fraction(high) + Fraction(float(found - LONG(high)))
        self.assertLessEqual(abs(got - Fraction(exact)),
                             abs(Fraction(exact)) * self.ALLOWED)


class Accuracy(Folder):
    def accuracy(self, *words, status=0):
        """What scripts/accuracy says."""
        done = script('accuracy', *words, cwd=self.folder, timeout=SECONDS)
        text = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, text)
        self.assertNotIn('Warning', text)
        return text

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w',
                  encoding='utf-8') as file:
            file.write(text)


class Kernels(Accuracy):
    def test_examples(self):
        """Rounded correctly but for chance; gelu has one result at the edge of
        the denormals."""
        text = self.accuracy(os.path.join(ROOT, 'examples', 'sfpu'),
                             '--at-most=0.501', '--output=error.svg')
        self.assertIn('64127 of 65536 results counted', text)
        self.assertRegex(text, r'NaN +1 +IEEE +nan +DIFFERS')
        with open(os.path.join(self.folder, 'error.svg'),
                  encoding='utf-8') as file:
            self.assertIn('<svg', file.read())
        text = self.accuracy(os.path.join(ROOT, 'examples', 'gelu'),
                             '--at-most=1', status=5)
        self.assertIn('max 128, mean 0.01587, 2 above 0.5, 1 above 1', text)
        self.assertIn('f(2.35099e-38, 0x01000000) = 0', text)
        for row in ('NaN +nan', '-inf +-0', r'\+inf +inf', 'largest, n.* -0'):
            self.assertRegex(text, f'  {row} .* same')

    def test_a_kernel_in_c(self):
        """Its table of special values is of bf16."""
        mine = shutil.copytree(os.path.join(ROOT, 'examples', 'sfpu_words'),
                               os.path.join(self.folder, 'mine'))
        text = self.accuracy(mine, '--function=sigmoid')
        self.assertRegex(text, r'-inf +1[.]80556e-35 +IEEE +0 +DIFFERS')
        self.assertIn('= 1.80556e-35, exact 0: 1.966e+05 ulp', text)

    def test_identity(self):
        """Each bit arrives in its place, over more than one part of L1."""
        self.write('copy.cpp', IDENTITY)
        name = '--function=identity'
        self.assertIn('65026 of 65536 results counted, errors in ulp of bf16: '
                      'max 0,', self.accuracy('copy.cpp', name))
        self.assertIn('300001 of 300001 results counted, errors in ulp of fp32'
                      ': max 0,', self.accuracy(
                          'copy.cpp', name, '--fp32=0x3f7f0001:0x3f8393e2'))

    def test_a_wrong_kernel(self):
        self.write('copy.cpp', IDENTITY.replace(
            '= x;', '= x * 1.00048828125f;'))
        text = self.accuracy('copy.cpp', '--function=identity', '--ulp=fp32',
                             '--at-most=4096', '--fp32=0x3f800000:0x3f800400')
        self.assertIn('max 4096,', text)
        self.accuracy('copy.cpp', '--function=identity', '--ulp=fp32',
                      '--at-most=4095', '--fp32=0x3f800000:0x3f800400',
                      status=5)

    def test_a_reader_that_stops(self):
        """as head does: status as by SIGPIPE, no message"""
        self.write('copy.cpp', IDENTITY)
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, 'wb') as pipe:
            done = subprocess.run(
                [os.path.join(ROOT, 'scripts', 'accuracy'), 'copy.cpp',
                 '--function=identity', '--fp32=0:1'], stdout=pipe,
                env=dict(os.environ, TENSIX_BUILD=BUILD), cwd=self.folder,
                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                timeout=SECONDS, check=False)
        self.assertEqual((done.returncode, done.stderr), (141, ''))

    def test_wrong_use(self):
        self.write('copy.cpp', IDENTITY)
        for words, message in (
                (['none'], 'neither a folder nor a .cpp file'),
                (['copy.cpp'], 'copy: no such reference; --function takes one'),
                (['copy.cpp', '--function=x'], 'x: no such reference'),
                (['copy.cpp', '--fp32=5:4'], 'FROM below TO'),
                (['copy.cpp', '--fp32=0:0x100000001'], 'FROM below TO')):
            with self.subTest(words):
                self.assertIn(message, self.accuracy(*words, status=1))


class Page(Accuracy):
    def test_commands(self):
        """All of docs/sfpi-tutorial.rst but gdb, in its order"""
        with open(PAGE, encoding='utf-8') as page:
            text = page.read()
        for name in 'docs', 'scripts', 'examples':
            os.symlink(os.path.join(ROOT, name),
                       os.path.join(self.folder, name))
        output = ''
        for options, block in re.findall(
                r'[.][.] code-block:: (.*(?:\n +:.*)?)\n\n((?:    .*\n|\n)+)',
                text):
            output = self.step(options, textwrap.dedent(block), output)
        self.assertTrue(os.path.exists(os.path.join(self.folder,
                                                    'softsign.png')))

    def step(self, options, block, output):
        """A command, a file, or lines of the last command's output"""
        if options == 'bash' and '--gdb' not in block:
            done = subprocess.run(
                ['bash', '-ec', block.replace('cp -r', 'cp -Lr')],
                env=dict(os.environ, TENSIX_BUILD=BUILD), cwd=self.folder,
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=SECONDS, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout
        if options == 'text':
            self.assertIn(block.strip('\n'), textwrap.dedent(output)
                          if block[0] != ' ' else output)
        elif 'before dst_reg' in options:
            path = os.path.join(self.folder, 'softsign/trisc1.cpp')
            with open(path, encoding='utf-8') as file:
                kernel = file.read()
            self.write('softsign/trisc1.cpp', kernel.replace(
                '    dst_reg[0] =', f'{block}    dst_reg[0] ='))
        return output


if __name__ == '__main__':
    unittest.main()
