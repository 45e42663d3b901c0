/*
 * Races: reports.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/conditions.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

/* --- places --- */

uint32_t race_place(TensixRaces *r, const TensixActor *by)
{
    return tensix_actors_add(r->places, by);
}

static const TensixActor *actor_at(const TensixRaces *r, uint32_t place)
{
    return tensix_actors_get(r->places, place);
}

void race_places_finish(TensixRaces *r)
{
    g_clear_pointer(&r->reported, g_hash_table_destroy);
    g_clear_pointer(&r->places, tensix_actors_free);
}

void race_places_restart(TensixRaces *r)
{
    race_places_finish(r);
    r->places = tensix_actors_new();
    r->reported = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                        NULL);
}

/* --- cells --- */

static void append_range(GString *text, const char *one, const char *many,
                         uint32_t first, uint32_t last)
{
    if (first == last) {
        g_string_append_printf(text, "%s %u", one, first);
    } else {
        g_string_append_printf(text, "%s %u to %u", many, first, last);
    }
}

static void append_field(GString *text, uint32_t word, uint32_t bit)
{
    for (unsigned n = 0; n < tensix_cfg_table.field_count; n++) {
        const TensixCfgField *f = &tensix_cfg_table.fields[n];

        if (f->word == word && bit >= f->low && bit < f->low + f->width) {
            g_string_append(text, f->name);
            return;
        }
    }
    g_string_append_printf(text, "word %u", word);
}

static void append_cells(GString *text, const RaceFinding *f)
{
    uint32_t first = f->first, last = f->last, cell = first / RACE_WORD_BITS;

    switch (f->space) {
    case TENSIX_SPACE_DST:
        append_range(text, "row", "rows", first, last);
        g_string_append(text, " of Dest");
        break;
    case TENSIX_SPACE_SRCA:
    case TENSIX_SPACE_SRCB:
        append_range(text, "row", "rows", first % TENSIX_SRC_ROWS,
                     last % TENSIX_SRC_ROWS);
        g_string_append_printf(text, " of Src%c bank %u",
                               f->space == TENSIX_SPACE_SRCA ? 'A' : 'B',
                               first / TENSIX_SRC_ROWS);
        break;
    case TENSIX_SPACE_LREG:
        append_range(text, "LReg", "LRegs", first, last);
        break;
    case TENSIX_SPACE_GPR:
        append_range(text, "GPR", "GPRs", first % TENSIX_GPRS,
                     last % TENSIX_GPRS);
        g_string_append_printf(text, " of thread %u", first / TENSIX_GPRS);
        break;
    case TENSIX_SPACE_CONFIG:
        g_string_append(text, "configuration ");
        append_field(text, cell % TENSIX_CFG_WORDS, first % RACE_WORD_BITS);
        g_string_append_printf(text, " (bank %u, word %u)",
                               cell / TENSIX_CFG_WORDS,
                               cell % TENSIX_CFG_WORDS);
        break;
    case RACE_SPACE_MOP:
        append_range(text, "word", "words", first, last);
        g_string_append(text, " of MopCfg");
        break;
    default:
        g_string_append_printf(text, "L1 at 0x%x", first);
        break;
    }
}

/* --- findings --- */

void race_found(RaceOp *op, const RaceAccess *other, uint32_t space,
                uint32_t index, bool other_writes, bool writes)
{
    for (unsigned n = 0; n < op->findings; n++) {
        RaceFinding *f = &op->finding[n];

        if (f->other.place == other->place && f->space == space &&
            f->writes == writes && f->other_writes == other_writes) {
            f->first = MIN(f->first, index);
            f->last = MAX(f->last, index);
            return;
        }
    }
    if (op->findings < RACE_FINDINGS) {
        op->finding[op->findings++] = (RaceFinding) {
            .other = *other, .space = space, .first = index, .last = index,
            .other_writes = other_writes, .writes = writes,
        };
    }
}

