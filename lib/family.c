/*
 * fork(): parent and child continue with a machine each, in the same state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Many forks are for exec() only, so a fork does nothing but to hand the child
 * one end of a socket, its link. The child makes itself an emulator when it
 * first wants one: it has the parent's take a snapshot, over QMP, whether or
 * not the parent is doing something, and its own load it. That is the state at
 * the fork: a machine that ran on for a while. It is not if the parent has
 * acted on the machine meanwhile. So before it does, the parent checks whether
 * a link is still open at the other end, takes the snapshot itself and sends it
 * down the link.
 *
 * A snapshot that a child took is kept in a queue that all share, for siblings
 * that come later; until the parent writes to the machine, or reads from it.
 *
 * The lock in the shared page is for QMP, the queue and the links. A closer of
 * a link does that with the lock held. A child of a child that has no machine
 * yet has copies of its link and files, and is in the same place.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "library.h"

enum {
    PAUSE_NS = 200 * 1000,         /* between two polls of a migration */
    PATIENCE_S = 20,
};

/* --- files through sockets --- */

static bool send_file(int socket, int file)
{
    return library_send_file(socket, "", 1, file, MSG_DONTWAIT) == 1;
}

/*
 * A copy of the file in the message that waits, which stays there for others.
 * 1: there is one; 0: no message; -1: a message without a file, or the end.
 */
static int peek_file(int socket, int *file)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    char byte;
    struct iovec text = { &byte, 1 };
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    ssize_t n = recvmsg(socket, &message,
                        MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    if (n < 0) {
        return 0;
    }
    if (n == 0 || !header || header->cmsg_type != SCM_RIGHTS) {
        return -1;
    }
    memcpy(file, CMSG_DATA(header), sizeof(*file));
    return 1;
}

/* --- snapshots; the page's lock is held --- */

static void pause_briefly(void)
{
    nanosleep(&(struct timespec) { .tv_nsec = PAUSE_NS }, NULL);
}

static time_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

#define QUERY_MIGRATE "\"execute\": \"query-migrate\""
#define REMOVE_FILE "\"execute\": \"remove-fd\", " \
    "\"arguments\": {\"fdset-id\": 1}"
#define QUERY_STATUS "\"execute\": \"query-status\""

static bool has_status(TileLibrary *l, Emulator *e, const char *query,
                       const char *status)
{
    char text[64];

    snprintf(text, sizeof(text), "\"status\": \"%s\"", status);
    return qmp_expect(l, e, query, text);
}

/* Until a query says STATUS; false, after a complaint, if it does not. */
static bool await_status(TileLibrary *l, Emulator *e, const char *query,
                         const char *status)
{
    time_t end = now_s() + PATIENCE_S;

    while (!has_status(l, e, query, status)) {
        if (has_status(l, e, query, "failed") || e->qmp < 0 || now_s() > end) {
            complain(l, SYSTEM, 0, "%s does not become %s: no snapshot for a "
                     "forked process", query, status);
            return false;
        }
        pause_briefly();
    }
    return true;
}

/* Ready for commands, which go as fast as they can. */
static bool negotiate(TileLibrary *l, Emulator *e)
{
    if (!e->page->negotiated) {
        /* An error if a child that died got as far */
        qmp_expect(l, e, "\"execute\": \"qmp_capabilities\"", "");
        e->page->negotiated =
            qmp_run(l, e, "\"execute\": \"migrate-set-parameters\", "
                    "\"arguments\": {\"max-bandwidth\": 1099511627776}", -1);
    }
    return e->page->negotiated;
}

/* COMMAND ("migrate" or its like) with an open file, in which MODE is. */
static bool migrate(TileLibrary *l, Emulator *e, const char *command,
                    int snapshot, int mode)
{
    char text[160];
    int file;
    bool good;

    snprintf(text, sizeof(text), "/proc/self/fd/%d", snapshot);
    file = open(text, mode | O_CLOEXEC);
    if (file < 0) {
        complain(l, SYSTEM, 0, "%s: %s", text, strerror(errno));
        return false;
    }
    good = qmp_run(l, e, "\"execute\": \"add-fd\", \"arguments\": "
                   "{\"fdset-id\": 1}", file);
    close(file);
    snprintf(text, sizeof(text), "\"execute\": \"%s\", \"arguments\": "
             "{\"uri\": \"file:/dev/fdset/1\"}", command);
    good = good && qmp_run(l, e, text, -1) &&
           await_status(l, e, QUERY_MIGRATE, "completed");
    return qmp_run(l, e, REMOVE_FILE, -1) && good;
}

