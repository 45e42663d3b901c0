/*
 * When a watch of the machine looks next, as part of a mark in its history.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_LOOK_TIMER_H
#define HW_TENSTORRENT_TENSIX_LOOK_TIMER_H

#include "qemu/timer.h"

/* Virtual ns; -1: it does not look.  NULL: it never does, as under qtest. */
static inline int64_t tensix_look_timer_mark(QEMUTimer *timer)
{
    return timer ? timer_expire_time_ns(timer) : -1;
}

/* As it was when this was marked. */
static inline void tensix_look_timer_go_to(QEMUTimer *timer, int64_t expires)
{
    if (timer && expires >= 0) {
        timer_mod_ns(timer, expires);
    } else if (timer) {
        timer_del(timer);
    }
}

#endif
