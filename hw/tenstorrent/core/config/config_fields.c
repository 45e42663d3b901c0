/*
 * Names of the configuration's fields, for displays.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "config/config.h"
#include "tensix_internal.h"

static const TensixCfgField cfg_fields[] = {
#define CFG(name, word, low, width) { #name, word, low, width },
#include "config/cfg_table.h.inc"
#undef CFG
};

static const TensixCfgField thread_cfg_fields[] = {
#define THREAD_CFG(name, index, low, width) { #name, index, low, width },
#include "config/thread_cfg_table.h.inc"
#undef THREAD_CFG
};

const TensixCfgTable tensix_cfg_table = {
    .name = "config", .fields = cfg_fields,
    .field_count = sizeof(cfg_fields) / sizeof(cfg_fields[0]),
    .words = TENSIX_CFG_WORDS,
};

const TensixCfgTable tensix_thread_cfg_table = {
    .name = "thread-config", .fields = thread_cfg_fields,
    .field_count = sizeof(thread_cfg_fields) / sizeof(thread_cfg_fields[0]),
    .words = TENSIX_THREAD_CFG_WORDS,
};

const TensixCfgField *tensix_cfg_find(const TensixCfgTable *table,
                                      const char *name)
{
    for (unsigned n = 0; n < table->field_count; n++) {
        if (!strcmp(table->fields[n].name, name)) {
            return &table->fields[n];
        }
    }
    return NULL;
}
