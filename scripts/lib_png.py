# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of matrices side by side, as PNG, by the standard library alone."""

import struct
import zlib

PANEL = 256                          # pixels, at least
MARGIN = 12
TITLE_HEIGHT = 16
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
POSITIVE, NEGATIVE, FAULT = (178, 24, 43), (33, 102, 172), (84, 39, 136)
# Letters of 3 x 5, a row an octal digit
FONT = {'A': '25755', 'B': '65656', 'C': '34443', 'E': '74647', 'R': '65655',
        'O': '25552', 'X': '55255', '=': '07070', ' ': '00000'}
FONT_SCALE = 2


def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + \
        struct.pack('>I', zlib.crc32(name + data))


def encode(pixels):
    """PNG file of rows of (red, green, blue)."""
    raw = b''.join(b'\0' + bytes(c for pixel in row for c in pixel)
                   for row in pixels)
    header = struct.pack('>IIBBBBB', len(pixels[0]), len(pixels), 8, 2, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + \
        chunk(b'IDAT', zlib.compress(raw, 9)) + chunk(b'IEND', b'')


def blend(colour, amount):
    return tuple(round(255 + (c - 255) * amount) for c in colour)


def shades(colour):
    return [blend(colour, n / 255) for n in range(256)]


def panel(matrix, positive, negative):
    """Rows of pixels: white for 0, full colour for the largest magnitude."""
    largest = max((abs(x) for row in matrix for x in row), default=0) or 1
    plus, minus = shades(positive), shades(negative)
    scale = max(1, PANEL // max(len(matrix), len(matrix[0])))
    rows = []
    for row in matrix:
        line = [(plus if x >= 0 else minus)[int(255 * abs(x) / largest)]
                for x in row for _ in range(scale)]
        rows += [line] * scale
    return rows


def write_text(pixels, text, left, top):
    for n, letter in enumerate(text):
        for y, digit in enumerate(FONT[letter]):
            for x in range(3):
                if int(digit, 8) >> (2 - x) & 1:
                    fill(pixels, left + (n * 4 + x) * FONT_SCALE,
                         top + y * FONT_SCALE)


def fill(pixels, left, top):
    for y in range(top, top + FONT_SCALE):
        pixels[y][left:left + FONT_SCALE] = [BLACK] * FONT_SCALE


def write(path, panels):
    """panels: (title, rows of pixels)."""
    height = max(len(rows) for _, rows in panels) + TITLE_HEIGHT + 2 * MARGIN
    width = sum(len(rows[0]) + MARGIN for _, rows in panels) + MARGIN
    pixels = [[WHITE] * width for _ in range(height)]
    left, top = MARGIN, MARGIN + TITLE_HEIGHT
    for title, rows in panels:
        write_text(pixels, title, left, MARGIN)
        for y, row in enumerate(rows):
            pixels[top + y][left - 1:left + len(row) + 1] = \
                [BLACK] + row + [BLACK]
        for y in (top - 1, top + len(rows)):
            pixels[y][left - 1:left + len(rows[0]) + 1] = \
                [BLACK] * (len(rows[0]) + 2)
        left += len(rows[0]) + MARGIN
    with open(path, 'wb') as file:
        file.write(encode(pixels))


def write_product(path, a, b, c, error):
    """A, B, C = A x B, and the error of C, each on its own scale."""
    write(path, [
        ('A', panel(a, POSITIVE, NEGATIVE)),
        ('B', panel(b, POSITIVE, NEGATIVE)),
        ('C = A X B', panel(c, POSITIVE, NEGATIVE)),
        ('ERROR', panel(error, FAULT, FAULT)),
    ])
