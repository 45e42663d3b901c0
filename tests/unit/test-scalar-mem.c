/*
 * Scalar Unit memory operations, REG2FLOP and the mover.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The pages of the instructions (WH LOADIND.md and its neighbours, XMOV.md).
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "views/why.h"
#include "config/config.h"

enum { T = 1, ADDR = 8, DATA = 12, OFFSET_GPR = 20, AT = 0x400, TRIALS = 50000 };

static CoreFixture f;
static uint32_t *gpr;
static uint32_t mmio_address, mmio_value;
static unsigned mmio_retries;

static TensixResult mmio_write(void *opaque, const TensixInsn *by,
                               uint32_t address, uint32_t value)
{
    if (mmio_retries) {
        mmio_retries--;
        return TENSIX_RETRY;
    }
    mmio_address = address;
    mmio_value = value;
    return TENSIX_DONE;
}

static TensixResult mmio_read(void *opaque, const TensixInsn *by,
                              uint32_t address, uint32_t *value)
{
    if (mmio_retries) {
        mmio_retries--;
        return TENSIX_RETRY;
    }
    *value = address ^ 0x55;
    return TENSIX_DONE;
}

static void begin(void)
{
    fixture_init(&f);
    f.core.host.mmio_read = mmio_read;
    f.core.host.mmio_write = mmio_write;
    gpr = f.core.s.gpr[T];
    for (unsigned n = 0; n < TENSIX_GPRS; n++) {
        gpr[n] = 0x01010101 * n;
    }
    for (unsigned n = 0; n < 0x1000; n++) {
        f.l1[n] = n * 7 + n / 256;
    }
    gpr[ADDR] = AT / 16;
    gpr[OFFSET_GPR] = 0xabcd0006;
}

static uint32_t word_at(uint32_t at)
{
    uint32_t word;

    memcpy(&word, &f.l1[at], sizeof(word));
    return word;
}

static void set_word(uint32_t at, uint32_t word)
{
    memcpy(&f.l1[at], &word, sizeof(word));
}

static void test_loadind(void)
{
    static const unsigned bytes[] = { 16, 4, 2, 1 }, step[] = { 0, 2, 4, 16 };

    for (unsigned size = 0; size < 4; size++) {
        uint8_t want[16];
        unsigned at = (AT + 6) / bytes[size] * bytes[size];

        begin();
        memcpy(want, &gpr[DATA], 16);
        memcpy(want, &f.l1[at], bytes[size]);
        fixture_run(&f, T, TT(LOADIND, .SizeSel = size, .AddrRegIndex = ADDR,
                              .DataRegIndex = DATA + (size == 0),
                              .OffsetIndex = 2 * OFFSET_GPR,
                              .AutoIncSpec = size), "LOADIND");
        ok(!memcmp(&gpr[DATA], want, 16), "LOADIND of %u bytes", bytes[size]);
        ok_eq(gpr[OFFSET_GPR], 0xabcd0006 + step[size], "offset advanced");
    }
    begin();
    gpr[OFFSET_GPR] = 0xffff1234;
    fixture_exec(&f, T, TT(LOADIND, .SizeSel = 1, .AddrRegIndex = 0,
                           .DataRegIndex = DATA, .AutoIncSpec = 2,
                           .OffsetIndex = 2 * OFFSET_GPR + 1));
    ok_eq(gpr[OFFSET_GPR], 0x00031234, "the high half wraps on its own");
    ok_eq(f.violation_count, 0, "0xffff is in this L1's last word");
    gpr[OFFSET_GPR] = 0xffff1234;
    fixture_exec(&f, T, TT(LOADIND, .SizeSel = 1, .AddrRegIndex = ADDR,
                           .DataRegIndex = DATA,
                           .OffsetIndex = 2 * OFFSET_GPR + 1));
    ok_eq(f.violations[TENSIX_BAD_ACCESS], 1, "beyond L1: a violation");
}

static void test_storeind_l1(void)
{
    static const unsigned bytes[] = { 16, 4, 2, 1 };

    for (unsigned size = 0; size < 4; size++) {
        uint8_t want[64];
        unsigned at = (AT + 6) / bytes[size] * bytes[size];

        begin();
        memcpy(want, &f.l1[AT], 64);
        memcpy(&want[at - AT], &gpr[DATA], bytes[size]);
        fixture_run(&f, T, TT(STOREIND, .MemHierSel = 1, .SizeSel = size / 2,
                              .RegSizeSel = size % 2, .AddrRegIndex = ADDR,
                              .DataRegIndex = DATA, .AutoIncSpec = 3,
                              .OffsetIndex = 2 * OFFSET_GPR), "STOREIND");
        ok(!memcmp(&f.l1[AT], want, 64), "STOREIND of %u bytes", bytes[size]);
        ok_eq(gpr[OFFSET_GPR], 0xabcd0016, "offset advanced by 16");
    }
}

static void test_registers(void)
{
    begin();
    fixture_run(&f, T, TT(STOREREG, .TdmaDataRegIndex = DATA,
                          .RegAddr = 0x40028 >> 2), "STOREREG");
    ok_eq(mmio_address, 0xffb40028, "STOREREG's address");
    ok_eq(mmio_value, 0x0c0c0c0c, "STOREREG's value");
    mmio_retries = 1;
    ok(fixture_exec(&f, T, TT(LOADREG, .TdmaDataRegIndex = DATA,
                              .RegAddr = 0x40028 >> 2)) == TENSIX_RETRY,
       "LOADREG is asked to wait");
    ok_eq(gpr[DATA], 0x0c0c0c0c, "and has changed nothing");
    fixture_run(&f, T, TT(LOADREG, .TdmaDataRegIndex = DATA,
                          .RegAddr = 0x40028 >> 2), "LOADREG");
    ok_eq(gpr[DATA], 0xffb4007d, "LOADREG's value");
    gpr[ADDR] = 0x40000;
    gpr[OFFSET_GPR] = 0x240;
    fixture_run(&f, T, TT(STOREIND, .SizeSel = 1, .AddrRegIndex = ADDR,
                          .DataRegIndex = DATA, .AutoIncSpec = 1,
                          .OffsetIndex = 2 * OFFSET_GPR), "STOREIND, register");
    ok_eq(mmio_address, 0xffb40024, "STOREIND's register address");
    ok_eq(gpr[OFFSET_GPR], 0x242, "offset advanced by 2");
    fixture_exec(&f, T, TT(STOREREG, .RegAddr = 0x10ffc >> 2));
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "below 0xffb11000 a register store is undefined");
}

static void test_storeind_src(void)
{
    begin();
    gpr[ADDR] = (4 + 5) << 2 | 2;
    gpr[OFFSET_GPR] = 0;
    gpr[DATA] = 0x3f80u << 16 | 0xc085;
    gpr[DATA + 1] = 0xc049u << 16 | 0x0180;
    fixture_run(&f, T, TT(STOREIND, .AddrRegIndex = ADDR, .DataRegIndex = DATA,
                          .OffsetIndex = 2 * OFFSET_GPR), "STOREIND, SrcA");
    ok_eq(f.core.s.src[TENSIX_SRCA][0][5][8], 1 << 18 | 0x40 << 11 | 0x85,
          "low half: sign, mantissa, exponent");
    ok_eq(f.core.s.src[TENSIX_SRCA][0][5][9], 0x7f, "high half: BF16 1.0");
    ok_eq(f.core.s.src[TENSIX_SRCA][0][5][11], 1 << 18 | 0x49 << 11 | 0x80,
          "fourth datum");
    gpr[ADDR] = 4 << 2;
    fixture_run(&f, T, TT(STOREIND, .AddrRegIndex = ADDR, .DataRegIndex = DATA,
                          .OffsetIndex = 2 * OFFSET_GPR), "STOREIND, row 0");
    ok_eq(f.core.s.src[TENSIX_SRCA][0][0][1], 0x7f, "row 0 of SrcA");
    f.core.s.src_client[TENSIX_SRCB][0] = TENSIX_CLIENT_MATRIX_UNIT;
    ok(fixture_exec(&f, T, TT(STOREIND, .RegSizeSel = 1, .AddrRegIndex = ADDR,
                              .OffsetIndex = 2 * OFFSET_GPR)) == TENSIX_RETRY,
       "SrcB's bank is the Matrix Unit's: waits");
}

static void test_atomics(void)
{
    begin();
    set_word(AT + 8, 0x1234fffe);
    gpr[DATA] = 5;
    fixture_run(&f, T, TT(ATINCGET, .AddrRegIndex = ADDR, .DataRegIndex = DATA,
                          .Sel32b = 2, .WrapVal = 15), "ATINCGET");
    ok_eq(word_at(AT + 8), 0x12340003, "16 bits wrap, the rest stays");
    ok_eq(gpr[DATA], 0x1234fffe, "what it was");

    gpr[DATA] = 0xfedcba98;
    fixture_run(&f, T, TT(ATSWAP, .AddrRegIndex = ADDR, .DataRegIndex = DATA + 3,
                          .SwapMask = 0x82), "ATSWAP");
    ok_eq(word_at(AT) >> 16, 0xfedc, "second half written");
    ok_eq(word_at(AT + 12) >> 16, 0x0f0f, "last half written");
    ok_eq(word_at(AT + 8), 0x12340003, "others not");

    set_word(AT, 7);
    f.core.signals.changed = 0;
    ok(fixture_exec(&f, T, TT(ATCAS, .AddrRegIndex = ADDR, .CmpVal = 3,
                              .SwapVal = 9)) == TENSIX_RETRY, "ATCAS waits");
    ok(f.core.signals.changed & TENSIX_CHANGED_POLL, "and wants to be asked again");
    set_word(AT, 3);
    fixture_run(&f, T, TT(ATCAS, .AddrRegIndex = ADDR, .CmpVal = 3,
                          .SwapVal = 9), "ATCAS");
    ok_eq(word_at(AT), 9, "ATCAS sets");
}

/* A FIFO of 8: pushes until it is full, pops until it is empty. */
static void test_fifo(void)
{
    uint32_t push = TT(ATINCGETPTR, .AddrRegIndex = ADDR, .DataRegIndex = DATA,
                       .Sel32b = 1, .WrapVal = 4);
    uint32_t pop = TT(ATINCGETPTR, .AddrRegIndex = ADDR, .DataRegIndex = DATA,
                      .WrapVal = 4);
    unsigned pushed = 0, popped = 0;

    begin();
    set_word(AT, 0);
    set_word(AT + 4, 0);
    ok(fixture_exec(&f, T, pop) == TENSIX_RETRY, "an empty FIFO gives nothing");
    while (pushed < 20 && fixture_exec(&f, T, push) == TENSIX_DONE) {
        pushed++;
    }
    ok_eq(pushed, 8, "a FIFO of 8 takes 8");
    ok_eq(gpr[DATA], 7, "the last push returns 7");
    while (popped < 20 && fixture_exec(&f, T, pop) == TENSIX_DONE) {
        popped++;
    }
    ok_eq(popped, 8, "and gives 8");
}

