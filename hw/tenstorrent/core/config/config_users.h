/*
 * Which units use which configuration.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_CONFIG_USERS_H
#define TENSIX_CONFIG_USERS_H

#include <stdbool.h>
#include <stdint.h>
#include "tensix_state.h"

/* Units that use configuration, a bit each. */
enum {
    TENSIX_USES_MATRIX = 1 << 0,
    TENSIX_USES_VECTOR = 1 << 1,   /* what reads or writes Dest */
    TENSIX_USES_PACK = 1 << 2,
    TENSIX_USES_UNPACK0 = 1 << 3,
    TENSIX_USES_UNPACK1 = 1 << 4,
    TENSIX_USES_MOVER = 1 << 5,
};

/* Units that use any of these bits of a configuration word. */
uint32_t tensix_config_users(uint32_t word, uint32_t bits);

/* Are those that this user reads taken when its instruction starts? */
bool tensix_config_latched(uint32_t word, uint32_t bits, uint32_t user);

/* The unit that this instruction is such a user for; 0: it samples none. */
uint32_t tensix_config_user(uint32_t insn);

/* Would PACR of this thread find exponents to share in Dst16b? */
bool tensix_packs_exponents(const TensixState *s, uint32_t thread);

#endif
