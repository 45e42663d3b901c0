# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/bench --compare: the ratios of two builds' rows.

A folder has the rows of each round as JSON, N-this and N-other.
"""
import json
import pathlib
import sys


def nanoseconds(row):
    """A row's time; of instructions a second their reciprocal."""
    return row['ns'] if 'ns' in row else 1000 / row['mips']


def times_of(folder, rounds, build):
    """{key of a row: [ns in each round]}."""
    times = {}
    for n in range(1, rounds + 1):
        text = (folder / f'{n}-{build}').read_text(encoding='utf-8')
        for row in json.loads(text):
            times.setdefault(row['key'], []).append(nanoseconds(row))
    return times


def line(key, this, other):
    """A row's line: minima, their ratio, the range of the rounds' ratios."""
    ratios = sorted(a / b for a, b in zip(this, other))
    ratio = min(this) / min(other)
    return (f'{key:16} {min(this):9.2f} ns {min(other):9.2f} ns other '
            f'{ratio:6.3f}  {ratios[0]:.3f} to {ratios[-1]:.3f}')


def main():
    folder, rounds = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    this = times_of(folder, rounds, 'this')
    other = times_of(folder, rounds, 'other')
    for key in [*this, *(other.keys() - this.keys())]:
        if key not in other:
            print(f'{key:16} the other build lacks this row')
        elif key not in this:
            print(f'{key:16} only in the other build')
        else:
            print(line(key, this[key], other[key]))


if __name__ == '__main__':
    main()