static bool resume(TileLibrary *l, Emulator *e)
{
    return await_status(l, e, QUERY_STATUS, "postmigrate") &&
           qmp_run(l, e, "\"execute\": \"cont\"", -1);
}

/* The machine's state as a file, or -1. It runs as it did. */
static int take_snapshot(TileLibrary *l, Emulator *e)
{
    int file = memfd_create("blackhole-tile-snapshot", MFD_CLOEXEC);
    bool runs, good;

    if (file < 0 || !negotiate(l, e)) {
        close_file(&file);
        return -1;
    }
    runs = has_status(l, e, QUERY_STATUS, "running");
    e->page->ran = runs;
    e->page->interrupted = true;
    good = migrate(l, e, "migrate", file, O_WRONLY);
    if (runs) {
        good = resume(l, e) && good;
    }
    e->page->interrupted = false;
    if (!good) {
        close_file(&file);
    }
    return file;
}

/* What a process began that died over it, whatever that was. */
static void clean_up(TileLibrary *l, Emulator *e)
{
    if (!e->page->interrupted) {
        return;
    }
    while (has_status(l, e, QUERY_MIGRATE, "setup") ||
           has_status(l, e, QUERY_MIGRATE, "active") ||
           has_status(l, e, QUERY_MIGRATE, "device")) {
        pause_briefly();
    }
    qmp_expect(l, e, REMOVE_FILE, "");
    if (e->page->ran && !has_status(l, e, QUERY_STATUS, "running")) {
        resume(l, e);
    }
    e->page->interrupted = false;
}

static void lock_page(TileLibrary *l, Emulator *e)
{
    if (pthread_mutex_lock(&e->page->lock) == EOWNERDEAD) {
        pthread_mutex_consistent(&e->page->lock);
        clean_up(l, e);
    }
}

static void unlock_page(Emulator *e)
{
    pthread_mutex_unlock(&e->page->lock);
}

/* That of a sibling, or a new one, which siblings will find. */
static int cached_snapshot(TileLibrary *l, Emulator *e)
{
    int file;

    if (peek_file(e->snapshot[0], &file) == 1) {
        return file;
    }
    /* Reported before: the poll when the machine continues is one too many */
    __atomic_store_n(&e->page->cached, true, __ATOMIC_RELEASE);
    file = take_snapshot(l, e);
    if (file < 0 || !send_file(e->snapshot[1], file)) {
        __atomic_store_n(&e->page->cached, false, __ATOMIC_RELEASE);
    }
    return file;
}

static void drop_cached(Emulator *e)
{
    char byte;

    __atomic_store_n(&e->page->cached, false, __ATOMIC_RELEASE);
    while (recv(e->snapshot[0], &byte, 1, MSG_DONTWAIT) > 0) {
        /* files that are not taken are closed */
    }
}

/* --- the parent --- */

static bool is_closed(int link)
{
    struct pollfd file = { .fd = link };

    return poll(&file, 1, 0) > 0;
}

/* Children that have ended, called exec() or have a machine. */
static void drop_independent(Children *c)
{
    unsigned kept = 0;

    for (unsigned n = 0; n < c->count; n++) {
        if (is_closed(c->link[n])) {
            close(c->link[n]);
        } else {
            c->link[kept++] = c->link[n];
        }
    }
    c->count = kept;
}

static void close_links(Children *c)
{
    for (unsigned n = 0; n < c->count; n++) {
        close(c->link[n]);
    }
    c->count = 0;
}

static void add_link(Children *c, int link)
{
    if (c->count == c->room) {
        unsigned room = c->room * 2 + 8;
        int *grown = realloc(c->link, room * sizeof(*grown));

        if (!grown) {
            close(link);           /* the child will say so */
            return;
        }
        c->link = grown;
        c->room = room;
    }
    c->link[c->count++] = link;
}

/* To all children that may yet come; their links have done their work. */
static void send_snapshots(TileLibrary *l)
{
    int file = cached_snapshot(l, &l->emulator);

    for (unsigned n = 0; n < l->children.count; n++) {
        send_file(l->children.link[n], file);
    }
    close_links(&l->children);
    close_file(&file);
}

