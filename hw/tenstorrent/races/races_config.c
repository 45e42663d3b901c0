/*
 * Races: configuration.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH BackendConfiguration.md, ConfigurationUnit.md, PACR.md.  Which units use a
 * word, and whether they latch it, is core/config/config_users.c.  A unit's
 * instruction uses all words of its bank that are its unit's, so what reads a
 * word is the last instruction of each user.  A write that changes nothing races
 * with nobody, for no order of it with others makes a difference.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/config/config.h"
#include "hw/tenstorrent/core/config/config_users.h"
#include "hw/tenstorrent/core/decode/decode.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

enum { BYTES = 4, BYTE_BITS = 8 };

static const uint8_t user_of_unit[RACE_UNITS] = {
    [RACE_UNPACK0] = TENSIX_USES_UNPACK0, [RACE_UNPACK1] = TENSIX_USES_UNPACK1,
    [RACE_PACK] = TENSIX_USES_PACK, [RACE_MATRIX] = TENSIX_USES_MATRIX,
    [RACE_VECTOR] = TENSIX_USES_VECTOR, [RACE_MOVER] = TENSIX_USES_MOVER,
};

/* --- words of one context of an unpacker --- */

/* Contexts, a bit each, whose UNPACRs read this byte of the word. */
static uint32_t contexts_of(uint32_t word, uint32_t byte)
{
    enum { ALL = 0xff, EVERY_FOURTH = 0x11 };
    static const struct {
        uint16_t first, last;
        bool halves;               /* two contexts a word */
        bool four;                 /* contexts 4 to 7 read the words of 0 to 3 */
    } tables[] = {
        { CFG_THCON_SEC0_REG3_Base_address_WORD,
          CFG_THCON_SEC0_REG3_Base_address_WORD + RACE_CONTEXTS - 1 },
        { CFG_THCON_SEC1_REG3_Base_address_WORD,
          CFG_THCON_SEC1_REG3_Base_address_WORD + 3 },
        { CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD,
          CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD + 1, true, true },
        { CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD,
          CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD + 1, true, true },
        { CFG_THCON_SEC0_REG7_Offset_address_WORD,
          CFG_THCON_SEC0_REG7_Offset_address_WORD + 3, false, true },
        { CFG_THCON_SEC1_REG7_Offset_address_WORD,
          CFG_THCON_SEC1_REG7_Offset_address_WORD + 3, false, true },
    };

    for (unsigned n = 0; n < ARRAY_SIZE(tables); n++) {
        uint32_t context = word - tables[n].first;

        if (word < tables[n].first || word > tables[n].last) {
            continue;
        }
        context = tables[n].halves ? context * 2 + byte / 2 : context;
        return (tables[n].four ? EVERY_FOURTH : 1) << context & ALL;
    }
    return ALL;
}

/* UNPACR's context, by the counters before it.  (WH UNPACR_Regular.md) */
static uint32_t context_of(const TensixRaces *r, const RaceOp *op)
{
    uint32_t word = op->insn->word;
    uint32_t unpacker = TENSIX_FIELD(word, UNPACR, Unpack_block_selection);
    const uint16_t *config = r->state->thread_cfg[op->access.thread];
    uint32_t offset =
        config[THREAD_CFG_UNPACK_MISC_CFG_CfgContextOffset_0_INDEX] >>
        (unpacker ? THREAD_CFG_UNPACK_MISC_CFG_CfgContextOffset_1_LOW
                  : THREAD_CFG_UNPACK_MISC_CFG_CfgContextOffset_0_LOW) & 0xf;

    if (word >> 24 != TENSIX_OP_UNPACR ||
        !TENSIX_FIELD(word, UNPACR, OvrdThreadId)) {
        return 0;
    }
    return ((TENSIX_FIELD(word, UNPACR, AutoIncContextID)
                 ? r->context[op->access.thread][unpacker]
                 : TENSIX_FIELD(word, UNPACR, CfgContextId)) + offset) %
           RACE_CONTEXTS;
}

/* The first of these bits, as findings name it. */
static uint32_t bit_index(uint32_t cell, uint32_t byte, uint32_t bits)
{
    return cell * RACE_WORD_BITS + byte * BYTE_BITS + ctz32(bits);
}

