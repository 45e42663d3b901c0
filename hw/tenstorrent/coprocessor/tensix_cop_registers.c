/*
 * Tensix coprocessor: the Scalar Unit's accesses to the tile's registers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * STOREREG, LOADREG and their indirect forms reach any device of the tile, and
 * a device may call back into the core, which is in the middle of an
 * instruction and perhaps runs without the BQL.  So the core only leaves a
 * note, one access at a time; it is made once the core has stopped, and the
 * core runs on behind it.  A push makes it, or the pump: nobody who may be
 * called by a device in the middle of an access of its own.
 * Registers are as BRISC sees them.  (WH STOREREG.md, LOADREG.md)
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "tensix_cop_internal.h"

static bool is_to_do(const TensixCopAccess *access)
{
    return access->state == TENSIX_COP_ACCESS_WRITE ||
           access->state == TENSIX_COP_ACCESS_READ;
}

bool tensix_cop_access_to_do(const TensixCopState *cop)
{
    return is_to_do(&cop->access);
}

TensixResult tensix_cop_note_write(void *opaque, uint32_t address,
                                   uint32_t value)
{
    TensixCopState *cop = opaque;

    if (is_to_do(&cop->access)) {
        return TENSIX_RETRY;
    }
    cop->access = (TensixCopAccess) {
        TENSIX_COP_ACCESS_WRITE, address, value
    };
    return TENSIX_DONE;
}

TensixResult tensix_cop_note_read(void *opaque, uint32_t address,
                                  uint32_t *value)
{
    TensixCopState *cop = opaque;
    TensixCopAccess *access = &cop->access;

    if (is_to_do(access)) {
        return TENSIX_RETRY;
    }
    if (access->state == TENSIX_COP_ACCESS_VALUE &&
        access->address == address) {
        *value = access->value;
        access->state = TENSIX_COP_ACCESS_NONE;
        return TENSIX_DONE;
    }
    *access = (TensixCopAccess) { TENSIX_COP_ACCESS_READ, address };
    return TENSIX_RETRY;
}

static const MemTxAttrs register_attrs = {
    .requester_id = TENSIX_DEVICE_REQUESTER
};

static void connect_access(TensixCopState *cop)
{
    TensixCopAccess access = cop->access;
    uint32_t value;

    if (access.state == TENSIX_COP_ACCESS_WRITE) {
        cop->access.state = TENSIX_COP_ACCESS_NONE;
        address_space_stl_le(&cop->register_as, access.address, access.value,
                             register_attrs, NULL);
        return;
    }
    value = address_space_ldl_le(&cop->register_as, access.address,
                                 register_attrs, NULL);
    cop->access.value = value;
    cop->access.state = TENSIX_COP_ACCESS_VALUE;
}

void tensix_cop_make_access(TensixCopState *cop)
{
    g_assert(bql_locked() && is_to_do(&cop->access) && !cop->making_access);
    cop->making_access = true;
    connect_access(cop);
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
