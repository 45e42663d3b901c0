/*
 * Names of the configuration's fields, for those who show it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "config/config.h"
#include "tensix_internal.h"

const TensixCfgField tensix_cfg_fields[] = {
#define CFG(name, word, low, width) { #name, word, low, width },
#include "config/cfg_table.h.inc"
#undef CFG
};
const unsigned tensix_cfg_field_count = sizeof(tensix_cfg_fields) /
                                        sizeof(TensixCfgField);

const TensixCfgField tensix_thread_cfg_fields[] = {
#define THREAD_CFG(name, index, low, width) { #name, index, low, width },
#include "config/thread_cfg_table.h.inc"
#undef THREAD_CFG
};
const unsigned tensix_thread_cfg_field_count =
    sizeof(tensix_thread_cfg_fields) / sizeof(TensixCfgField);
