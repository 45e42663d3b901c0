/*
 * Words that a MOP repeats come to the gate without the expanders (derived.repeats).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two cores do the same; the second one pulls each word through the expanders.
 * MopCfg changes, BRISC's words, REPLAYs, resets and other states come in between.
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "config/config.h"
#include "frontend/frontend.h"

enum {
    THREAD = 1,
    STEPS = 80000,
    SECOND_OP = 6,                 /* of MopCfg, template 1 */
};

static CoreFixture f[2];
static TensixInsn at_gate[2];

/* The next word to the gate, as the schedule pulls it, or by the expanders alone. */
static bool pull(TensixCore *c, bool repeats, TensixInsn *at)
{
    at->valid = 0;
    return (repeats && tensix_mop_repeat(c, THREAD, at)) ||
           tensix_replay_pull(c, THREAD, at);
}

static TensixInsn some_insn(uint32_t r, uint32_t hart)
{
    const uint32_t words[] = {
        TT(NOP), TT(NOP), TT(INCRWC), TT(SETRWC), TT(MOP_CFG, .zmask_hi16 = 5),
        TT(REPLAY, .len = 2), TT(REPLAY, .len = 3, .load_mode = 1),
        TT(REPLAY, .len = 3, .load_mode = 1, .execute_while_loading = 1),
        TT(MOP, .loop_count = 3), TT(MOP, .mop_type = 1), TT(MOP, .mop_type = 1),
        TT(MOP, .mop_type = 1), TT(MOP, .mop_type = 1), TT(MOP, .mop_type = 1),
    };

    return (TensixInsn) {
        .valid = 1, .word = words[r % (sizeof(words) / sizeof(words[0]))],
        .thread = THREAD, .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION, .origin = { r >> 8, hart },
    };
}

/* Counts are short, and the second word of the inner loop mostly a NOP. */
static void write_mop_cfg(TensixCore *c, uint32_t r)
{
    uint32_t index = r % TENSIX_MOP_CFG_WORDS;
    TensixInsn i = some_insn((r >> 8) % (index == SECOND_OP ? 3 : 8), 0);

    tensix_mop_cfg_write(c, THREAD, index, index < 2 ? r >> 16 & 7 : i.word,
                         i.origin);
}

static void save_or_load(TensixCore *c, bool load)
{
    static TensixState saved[2];
    unsigned n = c == &f[1].core;

    fixture_save_or_load(&f[n], &saved[n], load);
}

/* One step; does a word come to the gate? */
static bool feed_or_pull(TensixCore *c, uint32_t r, bool repeats, TensixInsn *at)
{
    TensixThread *t = &c->s.thread[THREAD];
    TensixInsn i = some_insn(r >> 8, TENSIX_HART_TRISC1);

    switch (r & 63) {
    case 0 ... 3:
        write_mop_cfg(c, r >> 8);
        return false;
    case 4 ... 9:
        tensix_fifo_push(&t->fifo, &i);
        return false;
    case 10:
        i = some_insn((r >> 8) % 8, TENSIX_HART_BRISC);
        tensix_fifo_push(&t->post_fifo, &i);
        return false;
    case 11:
        if (!(r >> 8 & 7)) {
            tensix_thread_reset_frontend(c, THREAD);
        }
        return false;
    case 12:
        save_or_load(c, r >> 8 & 1);
        return false;
    default:
        return pull(c, repeats, at);
    }
}

static void test_repeats(void)
{
    unsigned wrong = 0, pulled = 0, repeated = 0;
    TensixCore *c = &f[0].core;

    fixture_init(&f[0]);
    fixture_init(&f[1]);
    for (unsigned n = 0; n < STEPS; n++) {
        uint32_t r = fixture_random(&f[0]), repeats = c->derived.repeats[THREAD];
        bool comes = feed_or_pull(c, r, true, &at_gate[0]);

        pulled += comes;
        repeated += comes && c->derived.repeats[THREAD] + 1 == repeats;
        wrong += comes != feed_or_pull(&f[1].core, r, false, &at_gate[1]) ||
                 (comes && memcmp(&at_gate[0], &at_gate[1], sizeof(at_gate[0]))) ||
                 memcmp(&c->s, &f[1].core.s, sizeof(c->s));
    }
    ok(repeated > pulled / 16 && repeated < pulled / 2,
       "%u of %u words come from a MOP that repeats", repeated, pulled);
    ok_eq(wrong, 0, "and are those of a core whose MOPs repeat nothing");
}

int main(void)
{
    test_repeats();
    return done_testing();
}
