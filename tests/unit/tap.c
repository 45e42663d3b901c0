/*
 * Test Anything Protocol for C programs on libc alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

static unsigned tests_run;
static unsigned tests_failed;

static bool result(bool condition, const char *name, va_list ap)
{
    printf("%s %u - ", condition ? "ok" : "not ok", ++tests_run);
    vprintf(name, ap);
    putchar('\n');
    fflush(stdout);
    tests_failed += !condition;
    return condition;
}

bool ok(bool condition, const char *name, ...)
{
    va_list ap;

    va_start(ap, name);
    result(condition, name, ap);
    va_end(ap);
    return condition;
}

bool ok_eq(uint64_t got, uint64_t want, const char *name, ...)
{
    va_list ap;

    va_start(ap, name);
    if (!result(got == want, name, ap)) {
        diag("got 0x%llx, expected 0x%llx", (unsigned long long)got,
             (unsigned long long)want);
    }
    va_end(ap);
    return got == want;
}

bool ok_str(const char *got, const char *want, const char *name, ...)
{
    bool equal = strcmp(got, want) == 0;
    va_list ap;

    va_start(ap, name);
    if (!result(equal, name, ap)) {
        diag("got '%s', expected '%s'", got, want);
    }
    va_end(ap);
    return equal;
}

void diag(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    printf("#   ");
    vprintf(format, ap);
    putchar('\n');
    va_end(ap);
}

void skip(const char *name, const char *reason)
{
    printf("ok %u - %s # SKIP %s\n", ++tests_run, name, reason);
}

int done_testing(void)
{
    printf("1..%u\n", tests_run);
    return tests_run == 0 || tests_failed != 0;
}
