/*
 * The few words of QMP that a snapshot takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Processes that a fork has made share the socket, one at a time (FamilyPage's
 * lock). So nothing is read beyond the line that is wanted, and an answer is
 * known by its id: what a process left unread that died is skipped.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "library.h"

enum { LINE = 64 << 10 };          /* bytes of the longest answer */

ssize_t library_send_file(int socket, const void *data, size_t size, int file,
                          int flags)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = { 0 };
    struct iovec text = { (void *)data, size };
    struct msghdr message = { .msg_iov = &text, .msg_iovlen = 1 };

    if (file >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        control.align = (struct cmsghdr) {
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
            .cmsg_len = CMSG_LEN(sizeof(int)),
        };
        memcpy(CMSG_DATA(&control.align), &file, sizeof(file));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | flags);
}

static bool send_line(int qmp, const char *line, int file)
{
    size_t size = strlen(line);
    ssize_t n;

    do {
        n = library_send_file(qmp, line, size, file, 0);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)size;
}

/* Until there is something to receive, or never will be. */
static void await_text(TileLibrary *l, int qmp)
{
    struct pollfd file = { .fd = qmp, .events = POLLIN };
    int ready;

    while ((ready = poll(&file, 1, PATIENCE_MS)) == 0 ||
           (ready < 0 && errno == EINTR)) {
        if (ready == 0) {
            report_long_wait(l);
        }
    }
}

/* One line, without its end, of which what is too long is lost. */
static bool receive_line(TileLibrary *l, int qmp, char *line)
{
    size_t have = 0;

    for (;;) {
        ssize_t n;
        char *end;

        await_text(l, qmp);
        n = recv(qmp, line + have, LINE - 1 - have, MSG_PEEK);
        if (n <= 0) {
            if (n < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        end = memchr(line + have, '\n', n);
        n = end ? end + 1 - (line + have) : n;
        if (recv(qmp, line + have, n, 0) != n) {
            return false;
        }
        have += n;
        line[have] = '\0';
        if (end) {
            return true;
        }
        have = have < LINE - 1 ? have : 0;
    }
}

/* The id comes last in an answer, and first in an error. */
static bool has_id(const char *line, uint64_t id)
{
    char mark[32];
    int length = snprintf(mark, sizeof(mark), "\"id\": %" PRIu64, id);
    const char *found = strstr(line, mark);

    return found && (found[length] == '}' || found[length] == ',');
}

/* The answer to the request with this id. */
static bool receive_answer(TileLibrary *l, int qmp, uint64_t id, char *line)
{
    do {
        if (!receive_line(l, qmp, line)) {
            return false;
        }
    } while (!has_id(line, id));
    return true;
}

/* COMMAND is the inside of a request's object. The answer, for free(). */
static char *ask(TileLibrary *l, Emulator *e, const char *command, int file)
{
    char *line = malloc(LINE), *request = NULL;
    uint64_t id = (uint64_t)getpid() << 32 | ++e->qmp_id;
    bool good;

    l->patience_lost = false;
    good = line && asprintf(&request, "{%s, \"id\": %" PRIu64 "}\n", command,
                            id) > 0 &&
           send_line(e->qmp, request, file) &&
           receive_answer(l, e->qmp, id, line);

    free(good ? request : NULL);
    if (!good) {
        complain(l, SYSTEM, 0, "no answer to %s: the emulator has ended",
                 command);
        close_file(&e->qmp);
        free(line);
        return NULL;
    }
    return line;
}

bool qmp_run(TileLibrary *l, Emulator *e, const char *command, int file)
{
    char *answer = ask(l, e, command, file);
    bool good = answer && strstr(answer, "\"return\"");

    if (answer && !good) {
        complain(l, SYSTEM, 0, "%s: %s", command, answer);
    }
    free(answer);
    return good;
}

bool qmp_expect(TileLibrary *l, Emulator *e, const char *command,
                const char *text)
{
    char *answer = ask(l, e, command, -1);
    bool says = answer && strstr(answer, text);

    free(answer);
    return says;
}
