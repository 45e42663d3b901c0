/*
 * Demo, BRISC: starts the others, gives them work, checks the results.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/console.h"
#include "demo.h"

enum { STEP = 37, SHOWN_PER_FACE = 3, SHOW_EVERY = 77, Y_SHIFT = 6 };

char hart_name[8] __attribute__((section(".data.first"), used)) = "brisc";

static const char *const names[] = {
    "brisc", "ncrisc", "trisc0", "trisc1", "trisc2",
};

static uint32_t first_k(uint32_t face)
{
    return face * FACE_VALUES * STEP;
}

/* What y has to be, in 64ths: k/8 is negative or not. */
static int32_t expected_64ths(int32_t k)
{
    return k < 0 ? k * k + 64 : 20 * k + 64;
}

/* The value of an fp32 bit pattern in 64ths; false if it has a finer part. */
static bool fp32_to_64ths(uint32_t bits, int32_t *value)
{
    int shift = (int)(bits >> 23 & 0xFF) - 127 - 23 + Y_SHIFT;
    uint32_t magnitude = (bits & 0x7FFFFF) | 1u << 23;

    if ((bits & 0x7FFFFFFF) == 0) {
        *value = 0;
        return true;
    }
    if (shift > 0 || shift < -23 || magnitude & ((1u << -shift) - 1)) {
        return false;
    }
    magnitude >>= -shift;
    *value = bits >> 31 ? -(int32_t)magnitude : (int32_t)magnitude;
    return true;
}

/* Decimal text of value / 2^shift, three digits after the point. */
static const char *decimal(int32_t value, unsigned shift, char *text)
{
    uint32_t magnitude = value < 0 ? -value : value;
    uint32_t whole = magnitude >> shift;
    uint32_t rest = (magnitude & ((1u << shift) - 1)) * 1000 >> shift;
    char *p = text + 15;

    *p = 0;
    for (unsigned digit = 0; digit < 3; digit++, rest /= 10) {
        *--p = '0' + rest % 10;
    }
    *--p = '.';
    do {
        *--p = '0' + whole % 10;
        whole /= 10;
    } while (whole);
    if (value < 0) {
        *--p = '-';
    }
    return p;
}

static void start_the_others(void)
{
    PUSH_THREAD(0) = TT(SEMINIT, .max_value = FACES, .init_value = 0,
                        .sem_sel = SEM_MASK(SEM_FILLED) |
                                   SEM_MASK(SEM_COMPUTED));
    /* fmt 0 for all three: fp32, converted from and to Dest's bit order */
    CFG[CFG_RISC_DEST_ACCESS_CTRL_SEC0_fmt_WORD] = 0;

    release_harts(SOFT_RESET_NCRISC | SOFT_RESET_TRISCS);
    for (unsigned hart = 1; hart < 5; hart++) {
        while (!SHARED->started[hart]) {
            fence();
        }
        print("brisc: %s runs, main() at 0x%05x\n", names[hart],
              SHARED->started[hart]);
    }
}

static void send_work(void)
{
    for (uint32_t face = 0; face < FACES; face++) {
        PCBUF(0) = COMMAND_FILL;
        PCBUF(0) = face;
        PCBUF(0) = first_k(face);
        PCBUF(0) = STEP;
        PCBUF(1) = COMMAND_COMPUTE;
        PCBUF(1) = face;
        PCBUF(2) = COMMAND_DRAIN;
        PCBUF(2) = face;
    }
    print("brisc: sent %u faces of %u values through the PCBufs\n", FACES,
          FACE_VALUES);
}

static void wait_for_the_work(void)
{
    static const char *const done[] = {
        "wrote x into Dest", "computed y with the vector unit",
        "copied Dest to L1",
    };

    for (unsigned i = 0; i < 3; i++) {
        pcbuf_barrier(i);
        print("brisc: %s %s\n", names[2 + i], done[i]);
    }
}

static void show(uint32_t face, uint32_t n, int32_t k, uint32_t bits, bool ok)
{
    char x[16], y[16], wanted[16];
    int32_t value;
    const char *got = "?";

    if (fp32_to_64ths(bits, &value)) {
        got = decimal(value, Y_SHIFT, y);
    }
    print("%6u %5u %5u %10s %10s  0x%08x %10s  %s\n", face, n / COLUMNS,
          n % COLUMNS, decimal(k, X_SHIFT, x), got, bits,
          decimal(expected_64ths(k), Y_SHIFT, wanted), ok ? "ok" : "WRONG");
}

/* Compares every value, shows some and every wrong one; number of them. */
static unsigned check_results(uint32_t *sum)
{
    unsigned wrong = 0;

    print(
        "\n  face   row   col          x          y  fp32 bits    expected\n");
    for (uint32_t face = 0; face < FACES; face++) {
        for (uint32_t n = 0; n < FACE_VALUES; n++) {
            int32_t k = demo_k(first_k(face), STEP, n);
            uint32_t bits = SHARED->result[face * FACE_VALUES + n];
            uint32_t wanted = fp32_ratio(expected_64ths(k), Y_SHIFT);

            wrong += bits != wanted;
            *sum += wanted;
            if (n % SHOW_EVERY == 1 ||
                (bits != wanted && wrong <= SHOWN_PER_FACE * FACES)) {
                show(face, n, k, bits, bits == wanted);
            }
        }
    }
    return wrong;
}

static bool check_sum(uint32_t wanted)
{
    SHARED->results_ready = 1;
    while (!SHARED->sum_ready) {
        fence();
    }
    print("\nbrisc: ncrisc's sum of the bit patterns is 0x%08x, expected "
          "0x%08x\n", SHARED->sum, wanted);
    return SHARED->sum == wanted;
}

int main(void)
{
    uint32_t sum = 0;
    unsigned wrong;

    print("brisc: y = x < 0 ? x * x + 1 : 2.5 * x + 1 for %u values of x\n",
          VALUES);
    start_the_others();
    send_work();
    wait_for_the_work();
    wrong = check_results(&sum);
    wrong += !check_sum(sum);
    print("brisc: %u values computed, %u wrong\n", VALUES, wrong);
    leave(wrong != 0);
}
