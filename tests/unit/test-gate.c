/*
 * Wait gate, FIFOs and schedules: waits of each thread, and which continues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"

enum { ALL = 0x1ff, SEEDS = 200 };

static CoreFixture f;
static const TensixOrigin trisc0 = { 0x6000, TENSIX_HART_TRISC0 };
static const TensixOrigin brisc = { 0x1000, TENSIX_HART_BRISC };

static void semwait(uint32_t thread, uint32_t block, uint32_t cond,
                    uint32_t mask)
{
    fixture_push(&f, thread,
                 TT(SEMWAIT, .wait_sem_cond = cond, .sem_sel = mask,
                    .stall_res = block));
}

/* A word of each block category that runs without any set-up. */
static const struct {
    const char *name;
    uint32_t word;
    uint32_t bits;
} category_words[] = {
    { "SETADCXX (misc)", 0x5e200000, 1 << 0 },
    { "SEMPOST (sync)", 0xa4000200, 1 << 1 },
    { "DMANOP (scalar)", 0x60000000, 1 << 0 | 1 << 5 },
    { "INCRWC (matrix)", 0x38000000, 1 << 6 },
    { "SETC16 (config)", 0xb22c0000, 1 << 7 },
    { "SFPNOP (vector)", 0x8f000000, 1 << 8 },
};

static void test_block_bits(void)
{
    for (unsigned n = 0; n < sizeof(category_words) / sizeof(category_words[0]);
         n++) {
        bool good = true;

        for (int bit = 0; bit < 9; bit++) {
            bool blocked;

            fixture_init(&f);
            semwait(0, 1 << bit, 1, 1);
            fixture_push(&f, 0, category_words[n].word);
            blocked = !tensix_thread_idle(&f.core, 0);
            good = good && blocked == !!(category_words[n].bits & (1 << bit));
        }
        ok(good, "%s is held by just its block bits", category_words[n].name);
    }
}

static void test_nop(void)
{
    fixture_init(&f);
    semwait(0, ALL & ~1, 1, 1);
    fixture_push(&f, 0, TT(NOP));
    ok(tensix_thread_idle(&f.core, 0),
       "NOP passes if one block bit is missing");
    fixture_init(&f);
    semwait(0, ALL, 1, 1);
    fixture_push(&f, 0, TT(NOP));
    ok(!tensix_thread_idle(&f.core, 0), "NOP is held by all nine bits");
}

static void test_zero_block_mask(void)
{
    fixture_init(&f);
    semwait(0, 0, 1, 1);
    fixture_push(&f, 0, TT(DMANOP));
    ok(tensix_thread_idle(&f.core, 0),
       "block mask 0 does not hold the scalar unit");
    fixture_push(&f, 0, TT(INCRWC));
    ok(!tensix_thread_idle(&f.core, 0), "block mask 0 means the matrix unit");
}

static void test_later_wait_waits(void)
{
    fixture_init(&f);
    semwait(0, 1 << 8, 1, 1);
    semwait(0, 1 << 8, 1, 2);
    fixture_push(&f, 0, TT(DMANOP));
    ok(!tensix_thread_idle(&f.core, 0),
       "a second wait waits, all after it too");
    tensix_semaphore_write(&f.core, 0, 0, (TensixOrigin) { 0 });
    tensix_run(&f.core, UINT32_MAX);
    ok(tensix_thread_idle(&f.core, 0),
       "it latches when the first is over");
    ok_eq(f.core.s.thread[0].gate.semaphore_mask, 2,
          "and is the one latched now");
}

