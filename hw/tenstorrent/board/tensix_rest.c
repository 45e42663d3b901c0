/*
 * How much the coprocessor has executed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_rest.h"

uint64_t tensix_rest_executed(const TensixCopState *cop)
{
    uint64_t executed = 0;

    for (int u = 0; u < TENSIX_UNITS; u++) {
        executed += cop->state->executed[u];
    }
    return executed;
}
