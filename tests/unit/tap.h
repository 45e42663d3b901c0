/*
 * Test Anything Protocol for C programs on libc alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *   ok(x == 3, "x after %s", mnemonic);
 *   ok_eq(x, 3, "x");
 *   return done_testing();
 */

#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdint.h>

/* Reports one numbered result under the printf-formatted name; returns it. */
bool ok(bool condition, const char *name, ...)
    __attribute__((format(printf, 2, 3)));

/* As ok(got == want), and says both values on failure, in hexadecimal. */
bool ok_eq(uint64_t got, uint64_t want, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

/* As ok() for equal strings. */
bool ok_str(const char *got, const char *want, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

/* A remark, on a separate line. */
void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports a test that cannot run here, with the reason. */
void skip(const char *name, const char *reason);

/*
 * Prints the plan.  0 if there were results and all were good, else 1: what
 * main() returns.
 */
int done_testing(void);

#endif