/* --- reads --- */

/*
 * Bits of the word that the instruction does not read although its unit does:
 * formats of SrcA and SrcB that the banks imply (WH SrcASrcB.md), and the Vector
 * Unit's unless the format is SrcB's (BH SFPLOAD.md).
 */
static uint32_t ignored_bits(const TensixRaces *r, const RaceOp *op,
                             uint32_t word)
{
    enum { SRCA_FORMAT = 0xf << 17, SRCB_FORMAT = 0xf << 21 };
    const uint16_t *config = r->state->thread_cfg[op->access.thread];
    uint32_t bits = 0;

    if (op->access.unit == RACE_VECTOR && word <= 1) {
        return TENSIX_FIELD(op->insn->word, SFPLOAD, instr_mod0) ? UINT32_MAX : 0;
    }
    if (op->access.unit == RACE_MATRIX && word <= 1) {
        if (!config[THREAD_CFG_DISABLE_IMPLIED_SRCA_FMT_Base_INDEX]) {
            bits |= word ? SRCA_FORMAT : 0x1f;
        }
        if (!config[THREAD_CFG_DISABLE_IMPLIED_SRCB_FMT_Base_INDEX]) {
            bits |= word ? SRCB_FORMAT : 0x3e0;
        }
    }
    return bits;
}

static bool reads_byte(const TensixRaces *r, const RaceOp *op, uint32_t word,
                       uint32_t byte, uint32_t changed)
{
    bool unpacks = op->access.unit == RACE_UNPACK0 ||
                   op->access.unit == RACE_UNPACK1;
    uint32_t bits = changed << byte * BYTE_BITS & ~ignored_bits(r, op, word);

    return tensix_config_users(word, bits) & user_of_unit[op->access.unit] &&
           (!unpacks ||
            contexts_of(word, byte) >> context_of(r, op) & 1);
}

/* False: the instruction does not read what was written of the word. */
static bool read_word(TensixRaces *r, RaceOp *op, uint32_t cell)
{
    uint32_t word = cell % TENSIX_CFG_WORDS;
    bool reads = false;

    for (uint32_t n = 0; n < BYTES; n++) {
        const RaceByte *byte = &r->config[cell][n];

        if (!byte->write.place ||
            !reads_byte(r, op, word, n, byte->changed)) {
            continue;
        }
        reads = true;
        if (!race_is_ordered(op, &byte->write) &&
            !(byte->equal.place && race_is_ordered(op, &byte->equal))) {
            race_found(op, &byte->write, TENSIX_SPACE_CONFIG,
                       bit_index(cell, n, byte->changed), true, false);
        }
    }
    return reads;
}

/* Words that were written since this unit has last worked for this thread. */
static void read_words(TensixRaces *r, RaceOp *op)
{
    RaceThread *t = &r->thread[op->access.thread];
    uint64_t *pending = t->pending[op->access.unit];
    uint32_t bank = r->state->thread_cfg[op->access.thread]
                        [THREAD_CFG_CFG_STATE_ID_StateID_INDEX] & 1;
    uint32_t first = bank * TENSIX_CFG_WORDS;
    uint32_t end = first + TENSIX_CFG_WORDS;

    for (uint32_t n = tensix_next_cell(pending, first, end); n < end;
         n = tensix_next_cell(pending, n + 1, end)) {
        if (read_word(r, op, n)) {
            pending[n / 64] &= ~(1ull << n % 64);
        }
    }
    t->last[op->access.unit][context_of(r, op)] = op->access;
}

/* --- writes --- */

/* Bits of the word that it writes: RMWCIB leaves the others to others. */
static uint32_t written_bits(const RaceOp *op)
{
    const TensixTraits *t = op->insn ? tensix_traits_of(op->insn->word) : NULL;

    return t && t->config == CONFIG_USE_BYTE
           ? (uint32_t)TENSIX_FIELD(op->insn->word, RMWCIB0, Mask)
                 << t->config_byte * BYTE_BITS
           : UINT32_MAX;
}

