/*
 * Small registers and the configuration as QAPI has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "tensix_query.h"
#include "../common/tensix_insn_info.h"

TensixSemaphoreInfo *tensix_query_semaphore(TensixCopState *cop,
                                            uint32_t index)
{
    TensixSemaphoreInfo *info = g_new0(TensixSemaphoreInfo, 1);
    const TensixSemaphoreUse *use = &tensix_cop_state(cop)->semaphore_use[index];

    info->index = index;
    info->name = g_strdup(tensix_semaphore_name(tensix_cop_core(cop), index));
    info->value = tensix_cop_state(cop)->semaphore[index].value;
    info->max = tensix_cop_state(cop)->semaphore[index].max;
    info->posts = use->posts;
    info->gets = use->gets;
    info->init = use->inits ? tensix_origin_info(&use->init) : NULL;
    info->last_post = use->posts ? tensix_origin_info(&use->post) : NULL;
    info->last_get = use->gets ? tensix_origin_info(&use->get) : NULL;
    return info;
}

TensixSemaphoreInfoList *tensix_query_semaphores(TensixCopState *cop)
{
    TensixSemaphoreInfoList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < TENSIX_SEMAPHORES; i++) {
        QAPI_LIST_APPEND(tail, tensix_query_semaphore(cop, i));
    }
    return list;
}

TensixMutexInfoList *tensix_query_mutexes(TensixCopState *cop)
{
    TensixMutexInfoList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < TENSIX_MUTEXES; i++) {
        uint32_t owner = tensix_cop_state(cop)->mutex_owner[i];
        TensixMutexInfo *info;

        if (i == 1) {
            continue;              /* there is no mutex 1 (BH ATGETM.md) */
        }
        info = g_new0(TensixMutexInfo, 1);
        info->index = i;
        info->has_owner = owner != 0;
        info->owner = owner ? owner - 1 : 0;
        QAPI_LIST_APPEND(tail, info);
    }
    return list;
}

TensixRwcInfoList *tensix_query_rwcs(TensixCopState *cop)
{
    TensixRwcInfoList *list = NULL, **tail = &list;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        const TensixRwc *r = &tensix_cop_state(cop)->rwc[t];
        TensixRwcInfo *info = g_new0(TensixRwcInfo, 1);

        *info = (TensixRwcInfo) {
            .thread = t, .dst = r->Dst, .dst_cr = r->Dst_Cr, .srca = r->SrcA,
            .srca_cr = r->SrcA_Cr, .srcb = r->SrcB, .srcb_cr = r->SrcB_Cr,
            .fidelity = r->FidelityPhase, .sp = r->Sp,
        };
        QAPI_LIST_APPEND(tail, info);
    }
    return list;
}

static TensixAdcInfo *adc_info(TensixCopState *cop, uint32_t thread,
                               uint32_t unit, uint32_t channel)
{
    const TensixAdcChannel *a =
        &tensix_cop_state(cop)->adc[thread][unit].channel[channel];
    TensixAdcInfo *info = g_new0(TensixAdcInfo, 1);

    QEMU_BUILD_BUG_ON((int)TENSIX_ADC_UNIT__MAX != TENSIX_ADCS);
    *info = (TensixAdcInfo) {
        .thread = thread, .unit = unit, .channel = channel,
        .x = a->X, .y = a->Y, .z = a->Z, .w = a->W, .x_cr = a->X_Cr,
        .y_cr = a->Y_Cr, .z_cr = a->Z_Cr, .w_cr = a->W_Cr,
    };
    return info;
}

TensixAdcInfoList *tensix_query_adcs(TensixCopState *cop)
{
    enum { CHANNELS = 2 };
    TensixAdcInfoList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < TENSIX_THREADS * TENSIX_ADCS * CHANNELS; i++) {
        QAPI_LIST_APPEND(tail, adc_info(cop, i / (TENSIX_ADCS * CHANNELS),
                                        i / CHANNELS % TENSIX_ADCS,
                                        i % CHANNELS));
    }
    return list;
}

static TensixFlagStackInfoList *flag_stack(const TensixVectorUnit *vu)
{
    TensixFlagStackInfoList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < vu->flag_stack_depth; i++) {
        TensixFlagStackInfo *info = g_new0(TensixFlagStackInfo, 1);

        info->lane_flags = vu->flag_stack[i].lane_flags;
        info->use_lane_flags = vu->flag_stack[i].use_lane_flags;
        QAPI_LIST_APPEND(tail, info);
    }
    return list;
}

TensixFlagsInfo *tensix_query_flags(TensixCopState *cop)
{
    const TensixVectorUnit *vu = &tensix_cop_state(cop)->vu;
    TensixFlagsInfo *info = g_new0(TensixFlagsInfo, 1);

    info->lane_flags = vu->lane_flags;
    info->use_lane_flags = vu->use_lane_flags;
    info->flag_stack = flag_stack(vu);
    info->lane_config = tensix_words_list(vu->lane_config, TENSIX_LANES);
    info->prng = tensix_words_list(vu->prng, TENSIX_LANES);
    return info;
}

