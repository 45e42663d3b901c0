/*
 * Tensix coprocessor: the Scalar Unit's accesses to the tile's registers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * STOREREG, LOADREG and their indirect forms reach any device of the tile, and
 * a device may call back into the core, which is in the middle of an
 * instruction and perhaps runs without the BQL.  So the core only records one
 * access at a time; the access is made once the core has stopped, and the core
 * runs on afterwards.  What a LOADREG has read is kept for its thread.  A push
 * makes the access, or the pump: no device that is in the middle of another
 * access.  Registers are as BRISC sees them.  (WH STOREREG.md, LOADREG.md)
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "tensix_cop_internal.h"

bool tensix_cop_access_to_do(const TensixCopState *cop)
{
    return cop->access.state != TENSIX_COP_ACCESS_NONE;
}

/* One at a time, whosever it is. */
static TensixResult defer(TensixCopState *cop, uint32_t state,
                          const TensixInsn *by, uint32_t address,
                          uint32_t value)
{
    TensixCopAccess *access = &cop->access;

    if (tensix_cop_access_to_do(cop)) {
        return TENSIX_RETRY;
    }
    access->state = state;
    access->address = address;
    access->value = value;
    access->by = *by;
    tensix_cop_end_words(cop);
    return TENSIX_DONE;
}

TensixResult tensix_cop_defer_write(void *opaque, const TensixInsn *by,
                                    uint32_t address, uint32_t value)
{
    return defer(opaque, TENSIX_COP_ACCESS_WRITE, by, address, value);
}

/*
 * A value waits for its own thread, whatever other threads request meanwhile.
 */
TensixResult tensix_cop_defer_read(void *opaque, const TensixInsn *by,
                                   uint32_t address, uint32_t *value)
{
    TensixCopState *cop = opaque;
    TensixCopLoaded *loaded = &cop->access.loaded[by->thread];

    if (loaded->valid && loaded->address == address) {
        *value = loaded->value;
        loaded->valid = false;
        return TENSIX_DONE;
    }
    defer(cop, TENSIX_COP_ACCESS_READ, by, address, 0);
    return TENSIX_RETRY;
}

static void connect_access(TensixCopState *cop, const TensixCopAccess *access)
{
    MemTxAttrs attrs = tensix_attrs(TENSIX_REQUESTER_THREAD +
                                    access->by.thread);
    uint32_t value;

    if (access->state == TENSIX_COP_ACCESS_WRITE) {
        address_space_stl_le(&cop->register_as, access->address, access->value,
                             attrs, NULL);
        return;
    }
    value = address_space_ldl_le(&cop->register_as, access->address, attrs,
                                 NULL);
    cop->access.loaded[access->by.thread] = (TensixCopLoaded) {
        .valid = true, .address = access->address, .value = value,
    };
}

void tensix_cop_make_access(TensixCopState *cop)
{
    const TensixCopAccess access = cop->access;
    TensixViolation by = tensix_insn_violation(cop->core, &access.by, 0, NULL);

    g_assert(bql_locked() && tensix_cop_access_to_do(cop) &&
             !cop->making_access);
    cop->access.state = TENSIX_COP_ACCESS_NONE;
    cop->making_access = true;
    cop->reporter->accessing = &by;
    connect_access(cop, &access);
    cop->reporter->accessing = NULL;
    cop->making_access = false;
}

void tensix_cop_registers_init(TensixCopState *cop)
{
    address_space_init(&cop->register_as, &cop->hart[TENSIX_HART_BRISC]->view,
                       "tensix-scalar-unit");
}

void tensix_cop_registers_finish(TensixCopState *cop)
{
    address_space_destroy(&cop->register_as);
}