/* What the other's chain needs; the last row that begins at it or before. */
static const char *missing_of_chain(uint32_t chain)
{
    static const struct {
        uint32_t first;
        const char *text;
    } rows[] = {
        { RACE_HART, "a push, mail, semaphore or flag after it" },
        { RACE_GPR_STORE, "condition C10 (TRISC_CFG), or a load from there "
                          "after the store" },
        { RACE_NOC, "a load of the NIU's counters" },
        { RACE_REMOTE, "a load by a hart of a flag written after it" },
        { RACE_TDMA, "a load by a hart of what the command writes" },
    };
    unsigned n = ARRAY_SIZE(rows) - 1;

    while (chain < rows[n].first) {
        n--;
    }
    return rows[n].text;
}

/*
 * Does the Matrix Unit access its own bank, and what an unpacker filled may be
 * on its way there?  Hardware holds back those instructions only that read the
 * bank (races_banks.c); a wait of the unpacker's thread would not order this.
 */
static bool is_given_bank(const TensixRaces *r, const RaceOp *op,
                          const RaceFinding *f)
{
    uint32_t src = f->space == TENSIX_SPACE_SRCA ? TENSIX_SRCA : TENSIX_SRCB;

    return (f->space == TENSIX_SPACE_SRCA || f->space == TENSIX_SPACE_SRCB) &&
           op->access.unit == RACE_MATRIX &&
           (f->other.unit == RACE_UNPACK0 || f->other.unit == RACE_UNPACK1) &&
           f->first / TENSIX_SRC_ROWS == r->banks[src].matrix_bank;
}

static void append_bank_wait(GString *text, const RaceOp *op,
                             const RaceFinding *f)
{
    bool is_a = f->space == TENSIX_SPACE_SRCA;

    g_string_append_printf(text, "a wait of thread %u for both C4 (MATH) and "
                           "C%u (SRC%c_VLD), which alone may still hold for "
                           "the bank before", op->access.thread,
                           is_a ? 7 : 8, is_a ? 'A' : 'B');
}

/* What would have ordered them, by the field's name for it. */
static void append_missing(TensixRaces *r, GString *text, const RaceOp *op,
                           const RaceFinding *f)
{
    static const char *const waits[RACE_UNITS] = {
        [RACE_SCALAR] = "condition C0 (THCON)",
        [RACE_UNPACK0] = "condition C1 (UNPACK0)",
        [RACE_UNPACK1] = "condition C2 (UNPACK1)",
        [RACE_PACK] = "condition C3 (PACK)",
        [RACE_MATRIX] = "condition C4 (MATH)",
        [RACE_VECTOR] = "condition C11 (WAIT_SFPU)",
        [RACE_CONFIG] = "condition C12 (CFGEXU)",
        [RACE_MOVER] = "condition C9 (XMOV)",
        [RACE_EXPONENTS] = "conditions C3 and C0 (PACK, THCON): exponents of a "
                           "BFP format are read for longer than C3 holds "
                           "(tt-metal PR 54157)",
    };
    const RaceAccess *other = &f->other;

    if (f->space == RACE_SPACE_MOP) {
        g_string_append(text, "a load of MOPExpanderDoneCheck (mop_sync) before "
                        "the store");
    } else if (is_given_bank(r, op, f)) {
        append_bank_wait(text, op, f);
    } else if (other->unit < RACE_UNITS) {
        g_string_append_printf(text, "a wait of thread %u for %s",
                               other->thread, waits[other->unit]);
    } else if (other->issue) {
        g_string_append_printf(text, "a release by thread %u after it",
                               other->thread);
    } else {
        g_string_append(text, missing_of_chain(other->chain));
    }
}

/* The names of a mask's bits, from bit 0 on. */
static void append_mask(GString *text, uint32_t mask,
                        const char *const *names, unsigned count)
{
    const char *between = "";

    for (unsigned bit = 0; bit < count; bit++) {
        if (mask >> bit & 1) {
            g_string_append_printf(text, "%s%s", between, names[bit]);
            between = ", ";
        }
    }
}

/* What STALLWAIT or SEMWAIT blocks; both have that field in the same bits. */
static void append_blocked(GString *text, uint32_t word)
{
    static const char *const units[] = {
        "TDMA", "SYNC", "PACK", "UNPACK", "XMOV", "THCON", "MATH", "CFG",
        "SFPU",
    };

    QEMU_BUILD_BUG_ON((int)TENSIX_STALLWAIT_stall_res_LOW !=
                      (int)TENSIX_SEMWAIT_stall_res_LOW);
    g_string_append(text, ": blocks ");
    append_mask(text, TENSIX_FIELD(word, STALLWAIT, stall_res) ?: DEFAULT_BLOCK,
                units, ARRAY_SIZE(units));
}