static void test_semwait_conditions(void)
{
    fixture_init(&f);
    fixture_push(&f, 0,
                 TT(SEMINIT, .max_value = 2, .init_value = 2, .sem_sel = 4));
    semwait(0, ALL, 2, 4);
    fixture_push(&f, 0, TT(DMANOP));
    ok(!tensix_thread_idle(&f.core, 0), "SEMWAIT C1 holds while value >= max");
    fixture_push(&f, 1, TT(SEMGET, .sem_sel = 4));
    ok(tensix_thread_idle(&f.core, 0), "another thread's SEMGET lets it go");
    fixture_push(&f, 0,
                 TT(SEMINIT, .max_value = 2, .init_value = 3, .sem_sel = 4));
    semwait(0, ALL, 2, 4);
    fixture_push(&f, 0, TT(DMANOP));
    ok(!tensix_thread_idle(&f.core, 0), "SEMWAIT C1 holds beyond max too");
    fixture_push(&f, 1, TT(SEMGET, .sem_sel = 4));
    ok(!tensix_thread_idle(&f.core, 0), "and still when it is back at max");
    fixture_push(&f, 1, TT(SEMGET, .sem_sel = 4));
    ok(tensix_thread_idle(&f.core, 0), "but not below");
    fixture_push(&f, 0,
                 TT(SEMINIT, .max_value = 2, .init_value = 1, .sem_sel = 1));
    semwait(0, ALL, 1, 3);
    fixture_push(&f, 0, TT(DMANOP));
    ok(!tensix_thread_idle(&f.core, 0), "any selected semaphore at 0 holds C0");
}

static void stallwait(uint32_t condition)
{
    fixture_init(&f);
    fixture_push(&f, 0, TT(STALLWAIT, .wait_res = condition, .stall_res = ALL));
    fixture_push(&f, 0, TT(DMANOP));
}

static void test_stallwait_conditions(void)
{
    for (int bit = 0; bit < 13; bit++) {
        bool holds = bit == 7 ||
                     bit == 8; /* banks are the unpackers' at reset */

        stallwait(1u << bit);
        ok(tensix_thread_idle(&f.core, 0) == !holds,
           "STALLWAIT C%d after reset %s", bit, holds ? "holds" : "passes");
    }
    stallwait(1u << 7);
    f.core.s.src_client[TENSIX_SRCA][0] = TENSIX_CLIENT_MATRIX_UNIT;
    tensix_run(&f.core, UINT32_MAX);
    ok(tensix_thread_idle(&f.core, 0),
       "C7 passes when the bank is the Matrix Unit's");
    fixture_push(&f, 0, TT(STALLWAIT, .wait_res = 1 << 5, .stall_res = ALL));
    fixture_push(&f, 0, TT(DMANOP));
    ok(!tensix_thread_idle(&f.core, 0),
       "C5 holds while the bank is not the unpacker's");
}

static void test_streamwait(void)
{
    fixture_init(&f);
    fixture_push(&f, 0, TT(SETC16, .setc16_reg = 60, .setc16_value = 9));
    fixture_push(&f, 0, TT(SETC16, .setc16_reg = 57, .setc16_value = 1));
    fixture_push(&f, 0, TT(STREAMWAIT, .wait_stream_sel = 1, .target_sel = 0,
                           .target_value = 5, .stall_res = ALL));
    fixture_push(&f, 0, TT(DMANOP));
    ok(!tensix_thread_idle(&f.core, 0),
       "STREAMWAIT holds below phase 1 << 10 | 5");
    f.stream[9][29] = (1 << 10 | 5) - 1;
    tensix_run(&f.core, UINT32_MAX);
    ok(!tensix_thread_idle(&f.core, 0), "one below still holds");
    f.stream[9][29]++;
    tensix_run(&f.core, UINT32_MAX);
    ok(tensix_thread_idle(&f.core, 0), "and goes when CURR_PHASE is there");
}

/* The target is latched; which stream the selection names is not. */
static void test_streamwait_looks_again(void)
{
    char text[64];

    fixture_init(&f);
    f.core.s.thread_cfg[1][60] = 0xffc0 | 9;   /* six bits of it count */
    f.stream[11][259] = 5;
    fixture_push(&f, 1, TT(STREAMWAIT, .wait_stream_sel = 1, .target_sel = 1,
                           .target_value = 5, .stall_res = ALL));
    fixture_push(&f, 1, TT(DMANOP));
    tensix_wait_text(&f.core, 1, text, sizeof(text));
    ok(!strcmp(text, "STREAMWAIT until stream 9 has reached 5"), "waits: %s", text);
    f.core.s.thread_cfg[1][58] = 1;
    f.core.s.thread_cfg[1][60] = 11;
    tensix_run(&f.core, UINT32_MAX);
    ok(tensix_thread_idle(&f.core, 1), "and sees another stream's messages");
}

