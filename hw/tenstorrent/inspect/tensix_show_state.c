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
        tensix_emit_string(e, name, "value %u max %u", list->value->value,
                           list->value->max);
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

void tensix_show_flags(TensixEmit *e, const TensixFlagsInfo *flags)
{
    uint32_t cells[TENSIX_GPRS];
    int n;

    tensix_emit_hex(e, "LaneFlags", flags->lane_flags);
    tensix_emit_hex(e, "UseLaneFlagsForLaneEnable", flags->use_lane_flags);
    tensix_emit_open(e, "flag stack, from the bottom");
    for (TensixFlagStackInfoList *at = flags->flag_stack; at; at = at->next) {
        tensix_emit_hex(e, "LaneFlags", at->value->lane_flags);
        tensix_emit_hex(e, "UseLaneFlagsForLaneEnable",
                        at->value->use_lane_flags);
    }
    tensix_emit_close(e);
    n = cells_of(flags->lane_config, cells);
    tensix_emit_raw_row(e, "LaneConfig", cells, n, 8);
    n = cells_of(flags->prng, cells);
    tensix_emit_raw_row(e, "PRNG", cells, n, 8);
}

void tensix_show_gprs(TensixEmit *e, const TensixGprInfoList *list)
{
    enum { PER_ROW = 8 };
    uint32_t cells[TENSIX_GPRS];

    for (; list; list = list->next) {
        int count = cells_of(list->value->values, cells);

        tensix_emit_open(e, "thread %u", list->value->thread);
        for (int n = 0; n < count; n += PER_ROW) {
            char name[12];

            snprintf(name, sizeof(name), "%d", n);
            tensix_emit_raw_row(e, name, &cells[n], PER_ROW, 8);
        }
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

static int values_of(const TensixNumberList *list, double *values)
{
    int n = 0;

    for (; list && n < TENSIX_GPRS; list = list->next) {
        values[n++] = value_of(list->value);
    }
    return n;
}

void tensix_show_rows(TensixEmit *e, const TensixRowList *rows,
                      const char *prefix, int width, int digits)
{
    for (; rows; rows = rows->next) {
        const TensixRow *row = rows->value;
        uint32_t cells[TENSIX_GPRS];
        double values[TENSIX_GPRS];
        char name[32];
        int n;

        snprintf(name, sizeof(name), "%s%*u%s", prefix, width, row->row,
                 row->has_valid && !row->valid ? " (invalid)" : "");
        if (row->has_values) {
            n = values_of(row->values, values);
            tensix_emit_number_row(e, name, values, n);
        } else {
            n = cells_of(row->cells, cells);
            tensix_emit_raw_row(e, name, cells, n, digits);
        }
    }
}
