/*
 * What the compiler calls for copies and fills, in images without a C library.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *out = to;
    const uint8_t *in = from;

    while (size--) {
        *out++ = *in++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *out = to;
    const uint8_t *in = from;

    if ((uintptr_t)to <= (uintptr_t)from) {
        return memcpy(to, from, size);
    }
    while (size--) {
        out[size] = in[size];
    }
    return to;
}

void *memset(void *to, int value, size_t size)
{
    uint8_t *out = to;

    while (size--) {
        *out++ = value;
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const uint8_t *a = left, *b = right;

    for (; size--; a++, b++) {
        if (*a != *b) {
            return *a - *b;
        }
    }
    return 0;
}