static void test_fifo_depth(void)
{
    unsigned n = 0;

    fixture_init(&f);
    tensix_push(&f.core, 0, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                               .stall_res = ALL), trisc0);
    tensix_push(&f.core, 0, TT(DMANOP), trisc0);     /* is at the gate */
    while (n < 100 &&
           tensix_push(&f.core, 0, TT(SEMPOST, .sem_sel = 2), trisc0)) {
        n++;
    }
    ok_eq(n, TENSIX_FIFO_DEPTH, "32 words fit after the one at the gate");
    ok(!tensix_can_push(&f.core, 0, TENSIX_HART_TRISC0),
       "the FIFO says it is full");
    ok(tensix_can_push(&f.core, 0, TENSIX_HART_BRISC),
       "BRISC's FIFO is another one");
    tensix_semaphore_write(&f.core, 0, 0, (TensixOrigin) { 0 });
    tensix_run(&f.core, UINT32_MAX);
    ok_eq(f.core.s.semaphore[1].value, 15,
          "all of them ran when the wait was over");
    ok(tensix_thread_idle(&f.core, 0), "and the thread is idle");
}

static void test_front_end_reset(void)
{
    fixture_init(&f);
    tensix_push(&f.core, 0, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                               .stall_res = ALL), trisc0);
    for (int n = 0; n < 5; n++) {
        tensix_push(&f.core, 0, TT(SEMPOST, .sem_sel = 2), trisc0);
    }
    tensix_soft_reset(&f.core, 1 << 12);
    ok_eq(f.core.s.thread[0].fifo.count, 0,
          "T0 entering reset empties its FIFO");
}

static void test_wait_text(void)
{
    char text[240];

    fixture_init(&f);
    semwait(0, ALL, 1, 2);
    fixture_push(&f, 0, TT(DMANOP));
    tensix_wait_text(&f.core, 0, text, sizeof(text));
    ok_str(text, "SEMWAIT until MATH_PACK (semaphore 1) is not 0",
           "why it is stuck, in words");
    fixture_push(&f, 1, TT(ATGETM, .mutex_index = 0));
    fixture_push(&f, 2, TT(ATGETM, .mutex_index = 0));
    tensix_wait_text(&f.core, 2, text, sizeof(text));
    ok_str(text, "mutex 0", "a mutex by its number");
}

/* Two threads add to GPRs after a semaphore handshake: order is fixed. */
static void handshake_program(uint64_t seed)
{
    fixture_init(&f);
    tensix_set_schedule(&f.core, seed);
    for (int n = 0; n < 8; n++) {
        fixture_push(&f, 0, TT(ADDDMAREG, .OpBisConst = 1, .OpBRegIndex = 1));
        fixture_push(&f, 0, TT(SEMPOST, .sem_sel = 1));
        fixture_push(&f, 1, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                               .stall_res = ALL));
        fixture_push(&f, 1, TT(SEMGET, .sem_sel = 1));
        fixture_push(&f, 1, TT(MULDMAREG, .OpBisConst = 1, .OpBRegIndex = 3));
    }
    while (tensix_run(&f.core, 1000)) {
        continue;
    }
}

/* Thread 1 reads what thread 0 writes, with no semaphore between. */
static uint32_t race_program(uint64_t seed)
{
    fixture_init(&f);
    tensix_set_schedule(&f.core, seed);
    for (int n = 0; n < 8; n++) {
        fixture_push(&f, 0, TT(SETC16, .setc16_reg = 0, .setc16_value = n & 1));
        fixture_push(&f, 0, TT(WRCFG, .CfgReg = 209, .GprAddress = n));
        fixture_push(&f, 1, TT(RDCFG, .CfgReg = 209, .GprAddress = n));
        f.core.s.gpr[0][n] = n + 1;
    }
    while (tensix_run(&f.core, 1000)) {
        continue;
    }
    return f.core.s.gpr[1][0] + f.core.s.gpr[1][3] * 16 +
           f.core.s.gpr[1][6] * 256;
}