/* Width 0: room for 0x8000, and counters that no agent moves. */
static void test_fifo_without_width(void)
{
    uint32_t push = TT(ATINCGETPTR, .AddrRegIndex = ADDR, .DataRegIndex = DATA,
                       .Sel32b = 1);

    begin();
    set_word(AT, 1);
    set_word(AT + 4, 0x8000);
    ok(fixture_exec(&f, T, push) == TENSIX_DONE && gpr[DATA] == 0x8000,
       "0x7fff words leave room for another one");
    ok_eq(word_at(AT + 4), 0x8000, "width 0: the counter stays");
    set_word(AT + 4, 0x4001);
    ok(fixture_exec(&f, T, push) == TENSIX_DONE, "so do half as many");
    set_word(AT + 4, 0x8001);
    ok(fixture_exec(&f, T, push) == TENSIX_RETRY, "0x8000 words are all");
}

static const uint32_t everybody_else =
    1u << (TENSIX_WHY_HARTS_BASE + TENSIX_HART_BRISC) |
    1u << (TENSIX_WHY_HARTS_BASE + TENSIX_HART_NCRISC) |
    7u << (TENSIX_WHY_HARTS_BASE + TENSIX_HART_TRISC0) |
    (7u & ~(1u << T)) << TENSIX_WHY_THREADS_BASE;

