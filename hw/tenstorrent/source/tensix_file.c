/*
 * Files that a user names: read as a whole, if they are regular ones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * To open a FIFO would block until a writer opens it, and a device may have no
 * end.
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/tenstorrent/tensix_file.h"

/* What the descriptor has; false with errno set. */
static bool read_all(int fd, gchar *bytes, size_t *size)
{
    size_t done = 0;
    ssize_t n = 1;

    while (done < *size && n > 0) {
        n = RETRY_ON_EINTR(read(fd, bytes + done, *size - done));
        done += MAX(n, 0);
    }
    *size = done;
    return n >= 0;
}

static bool check(const struct stat *st, uint64_t most, Error **errp)
{
    if (!S_ISREG(st->st_mode)) {
        error_setg(errp, "it is not a file");
        return false;
    }
    if (st->st_size > most) {
        error_setg(errp, "it is larger than %" PRIu64 " MiB", most / MiB);
        return false;
    }
    return true;
}

static gchar *read_fd(int fd, uint64_t most, const struct stat *st,
                      size_t *size, Error **errp)
{
    g_autofree gchar *bytes = NULL;

    if (!check(st, most, errp)) {
        return NULL;
    }
    *size = st->st_size;
    bytes = g_try_malloc(*size + 1);
    if (!bytes || !read_all(fd, bytes, size)) {
        error_setg(errp, "%s", strerror(errno));
        return NULL;
    }
    bytes[*size] = 0;
    return g_steal_pointer(&bytes);
}

gchar *tensix_file_read(const char *file, uint64_t most, struct stat *st,
                        size_t *size, Error **errp)
{
    int fd = qemu_open(file, O_RDONLY | O_BINARY | O_NONBLOCK, NULL);
    struct stat found;
    gchar *bytes = NULL;

    st = st ?: &found;
    if (fd < 0 || fstat(fd, st) < 0) {
        error_setg(errp, "%s", strerror(errno));
    } else {
        bytes = read_fd(fd, most, st, size, errp);
    }
    if (fd >= 0) {
        close(fd);
    }
    return bytes;
}