static void test_schedules(void)
{
    static TensixState eager;
    bool same = true, differs = false, repeats = true;
    uint32_t first;

    handshake_program(0);
    eager = f.core.s;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        handshake_program(seed);
        same = same && !memcmp(f.core.s.gpr, eager.gpr, sizeof(eager.gpr)) &&
               tensix_thread_idle(&f.core, 0) && tensix_thread_idle(&f.core, 1);
    }
    ok(same, "a handshake gives the same GPRs under %d seeds", SEEDS);
    first = race_program(0);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t result = race_program(seed);

        differs = differs || result != first;
        repeats = repeats && result == race_program(seed);
    }
    ok(differs, "a race shows under some seed");
    ok(repeats, "a seed repeats itself");
}

static void test_ttsync(void)
{
    enum { TRACK_GPR = 1 << 2, TRACK_CFG = 1 << 0, TRACK_INSNS = 1 << 4 };

    fixture_init(&f);
    f.core.s.thread_cfg[0][56] = TRACK_GPR | TRACK_INSNS;
    tensix_push(&f.core, 0, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                               .stall_res = ALL), trisc0);
    tensix_push(&f.core, 0, TT(STOREREG), trisc0);
    ok(tensix_ttsync_must_wait(&f.core, 0, TENSIX_RESOURCE_GPR, true),
       "a store to a GPR waits for an earlier reader");
    ok(!tensix_ttsync_must_wait(&f.core, 0, TENSIX_RESOURCE_GPR, false),
       "a load does not");
    ok(!tensix_ttsync_must_wait(&f.core, 0, TENSIX_RESOURCE_CFG0, true),
       "configuration is not tracked unless asked for");
    tensix_push(&f.core, 0, TT(MOP, .mop_type = 1), trisc0);
    ok(tensix_ttsync_must_wait(&f.core, 0, TENSIX_RESOURCE_GPR, false),
       "a queued MOP counts as a writer of everything");
    f.core.s.thread_cfg[0][56] = TRACK_GPR;
    ok(!tensix_ttsync_must_wait(&f.core, 0, TENSIX_RESOURCE_GPR, true),
       "off without TrackTensixInstructions");
}

/* What is being expanded counts as its class, whatever its words are. */
static void test_ttsync_expansion(void)
{
    enum { TRACK_GPR = 1 << 2, TRACK_INSNS = 1 << 4 };
    const uint32_t wait = TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                             .stall_res = ALL);

    fixture_init(&f);
    f.core.s.thread_cfg[0][56] = TRACK_GPR | TRACK_INSNS;
    fixture_mop_cfg(&f, 0, 0, 3);
    fixture_mop_cfg(&f, 0, 1, 1);
    for (uint32_t n = 2; n < TENSIX_MOP_CFG_WORDS; n++) {
        fixture_mop_cfg(&f, 0, n, n < 5 || n == 6 ? TT(NOP) : wait);
    }
    tensix_push(&f.core, 0, TT(MOP, .mop_type = 1), trisc0);
    ok(!tensix_mop_idle(&f.core, 0) &&
       tensix_ttsync_must_wait(&f.core, 0, TENSIX_RESOURCE_GPR, false),
       "a MOP under way counts as a writer of everything");
    fixture_init(&f);
    f.core.s.thread_cfg[0][56] = TRACK_GPR | TRACK_INSNS;
    for (uint32_t n = 0; n < TENSIX_REPLAY_DEPTH; n++) {
        f.core.s.thread[0].replay.buffer[n] = wait;
    }
    tensix_push(&f.core, 0, TT(REPLAY, .len = 3), trisc0);
    ok(f.core.s.thread[0].replay.phase == TENSIX_REPLAY_PLAY &&
       tensix_ttsync_must_wait(&f.core, 0, TENSIX_RESOURCE_GPR, false),
       "and so does a REPLAY");
}

