/*
 * _exit() of a build that counts lines: what was counted is written first.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The library ends a process by it (lib/abi.c), before gcov's destructor.  Its
 * child shares the memory of a parent that continues to count: hence the reset.
 * Linked by tests/coverage/gcc.
 */

#include <errno.h>
#include <unistd.h>
#include <gcov.h>

_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

_Noreturn void __wrap__exit(int status)
{
    __gcov_dump();
    __gcov_reset();
    __real__exit(status);
}

/* Before gcov's: a process that ends because it has no file left needs one. */
static void __attribute__((destructor)) leave_a_file(void)
{
    int file = dup(STDIN_FILENO);

    if (file >= 0) {
        close(file);
    } else if (errno == EMFILE) {
        close(STDERR_FILENO + 1);
    }
}
