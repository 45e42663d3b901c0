/*
 * A folder of tt-umd's simulation servers, for the socket.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names: tt-umd, docs/SIMULATION_SERVER.md.  A server takes the lowest index of
 * which there is no folder; making the folder is what takes it.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "tensix_host_internal.h"

enum {
    SERVERS = 4096,                /* of a machine; tt-umd's limit */
    OWNER_ALONE = 0700,
};

#define FOLDER "%s/tt-umd-sim-server-%u"
#define SOCKET "%s/tt-umd-sim-0.sock"

static char *make_folder(Error **errp)
{
    for (unsigned i = 0; i < SERVERS; i++) {
        g_autofree char *path = g_strdup_printf(FOLDER, g_get_tmp_dir(), i);

        if (mkdir(path, OWNER_ALONE) == 0) {
            return g_steal_pointer(&path);
        }
        if (errno != EEXIST) {
            error_setg_errno(errp, errno, "sim-server: '%s'", path);
            return NULL;
        }
    }
    error_setg(errp, "sim-server: %s has %u folders of simulation servers "
               "(sim_server prune removes dead ones)", g_get_tmp_dir(),
               SERVERS);
    return NULL;
}

bool tensix_host_make_server(TensixHostState *s, Error **errp)
{
    if (s->socket) {
        error_setg(errp, "sim-server: host-socket names another socket");
        return false;
    }
    s->server_folder = make_folder(errp);
    if (!s->server_folder) {
        return false;
    }
    s->socket = g_strdup_printf(SOCKET, s->server_folder);
    return true;
}

/* Empty by now: the listener has removed its socket. */
void tensix_host_remove_server(TensixHostState *s)
{
    if (s->server_folder) {
        rmdir(s->server_folder);
        g_clear_pointer(&s->server_folder, g_free);
    }
}
