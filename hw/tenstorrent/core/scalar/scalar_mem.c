/*
 * Scalar Unit (ThCon): memory operations and REG2FLOP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH LOADIND.md, STOREIND_L1.md, STOREIND_MMIO.md, STOREIND_Src.md,
 * LOADREG.md, STOREREG.md, ATINCGET.md, ATINCGETPTR.md, ATSWAP.md, ATCAS.md,
 * REG2FLOP_ADC.md, REG2FLOP_Configuration.md.
 *
 * Requests to L1 and to registers are answered at once, so that a result is
 * in its GPR when the next instruction starts.  Registers belong to the world
 * around the core, which may ask to be asked again.
 */

#include <string.h>

#include "regs/regfile.h"
#include "config/config.h"
#include "observe/note.h"

enum {
    L1_UNIT = 16,                  /* bytes; GPRs hold L1 addresses in these */
    QUAD_MASK = 0x3c,              /* first of four consecutive GPRs */
    HALF_GPRS = 2 * TENSIX_GPRS,
    MMIO_BASE = 0xffb00000u,
    MMIO_FIRST = 0xffb11000u,      /* below it: RISC-V local memory */
    MMIO_WINDOW = 0xffffc,
};

/* Size of LOADIND and STOREIND. */
enum { SIZE_QUAD, SIZE_WORD, SIZE_HALF, SIZE_BYTE, SIZES };

static const uint8_t size_bytes[SIZES] = { 16, 4, 2, 1 };

/* Nothing says when L1 or a register changes: the world has to try again. */
static TensixResult poll_later(TensixCore *c, const TensixInsn *i,
                               TensixWaitReason reason, uint32_t address)
{
    c->signals.changed |= TENSIX_CHANGED_POLL;
    return tensix_retry(c, i, reason, address);
}

/* --- L1 --- */

/* Does all of the range lie in L1?  Reports the address if not. */
static bool in_l1(TensixCore *c, const TensixInsn *i, uint32_t address,
                  uint32_t size)
{
    if (address < c->host.l1_size && size <= c->host.l1_size - address) {
        return true;
    }
    tensix_violation(c, i, TENSIX_BAD_ACCESS, "L1 address 0x%x",
                     (unsigned)address);
    return false;
}

static uint32_t l1_word(const TensixCore *c, uint32_t address)
{
    uint32_t word;

    memcpy(&word, c->host.l1 + address, sizeof(word));
    return word;
}

/* The same, where its value matters to the program. */
static uint32_t l1_load(TensixCore *c, uint32_t address)
{
    tensix_observe_read_l1(c, address, sizeof(uint32_t));
    return l1_word(c, address);
}

static void l1_store(TensixCore *c, uint32_t address, const void *data,
                     uint32_t size)
{
    c->host.l1_write(c->host.opaque, address, data, size);
}

/* --- the address operands of LOADIND and STOREIND, which are alike --- */

static uint16_t get_half(const TensixCore *c, uint32_t thread, uint32_t index)
{
    uint32_t n = index % HALF_GPRS;

    return c->s.gpr[thread][n / 2] >> (n & 1) * 16;
}

static void add_half(TensixCore *c, uint32_t thread, uint32_t index,
                     uint32_t increment)
{
    uint32_t n = index % HALF_GPRS;
    uint32_t *gpr = &c->s.gpr[thread][n / 2];
    uint32_t shift = (n & 1) * 16;
    uint32_t value = (get_half(c, thread, n) + increment) & 0xffff;

    *gpr = (*gpr & ~(0xffffu << shift)) | value << shift;
}

static uint32_t offset_of(const TensixCore *c, const TensixInsn *i)
{
    return get_half(c, i->thread, OPERAND(i, STOREIND, OffsetIndex));
}

static void advance_offset(TensixCore *c, const TensixInsn *i)
{
    static const uint8_t increment[] = { 0, 2, 4, 16 };

    add_half(c, i->thread, OPERAND(i, STOREIND, OffsetIndex),
             increment[OPERAND(i, STOREIND, AutoIncSpec)]);
}

