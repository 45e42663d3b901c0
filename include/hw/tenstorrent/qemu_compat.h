/*
 * Differences between the releases of QEMU that the machine is built on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Headers that moved from exec/ to system/ or accel/tcg/ after 10.0, and names
 * that changed.  Everything else is the patches' (docs/qemu-releases.rst).
 */

#ifndef HW_TENSTORRENT_QEMU_COMPAT_H
#define HW_TENSTORRENT_QEMU_COMPAT_H

#include "hw/core/cpu.h"
#include "system/tcg.h"

/* Since 10.1 QEMU's own function asserts that the accelerator is TCG */
#define mttcg_enabled() (tcg_enabled() && qemu_tcg_mttcg_enabled())

#define QEMU_RELEASE (QEMU_VERSION_MAJOR * 100 + QEMU_VERSION_MINOR)

#if QEMU_RELEASE >= 1002

#include "exec/icount.h"
#include "system/address-spaces.h"
#include "system/memory.h"
#include "system/ramblock.h"

/* TypeInfo.class_init's second parameter */
typedef const void TensixClassData;

#define load_device_state(file) qemu_load_device_state(file, NULL)

/* There loading state flushes no translated code anyway */
#define keep_code_at_load(keep) do { } while (0)

#else

#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "exec/ramblock.h"
#include "hw/core/sysemu-cpu-ops.h"
#include "system/cpu-timers.h"

typedef void TensixClassData;
#define CharFrontend CharBackend

#define load_device_state(file) qemu_load_device_state(file)
#define keep_code_at_load(keep) (tb_kept_by_load = (keep))

#endif
#endif
