/*
 * Races: what a hart knows of a value that it has loaded, by its branches.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart that resumes once a semaphore is below 2 has seen 0 in this run, perhaps,
 * but in another it resumes with 1: only what all values have in common that
 * lead it the same way is ordered, whatever the schedule.  So the instructions
 * after the load are executed for every value that it could have had.  What
 * they do with it beyond those that are known here uses the value itself.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "races_internal.h"

enum {
    INSNS = 8,                     /* after the load, at most */
    REGISTERS = 32,
    VALUES = TENSIX_SEMAPHORE_LIMIT + 1,
    LOAD = 0x03, OP_IMM = 0x13, BRANCH = 0x63, OPCODE = 0x7f,
};

/* A hart in as many copies as there are values. */
typedef struct Poll {
    TensixCopState *cop;
    uint32_t pc, value;
    uint32_t same;                 /* values that have led it the same way */
    bool branched;
    uint32_t x[REGISTERS][VALUES];
} Poll;

static uint32_t rd(uint32_t insn)
{
    return extract32(insn, 7, 5);
}

static uint32_t rs1(uint32_t insn)
{
    return extract32(insn, 15, 5);
}

static uint32_t rs2(uint32_t insn)
{
    return extract32(insn, 20, 5);
}

static uint32_t funct3(uint32_t insn)
{
    return extract32(insn, 12, 3);
}

/* False: not one of those that compilers put between a load and its branch. */
static bool operate(uint32_t insn, uint32_t x, uint32_t *result)
{
    enum { ADDI = 0, SLTIU = 3, XORI = 4, ORI = 6, ANDI = 7 };
    uint32_t imm = (int32_t)insn >> 20;

    switch (funct3(insn)) {
    case ADDI:
        *result = x + imm;
        return true;
    case SLTIU:
        *result = x < imm;
        return true;
    case XORI:
        *result = x ^ imm;
        return true;
    case ORI:
        *result = x | imm;
        return true;
    case ANDI:
        *result = x & imm;
        return true;
    default:
        return false;
    }
}

static bool operate_all(Poll *p, uint32_t insn)
{
    uint32_t result;

    for (unsigned v = 0; v < VALUES; v++) {
        if (!operate(insn, p->x[rs1(insn)][v], &result)) {
            return false;
        }
        p->x[rd(insn)][v] = rd(insn) ? result : 0;
    }
    p->pc += 4;
    return true;
}

static bool is_taken(uint32_t insn, uint32_t a, uint32_t b)
{
    enum { NE = 1 << 0, LESS = 1 << 2, UNSIGNED = 1 << 1 };
    uint32_t how = funct3(insn);
    bool less = how & UNSIGNED ? a < b : (int32_t)a < (int32_t)b;

    return (how & LESS ? less : a == b) ^ (how & NE);
}

static int32_t branch_offset(uint32_t insn)
{
    return ((int32_t)insn >> 31) * 4096 + extract32(insn, 7, 1) * 2048 +
           extract32(insn, 25, 6) * 32 + extract32(insn, 8, 4) * 2;
}

static void branch(Poll *p, uint32_t insn)
{
    uint32_t taken = 0;
    bool now;

    for (unsigned v = 0; v < VALUES; v++) {
        taken |= (uint32_t)is_taken(insn, p->x[rs1(insn)][v],
                                    p->x[rs2(insn)][v]) << v;
    }
    now = taken >> p->value & 1;
    p->same &= now ? taken : ~taken;
    p->pc += now ? branch_offset(insn) : 4;
    p->branched = true;
}

static bool step(Poll *p)
{
    uint32_t insn = tensix_l1_code(p->cop, p->pc);

    switch (insn & OPCODE) {
    case OP_IMM:
        return operate_all(p, insn);
    case BRANCH:
        branch(p, insn);
        return true;
    default:
        return false;
    }
}

static bool load(Poll *p)
{
    uint32_t insn = tensix_l1_code(p->cop, p->pc);

    for (unsigned v = 0; v < VALUES && rd(insn); v++) {
        p->x[rd(insn)][v] = v;
    }
    p->pc += 4;
    return (insn & OPCODE) == LOAD;
}

RaceRange race_poll_range(TensixRaces *r, const TensixActor *by, uint32_t value)
{
    const TensixHart *hart = tensix_cop_hart(r->cop, by->hart);
    Poll p = {
        .cop = r->cop, .pc = by->pc, .value = value,
        .same = MAKE_64BIT_MASK(0, VALUES),
    };

    for (unsigned n = 0; n < REGISTERS * VALUES; n++) {
        p.x[n / VALUES][n % VALUES] = tensix_hart_debug_gpr(hart, n / VALUES);
    }
    if (value < VALUES && load(&p)) {
        for (unsigned n = 0; n < INSNS && step(&p); n++) {
            continue;
        }
    }
    if (!p.branched) {
        return (RaceRange) { value, value };
    }
    return (RaceRange) { ctz32(p.same), 31 - clz32(p.same) };
}
