/*
 * Races: configuration.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH BackendConfiguration.md, ConfigurationUnit.md, PACR.md.  Which units use a
 * word, and whether they latch it, is core/config/config_users.c.  A unit's
 * instruction uses all words of its bank that are its unit's, so what reads a
 * word is the last instruction of each user.  A write that changes nothing races
 * with none, for no order of it with others makes a difference.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/config/cfg_names.h"
#include "hw/tenstorrent/core/config/config_users.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

enum { BYTES = 4, BYTE_BITS = 8 };

static const uint8_t user_of_unit[RACE_UNITS] = {
    [RACE_UNPACK0] = TENSIX_USES_UNPACK0, [RACE_UNPACK1] = TENSIX_USES_UNPACK1,
    [RACE_PACK] = TENSIX_USES_PACK, [RACE_MATRIX] = TENSIX_USES_MATRIX,
    [RACE_VECTOR] = TENSIX_USES_VECTOR, [RACE_MOVER] = TENSIX_USES_MOVER,
};

/* --- words of one context of an unpacker --- */

static const struct {
    uint16_t first, last;          /* words */
    bool halves;                   /* two contexts a word */
    bool four;                     /* contexts 4 to 7 read those of 0 to 3 */
} context_words[] = {
    { CFG_THCON_SEC0_REG3_Base_address_WORD,
      CFG_THCON_SEC0_REG3_Base_address_WORD + RACE_UNPACR_NOP - 1 },
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

/* What UNPACR_NOP clears to, and the format that it implies. */
static bool unpacr_nop_reads(uint32_t word)
{
    return word == CFG_UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val_WORD ||
           word == CFG_UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val_WORD ||
           word == CFG_THCON_SEC0_REG2_Out_data_format_WORD ||
           word == CFG_THCON_SEC1_REG2_Out_data_format_WORD;
}

/* Contexts, a bit each, whose UNPACRs read this byte of the word. */
static uint32_t contexts_of(uint32_t word, uint32_t byte)
{
    enum { ALL = 0xff, EVERY_FOURTH = 0x11 };

    if (unpacr_nop_reads(word)) {
        return ALL | 1 << RACE_UNPACR_NOP;
    }
    for (unsigned n = 0; n < ARRAY_SIZE(context_words); n++) {
        uint32_t context = word - context_words[n].first;

        if (word < context_words[n].first || word > context_words[n].last) {
            continue;
        }
        context = context_words[n].halves ? context * 2 + byte / 2 : context;
        return (context_words[n].four ? EVERY_FOURTH : 1) << context & ALL;
    }
    return ALL;
}

/*
 * UNPACR's context, by the counters before it, or that it is UNPACR_NOP.
 * (WH UNPACR_Regular.md)
 */
static uint32_t context_of(const TensixRaces *r, const RaceOp *op)
{
    uint32_t word = op->insn->word;
    uint32_t unpacker = TENSIX_FIELD(word, UNPACR, Unpack_block_selection);
    const uint16_t *config = r->state->thread_cfg[op->access.thread];
    uint32_t offset =
        config[THREAD_CFG_UNPACK_MISC_CFG_CfgContextOffset_0_INDEX] >>
        (unpacker ? THREAD_CFG_UNPACK_MISC_CFG_CfgContextOffset_1_LOW
                  : THREAD_CFG_UNPACK_MISC_CFG_CfgContextOffset_0_LOW) & 0xf;

    if (tensix_traits_of(word)->banks_over == BANKS_UNPACR_NOP) {
        return RACE_UNPACR_NOP;
    }
    if (tensix_traits_of(word)->banks_over != BANKS_UNPACR ||
        !TENSIX_FIELD(word, UNPACR, OvrdThreadId)) {
        return 0;
    }
    return ((TENSIX_FIELD(word, UNPACR, AutoIncContextID)
                 ? r->context[op->access.thread][unpacker]
                 : TENSIX_FIELD(word, UNPACR, CfgContextId)) + offset) %
           RACE_UNPACR_NOP;
}

/* The first of these bits, as findings name it. */
static uint32_t bit_index(uint32_t cell, uint32_t byte, uint32_t bits)
{
    return cell * RACE_WORD_BITS + byte * BYTE_BITS + ctz32(bits);
}

/* --- reads --- */

/* Formats of SrcA and SrcB that the banks imply.  (WH SrcASrcB.md) */
static uint32_t implied_bits(const TensixRaces *r, const RaceOp *op,
                             uint32_t word)
{
    static const struct {
        uint32_t index, bits[2];   /* of words 0 and 1 */
    } rows[] = {
        { THREAD_CFG_DISABLE_IMPLIED_SRCA_FMT_Base_INDEX, { 0x1f, 0xf << 17 } },
        { THREAD_CFG_DISABLE_IMPLIED_SRCB_FMT_Base_INDEX,
          { 0x1f << 5, 0xf << 21 } },
    };
    uint32_t bits = 0;

    for (unsigned n = 0; word < 2 && n < ARRAY_SIZE(rows); n++) {
        if (!r->state->thread_cfg[op->access.thread][rows[n].index]) {
            bits |= rows[n].bits[word];
        }
    }
    return bits;
}

/* Words of which an instruction does not read all that its unit does. */
static const uint32_t partial_words[RACE_PARTIAL_WORDS] = {
    0, 1, 2,                       /* formats, zero flags */
    CFG_DEST_ACCESS_CFG_remap_addrs_WORD,
};

/*
 * ZEROACC of a row reads modes and how Dest is addressed, of 16 rows only
 * zeroacc_absolute_tile_mode, and others read none.  (WH ZEROACC.md)
 */
static uint32_t ignored_by_zeroacc(uint32_t insn, uint32_t word)
{
    enum { ROW, ROWS_16, ADDRESS = 3 };
    uint32_t mode = TENSIX_FIELD(insn, ZEROACC, clear_mode);

    if (word == 1 && mode == ROW) {
        return 0;
    }
    if (word == CFG_DEST_ACCESS_CFG_remap_addrs_WORD && mode <= ROWS_16) {
        return mode == ROW ? ~ADDRESS : ADDRESS;
    }
    return UINT32_MAX;
}

/*
 * The Vector Unit reads formats only if they are SrcB's (BH SFPLOAD.md), an
 * unpacker how Dest is addressed only if it fills Dest (WH UNPACR_Regular.md).
 */
static uint32_t ignored_bits(const TensixRaces *r, const RaceOp *op,
                             uint32_t word)
{
    uint32_t insn = op->insn->word;
    bool address = word == CFG_DEST_ACCESS_CFG_remap_addrs_WORD;

    switch (op->access.unit) {
    case RACE_VECTOR:
        return !address && TENSIX_FIELD(insn, SFPLOAD, instr_mod0)
               ? UINT32_MAX : 0;
    case RACE_MATRIX:
        return tensix_traits_of(insn)->order == ORDER_ZEROACC
               ? ignored_by_zeroacc(insn, word) : implied_bits(r, op, word);
    case RACE_UNPACK0:
        return address && !op->writes_dst ? UINT32_MAX : 0;
    default:
        return 0;
    }
}

/* The number of the word in partial_words; RACE_PARTIAL_WORDS: it is in none. */
static uint32_t partial_index(uint32_t word)
{
    uint32_t n = 0;

    while (n < RACE_PARTIAL_WORDS && partial_words[n] != word) {
        n++;
    }
    return n;
}

static bool reads_byte(const TensixRaces *r, const RaceOp *op, uint32_t word,
                       uint32_t byte, uint32_t changed)
{
    bool unpacks = op->access.unit == RACE_UNPACK0 ||
                   op->access.unit == RACE_UNPACK1;
    uint32_t bits = changed << byte * BYTE_BITS;

    if (partial_index(word) < RACE_PARTIAL_WORDS) {
        bits &= ~ignored_bits(r, op, word);
    }

    return tensix_config_users(word, bits) & user_of_unit[op->access.unit] &&
           (!unpacks ||
            contexts_of(word, byte) >> context_of(r, op) & 1);
}

/* The last write of a byte, or one that wrote the same where it changed it. */
static bool write_is_ordered(const RaceOp *op, const RaceByte *byte)
{
    return race_is_ordered(op, &byte->write) ||
           (byte->equal.place && !(byte->changed & ~byte->equal_written) &&
            race_is_ordered(op, &byte->equal));
}

/* False: the instruction does not read all that was written of the word. */
static bool read_word(TensixRaces *r, RaceOp *op, uint32_t cell)
{
    uint32_t word = cell % TENSIX_CFG_WORDS;
    bool reads = true;

    for (uint32_t n = 0; n < BYTES; n++) {
        const RaceByte *byte = &r->config[cell][n];

        if (!byte->write.place) {
            continue;
        }
        if (!reads_byte(r, op, word, n, byte->changed)) {
            reads = false;
        } else if (!write_is_ordered(op, byte)) {
            race_found(op, &byte->write, TENSIX_SPACE_CONFIG,
                       bit_index(cell, n, byte->changed), true, false);
        }
    }
    return reads;
}

static RaceUse use_of(const TensixRaces *r, const RaceOp *op)
{
    RaceUse use = {
        .access = op->access,
        .bank = r->state->thread_cfg[op->access.thread]
                    [THREAD_CFG_CFG_STATE_ID_StateID_INDEX] & 1,
    };

    for (uint32_t n = 0; n < RACE_PARTIAL_WORDS; n++) {
        use.ignored[n] = ignored_bits(r, op, partial_words[n]);
    }
    return use;
}

/* Words that were written since this unit has last worked for this thread. */
static void read_pending(TensixRaces *r, RaceOp *op, uint32_t bank)
{
    unsigned long *pending = r->thread[op->access.thread].pending[op->access.unit];
    uint32_t first = bank * TENSIX_CFG_WORDS;
    uint32_t end = first + TENSIX_CFG_WORDS;

    for (uint32_t n = find_next_bit(pending, end, first); n < end;
         n = find_next_bit(pending, end, n + 1)) {
        if (read_word(r, op, n)) {
            clear_bit(n, pending);
        }
    }
}

/*
 * Nothing has changed since the same was read, and then all was in order: what is
 * pending is not read by this instruction, either.
 */
static bool has_read(const TensixRaces *r, const RaceUse *last,
                     const RaceUse *use)
{
    return last->changes == r->config_changes && last->bank == use->bank &&
           !memcmp(last->ignored, use->ignored, sizeof(use->ignored));
}

static void read_words(TensixRaces *r, RaceOp *op)
{
    RaceUse *last = &r->thread[op->access.thread]
                         .last[op->access.unit][context_of(r, op)];
    RaceUse use = use_of(r, op);

    if (!has_read(r, last, &use)) {
        read_pending(r, op, use.bank);
    }
    use.changes = op->findings ? 0 : r->config_changes;
    *last = use;
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

/* Does that instruction use these bits, without an order? */
static bool changes_under(const RaceOp *op, const RaceUse *last, uint32_t cell,
                          uint32_t bits, RaceUnit unit)
{
    uint32_t word = cell % TENSIX_CFG_WORDS;
    uint32_t partial = partial_index(word);
    uint32_t used = partial < RACE_PARTIAL_WORDS
                    ? bits & ~last->ignored[partial] : bits;

    return last->access.place && last->bank == cell / TENSIX_CFG_WORDS &&
           !race_is_ordered(op, &last->access) &&
           tensix_config_users(word, used) & user_of_unit[unit] &&
           !(tensix_config_latched(word, used, user_of_unit[unit]) &&
             race_has_issued(&last->access, op->clock));
}

/* Instructions of one unit, of all threads, that use what is changed. */
static void change_under(TensixRaces *r, RaceOp *op, uint32_t cell,
                         uint32_t byte, uint32_t bits, RaceUnit unit)
{
    uint32_t contexts = contexts_of(cell % TENSIX_CFG_WORDS, byte);

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        for (uint32_t context = 0; context < RACE_CONTEXTS; context++) {
            const RaceUse *last = &r->thread[t].last[unit][context];

            if (contexts >> context & 1 &&
                changes_under(op, last, cell, bits, unit)) {
                race_found(op, &last->access, TENSIX_SPACE_CONFIG,
                           cell * RACE_WORD_BITS + ctz32(bits), false, true);
            }
        }
        set_bit(cell, r->thread[t].pending[unit]);
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
    r->config_changes++;
    *b = (RaceByte) { .write = op->access, .changed = changed,
                      .written = written };
}

static uint32_t value_now(const TensixRaces *r, uint32_t cell)
{
    return r->state->cfg[cell / TENSIX_CFG_WORDS][cell % TENSIX_CFG_WORDS];
}

static void write_word(TensixRaces *r, RaceOp *op, uint32_t cell)
{
    uint32_t value = value_now(r, cell);
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
    race_auto_ttsync(r, &op->access, hart);
}

/* The first cell from this one on that the event has written, or all cells. */
static uint32_t next_written(const TensixExecuted *e, uint32_t cell)
{
    uint32_t first = tensix_first_cell(TENSIX_SPACE_CONFIG);

    return tensix_next_cell(e->written, first + cell,
                            first + RACE_CONFIG_CELLS) - first;
}

void race_config_writes(TensixRaces *r, const RaceOp *op,
                        const TensixExecuted *e)
{
    uint32_t cell = next_written(e, 0);
    RaceOp write;

    if (cell == RACE_CONFIG_CELLS) {
        return;
    }
    write = *op;
    write.findings = 0;
    if (!op->insn) {
        as_store(r, &write);
    }
    for (; cell < RACE_CONFIG_CELLS; cell = next_written(e, cell + 1)) {
        write_word(r, &write, cell);
    }
    race_report(r, &write);
}

void race_config_uses(TensixRaces *r, RaceOp *op)
{
    if (op->access.unit < RACE_UNITS && tensix_config_user(op->insn->word)) {
        read_words(r, op);
    }
    memcpy(r->context, r->state->unpack_context, sizeof(r->context));
}

void race_config_renew(TensixRaces *r, const TensixExecuted *e)
{
    for (uint32_t cell = next_written(e, 0); cell < RACE_CONFIG_CELLS;
         cell = next_written(e, cell + 1)) {
        r->config_value[cell] = value_now(r, cell);
    }
}

void race_config_restart(TensixRaces *r)
{
    r->config_changes = 1;
    memset(r->config, 0, sizeof(r->config));
    memcpy(r->config_value, r->state->cfg, sizeof(r->config_value));
    memcpy(r->context, r->state->unpack_context, sizeof(r->context));
}
