/*
 * What a kernel may leave behind, value by value, with names.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "views/named.h"

#include <stdio.h>

#include "tensix_internal.h"

/* Two states side by side. */
typedef struct Walk {
    const TensixState *before, *after;
    TensixNamedFn *fn;
    void *opaque;
} Walk;

/* --- the configuration: words with fields --- */

/* A bank, or a thread's. */
typedef struct Words {
    TensixNamedGroup group;
    const TensixCfgTable *table;
    uint32_t index;
    uint32_t offset, size;         /* of its first word in the state, of a word */
    unsigned shared_from;          /* words from here on are index 0's */
    uint32_t before[TENSIX_CFG_WORDS], after[TENSIX_CFG_WORDS];
} Words;

static uint32_t field_mask(const TensixCfgField *field)
{
    return (uint32_t)((1ull << field->width) - 1) << field->low;
}

static uint32_t word_offset(const Words *words, unsigned word)
{
    return words->offset + word * words->size;
}

static void compare_field(const Walk *w, const Words *words,
                          const TensixCfgField *field)
{
    uint32_t mask = field_mask(field);
    uint32_t before = (words->before[field->word] & mask) >> field->low;
    uint32_t after = (words->after[field->word] & mask) >> field->low;
    char name[96];

    if (before != after) {
        snprintf(name, sizeof(name), "%s[%u].%s", words->table->name,
                 (unsigned)words->index, field->name);
        w->fn(w->opaque, &(const TensixNamedValue) {
            words->group, name, before, after, word_offset(words, field->word), mask,
        });
    }
}

/* Bits that no field has. */
static void compare_rest(const Walk *w, const Words *words, unsigned word,
                         uint32_t named)
{
    uint32_t before = words->before[word] & ~named;
    uint32_t after = words->after[word] & ~named;
    char name[32];

    if (before != after) {
        snprintf(name, sizeof(name), "%s[%u].word[%u]", words->table->name,
                 (unsigned)words->index, word);
        w->fn(w->opaque, &(const TensixNamedValue) {
            words->group, name, before, after, word_offset(words, word), ~named,
        });
    }
}

static void compare_words(const Walk *w, const Words *words)
{
    unsigned end = words->index ? words->shared_from : words->table->words;
    uint32_t named[TENSIX_CFG_WORDS] = { 0 };

    for (unsigned i = 0; i < words->table->field_count; i++) {
        const TensixCfgField *field = &words->table->fields[i];

        named[field->word] |= field_mask(field);
        if (field->word < end) {
            compare_field(w, words, field);
        }
    }
    for (unsigned word = 0; word < end; word++) {
        compare_rest(w, words, word, named[word]);
    }
}

static void compare_config(const Walk *w)
{
    Words words = {
        .group = TENSIX_NAMED_CONFIG, .table = &tensix_cfg_table,
        .size = sizeof(w->after->cfg[0][0]), .shared_from = TENSIX_CFG_GLOBAL_BASE,
    };

    for (uint32_t bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
        words.index = bank;
        words.offset = offsetof(TensixState, cfg) + bank * sizeof(w->after->cfg[0]);
        for (unsigned i = 0; i < TENSIX_CFG_WORDS; i++) {
            words.before[i] = w->before->cfg[bank][i];
            words.after[i] = w->after->cfg[bank][i];
        }
        compare_words(w, &words);
    }
}

static void compare_thread_config(const Walk *w)
{
    Words words = {
        .group = TENSIX_NAMED_THREAD_CONFIG, .table = &tensix_thread_cfg_table,
        .size = sizeof(w->after->thread_cfg[0][0]),
        .shared_from = TENSIX_THREAD_CFG_WORDS,
    };

    for (uint32_t thread = 0; thread < TENSIX_THREADS; thread++) {
        words.index = thread;
        words.offset = offsetof(TensixState, thread_cfg) +
                       thread * sizeof(w->after->thread_cfg[0]);
        for (unsigned i = 0; i < TENSIX_THREAD_CFG_WORDS; i++) {
            words.before[i] = w->before->thread_cfg[thread][i];
            words.after[i] = w->after->thread_cfg[thread][i];
        }
        compare_words(w, &words);
    }
}

/* --- everything else: arrays of words --- */

/*
 * rows x columns words of the state, `stride` bytes from row to row.  A value's
 * name is name[row]part, then .label or [column]; no [row] if there is one row,
 * no [column] if there is one column.
 */
