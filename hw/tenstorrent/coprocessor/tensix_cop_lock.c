/*
 * The lock of a core: who may be in it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/sys_membarrier.h"
#include "hw/core/cpu.h"
#include "tensix_cop_lock.h"

/* The thread that pushes is this one, or one that has to be waited for. */
static bool in_hart_s_thread(void)
{
    return current_cpu && qemu_cpu_is_self(current_cpu);
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

void tensix_cop_lock_take(TensixCopLock *lock)
{
    g_assert(bql_locked());
    if (in_hart_s_thread()) {
        g_assert(!lock->pushing);
    } else {
        qatomic_set(&lock->outsiders, lock->outsiders + 1);
        smp_mb_global();
        while (qatomic_load_acquire(&lock->pushing)) {
            g_thread_yield();
        }
    }
    tensix_cop_lock_step_in(lock);
    tensix_cop_lock_tell(&lock->entered);
}

void tensix_cop_lock_drop(TensixCopLock *lock)
{
    tensix_cop_lock_tell(&lock->leaving);
    tensix_cop_lock_step_out(lock);
    if (!in_hart_s_thread()) {
        qatomic_store_release(&lock->outsiders, lock->outsiders - 1);
    }
}
