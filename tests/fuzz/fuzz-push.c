/*
 * Garbage into the core: random words, configuration, pokes and resets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *   fuzz-push [SEED [ROUNDS]]
 *
 * Nothing is checked but what sanitizers and the state's own check see: the
 * core may report whatever it likes, and must neither crash, hang nor leave an
 * index out of range.  A failing seed repeats itself.
 */

#include <stdio.h>
#include <stdlib.h>

#include "../unit/core-fixture.h"
#include "../unit/tap.h"

enum { DEFAULT_ROUNDS = 200, WORDS_A_ROUND = 400 };

static CoreFixture f;

/* Those that hold a thread, so that the rest would hardly ever run. */
static bool may_block(uint32_t opcode)
{
    return opcode == TENSIX_OP_ATGETM || opcode == TENSIX_OP_STALLWAIT ||
           opcode == TENSIX_OP_SEMWAIT || opcode == TENSIX_OP_STREAMWAIT ||
           opcode == TENSIX_OP_REPLAY;
}

/* Mostly real opcodes with random operands; now and then anything at all. */
static uint32_t random_word(void)
{
    uint32_t r = fixture_random(&f);
    uint32_t opcode;

    if (r % 64 == 0) {
        return fixture_random(&f);
    }
    do {
        opcode = fixture_random(&f) & 0xff;
    } while (!tensix_insns[opcode].mnemonic || (may_block(opcode) && r % 32));
    return opcode << 24 | (fixture_random(&f) & 0xffffff);
}

static void push_somewhere(void)
{
    static const uint32_t harts[] = {
        TENSIX_HART_BRISC,
        TENSIX_HART_TRISC0,
        TENSIX_HART_TRISC1,
        TENSIX_HART_TRISC2,
    };
    uint32_t r = fixture_random(&f);
    TensixOrigin origin = { r, harts[r % 4] };

    tensix_push(&f.core, (r >> 8) % TENSIX_THREADS, random_word(), origin);
}

static void poke_somewhere(void)
{
    uint32_t r = fixture_random(&f), value = fixture_random(&f);
    uint8_t window[16] = { 0 };

    switch (r % 8) {
    case 0:
        tensix_cfg_write(&f.core, (r >> 8) & 0xfffc, value);
        break;
    case 1:
        fixture_mop_cfg(&f, (r >> 8) % TENSIX_THREADS,
                        (r >> 16) % TENSIX_MOP_CFG_WORDS, random_word());
        break;
    case 2:
        tensix_aperture_write(&f.core, (r >> 8) % (TENSIX_APERTURE_SIZE - 4),
                              &value, 4);
        break;
    case 3:
        tensix_dest_window_write(&f.core, (r >> 8) % TENSIX_THREADS,
                                 (r >> 16) & 0x7ff0, window,
                                 1u << (r >> 28) % 5);
        break;
    case 4:
        tensix_dest_window_read(&f.core, (r >> 8) % TENSIX_THREADS,
                                (r >> 16) & 0x7ff0, window,
                                1u << (r >> 28) % 5);
        break;
    case 5:
        tensix_soft_reset(&f.core, value & (r >> 8));
        break;
    default:
        tensix_semaphore_write(&f.core, (r >> 8) % TENSIX_SEMAPHORES, value,
                               (TensixOrigin) { 0 });
        break;
    }
}

static bool one_round(uint64_t seed)
{
    fixture_init(&f);
    f.random_state = seed;
    fixture_randomise(&f);
    tensix_set_isa(&f.core, seed % TENSIX_ISAS);
    tensix_set_schedule(&f.core, seed % 3 ? 0 : seed);
    for (int n = 0; n < WORDS_A_ROUND; n++) {
        char text[160];

        push_somewhere();
        if (fixture_random(&f) % 8 == 0) {
            poke_somewhere();
        }
        tensix_wait_text(&f.core, n % TENSIX_THREADS, text, sizeof(text));
    }
    tensix_soft_reset(&f.core, 0);
    while (tensix_run(&f.core, 100000)) {
        continue;
    }
    return tensix_state_valid(&f.core.s);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 0) : DEFAULT_ROUNDS;
    bool good = true;

    for (uint64_t n = 0; good && n < rounds; n++) {
        good = one_round(seed + n);
        if (!good) {
            diag("seed %llu leaves an invalid state",
                 (unsigned long long)(seed + n));
        }
    }
    ok(good, "%llu rounds of %d random words from seed %llu",
       (unsigned long long)rounds, WORDS_A_ROUND, (unsigned long long)seed);
    return done_testing();
}