static uint32_t address_gpr(const TensixCore *c, const TensixInsn *i)
{
    return c->s.gpr[i->thread][OPERAND(i, STOREIND, AddrRegIndex)];
}

static uint32_t *data_gpr(TensixCore *c, const TensixInsn *i, bool quad)
{
    uint32_t index = OPERAND(i, STOREIND, DataRegIndex);

    return &c->s.gpr[i->thread][quad ? index & QUAD_MASK : index];
}

/* LOADIND: 8 to 128 bits of L1 to GPRs; what they do not fill stays. */
TensixResult tensix_exec_LOADIND(TensixCore *c, const TensixInsn *i)
{
    uint32_t size = OPERAND(i, LOADIND, SizeSel);
    uint32_t *gpr = data_gpr(c, i, size == SIZE_QUAD);
    uint32_t bytes = size_bytes[size];
    uint32_t address = (address_gpr(c, i) * L1_UNIT + offset_of(c, i)) &
                       ~(bytes - 1);

    if (in_l1(c, i, address, bytes)) {
        advance_offset(c, i);
        tensix_observe_read_l1(c, address, bytes);
        memcpy(gpr, c->host.l1 + address, bytes);
    }
    return TENSIX_DONE;
}

static TensixResult store_l1(TensixCore *c, const TensixInsn *i)
{
    uint32_t size = i->word >> TENSIX_STOREIND_RegSizeSel_LOW & (SIZES - 1);
    const uint32_t *gpr = data_gpr(c, i, size == SIZE_QUAD);
    uint32_t bytes = size_bytes[size];
    uint32_t address = (address_gpr(c, i) * L1_UNIT + offset_of(c, i)) &
                       ~(bytes - 1);

    if (in_l1(c, i, address, bytes)) {
        advance_offset(c, i);
        l1_store(c, address, gpr, bytes);
    }
    return TENSIX_DONE;
}

/* --- registers in the world --- */

static bool mmio_defined(TensixCore *c, const TensixInsn *i, uint32_t address)
{
    if (address >= MMIO_FIRST) {
        return true;
    }
    tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                     "register address 0x%x", (unsigned)address);
    return false;
}

static TensixResult mmio_lacking(TensixCore *c, const TensixInsn *i)
{
    return tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                            "no registers can be reached from here");
}

/* One 32-bit write; TENSIX_RETRY: nothing has happened, ask again. */
static TensixResult mmio_write(TensixCore *c, const TensixInsn *i,
                               uint32_t address, uint32_t value)
{
    if (!mmio_defined(c, i, address)) {
        return TENSIX_DONE;
    }
    if (!c->host.mmio_write) {
        return mmio_lacking(c, i);
    }
    if (c->host.mmio_write(c->host.opaque, i, address, value) == TENSIX_RETRY) {
        return poll_later(c, i, TENSIX_WAIT_MMIO, address);
    }
    return TENSIX_DONE;
}

static TensixResult store_mmio(TensixCore *c, const TensixInsn *i)
{
    uint32_t address = MMIO_BASE +
        ((address_gpr(c, i) + (offset_of(c, i) >> 4)) & MMIO_WINDOW);
    TensixResult result = mmio_write(c, i, address, *data_gpr(c, i, false));

    if (result == TENSIX_DONE) {
        advance_offset(c, i);
    }
    return result;
}

static uint32_t register_address(uint32_t word)
{
    return MMIO_BASE + (TENSIX_FIELD(word, STOREREG, RegAddr) << 2);
}

/* STOREREG: one GPR to a register. */
TensixResult tensix_exec_STOREREG(TensixCore *c, const TensixInsn *i)
{
    uint32_t index = OPERAND(i, STOREREG, TdmaDataRegIndex);

    return mmio_write(c, i, register_address(i->word),
                      c->s.gpr[i->thread][index]);
}

