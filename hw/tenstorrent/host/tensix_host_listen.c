/*
 * Many clients at one UNIX socket: tt-umd's Cluster opens two connections.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU's socket character device takes one connection at a time, so this has a
 * separate listener, and a character device for each connection.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "qapi/qapi-types-char.h"
#include "io/channel-socket.h"
#include "system/system.h"
#include "tensix_host_internal.h"

enum {
    SESSIONS = 64,                 /* others are refused */
    BACKLOG = 16,
};

/* The device owns the connection from now on. */
static Chardev *chardev_of(int fd, Error **errp)
{
    g_autofree char *number = g_strdup_printf("%d", fd);
    FdSocketAddress text = { .str = number };
    FdSocketAddressWrapper wrapper = { .data = &text };
    SocketAddressLegacy address = {
        .type = SOCKET_ADDRESS_TYPE_FD,
        .u.fd = wrapper,
    };
    ChardevSocket socket = { .addr = &address, .has_server = true };
    ChardevBackend backend = {
        .type = CHARDEV_BACKEND_KIND_SOCKET,
        .u.socket.data = &socket,
    };

    return qemu_chardev_new(NULL, TYPE_CHARDEV_SOCKET, &backend, NULL, errp);
}

static void take_client(QIONetListener *net, QIOChannelSocket *client,
                        gpointer opaque)
{
    TensixHostState *s = opaque;
    HostSession *session;
    Error *error = NULL;
    Chardev *chr;
    int fd;

    if (s->listener.sessions->len >= SESSIONS) {
        return;                    /* the connection ends with its object */
    }
    fd = dup(client->fd);
    chr = fd < 0 ? NULL : chardev_of(fd, &error);
    if (!chr) {
        warn_report("a client of tensix-host is refused: %s",
                    error ? error_get_pretty(error) : strerror(errno));
        error_free(error);
        return;
    }
    session = g_new0(HostSession, 1);
    session->of_listener = true;
    tensix_host_session_init(session, s);
    qemu_chr_fe_init(&session->chr, chr, &error_abort);
    g_ptr_array_add(s->listener.sessions, session);
    tensix_host_session_serve(session);
}

void tensix_host_drop_session(HostSession *session)
{
    g_ptr_array_remove(session->host->listener.sessions, session);
}

static void free_session(gpointer opaque)
{
    HostSession *session = opaque;

    tensix_host_session_finish(session);
    g_free(session);
}

/* The socket's name goes with it. */
static void qemu_exits(Notifier *notifier, void *data)
{
    HostListener *l = container_of(notifier, HostListener, exit);

    qio_net_listener_disconnect(l->net);
    tensix_host_remove_server(container_of(l, TensixHostState, listener));
}

bool tensix_host_listen(TensixHostState *s, const char *path, Error **errp)
{
    HostListener *l = &s->listener;
    SocketAddress address = {
        .type = SOCKET_ADDRESS_TYPE_UNIX,
        .u.q_unix.path = (char *)path,
    };

    l->sessions = g_ptr_array_new_with_free_func(free_session);
    l->net = qio_net_listener_new();
    if (qio_net_listener_open_sync(l->net, &address, BACKLOG, errp) < 0) {
        return false;
    }
    qio_net_listener_set_client_func(l->net, take_client, s, NULL);
    l->exit.notify = qemu_exits;
    qemu_add_exit_notifier(&l->exit);
    return true;
}

void tensix_host_unlisten(TensixHostState *s)
{
    HostListener *l = &s->listener;

    if (l->exit.notify) {
        qemu_remove_exit_notifier(&l->exit);
        qio_net_listener_disconnect(l->net);
    }
    object_unref(OBJECT(l->net));
    l->net = NULL;
    g_clear_pointer(&l->sessions, g_ptr_array_unref);
}
