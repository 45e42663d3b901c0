/*
 * Options of the machine for host software, which are tensix-host's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "chardev/char.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "hw/tenstorrent/tensix_host.h"
#include "system/system.h"

/* A text: where the machine keeps it, and the device's property for it. */
typedef struct HostText {
    const char *name, *description;
    size_t offset;
    const char *property;
    bool is_chardev;
} HostText;

static const HostText host_texts[] = {
    { "host", "chardev of a client of tt-umd's socket protocol",
      offsetof(BlackholeTile, host.chardev), "chardev", true },
    { "host-dma", "chardev of the peer at the PCI Express tile",
      offsetof(BlackholeTile, host.dma), "dma", true },
    { "host-socket", "path of a UNIX socket for clients of that protocol",
      offsetof(BlackholeTile, host.socket), "socket" },
    { "host-soc-descriptor", "what is served in place of the built-in one",
      offsetof(BlackholeTile, host.soc_descriptor), "soc-descriptor" },
};

static char **text_of(const BlackholeTile *m, const HostText *text)
{
    return (char **)((char *)m + text->offset);
}

static void get_text(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    char *empty = (char *)"";
    char **text = text_of(BLACKHOLE_TILE(obj), opaque);

    visit_type_str(v, name, *text ? text : &empty, errp);
}

static void set_text(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    char **text = text_of(BLACKHOLE_TILE(obj), opaque);
    char *value;

    if (blackhole_tile_can_set(name, errp) &&
        visit_type_str(v, name, &value, errp)) {
        g_free(*text);
        *text = value;
    }
}

static bool get_exit(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->host.exit;
}

static void set_exit(Object *obj, bool value, Error **errp)
{
    if (blackhole_tile_can_set("host-exit", errp)) {
        BLACKHOLE_TILE(obj)->host.exit = value;
    }
}

static bool get_server(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->host.server;
}

static void set_server(Object *obj, bool value, Error **errp)
{
    if (blackhole_tile_can_set("sim-server", errp)) {
        BLACKHOLE_TILE(obj)->host.server = value;
    }
}

static char *get_clock_mode(Object *obj, Error **errp)
{
    return g_strdup(BLACKHOLE_TILE(obj)->host.lockstep ? "lockstep" : "free");
}

static void set_clock_mode(Object *obj, const char *value, Error **errp)
{
    bool lockstep = !strcmp(value, "lockstep");

    if (!blackhole_tile_can_set("host-clock", errp)) {
        return;
    }
    if (lockstep || !strcmp(value, "free")) {
        BLACKHOLE_TILE(obj)->host.lockstep = lockstep;
    } else {
        error_setg(errp, "host-clock must be free or lockstep, not '%s'",
                   value);
    }
}

void blackhole_tile_add_host_properties(ObjectClass *oc)
{
    for (unsigned i = 0; i < ARRAY_SIZE(host_texts); i++) {
        const HostText *text = &host_texts[i];

        object_class_property_add(oc, text->name, "str", get_text, set_text,
                                  NULL, (void *)text);
        object_class_property_set_description(oc, text->name,
                                              text->description);
    }
    object_class_property_add_bool(oc, "sim-server", get_server, set_server);
    object_class_property_set_description(oc, "sim-server",
        "a socket in a folder of tt-umd's simulation servers");
    object_class_property_add_bool(oc, "host-exit", get_exit, set_exit);
    object_class_property_set_description(oc, "host-exit",
        "end QEMU when the last client has disconnected");
    object_class_property_add_str(oc, "host-clock", get_clock_mode,
                                  set_clock_mode);
    object_class_property_set_description(oc, "host-clock",
        "free, or lockstep: harts run only while a client asks for it");
}

static bool set_chardev(DeviceState *dev, const HostText *text,
                        const char *name, Error **errp)
{
    ERRP_GUARD();

    if (!qemu_chr_find(name)) {
        error_setg(errp, "%s=%s: there is no such -chardev", text->name, name);
    } else if (!object_property_set_str(OBJECT(dev), text->property, name,
                                        errp)) {
        error_prepend(errp, "%s=%s: ", text->name, name);
    }
    return !*errp;
}

static bool set_texts(const BlackholeTile *m, DeviceState *dev, Error **errp)
{
    for (unsigned i = 0; i < ARRAY_SIZE(host_texts); i++) {
        const HostText *text = &host_texts[i];
        const char *value = *text_of(m, text);

        if (!value) {
            continue;
        }
        if (!text->is_chardev) {
            qdev_prop_set_string(dev, text->property, value);
        } else if (!set_chardev(dev, text, value, errp)) {
            return false;
        }
    }
    return true;
}

/* The server reaches other tiles by the NoC, and all harts by the first one. */
static bool set_links(const BlackholeTile *m, DeviceState *dev, Error **errp)
{
    static const char *const links[][2] = {
        { "hart", "brisc-hart" }, { "noc-port", "noc-port" },
        { "reporter", "reporter" },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(links); i++) {
        Object *part = tensix_tile_device(m->tile[0], links[i][1]);

        if (!object_property_set_link(OBJECT(dev), links[i][0], part, errp)) {
            return false;
        }
    }
    return true;
}

bool blackhole_tile_has_host(const BlackholeTile *m)
{
    return m->host.chardev || m->host.socket || m->host.server;
}

/* In lockstep the machine waits for the first run. */
bool blackhole_tile_make_host(BlackholeTile *m, Error **errp)
{
    DeviceState *dev = qdev_new(TYPE_TENSIX_HOST);

    object_property_add_child(OBJECT(m), "host-server", OBJECT(dev));
    object_unref(OBJECT(dev));     /* the machine holds it */
    if (!set_texts(m, dev, errp) || !set_links(m, dev, errp)) {
        return false;
    }
    qdev_prop_set_bit(dev, "server", m->host.server);
    qdev_prop_set_bit(dev, "exit", m->host.exit);
    qdev_prop_set_bit(dev, "lockstep", m->host.lockstep);
    if (m->host.lockstep) {
        autostart = 0;
    }
    return sysbus_realize(SYS_BUS_DEVICE(dev), errp);
}

void blackhole_tile_free_host_options(BlackholeTile *m)
{
    for (unsigned i = 0; i < ARRAY_SIZE(host_texts); i++) {
        g_free(*text_of(m, &host_texts[i]));
    }
}