void family_send_snapshots(TileLibrary *l)
{
    Emulator *e = &l->emulator;

    if (!e->page || (!l->children.count &&
                     !__atomic_load_n(&e->page->cached, __ATOMIC_ACQUIRE))) {
        return;
    }
    lock_page(l, e);
    drop_independent(&l->children);
    if (l->children.count) {
        send_snapshots(l);
    }
    drop_cached(e);
    unlock_page(e);
}

void family_state_read(TileLibrary *l)
{
    lock_page(l, &l->emulator);
    drop_cached(&l->emulator);
    unlock_page(&l->emulator);
}

/* A child that has no state yet is notified by the end of its link. */
void family_end(TileLibrary *l)
{
    close_links(&l->children);
    free(l->children.link);
    l->children = (Children) { 0 };
    close_file(&l->link);
}

/* --- fork() --- */

void family_watch_forks(void (*prepare)(void), void (*parent)(void),
                        void (*child)(void))
{
    static bool done;

    if (!done) {
        done = pthread_atfork(prepare, parent, child) == 0;
    }
}

/*
 * Two threads may fork at the same time: one waits for the other.  It may be in
 * a DMA callback and so hold l->lock, which here is only tried.
 */
void family_before_fork(TileLibrary *l)
{
    pthread_mutex_lock(&l->fork_lock);
    l->forked_in_call = pthread_mutex_trylock(&l->lock) != 0;
    if (l->forked_in_call || l->state != LIBRARY_RUNNING) {
        return;
    }
    drop_independent(&l->children);
    if (!make_pair(SOCK_SEQPACKET, &l->fork_link[0], &l->fork_link[1])) {
        close_file(&l->fork_link[0]);
        close_file(&l->fork_link[1]);
    }
}

void family_after_fork_in_parent(TileLibrary *l)
{
    if (l->fork_link[0] >= 0) {
        add_link(&l->children, l->fork_link[0]);
        close_file(&l->fork_link[1]);
        l->fork_link[0] = -1;
    }
    if (!l->forked_in_call) {
        pthread_mutex_unlock(&l->lock);
    }
    l->forked_in_call = false;
    pthread_mutex_unlock(&l->fork_lock);
}

/* Of the parent's files the child keeps what leads to a snapshot. */
void family_after_fork_in_child(TileLibrary *l)
{
    Emulator *e = &l->emulator;

    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->fork_lock, NULL);
    l->serving = false;
    if (l->state == LIBRARY_RUNNING) {
        close_links(&l->children);
        close_file(&l->fork_link[0]);
        l->link = l->fork_link[1];
        l->fork_link[1] = -1;
        close_file(&e->host);
        close_file(&e->dma);
        munmap(e->l1, L1_SIZE);
        e->l1 = NULL;
        mailbox_unmap(e);
        e->pid = 0;
        l->state = LIBRARY_INHERITED;
    }
}

/* --- the child --- */

/* The parent's machine at the fork, as a file; or -1, after a complaint. */
static int parents_state(TileLibrary *l)
{
    Emulator *e = &l->emulator;
    int file = -1;

    if (l->forked_in_call || l->link < 0) {
        complain(l, SYSTEM, 0, "this process was forked %s: it has no machine",
                 l->forked_in_call ? "while a call of the library was under way"
                                   : "when no socket was to be had");
        return -1;
    }
    lock_page(l, e);
    switch (peek_file(l->link, &file)) {
    case 0:
        file = cached_snapshot(l, e);
        break;
    case -1:
        complain(l, SYSTEM, 0, "the process that this one was forked from has "
                 "ended, and its machine with it");
        break;
    }
    close_file(&l->link);
    unlock_page(e);
    return file;
}

static bool load(TileLibrary *l, Emulator *e, int snapshot)
{
    return snapshot >= 0 && negotiate(l, e) &&
           migrate(l, e, "migrate-incoming", snapshot, O_RDONLY);
}

bool family_start_own(TileLibrary *l)
{
    Emulator own = { .host = -1, .dma = -1, .qmp = -1, .bell = -1,
                     .snapshot = { -1, -1 } };
    bool good = emulator_start(l, &own, true);
    int snapshot = -1;

    /* The new emulator starts meanwhile */
    if (good) {
        snapshot = parents_state(l);
        good = load(l, &own, snapshot);
    }
    close_file(&snapshot);
    close_file(&l->link);
    emulator_end(&l->emulator);
    if (!good) {
        emulator_end(&own);
    }
    l->emulator = own;
    l->state = good ? LIBRARY_RUNNING : LIBRARY_DEAD;
    return good;
}
