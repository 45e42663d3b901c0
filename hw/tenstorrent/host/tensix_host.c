/*
 * The device tensix-host: properties, and what all clients share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_host.h
 *
 * There is no state to migrate: a client, its half-received frame and a run
 * that it waits for stay behind.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "system/runstate.h"
#include "tensix_host_internal.h"

#define LOADED_POLL_MS 2
static bool is_served(const TensixHostState *s)
{
    return s->main.chr.chr || s->socket || s->server || s->dma.chr.chr;
}

/* --- while a state is being loaded --- */

bool tensix_host_is_ready(const TensixHostState *s)
{
    return !runstate_check(RUN_STATE_INMIGRATE);
}

static void accept_requests(TensixHostState *s)
{
    qemu_chr_fe_accept_input(&s->main.chr);
    for (unsigned i = 0; s->listener.sessions &&
                         i < s->listener.sessions->len; i++) {
        HostSession *session = g_ptr_array_index(s->listener.sessions, i);

        qemu_chr_fe_accept_input(&session->chr);
    }
}

/* Nothing reports when that is over, if the machine stays stopped then. */
static void check_loaded(void *opaque)
{
    TensixHostState *s = opaque;

    if (tensix_host_is_ready(s)) {
        accept_requests(s);
    } else {
        timer_mod(s->loaded, qemu_clock_get_ms(QEMU_CLOCK_REALTIME) +
                             LOADED_POLL_MS);
    }
}

/* --- clients --- */

static bool has_client(const TensixHostState *s)
{
    for (unsigned i = 0; s->listener.sessions &&
                         i < s->listener.sessions->len; i++) {
        const HostSession *session = g_ptr_array_index(s->listener.sessions,
                                                       i);

        if (session->open) {
            return true;
        }
    }
    return s->main.open;
}

/*
 * A listener's client that only connects or reads what the chip is, such as
 * tt-umd's sim_server or its check for a live server, does not end the machine.
 */
void tensix_host_client_left(const HostSession *session)
{
    const TensixHostState *s = session->host;
    bool counts = s->accessed || !session->of_listener;

    if (s->exit && counts && !has_client(s)) {
        qemu_system_shutdown_request(SHUTDOWN_CAUSE_HOST_QMP_QUIT);
    }
}

/*
 * A request that is being carried out will change the tile.  A client that
 * waits for a run waits for the harts; one that has asked for nothing may never.
 */
static bool is_carried_out(const HostSession *session)
{
    return session->phase == HOST_TAKES || session->phase == HOST_ACCESSES ||
           (session->mailbox && tensix_host_mailbox_is_busy(session->mailbox));
}

static bool tensix_host_busy(const Object *obj)
{
    const TensixHostState *s = TENSIX_HOST(obj);
    const GPtrArray *sessions = s->listener.sessions;

    for (unsigned i = 0; sessions && i < sessions->len; i++) {
        if (is_carried_out(g_ptr_array_index(sessions, i))) {
            return true;
        }
    }
    return is_carried_out(&s->main);
}

/* --- QOM --- */

static bool check(const TensixHostState *s, Error **errp)
{
    if (s->runs.lockstep && !s->main.chr.chr && !s->socket && !s->server) {
        error_setg(errp, "%s: lockstep without a client (host=, host-socket=): "
                   "the machine would never run", TYPE_TENSIX_HOST);
        return false;
    }
    if (s->runs.lockstep && !icount_enabled()) {
        error_setg(errp, "%s: lockstep needs -icount shift=0,sleep=off: "
                   "without it no two runs are the same", TYPE_TENSIX_HOST);
        return false;
    }
    return true;
}

static void serve(TensixHostState *s)
{
    tensix_host_violations_init(&s->violations, s->reporter);
    tensix_host_runs_init(s);
    s->loaded = timer_new_ms(QEMU_CLOCK_REALTIME, check_loaded, s);
    check_loaded(s);
    tensix_host_session_init(&s->main, s);
    if (s->main.chr.chr) {
        tensix_host_session_serve(&s->main);
    }
    if (s->dma.chr.chr) {
        tensix_host_dma_init(s);
    }
}

static void tensix_host_realize(DeviceState *dev, Error **errp)
{
    TensixHostState *s = TENSIX_HOST(dev);

    if (!tensix_access_check_links(dev, errp) || !check(s, errp) ||
        !is_served(s) ||
        !tensix_host_find_soc_descriptor(s, errp) ||
        (s->server && !tensix_host_make_server(s, errp))) {
        return;
    }
    if (s->socket && !tensix_host_listen(s, s->socket, errp)) {
        tensix_host_remove_server(s);
        return;
    }
    s->simulator = g_file_read_link("/proc/self/exe", NULL);
    serve(s);
}

static void tensix_host_unrealize(DeviceState *dev)
{
    TensixHostState *s = TENSIX_HOST(dev);

    if (!is_served(s)) {
        return;
    }
    if (s->dma.chr.chr) {
        tensix_host_dma_finish(s);
    }
    tensix_host_unlisten(s);
    tensix_host_remove_server(s);
    tensix_host_session_finish(&s->main);
    tensix_host_runs_finish(s);
    timer_free(s->loaded);
    tensix_host_violations_finish(&s->violations);
    g_free(s->soc_descriptor);
    g_free(s->simulator);
}

static const Property tensix_host_properties[] = {
    DEFINE_PROP_CHR("chardev", TensixHostState, main.chr),
    DEFINE_PROP_CHR("dma", TensixHostState, dma.chr),
    DEFINE_PROP_STRING("socket", TensixHostState, socket),
    DEFINE_PROP_BOOL("server", TensixHostState, server, false),
    DEFINE_PROP_STRING("soc-descriptor", TensixHostState, soc_descriptor_file),
    DEFINE_PROP_BOOL("exit", TensixHostState, exit, false),
    DEFINE_PROP_BOOL("lockstep", TensixHostState, runs.lockstep, false),
    DEFINE_PROP_LINK("hart", TensixHostState, hart, TYPE_TENSIX_HART,
                     TensixHart *),
    DEFINE_PROP_LINK("noc-port", TensixHostState, noc_port,
                     TYPE_TENSIX_NOC_PORT, TensixNocPort *),
    DEFINE_PROP_LINK("reporter", TensixHostState, reporter,
                     TYPE_TENSIX_REPORTER, TensixReporter *),
};

static void tensix_host_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    TensixBusyClass *bc = TENSIX_BUSY_CLASS(oc);

    bc->busy = tensix_host_busy;
    dc->desc = "server for host software of a Tensix tile";
    dc->realize = tensix_host_realize;
    dc->unrealize = tensix_host_unrealize;
    device_class_set_props(dc, tensix_host_properties);
}

static const TypeInfo tensix_host_types[] = {
    {
        .name = TYPE_TENSIX_HOST,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixHostState),
        .class_init = tensix_host_class_init,
        .interfaces = TENSIX_BUSY_INTERFACES,
    },
};

DEFINE_TYPES(tensix_host_types)