/* LOADREG: a register to one GPR. */
TensixResult tensix_exec_LOADREG(TensixCore *c, const TensixInsn *i)
{
    uint32_t address = register_address(i->word);
    uint32_t *gpr = &c->s.gpr[i->thread][OPERAND(i, LOADREG,
                                                 TdmaDataRegIndex)];
    uint32_t value = 0;

    if (!mmio_defined(c, i, address)) {
        return TENSIX_DONE;
    }
    if (!c->host.mmio_read) {
        return mmio_lacking(c, i);
    }
    if (c->host.mmio_read(c->host.opaque, i, address, &value) == TENSIX_RETRY) {
        return poll_later(c, i, TENSIX_WAIT_MMIO, address);
    }
    *gpr = value;
    return TENSIX_DONE;
}

/* --- STOREIND to SrcA and SrcB --- */

/* Low half: S M7 E8; high half: S E8 M7; both to S M10 E8. */
static uint32_t src_from_low(uint32_t x)
{
    return (x & 0xff00) << 3 | (x & 0xff);
}

static uint32_t src_from_high(uint32_t x)
{
    return (x >> 31) << 18 | (x >> 16 & 0x7f) << 11 | (x >> 23 & 0xff);
}

/* Row of the bank, or -1: nothing is written, reported if undefined. */
static int src_row(TensixCore *c, const TensixInsn *i, uint32_t src,
                   uint32_t address)
{
    bool absolute = src == TENSIX_SRCA &&
                    THREAD_CFG_GET(c, i->thread, SRCA_SET_SetOvrdWithAddr);
    int rows = absolute ? TENSIX_SRC_ROWS : 16;
    int row = (int)(address >> 2) - (src == TENSIX_SRCA ? 4 : 0);

    if (row < 0) {
        return row;
    }
    if (row >= rows || address > 0xffff) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR, "row %d of Src%c",
                         row, src == TENSIX_SRCA ? 'A' : 'B');
        return -1;
    }
    return absolute ? row
                    : (row + (int)c->s.src_row[src][i->thread]) & SRC_ROW_MASK;
}

static TensixResult store_src(TensixCore *c, const TensixInsn *i)
{
    uint32_t src = OPERAND(i, STOREIND, RegSizeSel) ? TENSIX_SRCB : TENSIX_SRCA;
    uint32_t bank = c->s.unpack_bank[src];
    uint32_t address = (address_gpr(c, i) + (offset_of(c, i) >> 4)) & 0xfffff;
    const uint32_t *gpr = data_gpr(c, i, true);
    uint32_t datum[] = { src_from_low(gpr[0]), src_from_high(gpr[0]),
                         src_from_low(gpr[1]), src_from_high(gpr[1]) };
    int row;

    if (!tensix_src_owned_by(c, src, bank, TENSIX_CLIENT_UNPACKERS)) {
        return tensix_retry(c, i, src == TENSIX_SRCA ? TENSIX_WAIT_SRCA_UNPACK
                                                     : TENSIX_WAIT_SRCB_UNPACK,
                            0);
    }
    advance_offset(c, i);
    row = src_row(c, i, src, address);
    if (row >= 0) {
        tensix_observe_write_src(c, src, bank, row, 1);
        memcpy(&tensix_src_to_write(c, src, bank)[row][(address & 3) * 4],
               datum, sizeof(datum));
    }
    return TENSIX_DONE;
}

/* STOREIND: GPRs to L1, to a register, or to SrcA and SrcB. */
TensixResult tensix_exec_STOREIND(TensixCore *c, const TensixInsn *i)
{
    if (OPERAND(i, STOREIND, MemHierSel)) {
        return store_l1(c, i);
    }
    return OPERAND(i, STOREIND, SizeSel) ? store_mmio(c, i) : store_src(c, i);
}

/* --- atomics in L1 --- */

/* Makes a word `after` if it is still `before`; false: it is not. */
static bool l1_replace(TensixCore *c, uint32_t address, uint32_t before,
                       uint32_t after)
{
    if (!c->host.l1_replace) {
        l1_store(c, address, &after, sizeof(after));
        return true;
    }
    return c->host.l1_replace(c->host.opaque, address, before, after);
}

static uint32_t atomic_address(const TensixCore *c, const TensixInsn *i)
{
    return address_gpr(c, i) * L1_UNIT;
}

