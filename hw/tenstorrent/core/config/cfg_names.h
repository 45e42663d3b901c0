/*
 * Where the fields of configuration are: words, indices, low bits and masks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_CFG_NAMES_H
#define TENSIX_CFG_NAMES_H

#include <stdint.h>

enum {
#define THREAD_CFG(name, index, low, width) \
    THREAD_CFG_##name##_INDEX = index, THREAD_CFG_##name##_LOW = low, \
    THREAD_CFG_##name##_MASK = (1u << (width)) - 1u,
#include "config/thread_cfg_table.h.inc"
#undef THREAD_CFG
};

enum {
#define CFG(name, word, low, width) \
    CFG_##name##_WORD = word, CFG_##name##_LOW = low,
#include "config/cfg_table.h.inc"
#undef CFG
};

/* Separate from the enum above: a 32-bit mask is no int. */
#define CFG(name, word, low, width) \
    static const uint32_t CFG_##name##_MASK __attribute__((unused)) = \
        (uint32_t)((1ull << (width)) - 1);
#include "config/cfg_table.h.inc"
#undef CFG

#endif
