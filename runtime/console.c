/*
 * Text output and exit status through QEMU's semihosting.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdarg.h>
#include <stdbool.h>
#include "blackhole-tile/console.h"

enum {
    SYS_WRITE0 = 0x04,
    SYS_EXIT_EXTENDED = 0x20,
    APPLICATION_EXIT = 0x20026,
    LINE = 160,
};

/* The trap sequence must not cross a page and must not be compressed. */
__asm__(".section .text.semihost, \"ax\"\n"
        ".balign 16\n"
        "semihost:\n"
        "    slli x0, x0, 0x1f\n"
        "    ebreak\n"
        "    srai x0, x0, 7\n"
        "    ret\n"
        ".text\n");

uintptr_t semihost(uintptr_t operation, const void *parameter);

typedef struct {
    char text[LINE];
    unsigned used;
} Line;

static void put(Line *line, char c)
{
    if (line->used < LINE - 1) {
        line->text[line->used++] = c;
    }
}

static void flush(Line *line)
{
    line->text[line->used] = 0;
    semihost(SYS_WRITE0, line->text);
    line->used = 0;
}

static void put_field(Line *line, const char *text, int width, char fill)
{
    int length = 0;

    while (text[length]) {
        length++;
    }
    for (int i = length; i < width; i++) {
        put(line, fill);
    }
    while (*text) {
        put(line, *text++);
    }
    for (int i = length; i < -width; i++) {
        put(line, ' ');
    }
}

static void put_number(Line *line, uint32_t value, bool negative,
                       unsigned base, int width, char fill)
{
    char digits[12];
    char *p = digits + sizeof(digits) - 1;

    *p = 0;
    do {
        *--p = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    if (negative) {
        *--p = '-';
    }
    put_field(line, p, width, fill);
}

static void put_conversion(Line *line, char conversion, int width, char fill,
                           va_list *arguments)
{
    uint32_t value;

    switch (conversion) {
    case 's':
        put_field(line, va_arg(*arguments, const char *), width, ' ');
        break;
    case 'd':
        value = va_arg(*arguments, uint32_t);
        put_number(line, (int32_t)value < 0 ? -value : value,
                   (int32_t)value < 0, 10, width, fill);
        break;
    case 'u':
        put_number(line, va_arg(*arguments, uint32_t), false, 10, width, fill);
        break;
    case 'x':
        put_number(line, va_arg(*arguments, uint32_t), false, 16, width, fill);
        break;
    default:
        put(line, conversion);
        break;
    }
}

/* Reads flags and width at *format and leaves it at the conversion. */
static int read_width(const char **format, char *fill)
{
    const char *p = *format;
    bool left = *p == '-';
    int width = 0;

    p += left;
    *fill = *p == '0' ? '0' : ' ';
    while (*p >= '0' && *p <= '9') {
        width = width * 10 + *p++ - '0';
    }
    *format = p;
    return left ? -width : width;
}

void print(const char *format, ...)
{
    Line line;
    va_list arguments;

    line.used = 0;
    va_start(arguments, format);
    for (; *format; format++) {
        char fill;
        int width;

        if (*format != '%') {
            put(&line, *format);
            continue;
        }
        format++;
        width = read_width(&format, &fill);
        put_conversion(&line, *format, width, fill, &arguments);
    }
    va_end(arguments);
    flush(&line);
}

void leave(unsigned status)
{
    uint32_t block[2] = { APPLICATION_EXIT, status };

    semihost(SYS_EXIT_EXTENDED, block);
    for (;;) {
        __asm__ volatile("fence");
    }
}
