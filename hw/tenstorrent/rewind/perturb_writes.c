/*
 * Runs of a program with delays: what is stored before each run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "exec/cpu-common.h"
#include "qapi/error.h"
#include "qemu/base64.h"
#include "perturb_internal.h"

typedef struct Write {
    uint64_t address;
    uint8_t *data;
    size_t size;
} Write;

static void write_free(gpointer data)
{
    Write *w = data;

    g_free(w->data);
    g_free(w);
}

static GPtrArray *no_writes(void)
{
    return g_ptr_array_new_with_free_func(write_free);
}

GPtrArray *perturb_writes_parse(const TensixMemoryWriteList *list, Error **errp)
{
    g_autoptr(GPtrArray) writes = no_writes();

    for (; list; list = list->next) {
        Write *w = g_new0(Write, 1);

        g_ptr_array_add(writes, w);
        w->address = list->value->address;
        w->data = qbase64_decode(list->value->data, -1, &w->size, errp);
        if (!w->data) {
            return NULL;
        }
    }
    return g_steal_pointer(&writes);
}

/* As a host writes memory: translations of what it was before are discarded. */
void perturb_writes_apply(const GPtrArray *writes)
{
    for (guint i = 0; writes && i < writes->len; i++) {
        const Write *w = g_ptr_array_index(writes, i);

        address_space_write(&address_space_memory, w->address,
                            MEMTXATTRS_UNSPECIFIED, w->data, w->size);
    }
}