typedef struct Array {
    TensixNamedGroup group;
    const char *name, *part;
    size_t offset, stride;
    uint32_t rows, columns;
    const char *const *labels;     /* of columns; NULL: numbers */
    TensixNamedBy by;
} Array;

static const char *const rwc_labels[] = {
    "Dst", "Dst_Cr", "SrcA", "SrcA_Cr", "SrcB", "SrcB_Cr", "FidelityPhase",
    "ExtraAddrModBit", "Sp",
};
static const char *const adc_labels[] = {
    "X", "Y", "Z", "W", "X_Cr", "Y_Cr", "Z_Cr", "W_Cr",
};
static const char *const semaphore_labels[] = { "value", "max" };
static const char *const owner_label[] = { "owner" };

#define AT(member) offsetof(TensixState, member)
#define STRIDE(member) sizeof(((TensixState *)0)->member)
#define ADC_CHANNEL(unit, number, ch) \
    { TENSIX_NAMED_ADC, "adc", "." unit "[" #ch "]", \
      AT(adc[0][number].channel[ch]), STRIDE(adc[0]), TENSIX_THREADS, 8, \
      adc_labels }
#define LONE(group, name, member, columns) \
    { group, name, "", AT(member), 0, 1, columns, NULL }
#define CONFIGURED(name, member, rows) \
    { TENSIX_NAMED_LANE, name, "", AT(member), \
      TENSIX_LANES * sizeof(uint32_t), rows, TENSIX_LANES, NULL, \
      TENSIX_NAMED_BY_CONFIGURING }

static const Array arrays[] = {
    { TENSIX_NAMED_RWC, "rwc", "", AT(rwc), STRIDE(rwc[0]), TENSIX_THREADS, 9,
      rwc_labels },
    ADC_CHANNEL("unpacker0", TENSIX_ADC_UNP0, 0),
    ADC_CHANNEL("unpacker0", TENSIX_ADC_UNP0, 1),
    ADC_CHANNEL("unpacker1", TENSIX_ADC_UNP1, 0),
    ADC_CHANNEL("unpacker1", TENSIX_ADC_UNP1, 1),
    ADC_CHANNEL("packer", TENSIX_ADC_PACK, 0),
    ADC_CHANNEL("packer", TENSIX_ADC_PACK, 1),
    { TENSIX_NAMED_ADC, "unpack-context", "", AT(unpack_context),
      STRIDE(unpack_context[0]), TENSIX_THREADS, 2, NULL },
    { TENSIX_NAMED_GPR, "gpr", "", AT(gpr), STRIDE(gpr[0]), TENSIX_THREADS,
      TENSIX_GPRS, NULL },
    LONE(TENSIX_NAMED_CONSTANT, "lreg[11]", vu.lreg[11], TENSIX_LANES),
    LONE(TENSIX_NAMED_CONSTANT, "lreg[12]", vu.lreg[12], TENSIX_LANES),
    LONE(TENSIX_NAMED_CONSTANT, "lreg[13]", vu.lreg[13], TENSIX_LANES),
    LONE(TENSIX_NAMED_CONSTANT, "lreg[14]", vu.lreg[14], TENSIX_LANES),
    CONFIGURED("lane-config", vu.lane_config, 1),
    LONE(TENSIX_NAMED_LANE, "lane-flags", vu.lane_flags, 1),
    LONE(TENSIX_NAMED_LANE, "use-lane-flags", vu.use_lane_flags, 1),
    LONE(TENSIX_NAMED_LANE, "flag-stack-depth", vu.flag_stack_depth, 1),
    CONFIGURED("load-macro-template", vu.load_macro.instruction_template, 4),
    CONFIGURED("load-macro-sequence", vu.load_macro.sequence, 4),
    CONFIGURED("load-macro-misc", vu.load_macro.misc, 1),
    LONE(TENSIX_NAMED_BANK, "srca.owner", src_client[TENSIX_SRCA],
         TENSIX_SRC_BANKS),
    LONE(TENSIX_NAMED_BANK, "srcb.owner", src_client[TENSIX_SRCB],
         TENSIX_SRC_BANKS),
    LONE(TENSIX_NAMED_BANK, "srca.matrix-bank", matrix_bank[TENSIX_SRCA], 1),
    LONE(TENSIX_NAMED_BANK, "srcb.matrix-bank", matrix_bank[TENSIX_SRCB], 1),
    LONE(TENSIX_NAMED_BANK, "srca.unpack-bank", unpack_bank[TENSIX_SRCA], 1),
    LONE(TENSIX_NAMED_BANK, "srcb.unpack-bank", unpack_bank[TENSIX_SRCB], 1),
    { TENSIX_NAMED_BANK, "dst16b-is-high-half", "", AT(dst16b_is_high_half), 0, 1, 1,
      NULL, TENSIX_NAMED_BY_REGISTER },
    { TENSIX_NAMED_SEMAPHORE, "semaphore", "", AT(semaphore),
      STRIDE(semaphore[0]), TENSIX_SEMAPHORES, 2, semaphore_labels },
    { TENSIX_NAMED_MUTEX, "mutex", "", AT(mutex_owner),
      STRIDE(mutex_owner[0]), TENSIX_MUTEXES, 1, owner_label },
    { TENSIX_NAMED_EXPANDER, "mop-cfg", "", AT(thread[0].mop.cfg),
      STRIDE(thread[0]), TENSIX_THREADS, TENSIX_MOP_CFG_WORDS, NULL,
      TENSIX_NAMED_BY_REGISTER },
    { TENSIX_NAMED_EXPANDER, "mop-mask-hi", "", AT(thread[0].mop.mask_hi),
      STRIDE(thread[0]), TENSIX_THREADS, 1, NULL, TENSIX_NAMED_BY_EXPANDER },
    { TENSIX_NAMED_EXPANDER, "replay", "", AT(thread[0].replay.buffer),
      STRIDE(thread[0]), TENSIX_THREADS, TENSIX_REPLAY_DEPTH, NULL,
      TENSIX_NAMED_BY_EXPANDER },
};

