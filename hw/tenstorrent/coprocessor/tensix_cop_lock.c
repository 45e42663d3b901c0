/*
 * The lock of a core: which thread may be in it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/processor.h"
#include "qemu/sys_membarrier.h"
#include "hw/core/cpu.h"
#include "tensix_cop_lock.h"
#include "../trace.h"

bool tensix_cop_lock_has_rival(const TensixCopLock *lock)
{
    return lock->shared || (lock->pusher && !qemu_cpu_is_self(lock->pusher));
}

bool tensix_cop_lock_begin_shared(TensixCopLock *lock)
{
    enum { SPINS = 200 };

    for (int n = 0; n < SPINS && !qatomic_read(&lock->outsiders); n++) {
        if (qatomic_read(&lock->pushing) || qatomic_xchg(&lock->pushing, 1)) {
            cpu_relax();
            continue;
        }
        if (!qatomic_load_acquire(&lock->outsiders) &&
            QLIST_EMPTY(&lock->entered.notifiers) &&
            QLIST_EMPTY(&lock->leaving.notifiers)) {
            return true;
        }
        qatomic_store_release(&lock->pushing, 0);
        break;
    }
    return false;
}

void tensix_cop_lock_init(TensixCopLock *lock)
{
    smp_mb_global_init();
    notifier_list_init(&lock->entered);
    notifier_list_init(&lock->leaving);
}

void tensix_cop_lock_step_in(TensixCopLock *lock)
{
    g_assert(!lock->inside);
    lock->inside = true;
}

void tensix_cop_lock_step_out(TensixCopLock *lock)
{
    g_assert(lock->inside);
    lock->inside = false;
}

/* Its thread may not be running at all while the host is busy. */
static void wait_for_push(TensixCopLock *lock)
{
    enum { YIELDS = 100, NAP_US = 20 };

    for (unsigned n = 0; qatomic_load_acquire(&lock->pushing); n++) {
        if (n < YIELDS) {
            g_thread_yield();
        } else {
            g_usleep(NAP_US);
        }
    }
}

/* Between this flag and a look at the pusher's, and in its thread as well. */
static void pass_barriers(const TensixCopLock *lock)
{
    trace_tensix_cop_barriers();
    if (lock->shared) {
        smp_mb();                  /* an atomic exchange is the pusher's */
    } else {
        smp_mb_global();
    }
}

void tensix_cop_lock_keep_out(TensixCopLock *lock)
{
    g_assert(bql_locked());
    if (!tensix_cop_lock_has_rival(lock)) {
        g_assert(!lock->pushing);
        return;
    }
    qatomic_set(&lock->outsiders, lock->outsiders + 1);
    if (lock->outsiders == 1) {
        pass_barriers(lock);
        wait_for_push(lock);
    }
}

void tensix_cop_lock_let_in(TensixCopLock *lock)
{
    if (tensix_cop_lock_has_rival(lock)) {
        qatomic_store_release(&lock->outsiders, lock->outsiders - 1);
    }
}

void tensix_cop_lock_take(TensixCopLock *lock)
{
    tensix_cop_lock_keep_out(lock);
    tensix_cop_lock_step_in(lock);
    tensix_cop_lock_notify(&lock->entered);
}

void tensix_cop_lock_drop(TensixCopLock *lock)
{
    tensix_cop_lock_notify(&lock->leaving);
    tensix_cop_lock_step_out(lock);
    tensix_cop_lock_let_in(lock);
}