/* L1 and registers: everybody else may change them, NCRISC too. */
static void test_why(void)
{
    TensixWhyNode node = { 0 };

    begin();
    fixture_push(&f, T, TT(ATCAS, .AddrRegIndex = ADDR, .CmpVal = 3));
    tensix_why_thread(&f.core, T, &node);
    ok(node.blocked && !node.idle, "a thread that polls L1 is blocked");
    ok_eq(node.helpers, everybody_else, "and anybody else can help it");

    begin();
    mmio_retries = 1000;
    fixture_push(&f, T, TT(LOADREG, .RegAddr = 0x4400, .TdmaDataRegIndex = DATA));
    tensix_why_thread(&f.core, T, &node);
    mmio_retries = 0;
    ok(node.blocked && !node.idle, "so is one that waits for a register");
    ok_str(node.waits_for, "register 0xffb11000", "it says which");
    ok_eq(node.helpers, everybody_else, "and anybody else can help it too");
}

/* The gate shows the wait, and the scheduler says that it polls. */
static void test_polls(void)
{
    char text[64];

    begin();
    set_word(AT, 1);
    fixture_push(&f, T, TT(ATCAS, .AddrRegIndex = ADDR, .CmpVal = 3));
    ok(tensix_polls(&f.core), "a thread polls L1");
    tensix_wait_text(&f.core, T, text, sizeof(text));
    ok_str(text, "L1 word 0x400", "its wait says where");
    set_word(AT, 3);
    tensix_run(&f.core, 100);
    ok(!tensix_polls(&f.core) && tensix_thread_idle(&f.core, T),
       "it went on when the word had changed");
}