static void name_value(char *buf, size_t size, const Array *a, uint32_t row,
                       uint32_t column)
{
    char row_text[16] = "", column_text[32] = "";

    if (a->rows > 1) {
        snprintf(row_text, sizeof(row_text), "[%u]", (unsigned)row);
    }
    if (a->labels) {
        snprintf(column_text, sizeof(column_text), ".%s", a->labels[column]);
    } else if (a->columns > 1) {
        snprintf(column_text, sizeof(column_text), "[%u]", (unsigned)column);
    }
    snprintf(buf, size, "%s%s%s%s", a->name, row_text, a->part, column_text);
}

static uint32_t row_offset(const Array *a, uint32_t row)
{
    return a->offset + row * a->stride;
}

static const uint32_t *row_of(const TensixState *s, const Array *a,
                              uint32_t row)
{
    return (const uint32_t *)((const char *)s + row_offset(a, row));
}

static void compare_array(const Walk *w, const Array *a)
{
    for (uint32_t row = 0; row < a->rows; row++) {
        const uint32_t *before = row_of(w->before, a, row);
        const uint32_t *after = row_of(w->after, a, row);

        for (uint32_t column = 0; column < a->columns; column++) {
            char name[80];

            if (before[column] != after[column]) {
                name_value(name, sizeof(name), a, row, column);
                w->fn(w->opaque, &(const TensixNamedValue) {
                    a->group, name, before[column], after[column],
                    row_offset(a, row) + column * sizeof(uint32_t), UINT32_MAX,
                });
            }
        }
    }
}

void tensix_named_changes(const TensixState *before, const TensixState *after,
                          TensixNamedFn *fn, void *opaque)
{
    Walk w = { before, after, fn, opaque };

    compare_config(&w);
    compare_thread_config(&w);
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        compare_array(&w, &arrays[i]);
    }
}

void tensix_named_words(TensixNamedWordsFn *fn, void *opaque)
{
    static const TensixNamedWords config[] = {
        { TENSIX_NAMED_BY_EXECUTION, AT(cfg), TENSIX_CFG_BANKS * TENSIX_CFG_WORDS,
          sizeof(uint32_t) },
        { TENSIX_NAMED_BY_EXECUTION, AT(thread_cfg),
          TENSIX_THREADS * TENSIX_THREAD_CFG_WORDS, sizeof(uint16_t) },
    };

    fn(opaque, &config[0]);
    fn(opaque, &config[1]);
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        const Array *a = &arrays[i];

        for (uint32_t row = 0; row < a->rows; row++) {
            fn(opaque, &(const TensixNamedWords) {
                a->by, row_offset(a, row), a->columns, sizeof(uint32_t),
            });
        }
    }
}
