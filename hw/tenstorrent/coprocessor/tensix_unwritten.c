/*
 * Reads of what nobody has written (unwritten=report): L1 and the machine's side.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core keeps account of what instructions read and write (observe.h), and
 * tensix_l1.h of who else writes L1; harts' loads and stores are seen by a
 * watchpoint over all of L1 that never fires.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "exec/memory.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_report.h"
#include "migration/qemu-file-types.h"
#include "tensix_unwritten.h"
#include "tensix_watch_internal.h"

enum { MARK_BYTES = TENSIX_L1_SIZE / 8 };

TensixUnwritten *tensix_unwritten_marks(TensixCopState *cop)
{
    return cop->unwritten.l1 ? &cop->unwritten : NULL;
}

/* --- L1 --- */

/* Out of translated code, mostly without the BQL. */
static void tell_load(TensixHart *hart, TensixBytes bytes, uintptr_t ra)
{
    char text[TENSIX_UNWRITTEN_TEXT];

    BQL_LOCK_GUARD();
    tensix_unwritten_l1_text(text, bytes);
    tensix_report_hart(hart, TENSIX_UNWRITTEN, tensix_hart_pc(hart, ra), "%s",
                       text);
}

static void l1_accessed(void *opaque, TensixHart *hart, uint32_t address,
                        uint32_t size, bool loads, bool stores, uintptr_t ra)
{
    TensixCopState *cop = opaque;
    TensixBytes bytes = { 0 };

    if (loads) {
        bytes = tensix_unwritten_l1_read(&cop->unwritten, address, size);
    }
    if (stores) {
        tensix_unwritten_l1_written(&cop->unwritten, address, size);
    }
    if (bytes.count) {
        tell_load(hart, bytes, ra);
    }
}

/* A host may look at anything, as debuggers may. */
void tensix_unwritten_read_by(TensixCopState *cop, const TensixActor *by,
                              uint32_t address, uint32_t size)
{
    char text[TENSIX_UNWRITTEN_TEXT];
    TensixBytes bytes = { 0 };

    if (cop->unwritten.l1 && by->kind == TENSIX_BY_NOC) {
        bytes = tensix_unwritten_l1_read(&cop->unwritten, address, size);
    }
    if (bytes.count) {
        tensix_unwritten_l1_text(text, bytes);
        tensix_report_by(cop->reporter, by, TENSIX_UNWRITTEN, "the NoC %s",
                         text);
    }
}

/* --- life cycle --- */

void tensix_unwritten_init(TensixCopState *cop)
{
    if (!cop->tells_unwritten) {
        return;
    }
    cop->unwritten.l1_size = TENSIX_L1_SIZE;
    cop->unwritten.l1 = g_malloc0(MARK_BYTES);
}

void tensix_unwritten_finish(TensixCopState *cop)
{
    g_free(cop->unwritten.l1);
    cop->unwritten.l1 = NULL;
}

void tensix_unwritten_begin(TensixCopState *cop)
{
    if (cop->unwritten.l1) {
        tensix_unwritten_reset(&cop->unwritten);
    }
}

void tensix_unwritten_go_on(TensixCopState *cop)
{
    for (int n = 0; cop->unwritten.l1 && n < TENSIX_NUM_HARTS; n++) {
        if (!cop->hart[n]->access_fn) {
            tensix_hart_tell_accesses(cop->hart[n], TENSIX_L1_SIZE, l1_accessed,
                                      cop);
        }
    }
}

/* --- snapshots --- */

static int put_l1(QEMUFile *f, void *opaque, size_t size,
                  const VMStateField *field, JSONWriter *vmdesc)
{
    const TensixUnwritten *u = opaque;

    qemu_put_buffer(f, (const uint8_t *)u->l1, MARK_BYTES);
    return 0;
}

/* Marks of a machine with the option, in one without it: nobody wants them. */
static int get_l1(QEMUFile *f, void *opaque, size_t size,
                  const VMStateField *field)
{
    TensixUnwritten *u = opaque;
    g_autofree uint8_t *bytes = g_malloc(MARK_BYTES);

    if (qemu_get_buffer(f, bytes, MARK_BYTES) != MARK_BYTES) {
        return -EINVAL;
    }
    if (u->l1) {
        memcpy(u->l1, bytes, MARK_BYTES);
    }
    return 0;
}

static const VMStateInfo l1_info = {
    .name = "tensix unwritten l1",
    .get = get_l1,
    .put = put_l1,
};

static bool has_marks(void *opaque)
{
    return tensix_unwritten_marks(opaque);
}

/* Any bits will do: a wrong one is a wrong report. */
const VMStateDescription vmstate_tensix_unwritten = {
    .name = TYPE_TENSIX_COP "/unwritten",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = has_marks,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64_ARRAY(unwritten.cells, TensixCopState,
                             TENSIX_READ_WORDS),
        {
            .name = "unwritten.l1",
            .offset = offsetof(TensixCopState, unwritten),
            .size = sizeof(TensixUnwritten),
            .info = &l1_info,
            .flags = VMS_SINGLE,
        },
        VMSTATE_END_OF_LIST()
    }
};