/* A word of each class, behind a latched wait; what its use lets wait. */
static bool class_waits(uint32_t class, uint32_t use, uint32_t resource,
                        bool is_store)
{
    const uint32_t words[TENSIX_TTSYNC_CLASSES] = {
        TT(ADDDMAREG), TT(ATINCGET), TT(REG2FLOP), TT(LOADIND),
        TT(STREAMWRCFG), TT(STOREREG), TT(LOADREG), TT(FLUSHDMA),
        TT(WRCFG), TT(RDCFG), TT(XMOV), TT(UNPACR),
        TT(PACR), TT(MOP), TT(REPLAY), TT(DMANOP),
    };

    fixture_init(&f);
    f.core.s.thread_cfg[0][56] = 0x1d; /* all are tracked */
    tensix_push(&f.core, 0, TT(RESOURCEDECL, .op_class = class,
                               .resources = use), trisc0);
    tensix_push(&f.core, 0, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                               .stall_res = ALL), trisc0);
    tensix_push(&f.core, 0, TT(NOP), trisc0);
    tensix_push(&f.core, 0, words[class], trisc0);
    return tensix_ttsync_must_wait(&f.core, 0, resource, is_store);
}

static void test_resourcedecl(void)
{
    static const struct { uint32_t resource, read, write; } rows[] = {
        { TENSIX_RESOURCE_CFG0, 1 << 0, 1 << 1 },
        { TENSIX_RESOURCE_GPR, 1 << 5, 1 << 6 },
        { TENSIX_RESOURCE_TDMA, 1 << 7, 1 << 8 },
    };
    unsigned wrong = 0;

    for (uint32_t class = 0; class < TENSIX_TTSYNC_CLASSES; class++) {
        for (uint32_t bit = 1; bit < 1 << 9; bit <<= 1) {
            for (int n = 0; n < 3; n++) {
                bool read = bit == rows[n].read, write = bit == rows[n].write;

                wrong += class_waits(class, bit, rows[n].resource, false) !=
                         write;
                wrong += class_waits(class, bit, rows[n].resource, true) !=
                         (read || write);
            }
        }
    }
    ok_eq(wrong, 0, "RESOURCEDECL: every class, every resource");
    ok(!class_waits(5, 0, TENSIX_RESOURCE_GPR, true), "a class without any");
    ok_eq(f.core.s.ttsync_use[1][5], 1 << 5, "is another thread's as before");
    tensix_soft_reset(&f.core, 1 << 23);
    ok(tensix_ttsync_must_wait(&f.core, 0, TENSIX_RESOURCE_GPR, true),
       "and uses the GPRs again after a soft reset of Auto TTSync");
}

static void test_debug_bus(void)
{
    const TensixOrigin bus = { 0, TENSIX_HART_NONE };
    uint32_t word = TT(SETDMAREG, .Payload_SigSel = 7);

    fixture_init(&f);
    tensix_set_debug_bus(&f.core, 1 << 0);
    ok(tensix_push(&f.core, 0, word, trisc0) &&
       tensix_push(&f.core, 0, word, brisc), "pushes do not wait");
    ok_eq(f.core.s.gpr[0][0], 0, "but are lost");
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 2, "and reported");
    tensix_push(&f.core, 1, word, brisc);
    ok_eq(f.core.s.gpr[1][0], 7, "other threads take theirs");
    tensix_push(&f.core, 0, word, bus);
    ok_eq(f.core.s.gpr[0][0], 7, "the debug bus pushes");
    f.core.s.gpr[0][0] = 0;
    tensix_set_debug_bus(&f.core, 0);
    tensix_push(&f.core, 0, word, trisc0);
    ok_eq(f.core.s.gpr[0][0], 7, "harts again once it has let go");
    ok_eq(f.violation_count, 2, "no other report");
}

int main(void)
{
    test_block_bits();
    test_nop();
    test_zero_block_mask();
    test_later_wait_waits();
    test_semwait_conditions();
    test_stallwait_conditions();
    test_streamwait();
    test_streamwait_looks_again();
    test_fifo_depth();
    test_front_end_reset();
    test_wait_text();
    test_schedules();
    test_ttsync();
    test_ttsync_expansion();
    test_resourcedecl();
    test_debug_bus();
    return done_testing();
}