static void test_reg2flop(void)
{
    begin();
    gpr[DATA] = 0xabcd1234;
    fixture_run(&f, T, TT(REG2FLOP, .SizeSel = 2, .TargetSel = 2,
                          .ByteOffset = 2, .FlopIndex = 1 << 5 | 2 << 3 | 1,
                          .RegIndex = DATA), "REG2FLOP to ADC");
    ok_eq(f.core.s.adc[T][TENSIX_ADC_PACK].channel[1].Y, 0xbcd,
          "packer, channel 1, Y, 13 bits");
    fixture_run(&f, T, TT(REG2FLOP, .SizeSel = 3, .TargetSel = 3,
                          .ByteOffset = 1, .ContextId_2 = 2, .FlopIndex = 1 << 2,
                          .RegIndex = DATA), "REG2FLOP to another thread");
    ok_eq(f.core.s.adc[2][TENSIX_ADC_UNP0].channel[0].X_Cr, 0x12, "X_Cr");
    fixture_run(&f, T, TT(REG2FLOP, .SizeSel = 1, .FlopIndex = 5,
                          .RegIndex = DATA), "REG2FLOP to configuration");
    ok_eq(f.core.s.cfg[0][TENSIX_CFG_THCON_BASE + 5], 0xabcd1234, "one word");
    fixture_run(&f, T, TT(REG2FLOP, .SizeSel = 0, .FlopIndex = 9,
                          .RegIndex = DATA + 2), "REG2FLOP of 128 bits");
    ok(!memcmp(&f.core.s.cfg[0][TENSIX_CFG_THCON_BASE + 8], &gpr[DATA], 16),
       "four aligned words");
    fixture_exec(&f, T, TT(REG2FLOP, .SizeSel = 1, .FlopIndex = 127));
    ok_eq(f.violation_count, 1, "beyond THCON configuration: undefined");
}

static void set_move(uint32_t destination, uint32_t source, uint32_t count,
                     uint32_t mode)
{
    uint32_t *cfg = f.core.s.cfg[0];

    cfg[CFG_THCON_SEC0_REG6_Destination_address_WORD] = destination / 16;
    cfg[CFG_THCON_SEC0_REG6_Source_address_WORD] = source / 16;
    cfg[CFG_THCON_SEC0_REG6_Buffer_size_WORD] = count / 16 | mode << 30;
}

static void test_mover(void)
{
    uint8_t want[256];

    begin();
    memcpy(want, &f.l1[0x200], 256);
    set_move(0x800, 0x200, 240, 3);
    fixture_run(&f, T, TT(XMOV), "XMOV, copy");
    memcpy(want + 240, &f.l1[0x8f0], 16);
    ok(!memcmp(&f.l1[0x800], want, 256), "240 bytes moved, no more");
    set_move(0x810, 0, 32, 0);
    fixture_run(&f, T, TT(XMOV), "XMOV, clear");
    memset(want + 16, 0, 32);
    ok(!memcmp(&f.l1[0x800], want, 256), "32 bytes cleared, no more");
    set_move(0x20, 0x400, 16, 1);
    fixture_run(&f, T, TT(XMOV), "XMOV to configuration");
    ok(!memcmp(&f.core.s.cfg[0][8], &f.l1[0x400], 16), "four words of it");
    set_move(FIXTURE_L1_SIZE - 16, 0, 32, 0);
    fixture_exec(&f, T, TT(XMOV));
    ok_eq(f.violations[TENSIX_BAD_ACCESS], 1, "past the end of L1: reported");
}