TensixGprInfoList *tensix_query_gprs(TensixCopState *cop)
{
    TensixGprInfoList *list = NULL, **tail = &list;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        TensixGprInfo *info = g_new0(TensixGprInfo, 1);

        info->thread = t;
        info->values = tensix_words_list(tensix_cop_state(cop)->gpr[t],
                                         TENSIX_GPRS);
        QAPI_LIST_APPEND(tail, info);
    }
    return list;
}

TensixBankInfoList *tensix_query_banks(TensixCopState *cop)
{
    TensixBankInfoList *list = NULL, **tail = &list;

    QEMU_BUILD_BUG_ON((int)TENSIX_BANK_OWNER_MATRIX_UNIT !=
                      TENSIX_CLIENT_MATRIX_UNIT);
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        TensixBankInfo *info = g_new0(TensixBankInfo, 1);
        TensixBankOwnerList **owners = &info->owners;

        info->src = src;
        for (uint32_t bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
            QAPI_LIST_APPEND(owners,
                             tensix_cop_state(cop)->src_client[src][bank]);
        }
        info->matrix_bank = tensix_cop_state(cop)->matrix_bank[src];
        info->unpack_bank = tensix_cop_state(cop)->unpack_bank[src];
        QAPI_LIST_APPEND(tail, info);
    }
    return list;
}

TensixUnitInfoList *tensix_query_units(TensixCopState *cop)
{
    TensixUnitInfoList *list = NULL, **tail = &list;

    for (uint32_t u = TENSIX_UNIT_NONE + 1; u < TENSIX_UNITS; u++) {
        TensixUnitInfo *info = g_new0(TensixUnitInfo, 1);

        info->unit = g_strdup(tensix_unit_names[u]);
        info->executed = tensix_cop_state(cop)->executed[u];
        QAPI_LIST_APPEND(tail, info);
    }
    return list;
}

/* --- configuration --- */

/* Words that are read, and what is requested of them. */
typedef struct ConfigQuery {
    const TensixCfgTable *table;
    strList *names;
    bool all;
} ConfigQuery;

static bool is_named(const ConfigQuery *q, const char *name)
{
    for (strList *at = q->names; at; at = at->next) {
        if (!strcmp(at->value, name)) {
            return true;
        }
    }
    return false;
}

static bool names_exist(const ConfigQuery *q, Error **errp)
{
    for (strList *at = q->names; at; at = at->next) {
        if (!tensix_cfg_find(q->table, at->value)) {
            error_setg(errp, "no field of the configuration is called '%s'",
                       at->value);
            return false;
        }
    }
    return true;
}

static TensixConfigField *field_info(const TensixCfgField *field,
                                     uint32_t value)
{
    TensixConfigField *info = g_new0(TensixConfigField, 1);

    info->name = g_strdup(field->name);
    info->word = field->word;
    info->low = field->low;
    info->width = field->width;
    info->value = value;
    return info;
}

/* The wanted fields of a bank or thread, which is in none of them yet. */
static TensixConfigFieldList *fields_of(const ConfigQuery *q,
                                        const uint32_t *words)
{
    TensixConfigFieldList *list = NULL, **tail = &list;

    for (unsigned i = 0; i < q->table->field_count; i++) {
        const TensixCfgField *field = &q->table->fields[i];
        uint32_t mask = (uint32_t)((1ull << field->width) - 1);
        uint32_t value = words[field->word] >> field->low & mask;

        if (q->names ? is_named(q, field->name) : q->all || value) {
            QAPI_LIST_APPEND(tail, field_info(field, value));
        }
    }
    return list;
}

/* Words of a bank of Config, or of a thread's ThreadConfig. */
static void copy_words(const TensixState *s, bool threads, uint32_t index,
                       uint32_t *words)
{
    if (!threads) {
        memcpy(words, s->cfg[index], sizeof(s->cfg[index]));
        return;
    }
    for (unsigned i = 0; i < TENSIX_THREAD_CFG_WORDS; i++) {
        words[i] = s->thread_cfg[index][i];
    }
}

static void set_bank_or_thread(TensixConfigField *info, bool threads,
                               uint32_t index)
{
    if (threads) {
        info->has_thread = true;
        info->thread = index;
    } else {
        info->has_bank = true;
        info->bank = index;
    }
}

TensixConfigFieldList *tensix_query_config(TensixCopState *cop, bool threads,
                                           strList *names, bool all,
                                           Error **errp)
{
    ConfigQuery q = { threads ? &tensix_thread_cfg_table : &tensix_cfg_table,
                      names, all };
    TensixConfigFieldList *list = NULL, **tail = &list;
    uint32_t words[TENSIX_CFG_WORDS];

    if (!names_exist(&q, errp)) {
        return NULL;
    }
    for (uint32_t n = 0; n < (threads ? TENSIX_THREADS : TENSIX_CFG_BANKS);
         n++) {
        copy_words(tensix_cop_state(cop), threads, n, words);
        *tail = fields_of(&q, words);
        for (; *tail; tail = &(*tail)->next) {
            set_bank_or_thread((*tail)->value, threads, n);
        }
    }
    return list;
}