/* ATINCGET: adds to an integer of 1 to 32 bits, returns what it was. */
TensixResult tensix_exec_ATINCGET(TensixCore *c, const TensixInsn *i)
{
    uint32_t address = atomic_address(c, i) +
                       OPERAND(i, ATINCGET, Sel32b) * sizeof(uint32_t);
    uint32_t width = OPERAND(i, ATINCGET, WrapVal) & 31;
    uint32_t mask = (2u << width) - 1;
    uint32_t *gpr = data_gpr(c, i, false);
    uint32_t before, after;

    if (!in_l1(c, i, address, sizeof(before))) {
        return TENSIX_DONE;
    }
    do {
        before = l1_load(c, address);
        after = ((before + *gpr) & mask) | (before & ~mask);
    } while (!l1_replace(c, address, before, after));
    *gpr = before;
    return TENSIX_DONE;
}

/* May a FIFO with these counters be pushed to, or popped from? */
static bool fifo_ready(uint32_t used, uint32_t width, bool push)
{
    uint32_t capacity = width ? 1u << (width - 1) : 0x8000;

    return push ? !used || used % capacity : used != 0;
}

/* ATINCGETPTR: pushes to or pops from a FIFO of two counters, when it can. */
TensixResult tensix_exec_ATINCGETPTR(TensixCore *c, const TensixInsn *i)
{
    uint32_t address = atomic_address(c, i);
    uint32_t select = OPERAND(i, ATINCGETPTR, Sel32b);
    uint32_t width = OPERAND(i, ATINCGETPTR, WrapVal);
    uint32_t increment = OPERAND(i, ATINCGETPTR, NoIncr)
                         ? 0 : 1u << OPERAND(i, ATINCGETPTR, IncrVal);
    uint32_t mask = (1u << width) - 1;
    uint32_t before, after;

    if (!in_l1(c, i, address, L1_UNIT)) {
        return TENSIX_DONE;
    }
    if (!fifo_ready(l1_load(c, address + 4) - l1_load(c, address), width,
                    select & 1)) {
        return poll_later(c, i, TENSIX_WAIT_L1, address);
    }
    address += select * sizeof(uint32_t);
    before = l1_load(c, address);
    after = ((before + increment) & mask) | (before & ~mask);
    if (!l1_replace(c, address, before, after)) {
        return poll_later(c, i, TENSIX_WAIT_L1, address);
    }
    *data_gpr(c, i, false) = before;
    return TENSIX_DONE;
}

/* The bits of the mask in a word of L1. */
static void l1_insert(TensixCore *c, uint32_t address, uint32_t mask,
                      uint32_t value)
{
    uint32_t before;

    do {
        before = l1_word(c, address);
    } while (!l1_replace(c, address, before,
                         (before & ~mask) | (value & mask)));
}

/* ATSWAP: up to eight halves of 128 bits to L1; without a result. */
TensixResult tensix_exec_ATSWAP(TensixCore *c, const TensixInsn *i)
{
    enum { SINGLE_DATA_REG = 1 << 22, WORDS = L1_UNIT / 4 };
    static const uint32_t masks[] = { 0, 0xffff, 0xffff0000, 0xffffffff };
    uint32_t address = atomic_address(c, i);
    uint32_t index = OPERAND(i, ATSWAP, DataRegIndex);
    const uint32_t *gpr = c->s.gpr[i->thread];
    uint32_t out[WORDS] = { 0 };

    if (!in_l1(c, i, address, sizeof(out))) {
        return TENSIX_DONE;
    }
    if (i->word & SINGLE_DATA_REG) {
        out[index & 3] = gpr[index];
    } else {
        memcpy(out, &gpr[index & QUAD_MASK], sizeof(out));
    }
    for (unsigned n = 0; n < WORDS; n++) {
        uint32_t halves = OPERAND(i, ATSWAP, SwapMask) >> n * 2 & 3;

        if (halves) {
            l1_insert(c, address + n * 4, masks[halves], out[n]);
        }
    }
    return TENSIX_DONE;
}