/* Instructions of one unit, of all threads, that use what is changed. */
static void change_under(TensixRaces *r, RaceOp *op, uint32_t cell,
                         uint32_t byte, uint32_t bits, RaceUnit unit)
{
    uint32_t word = cell % TENSIX_CFG_WORDS;
    bool latched = tensix_config_latched(word, bits, user_of_unit[unit]);

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        for (uint32_t context = 0; context < RACE_CONTEXTS; context++) {
            const RaceAccess *last = &r->thread[t].last[unit][context];

            if (last->place && contexts_of(word, byte) >> context & 1 &&
                !race_is_ordered(op, last) &&
                !(latched && race_has_issued(last, &op->clock))) {
                race_found(op, last, TENSIX_SPACE_CONFIG,
                           cell * RACE_WORD_BITS + ctz32(bits), false, true);
            }
        }
        r->thread[t].pending[unit][cell / 64] |= 1ull << cell % 64;
    }
}

static void change_byte(TensixRaces *r, RaceOp *op, uint32_t cell,
                        uint32_t byte, uint8_t changed, uint8_t written)
{
    RaceByte *b = &r->config[cell][byte];
    uint32_t bits = changed << byte * BYTE_BITS;
    uint32_t users = tensix_config_users(cell % TENSIX_CFG_WORDS, bits);

    if (b->written & written && !race_is_ordered(op, &b->write)) {
        race_found(op, &b->write, TENSIX_SPACE_CONFIG,
                   bit_index(cell, byte, changed), true, true);
    }
    if (b->equal_written & written && !race_is_ordered(op, &b->equal)) {
        race_found(op, &b->equal, TENSIX_SPACE_CONFIG,
                   bit_index(cell, byte, changed), true, true);
    }
    for (RaceUnit unit = 0; unit < RACE_UNITS; unit++) {
        if (users & user_of_unit[unit]) {
            change_under(r, op, cell, byte, bits, unit);
        }
    }
    *b = (RaceByte) { .write = op->access, .changed = changed,
                      .written = written };
}

static void write_word(TensixRaces *r, RaceOp *op, uint32_t cell)
{
    uint32_t value = r->state->cfg[cell / TENSIX_CFG_WORDS]
                                  [cell % TENSIX_CFG_WORDS];
    uint32_t changed = value ^ r->config_value[cell];

    for (uint32_t n = 0; n < BYTES; n++) {
        RaceByte *byte = &r->config[cell][n];
        uint8_t bits = changed >> n * BYTE_BITS;
        uint8_t written = written_bits(op) >> n * BYTE_BITS;

        if (bits) {
            change_byte(r, op, cell, n, bits, written);
        } else if (written) {
            byte->equal = op->access;
            byte->equal_written = written;
        }
    }
    r->config_value[cell] = value;
}

/* A hart's store to configuration is processed some time after it. */
static void as_store(TensixRaces *r, RaceOp *op)
{
    uint32_t hart = op->by->hart;

    op->access.chain = RACE_CONFIG_STORE + hart;
    op->access.count = ++r->hart[hart].config_stores;
}

static void write_words(TensixRaces *r, const RaceOp *op,
                        const TensixExecuted *e)
{
    uint32_t first = tensix_first_cell(TENSIX_SPACE_CONFIG);
    uint32_t end = first + RACE_CONFIG_CELLS;
    uint32_t n = tensix_next_cell(e->written, first, end);
    RaceOp write = *op;

    if (n < end && !op->insn) {
        as_store(r, &write);
    }
    for (; n < end; n = tensix_next_cell(e->written, n + 1, end)) {
        write_word(r, &write, n - first);
    }
    race_report(r, &write);
}

void race_config(TensixRaces *r, RaceOp *op, const TensixExecuted *e)
{
    write_words(r, op, e);
    if (op->insn && op->access.unit < RACE_UNITS &&
        tensix_config_user(op->insn->word)) {
        read_words(r, op);
    }
    memcpy(r->context, r->state->unpack_context, sizeof(r->context));
}

void race_config_restart(TensixRaces *r)
{
    memset(r->config, 0, sizeof(r->config));
    memcpy(r->config_value, r->state->cfg, sizeof(r->config_value));
    memcpy(r->context, r->state->unpack_context, sizeof(r->context));
}
