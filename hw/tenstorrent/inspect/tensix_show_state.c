/*
 * Text of what QAPI has: registers and configuration.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <math.h>
#include "tensix_show.h"

void tensix_show_semaphores(TensixEmit *e, const TensixSemaphoreInfoList *list)
{
    for (; list; list = list->next) {
        char name[8];

        snprintf(name, sizeof(name), "%u", list->value->index);
        tensix_emit_string(e, name, "value %u max %u (%s, posts %u, gets %u)",
                           list->value->value, list->value->max,
                           list->value->name, list->value->posts,
                           list->value->gets);
    }
}

void tensix_show_mutexes(TensixEmit *e, const TensixMutexInfoList *list)
{
    for (; list; list = list->next) {
        char name[8];

        snprintf(name, sizeof(name), "%u", list->value->index);
        if (list->value->has_owner) {
            tensix_emit_string(e, name, "thread %u", list->value->owner);
        } else {
            tensix_emit_string(e, name, "free");
        }
    }
}

void tensix_show_rwcs(TensixEmit *e, const TensixRwcInfoList *list)
{
    for (; list; list = list->next) {
        const TensixRwcInfo *r = list->value;

        tensix_emit_open(e, "thread %u", r->thread);
        tensix_emit_uint(e, "Dst", r->dst);
        tensix_emit_uint(e, "Dst_Cr", r->dst_cr);
        tensix_emit_uint(e, "SrcA", r->srca);
        tensix_emit_uint(e, "SrcA_Cr", r->srca_cr);
        tensix_emit_uint(e, "SrcB", r->srcb);
        tensix_emit_uint(e, "SrcB_Cr", r->srcb_cr);
        tensix_emit_uint(e, "FidelityPhase", r->fidelity);
        tensix_emit_uint(e, "Sp", r->sp);
        tensix_emit_close(e);
    }
}

void tensix_show_adcs(TensixEmit *e, const TensixAdcInfoList *list)
{
    for (; list; list = list->next) {
        const TensixAdcInfo *a = list->value;

        tensix_emit_open(e, "thread %u %s channel %u", a->thread,
                         TensixAdcUnit_str(a->unit), a->channel);
        tensix_emit_string(e, "counters", "X %u Y %u Z %u W %u", a->x, a->y,
                           a->z, a->w);
        tensix_emit_string(e, "Cr", "X %u Y %u Z %u W %u", a->x_cr, a->y_cr,
                           a->z_cr, a->w_cr);
        tensix_emit_close(e);
    }
}

/* At most 64 words: that many GPRs has a thread. */
static int cells_of(const uint32List *list, uint32_t *cells)
{
    int n = 0;

    for (; list && n < TENSIX_GPRS; list = list->next) {
        cells[n++] = list->value;
    }
    return n;
}

void tensix_show_words(TensixEmit *e, const char *name, const uint32List *list,
                       int digits)
{
    uint32_t raw[TENSIX_GPRS];

    tensix_emit_cells(e, name, &(TensixCells) {
        .raw = raw, .count = cells_of(list, raw), .digits = digits,
        .plural = "lanes",
    });
}

void tensix_show_flags(TensixEmit *e, const TensixFlagsInfo *flags)
{
    tensix_emit_hex(e, "LaneFlags", flags->lane_flags);
    tensix_emit_hex(e, "UseLaneFlagsForLaneEnable", flags->use_lane_flags);
    tensix_emit_open(e, "flag stack, from the bottom");
    for (TensixFlagStackInfoList *at = flags->flag_stack; at; at = at->next) {
        tensix_emit_hex(e, "LaneFlags", at->value->lane_flags);
        tensix_emit_hex(e, "UseLaneFlagsForLaneEnable",
                        at->value->use_lane_flags);
    }
    tensix_emit_close(e);
    tensix_show_words(e, "LaneConfig", flags->lane_config, 8);
    tensix_show_words(e, "PRNG", flags->prng, 8);
}

static int equal_words(const uint32_t *raw, int count)
{
    int n = 1;

    while (n < count && raw[n] == raw[0]) {
        n++;
    }
    return n;
}

