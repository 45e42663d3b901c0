# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/bench --kernels: the rows of whole kernels.

lib_kernel_rows.py FOLDER CORE ROUNDS LIBRARY...: FOLDER has the ELFs of each
example and sampler.so, CORE the core rows as JSON. The libraries run in turn.
"""
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent


class Case(NamedTuple):
    """A kernel; `runs` in one process; is its profile shown?"""
    name: str
    tiles: int
    runs: int
    profile: bool = False

    def units(self):
        """Tiles, of a product of matrices products of two tiles."""
        return self.tiles ** 3 if self.name == 'matmul' else self.tiles

    def title(self):
        return f'{self.name} {self.tiles}'


CASES = [Case('add', 1, 40), Case('add', 16, 30), Case('add', 64, 20),
         Case('add', 10000, 5, True), Case('sfpu', 64, 6),
         Case('sfpu', 2000, 4, True), Case('matmul', 8, 10, True)]

# Times the runs of a row: samples come a few hundred a second
PROFILE_RUNS = 4

# Instructions of a unit by the core rows that time them. SFPLOADI and others
# that have no row take at least as long as SFPMOV.
PARTS = {
    'add': {'unpacr_bf16': 2, 'elwadd': 8, 'pacr_bf16': 1},
    'sfpu': {'unpacr_bf16': 1, 'mova2d': 8, 'sfpmad': 192, 'sfpadd': 128,
             'sfpmul': 96, 'sfpswap': 64, 'sfpload_bf16': 32,
             'sfpstore_bf16': 32, 'sfpiadd': 32, 'sfpshft': 32,
             'sfpmov': 672 + 96 + 6 * 32, 'pacr_bf16': 1},
    'matmul': {'unpacr_bf16': 2, 'mvmul_bf16': 64, 'pacr_bf16': 1 / 8},
}

# Categories of a profile, by the source's folder or file; the first that fits
CATEGORIES = [
    ('arithmetic',
     r'/core/(matrix|vector|unpack|pack|num|scalar|mover|regs)/'),
    ('front end', r'/tenstorrent/(core|coprocessor)/'),
    ('MMIO', r'/system/(memory|physmem)|/accel/tcg/(cputlb|ldst)|'
             r'/tenstorrent/(control|noc|harts/tensix_hart_direct)'),
    ('turns', r'/tenstorrent/harts/|/accel/tcg/|/target/riscv/'),
]


def parts_us(case, core):
    """Microseconds of a unit's instructions by themselves."""
    rows = {row['key']: row['ns'] for row in core}
    return sum(rows[key] * count
               for key, count in PARTS[case.name].items()) / 1e3


def run(folder, library, case, sampled=()):
    """What lib_kernels.py prints last, and what went wrong instead."""
    done = subprocess.run(
        [sys.executable, '-B', HERE / 'lib_kernels.py', library,
         folder / case.name, case.name, str(case.tiles), str(case.runs),
         *sampled], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line]
    found = next((line for line in lines if line.startswith('{"ms"')), None)
    if done.returncode or not found:
        raise SystemExit(f'{library}: {case.title()}: '
                         f'{lines[-1] if lines else done.returncode}')
    return json.loads(found)


def measure(folder, libraries, case, rounds):
    """[milliseconds of all runs] of each library, which run in turn."""
    times = [[] for _ in libraries]
    sums = set()
    for _ in range(rounds):
        for n, library in enumerate(libraries):
            result = run(folder, library, case)
            times[n] += result['ms']
            sums.add(result['sum'])
    if len(sums) > 1:
        raise SystemExit(f'{case.title()}: the results differ')
    return times


# --- profile ---

def samples_of(path):
    """{file: {offset: samples}}"""
    places = collections.defaultdict(collections.Counter)
    for line in path.read_text(encoding='utf-8').splitlines():
        file, offset, count = line.rsplit(' ', 2)
        places[file][offset] += int(count)
    return places


def category_of(sources):
    """Of a place by its source and those that it is inlined into."""
    for source in sources:
        for category, pattern in CATEGORIES:
            if re.search(pattern, source):
                return category
    return 'host'


def categories(file, offsets):
    """{category: samples} of places in an executable."""
    text = subprocess.run(
        ['addr2line', '-a', '-i', '-e', file, *offsets],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        check=True).stdout
    found = collections.Counter()
    for part in re.split(r'^0x0*', text, flags=re.MULTILINE)[1:]:
        offset, *sources = part.splitlines()
        found[category_of(sources)] += offsets[offset]
    return found


def profile(folder, library, case):
    """A line: in which part of the emulator the CPU time is spent."""
    path = folder / 'samples'
    path.unlink(missing_ok=True)
    run(folder, library, case._replace(runs=PROFILE_RUNS * case.runs),
        (folder / 'sampler.so', path))
    found = collections.Counter()
    for file, offsets in samples_of(path).items():
        if 'qemu-system' in file:
            found += categories(file, offsets)
        else:
            found['guest' if file == '-' else 'host'] += sum(offsets.values())
    total = sum(found.values())
    return ', '.join(f'{name} {100 * count / total:.0f} %'
                     for name, count in found.most_common()) + \
        f' of {total} samples'


# --- rows ---

def line(case, times, parts):
    """Medians of load and run; the first library's beside its parts."""
    ms = statistics.median(times[0])
    us = ms * 1e3 / case.units()
    text = (f'{case.title():14} {ms:9.3f} ms {us:8.2f} us each '
            f'{parts:7.2f} us parts {us / parts:5.1f}x')
    for other in times[1:]:
        theirs = statistics.median(other)
        text += f' {theirs:9.3f} ms other {theirs / ms:6.2f}x'
    return text


def main():
    folder, core = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rounds, libraries = int(sys.argv[3]), sys.argv[4:]
    rows = json.loads(core.read_text(encoding='utf-8'))
    for case in CASES:
        times = measure(folder, libraries, case, rounds)
        print(line(case, times, parts_us(case, rows)), flush=True)
        if case.profile:
            print(f'{"":14} {profile(folder, libraries[0], case)}', flush=True)


if __name__ == '__main__':
    main()
