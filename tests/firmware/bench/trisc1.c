/*
 * Benchmark on the machine: speed of a hart, and of a push by `.ttinsn`.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Time is the tile's wall clock, which runs in host time unless -icount is
 * given.  Each loop runs often and the best run counts.  One line a result,
 * read by scripts/bench: "bench KEY WORK CLOCKS".
 */

#include "blackhole-tile/console.h"
#include "blackhole-tile/kernel.h"

enum {
    RUNS = 40,
    ALU_LOOPS = 1000000,
    ALU_LOOP_LENGTH = 10,
    PUSH_LOOPS = 10000,
    PUSHES_PER_LOOP = 32,
};

/* Ten instructions of arithmetic and a branch among them. */
static void alu_loop(void)
{
    unsigned n = ALU_LOOPS, a = 1, b = 2, c = 3;

    __asm__ volatile(
        "1: addi %0, %0, -1\n"
        "   add  %1, %1, %2\n"
        "   xor  %2, %2, %3\n"
        "   slli %3, %1, 3\n"
        "   sub  %1, %1, %3\n"
        "   or   %2, %2, %1\n"
        "   srli %3, %2, 5\n"
        "   and  %1, %1, %3\n"
        "   addi %2, %2, 7\n"
        "   bnez %0, 1b\n"
        : "+r"(n), "+r"(a), "+r"(b), "+r"(c));
}

#define FOUR(x) do { x; x; x; x; } while (0)
#define SIXTEEN(x) do { FOUR(x); FOUR(x); FOUR(x); FOUR(x); } while (0)
#define THIRTY_TWO(x) do { SIXTEEN(x); SIXTEEN(x); } while (0)

static void ttinsn_loop(void)
{
    for (unsigned i = 0; i < PUSH_LOOPS; i++) {
        THIRTY_TWO(TTINSN(DMANOP));
    }
}

/* The same pushes made by ordinary stores. */
static void store_loop(void)
{
    uint32_t word = TT(DMANOP);

    for (unsigned i = 0; i < PUSH_LOOPS; i++) {
        THIRTY_TWO(PUSH_OWN = word);
    }
}

static void measure(const char *key, void (*loop)(void), unsigned work)
{
    uint32_t best = UINT32_MAX;

    for (unsigned i = 0; i < RUNS; i++) {
        uint32_t start = WALL_CLOCK_LOW;
        uint32_t clocks;

        loop();
        clocks = WALL_CLOCK_LOW - start;
        best = clocks < best ? clocks : best;
    }
    print("bench %s %u %u\n", key, work, best);
}

int main(void)
{
    measure("riscv", alu_loop, ALU_LOOPS * ALU_LOOP_LENGTH);
    measure("ttinsn_dmanop", ttinsn_loop, PUSH_LOOPS * PUSHES_PER_LOOP);
    measure("store_dmanop", store_loop, PUSH_LOOPS * PUSHES_PER_LOOP);
    leave(0);
}