/* A wait's masks as words: LLK's names, but for the prefix STALL_. */
static void append_wait(GString *text, uint32_t word)
{
    static const char *const conditions[] = {
        "THCON", "UNPACK0", "UNPACK1", "PACK", "MATH", "SRCA_CLR", "SRCB_CLR",
        "SRCA_VLD", "SRCB_VLD", "XMOV", "TRISC_CFG", "WAIT_SFPU", "CFGEXU",
    };
    static const char *const states[] = { "0", "at its maximum" };
    static const char *const numbers[] = {
        "0", "1", "2", "3", "4", "5", "6", "7",
    };

    switch (tensix_latch_of(word >> 24)) {
    case TENSIX_LATCH_CONDITIONS:
        append_blocked(text, word);
        g_string_append(text, " until ");
        append_mask(text, TENSIX_FIELD(word, STALLWAIT, wait_res)
                    ?: DEFAULT_CONDITIONS, conditions, ARRAY_SIZE(conditions));
        break;
    case TENSIX_LATCH_SEMAPHORES:
        append_blocked(text, word);
        g_string_append(text, " while semaphore ");
        append_mask(text, TENSIX_FIELD(word, SEMWAIT, sem_sel), numbers,
                    ARRAY_SIZE(numbers));
        g_string_append(text, " is ");
        append_mask(text, TENSIX_FIELD(word, SEMWAIT, wait_sem_cond), states,
                    ARRAY_SIZE(states));
        break;
    default:
        break;
    }
}

/* SEMINIT before the access, as of a kernel's beginning, cannot order the two. */
static bool may_order(const TensixActor *release, const TensixActor *access)
{
    return tensix_traits_of(release->word)->sync != SYNC_SEMINIT ||
           release->event > access->event;
}

/* The latest wait of the one, and the latest release of the other. */
static void append_known(TensixRaces *r, GString *text, const RaceOp *op,
                         const RaceAccess *other)
{
    uint32_t waited = op->insn ? r->thread[op->access.thread].waited : 0;
    uint32_t released = other->issue ? r->thread[other->thread].released : 0;

    if (waited) {
        g_string_append(text, "; its latest wait is ");
        tensix_actor_text(actor_at(r, waited), text);
        append_wait(text, actor_at(r, waited)->word);
    }
    if (released && other->thread != op->access.thread &&
        may_order(actor_at(r, released), actor_at(r, other->place))) {
        g_string_append(text, "; the other's latest release is ");
        tensix_actor_text(actor_at(r, released), text);
    }
}

/* Two loops make as many pairs as the product of their instructions. */
static bool is_new(TensixRaces *r, const RaceOp *op, const RaceFinding *f)
{
    enum { MOST_PAIRS = 1 << 12 };
    gint64 *pair = g_new(gint64, 1);

    if (g_hash_table_size(r->reported) >= MOST_PAIRS) {
        g_hash_table_remove_all(r->reported);
    }
    *pair = (gint64)op->access.place << 32 | f->other.place;
    return g_hash_table_add(r->reported, pair);
}

static void report(TensixRaces *r, const RaceOp *op, const RaceFinding *f)
{
    g_autoptr(GString) text = g_string_new(f->writes ? "writes " : "reads ");

    append_cells(text, f);
    g_string_append(text, f->other_writes ? ", which may still be written by "
                                          : ", which may still be read by ");
    tensix_actor_text(actor_at(r, f->other.place), text);
    g_string_append(text, ": nothing orders the two; missing: ");
    append_missing(r, text, op, f);
    append_known(r, text, op, &f->other);
    tensix_report_by(r->reporter, op->by, TENSIX_RACE, "%s", text->str);
}

void race_report(TensixRaces *r, const RaceOp *op)
{
    for (unsigned n = 0; n < op->findings; n++) {
        if (is_new(r, op, &op->finding[n])) {
            report(r, op, &op->finding[n]);
        }
    }
}