/* ATCAS: waits until a word is CmpVal, then makes it SwapVal. */
TensixResult tensix_exec_ATCAS(TensixCore *c, const TensixInsn *i)
{
    uint32_t address = atomic_address(c, i) +
                       OPERAND(i, ATCAS, Sel32b) * sizeof(uint32_t);
    uint32_t value = OPERAND(i, ATCAS, SwapVal) & 0xf;

    if (!in_l1(c, i, address, sizeof(value))) {
        return TENSIX_DONE;
    }
    if (l1_load(c, address) != OPERAND(i, ATCAS, CmpVal) ||
        !l1_replace(c, address, OPERAND(i, ATCAS, CmpVal), value)) {
        return poll_later(c, i, TENSIX_WAIT_L1, address);
    }
    return TENSIX_DONE;
}

/* --- REG2FLOP --- */

enum { TO_ADC = 2, OTHER_THREAD = 1 };  /* bits of TargetSel */

/* ThCon configuration: one word, or four aligned ones. */
static TensixResult flop_config(TensixCore *c, const TensixInsn *i)
{
    enum { WORDS = TENSIX_CFG_GLOBAL_BASE - TENSIX_CFG_THCON_BASE };
    bool quad = OPERAND(i, REG2FLOP, SizeSel) == SIZE_QUAD;
    uint32_t index = OPERAND(i, REG2FLOP, FlopIndex);
    uint32_t reg = OPERAND(i, REG2FLOP, RegIndex);
    uint32_t bank = tensix_cfg_bank(c, i->thread);

    if (index >= WORDS) {
        return tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                                "ThCon configuration has %u words, no %u",
                                (unsigned)WORDS, (unsigned)index);
    }
    index = quad ? index & ~3u : index;
    reg = quad ? reg & QUAD_MASK : reg;
    for (uint32_t n = 0; n < (quad ? 4u : 1u); n++) {
        tensix_cfg_store(c, bank, TENSIX_CFG_THCON_BASE + index + n,
                         c->s.gpr[i->thread][reg + n], UINT32_MAX);
    }
    return TENSIX_DONE;
}

/* 8, 16 or 32 bits of the GPR; combinations without meaning give 0. */
static uint32_t flop_value(TensixCore *c, const TensixInsn *i)
{
    uint32_t value = c->s.gpr[i->thread][OPERAND(i, REG2FLOP, RegIndex)];
    uint32_t shift = OPERAND(i, REG2FLOP, ByteOffset);

    switch (OPERAND(i, REG2FLOP, SizeSel)) {
    case SIZE_WORD:
        return shift ? 0 : value;
    case SIZE_HALF:
        return shift & 1 ? 0 : value >> shift * 8 & 0xffff;
    case SIZE_BYTE:
        return value >> shift * 8 & 0xff;
    default:
        return 0;
    }
}

static TensixResult flop_adc(TensixCore *c, const TensixInsn *i)
{
    /* FlopIndex: XYZW [1:0], Cr [2], ADCSel [4:3], Channel [5] */
    uint32_t index = OPERAND(i, REG2FLOP, FlopIndex);
    uint32_t adc = index >> 3 & 3, dimension = index & 3;
    uint32_t thread = OPERAND(i, REG2FLOP, TargetSel) & OTHER_THREAD
                      ? OPERAND(i, REG2FLOP, ContextId_2) : i->thread;
    TensixAdcChannel *ch;

    if (thread >= TENSIX_THREADS || adc >= TENSIX_ADCS) {
        return TENSIX_DONE;        /* no such counters: no effect */
    }
    ch = &c->s.adc[thread][adc].channel[index >> 5 & 1];
    *(uint32_t *const[]) { &ch->X, &ch->Y, &ch->Z, &ch->W, &ch->X_Cr,
                           &ch->Y_Cr, &ch->Z_Cr, &ch->W_Cr }[index & 7] =
        flop_value(c, i) & (dimension ? ADC_YZW_MASK : ADC_X_MASK);
    return TENSIX_DONE;
}

/* REG2FLOP: a GPR to an address counter or to ThCon configuration. */
TensixResult tensix_exec_REG2FLOP(TensixCore *c, const TensixInsn *i)
{
    return OPERAND(i, REG2FLOP, TargetSel) & TO_ADC ? flop_adc(c, i)
                                                    : flop_config(c, i);
}
