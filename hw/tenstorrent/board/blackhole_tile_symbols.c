/*
 * Naming the ELFs that source lines are taken from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + machine properties brisc-symbols, ncrisc-symbols, trisc0-symbols, ...:
 *    each FILE or FILE@OFFSET that is set is one more; reading gives them all
 *  + monitor: tensix_symbols HART FILE [OFFSET]
 *
 * The machine's images are known without that.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/cutils.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "monitor/hmp.h"
#include "monitor/monitor.h"
#include "qobject/qdict.h"

#define SUFFIX "-symbols"

/* The hart of a name with such a suffix; TENSIX_NUM_HARTS: none. */
static unsigned hart_named(const char *name, const char *suffix)
{
    unsigned hart = 0;

    while (hart < TENSIX_NUM_HARTS) {
        const char *rest;

        if (strstart(name, tensix_hart_name(hart), &rest) &&
            !strcmp(rest, suffix)) {
            break;
        }
        hart++;
    }
    return hart;
}

/* An offset may be negative, and is taken modulo 2^32. */
static bool parse_offset(const char *text, uint32_t *offset)
{
    int64_t value;

    if (qemu_strtoi64(text, NULL, 0, &value) || value > UINT32_MAX ||
        value < INT32_MIN) {
        return false;
    }
    *offset = value;
    return true;
}

/* Before the tiles are realized there is no bus. */
static bool add_symbols(BlackholeTile *m, unsigned hart, const char *file,
                        uint32_t offset, Error **errp)
{
    for (unsigned n = 0; n < blackhole_tile_count(m) && m->tile[n]; n++) {
        if (tensix_tile_device(m->tile[n], "bus")) {
            tensix_bus_post(&m->tile[n]->bus, TENSIX_ON_ELF, NULL);
        }
    }
    return tensix_sources_add(m->sources, hart, file, offset, errp);
}

/* --- properties --- */

static void get_symbols(Object *obj, Visitor *v, const char *name, void *opaque,
                        Error **errp)
{
    g_autofree char *list = tensix_sources_list(BLACKHOLE_TILE(obj)->sources,
                                                hart_named(name, SUFFIX));

    visit_type_str(v, name, &list, errp);
}

/* A name that contains an @ needs an @0 after it. */
static void set_symbols(Object *obj, Visitor *v, const char *name, void *opaque,
                        Error **errp)
{
    g_autofree char *file = NULL;
    uint32_t offset = 0;
    char *at;

    if (!visit_type_str(v, name, &file, errp)) {
        return;
    }
    at = strrchr(file, '@');
    if (at && !parse_offset(at + 1, &offset)) {
        error_setg(errp, "%s must be FILE or FILE@OFFSET, and '%s' is no "
                   "offset", name, at + 1);
        return;
    }
    if (at) {
        *at = '\0';
    }
    add_symbols(BLACKHOLE_TILE(obj), hart_named(name, SUFFIX), file, offset,
                errp);
}

void blackhole_tile_add_symbol_properties(ObjectClass *oc)
{
    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        g_autofree char *name = g_strconcat(tensix_hart_name(i), SUFFIX, NULL);

        object_class_property_add(oc, name, "str", get_symbols, set_symbols,
                                  NULL, NULL);
        object_class_property_set_description(oc, name,
            "one more ELF with this hart's source lines: FILE[@OFFSET]");
    }
}

/* --- monitor --- */

/* `tensix_symbols` as it was typed. */
typedef struct Naming {
    unsigned hart;
    const char *file;
    uint32_t offset;
    unsigned tiles;                /* that know the file now */
    Error *err;
} Naming;

static int name_if_tile(Object *obj, void *opaque)
{
    Naming *n = opaque;
    Object *tile = object_dynamic_cast(obj, TYPE_BLACKHOLE_TILE);

    if (tile && add_symbols(BLACKHOLE_TILE(tile), n->hart, n->file,
                            n->offset, &n->err)) {
        n->tiles++;
    }
    return n->err ? -1 : 0;
}

static void hmp_tensix_symbols(Monitor *mon, const QDict *qdict)
{
    const char *hart = qdict_get_str(qdict, "hart");
    Naming n = {
        .hart = hart_named(hart, ""), .file = qdict_get_str(qdict, "file"),
        .offset = qdict_get_try_int(qdict, "offset", 0),
    };

    if (n.hart == TENSIX_NUM_HARTS) {
        monitor_printf(mon, "tensix_symbols: there is no hart '%s'\n", hart);
        return;
    }
    object_child_foreach(object_get_root(), name_if_tile, &n);
    if (n.err) {
        monitor_printf(mon, "tensix_symbols: %s\n", error_get_pretty(n.err));
        error_free(n.err);
    } else if (!n.tiles) {
        monitor_printf(mon, "tensix_symbols: this machine has no Tensix "
                       "tile\n");
    }
}

static void register_tensix_symbols(void)
{
    monitor_register_hmp("tensix_symbols", false, hmp_tensix_symbols);
}

type_init(register_tensix_symbols)