/* Random words of all these instructions, random addresses. */
static void test_safety(void)
{
    static const uint8_t opcode[] = {
        TENSIX_OP_LOADIND, TENSIX_OP_STOREIND, TENSIX_OP_ATINCGET,
        TENSIX_OP_ATINCGETPTR, TENSIX_OP_ATSWAP, TENSIX_OP_ATCAS,
        TENSIX_OP_STOREREG, TENSIX_OP_LOADREG, TENSIX_OP_REG2FLOP,
        TENSIX_OP_XMOV,
    };

    begin();
    for (unsigned n = 0; n < TRIALS; n++) {
        uint32_t r = fixture_random(&f);

        for (unsigned k = 0; k < TENSIX_GPRS; k++) {
            gpr[k] = fixture_random(&f) >> (r >> k % 27 & 31);
        }
        set_move(fixture_random(&f) >> (r & 15), fixture_random(&f) >> (r & 15),
                 fixture_random(&f) & 0xffff0, r >> 30);
        fixture_exec(&f, T, (uint32_t)opcode[n % sizeof(opcode)] << 24 |
                            (fixture_random(&f) & 0xffffff));
    }
    ok(true, "random words and registers: nothing outside L1");
}

/* A hart that writes the word just before the core's atomic would. */
static unsigned disturbances;

static bool l1_replace(void *opaque, uint32_t offset, uint32_t expected,
                       uint32_t value)
{
    uint32_t now;

    if (disturbances) {
        disturbances--;
        f.l1[offset] += 0x10;
    }
    memcpy(&now, &f.l1[offset], sizeof(now));
    if (now == expected) {
        memcpy(&f.l1[offset], &value, sizeof(value));
    }
    return now == expected;
}

static void begin_disturbed(uint32_t word)
{
    begin();
    f.core.host.l1_replace = l1_replace;
    memcpy(&f.l1[AT], &word, sizeof(word));
    gpr[DATA] = 5;
    disturbances = 1;
}

static void test_disturbed(void)
{
    begin_disturbed(7);
    fixture_run(&f, T, TT(ATINCGET, .AddrRegIndex = ADDR, .DataRegIndex = DATA,
                          .WrapVal = 31), "ATINCGET, disturbed");
    ok(word_at(AT) == 0x10 + 7 + 5 && gpr[DATA] == 0x10 + 7,
       "adds to what the hart has written");
    begin_disturbed(7);
    gpr[DATA] = 0x60005;
    fixture_run(&f, T, TT(ATSWAP, .AddrRegIndex = ADDR, .DataRegIndex = DATA,
                          .SwapMask = 2), "ATSWAP, disturbed");
    ok_eq(word_at(AT), 0x60017, "keeps the half that the hart has written");
    begin_disturbed(7);
    ok(fixture_exec(&f, T, TT(ATCAS, .AddrRegIndex = ADDR, .CmpVal = 7,
                              .SwapVal = 9)) == TENSIX_RETRY &&
       word_at(AT) == 0x17, "ATCAS, disturbed: waits");
    begin_disturbed(1);
    memset(&f.l1[AT + 4], 0, 4);
    f.l1[AT + 4] = 3;
    ok(fixture_exec(&f, T, TT(ATINCGETPTR, .AddrRegIndex = ADDR,
                              .DataRegIndex = DATA, .WrapVal = 8)) ==
           TENSIX_RETRY &&
       word_at(AT) == 0x11 && gpr[DATA] == 5,
       "ATINCGETPTR, disturbed: polls again later");
    ok(f.core.signals.changed & TENSIX_CHANGED_POLL, "and is polled");
}

int main(void)
{
    test_loadind();
    test_storeind_l1();
    test_registers();
    test_storeind_src();
    test_atomics();
    test_fifo();
    test_fifo_without_width();
    test_polls();
    test_why();
    test_reg2flop();
    test_mover();
    test_safety();
    test_disturbed();
    return done_testing();
}
