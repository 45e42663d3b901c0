/*
 * The lock of a core: which thread may be in it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart's push enters the core without the BQL, with a thread per hart too.
 * Every other caller holds the BQL and takes the lock, which keeps
 * that fast path closed; README.md here says why this is enough.  The core
 * is never entered while a caller is in it: what it calls back sets flags and
 * leaves requests, and never gives up the BQL.
 */

#ifndef HW_TENSTORRENT_TENSIX_COP_LOCK_H
#define HW_TENSTORRENT_TENSIX_COP_LOCK_H

#include "qemu/atomic.h"
#include "qemu/notify.h"

typedef struct TensixCopLock {
    CPUState *pusher;              /* its thread pushes without the BQL; or NULL */
    bool shared;                   /* each hart's own thread does */
    uint32_t pushing;              /* a hart, without the BQL */
    uint32_t outsiders;            /* threads that want it to keep out */
    bool inside;                   /* between take and drop */
    /* clients, called with their NotifierList's data NULL, inside the lock */
    NotifierList entered;
    NotifierList leaving;          /* what the holder has done is complete */
} TensixCopLock;

void tensix_cop_lock_init(TensixCopLock *lock);

/* Could the thread that pushes without the BQL be another one than this? */
bool tensix_cop_lock_has_rival(const TensixCopLock *lock);

/*
 * Keeps the thread that pushes out of the core, for several takes in a row: the
 * first one of these alone passes barriers.  BQL held, from here to let_in.
 */
void tensix_cop_lock_keep_out(TensixCopLock *lock);
void tensix_cop_lock_let_in(TensixCopLock *lock);

/* BQL held, also for drop. */
void tensix_cop_lock_take(TensixCopLock *lock);
void tensix_cop_lock_drop(TensixCopLock *lock);

/* Leaves the core for a moment, in the middle of take and drop; and returns. */
void tensix_cop_lock_step_out(TensixCopLock *lock);
void tensix_cop_lock_step_in(TensixCopLock *lock);

static inline void tensix_cop_lock_notify(NotifierList *clients)
{
    if (unlikely(!QLIST_EMPTY(&clients->notifiers))) {
        notifier_list_notify(clients, NULL);
    }
}

/* The same where threads push at the same time: waits for the others briefly. */
bool tensix_cop_lock_begin_shared(TensixCopLock *lock);

/*
 * A push without the BQL: true if no other thread is in the core, nor enters
 * it before end.
 */
static inline bool tensix_cop_lock_begin_push(TensixCopLock *lock)
{
    if (unlikely(lock->shared)) {
        return tensix_cop_lock_begin_shared(lock);
    }
    qatomic_set(&lock->pushing, 1);
    smp_mb_placeholder();
    if (likely(!qatomic_load_acquire(&lock->outsiders))) {
        return true;
    }
    qatomic_store_release(&lock->pushing, 0);
    return false;
}

static inline void tensix_cop_lock_end_push(TensixCopLock *lock)
{
    qatomic_store_release(&lock->pushing, 0);
}

#endif
