/*
 * Harts that stall for good: what they agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The host sets `variant` before the start, sees `ready`, and may then let
 * TRISC0 of variant 0 continue by posting the semaphore.
 */

#ifndef IDLE_H
#define IDLE_H

#include "blackhole-tile/kernel.h"

enum { SEM_NEVER = 0, SEM_LAP = 3 };

typedef struct {
    volatile uint32_t variant;
    volatile uint32_t ready;
    volatile uint32_t laps;        /* variant 0: releases of TRISC0 */
    volatile uint32_t started[3];
} IdleShared;

#define SHARED ((IdleShared *)SHARED_BASE)

#endif