/* Lines of eight; lines of equal words are one: "16 to 63". */
static void show_thread_gprs(TensixEmit *e, const uint32_t *raw, int count)
{
    enum { PER_LINE = 8 };

    for (int n = 0, end; n < count; n = end) {
        int equal = equal_words(&raw[n], count - n);
        char name[24];

        end = n + MAX(equal / PER_LINE, 1) * PER_LINE;
        if (end == n + PER_LINE) {
            snprintf(name, sizeof(name), "%d", n);
        } else {
            snprintf(name, sizeof(name), "%d to %d", n, end - 1);
        }
        tensix_emit_cells(e, name, &(TensixCells) {
            .raw = &raw[n], .count = end - n, .digits = 8, .plural = "of them",
        });
    }
}

void tensix_show_gprs(TensixEmit *e, const TensixGprInfoList *list)
{
    uint32_t raw[TENSIX_GPRS];

    for (; list; list = list->next) {
        tensix_emit_open(e, "thread %u", list->value->thread);
        show_thread_gprs(e, raw, cells_of(list->value->values, raw));
        tensix_emit_close(e);
    }
}

void tensix_show_banks(TensixEmit *e, const TensixBankInfoList *list)
{
    for (; list; list = list->next) {
        unsigned bank = 0;

        tensix_emit_open(e, "%s", TensixSrcName_str(list->value->src));
        for (TensixBankOwnerList *at = list->value->owners; at; at = at->next) {
            char name[16];

            snprintf(name, sizeof(name), "bank %u", bank++);
            tensix_emit_string(e, name, "%s", TensixBankOwner_str(at->value));
        }
        tensix_emit_uint(e, "the Matrix Unit uses", list->value->matrix_bank);
        tensix_emit_uint(e, "the unpacker uses", list->value->unpack_bank);
        tensix_emit_close(e);
    }
}

void tensix_show_units(TensixEmit *e, const TensixUnitInfoList *list)
{
    for (; list; list = list->next) {
        tensix_emit_uint(e, list->value->unit, list->value->executed);
    }
}

void tensix_show_config(TensixEmit *e, const TensixConfigFieldList *list,
                        const char *of, int count)
{
    for (int n = 0; n < count; n++) {
        tensix_emit_open(e, "%s %d", of, n);
        for (; list; list = list->next) {
            const TensixConfigField *field = list->value;

            if ((field->has_bank ? field->bank : field->thread) != n) {
                break;
            }
            tensix_emit_hex(e, field->name, field->value);
        }
        tensix_emit_close(e);
    }
}

/* --- rows --- */

static double value_of(const TensixNumber *number)
{
    if (number->type == QTYPE_QNUM) {
        return number->u.number;
    }
    return number->u.special == TENSIX_SPECIAL_NAN   ? NAN
           : number->u.special == TENSIX_SPECIAL_INF ? INFINITY
                                                     : -INFINITY;
}

static void values_of(const TensixNumberList *list, double *values)
{
    int n = 0;

    for (; list && n < TENSIX_GPRS; list = list->next) {
        values[n++] = value_of(list->value);
    }
}

static bool same_cells(const TensixRow *a, const TensixRow *b)
{
    const uint32List *x = a->cells, *y = b->cells;

    while (x && y && x->value == y->value) {
        x = x->next;
        y = y->next;
    }
    return !x && !y && a->valid == b->valid;
}

/* "  12", "LReg3", "  16 to 63 (invalid)" */
static char *range_name(const TensixRow *first, const TensixRow *last,
                        const TensixRowStyle *style)
{
    const char *note = first->has_valid && !first->valid ? " (invalid)" : "";
    g_autofree char *end = first == last
        ? g_strdup("")
        : g_strdup_printf(" to %s%u", style->prefix, last->row);

    return g_strdup_printf("%s%*u%s%s", style->prefix, style->width, first->row,
                           end, note);
}

static void show_range(TensixEmit *e, const TensixRow *first,
                       const TensixRow *last, const TensixRowStyle *style)
{
    g_autofree char *name = range_name(first, last, style);
    uint32_t raw[TENSIX_GPRS];
    double numbers[TENSIX_GPRS];
    TensixCells cells = {
        .raw = raw, .count = cells_of(first->cells, raw),
        .digits = style->digits, .plural = style->plural,
    };

    if (first->has_values) {
        values_of(first->values, numbers);
        cells.numbers = numbers;
    }
    tensix_emit_cells(e, name, &cells);
}

void tensix_show_rows(TensixEmit *e, const TensixRowList *rows,
                      const TensixRowStyle *style)
{
    while (rows) {
        const TensixRow *first = rows->value, *last = first;

        for (rows = rows->next; rows && same_cells(first, rows->value);
             rows = rows->next) {
            last = rows->value;
        }
        show_range(e, first, last, style);
    }
}
