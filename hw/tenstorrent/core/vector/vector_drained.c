/*
 * A copy of the core without instructions that SFPLOADMACRO has scheduled.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A debugger's read shows their results, but must not execute them in the core.
 */

#include "derived/update.h"
#include "vector/vector.h"

static void ignore_violation(void *opaque, const TensixViolation *violation)
{
}

TensixCore tensix_drained_copy(const TensixCore *c)
{
    TensixCore copy = *c;

    copy.host.violation = ignore_violation;
    copy.observer = NULL;
    tensix_record_set_ring(&copy.record, NULL, 0);  /* not the original's */
    tensix_vector_drain(&copy);
    tensix_set_macro_active(&copy, false);
    return copy;
}
