# SPDX-License-Identifier: GPL-2.0-or-later
"""tiles.py DESCRIPTOR COLUMNSxROWS OUT: the SoC descriptor of that machine.

DESCRIPTOR lists the first tile; the others are to the right and below.
"""

import re
import sys

WORKERS = re.compile(r'^functional_workers: \[(\d+)-(\d+)\]$', re.MULTILINE)


def list_tiles(shape, x, y):
    """'x-y, x-y', row by row, as the machine numbers them."""
    columns, rows = map(int, shape.split('x'))
    return ', '.join(f'{x + n % columns}-{y + n // columns}'
                     for n in range(columns * rows))


def main(path, shape, out):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    tiles = list_tiles(shape, *map(int, WORKERS.search(text).groups()))
    text = WORKERS.sub(f'functional_workers: [{tiles}]', text)
    with open(out, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
