/*
 * Mover.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_MOVER_H
#define TENSIX_MOVER_H

#include "tensix_core.h"

/*
 * Makes a move, now; false, and nothing done, if it is not defined.  The caller
 * lands flights first, as tensix_move() does.  (mover.c)
 */
bool tensix_mover_run(TensixCore *c, const TensixMove *m);

#endif
