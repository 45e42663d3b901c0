# SPDX-License-Identifier: GPL-2.0-or-later
"""text_to_c.py TEXT NAME OUT: a C source with the text as NAME[]."""

import sys


def main(path, name, out):
    with open(path, 'rb') as file:
        numbers = [str(byte) for byte in file.read() + b'\0']
    with open(out, 'w', encoding='ascii') as file:
        file.write(f'extern const char {name}[];\nconst char {name}[] = {{\n')
        for i in range(0, len(numbers), 16):
            file.write(', '.join(numbers[i:i + 16]) + ',\n')
        file.write('};\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
