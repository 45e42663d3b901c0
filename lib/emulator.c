/*
 * The emulator: a child process that ends when this one does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * It is made by vfork(): a host may have gigabytes mapped, and fork() would
 * copy their page tables. It has its own process group, so that Ctrl-C
 * reaches the host alone. When the host has ended, in any way, its socket
 * closes, which ends the emulator (host-exit=on); and the kernel kills it, if
 * the host's main thread was the one that started it.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library.h"

enum {
    FIRST_PRIVATE_FILE = 3,
    CLOSE_ON_EXEC = 4,             /* CLOSE_RANGE_CLOEXEC */
    PASSED_FILES = 4,
    GRACE_MS = 2000,               /* to end unaided */
    LAST_WORDS = 2048,             /* bytes of the log */
    LOG_END = 64 * 1024,           /* bytes of it that are searched */
};

void close_file(int *file)
{
    if (*file >= 0) {
        close(*file);
        *file = -1;
    }
}

/* --- what it gets --- */

/* What the child needs between vfork() and exec(). */
typedef struct Launch {
    Words words;
    int file[PASSED_FILES];        /* that it keeps: host, dma, qmp, L1 */
    int log;
    sigset_t signals;              /* as they were blocked */
    pid_t parent;
    bool die_with_thread;
    volatile int error;            /* what exec() failed with */
} Launch;

static void launch_clear(Launch *launch)
{
    for (unsigned n = 0; n < PASSED_FILES; n++) {
        close_file(&launch->file[n]);
    }
    words_free(&launch->words);
}

/*
 * In a process without stdin, stdout or stderr a new file may become just that,
 * and get what is printed, or not survive be_child().
 */
static bool move_up(int *file)
{
    int old = *file;

    if (old >= 0 && old < FIRST_PRIVATE_FILE) {
        *file = fcntl(old, F_DUPFD_CLOEXEC, FIRST_PRIVATE_FILE);
        close(old);
    }
    return *file >= 0;
}

bool make_pair(int type, int *ours, int *theirs)
{
    int pair[2];

    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) < 0) {
        return false;
    }
    *ours = pair[0];
    *theirs = pair[1];
    return move_up(ours) && move_up(theirs);
}

static bool make_l1(Emulator *e, int *file)
{
    void *l1;

    *file = memfd_create("blackhole-tile-l1", MFD_CLOEXEC);
    if (!move_up(file) || ftruncate(*file, L1_SIZE) < 0) {
        return false;
    }
    l1 = mmap(NULL, L1_SIZE, PROT_READ, MAP_SHARED, *file, 0);
    if (l1 == MAP_FAILED) {
        return false;
    }
    e->l1 = l1;
    return true;
}

static bool make_page(Emulator *e)
{
    pthread_mutexattr_t attributes;
    void *page = mmap(NULL, sizeof(*e->page), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED) {
        return false;
    }
    e->page = page;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&e->page->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return true;
}

static bool make_files(Emulator *e, Launch *launch)
{
    return make_pair(SOCK_STREAM, &e->host, &launch->file[0]) &&
           make_pair(SOCK_STREAM, &e->dma, &launch->file[1]) &&
           make_pair(SOCK_STREAM, &e->qmp, &launch->file[2]) &&
           make_l1(e, &launch->file[3]) && make_page(e) &&
           make_pair(SOCK_SEQPACKET | SOCK_NONBLOCK, &e->snapshot[0],
                     &e->snapshot[1]);
}

static void add_words(const TileLibrary *l, Launch *launch, bool incoming)
{
    static const char *const chardev[] = { "host", "dma", "qmp" };
    Words *w = &launch->words;

    words_add(w, "-M");
    words_add(w, "blackhole-tile,tiles=%ux%u,host=tile-host,host-dma=tile-dma,"
              "host-exit=on,memory-backend=tile-l1", l->columns, l->rows);
    words_add(w, "-object");
    words_add(w, "memory-backend-file,id=tile-l1,size=%llu,share=on,"
              "mem-path=/proc/self/fd/%d", L1_SIZE, launch->file[3]);
    for (unsigned n = 0; n < 3; n++) {
        words_add(w, "-chardev");
        words_add(w, "socket,id=tile-%s,fd=%d", chardev[n], launch->file[n]);
    }
    words_add(w, "-mon");
    words_add(w, "chardev=tile-qmp,mode=control");
    words_add(w, "-nodefaults");
    words_add(w, "-display");
    words_add(w, "none");
    words_add(w, "-global");
    words_add(w, "tensix-noc.x=%u", l->x);
    words_add(w, "-global");
    words_add(w, "tensix-noc.y=%u", l->y);
    if (incoming) {
        words_add(w, "-incoming");
        words_add(w, "defer");
    }
}

static bool add_options(TileLibrary *l, Launch *launch)
{
    const char *options = option("BLACKHOLE_TILE_OPTIONS");

    l->lockstep = options && strstr(options, "host-clock=lockstep");
    l->checks = options && strstr(options, "check=all");
    if (options && !words_split(&launch->words, options)) {
        complain(l, CONFIGURATION, 0, "BLACKHOLE_TILE_OPTIONS=%s: a quote does "
                 "not end", options);
        return false;
    }
    return true;
}

static bool open_log(TileLibrary *l)
{
    const char *name = option("BLACKHOLE_TILE_LOG");

    if (name && l->log < 0) {
        l->log = open(name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (!move_up(&l->log)) {
            complain(l, CONFIGURATION, 0, "BLACKHOLE_TILE_LOG=%s: %s", name,
                     strerror(errno));
            return false;
        }
    }
    return true;
}

/* --- the child --- */

/* The same memory as the parent: system calls only, up to exec(). */
static _Noreturn void be_child(Launch *launch)
{
    int null = open("/dev/null", O_RDWR);

    setpgid(0, 0);
    if (launch->die_with_thread) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != launch->parent) {
            _exit(1);
        }
    }
    dup2(launch->log >= 0 ? launch->log : STDERR_FILENO, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    dup2(null, STDIN_FILENO);
    syscall(SYS_close_range, FIRST_PRIVATE_FILE, ~0u, CLOSE_ON_EXEC);
    for (unsigned n = 0; n < PASSED_FILES; n++) {
        fcntl(launch->file[n], F_SETFD, 0);
    }
    sigprocmask(SIG_SETMASK, &launch->signals, NULL);
    execv(launch->words.word[0], launch->words.word);
    launch->error = errno;
    _exit(127);
}

/* No signal handler of the parent's may run in the child. */
static pid_t run(Launch *launch)
{
    sigset_t all;
    pid_t pid;

    launch->parent = getpid();
    launch->die_with_thread = syscall(SYS_gettid) == launch->parent;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &launch->signals);
    pid = vfork();
    if (pid == 0) {
        be_child(launch);
    }
    pthread_sigmask(SIG_SETMASK, &launch->signals, NULL);
    return pid;
}

static bool launch_emulator(TileLibrary *l, Emulator *e, Launch *launch)
{
    const char *path = launch->words.word[0];

    e->pid = run(launch);
    if (e->pid < 0) {
        e->pid = 0;
        complain(l, SYSTEM, 0, "no process for the emulator: %s",
                 strerror(errno));
        return false;
    }
    if (launch->error) {
        waitpid(e->pid, NULL, 0);
        e->pid = 0;
        complain(l, CONFIGURATION, 0, "%s: %s (BLACKHOLE_TILE_QEMU names the "
                 "emulator)", path, strerror(launch->error));
        return false;
    }
    return true;
}

static bool prepare(TileLibrary *l, Emulator *e, Launch *launch, bool incoming)
{
    char *path = find_emulator();

    if (!path) {
        complain(l, CONFIGURATION, 0, "no qemu-system-riscv64 beside the "
                 "library nor in PATH (BLACKHOLE_TILE_QEMU names it)");
        return false;
    }
    words_add(&launch->words, "%s", path);
    free(path);
    if (!open_log(l)) {
        return false;
    }
    launch->log = l->log;
    l->log_begin = l->log >= 0 ? lseek(l->log, 0, SEEK_END) : 0;
    if (!make_files(e, launch)) {
        complain(l, SYSTEM, 0, "sockets and memory for the emulator: %s",
                 strerror(errno));
        return false;
    }
    add_words(l, launch, incoming);
    return add_options(l, launch) && !launch->words.failed;
}

bool emulator_start(TileLibrary *l, Emulator *e, bool incoming)
{
    Launch launch = { .file = { -1, -1, -1, -1 }, .log = -1 };
    bool good = prepare(l, e, &launch, incoming) &&
                launch_emulator(l, e, &launch);

    launch_clear(&launch);
    if (!good) {
        emulator_end(e);
    }
    return good;
}

/* --- its end --- */

/* Waits until the child has ended; false: it continues. */
static bool wait_for_end(pid_t pid, int ms, int *status)
{
    int file = syscall(SYS_pidfd_open, pid, 0);
    struct pollfd ended = { .fd = file, .events = POLLIN };

    if (file >= 0) {
        while (poll(&ended, 1, ms) < 0 && errno == EINTR) {
            /* with all its time again */
        }
        close(file);
    }
    return waitpid(pid, status, WNOHANG) != 0;
}

/* The status of the child that has to end now. */
static int reap(pid_t pid)
{
    int status = -1;

    if (!wait_for_end(pid, GRACE_MS, &status)) {
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
            /* again */
        }
    }
    return status;
}

static void drop_child(Emulator *e)
{
    close_file(&e->host);
    close_file(&e->dma);
    close_file(&e->qmp);
    close_file(&e->snapshot[0]);
    close_file(&e->snapshot[1]);
    mailbox_unmap(e);
    e->asked_for_mailbox = false;
    if (e->l1) {
        munmap(e->l1, L1_SIZE);
        e->l1 = NULL;
    }
    if (e->page) {
        munmap(e->page, sizeof(*e->page));
        e->page = NULL;
    }
    e->pid = 0;
}

static int end_with_status(Emulator *e)
{
    pid_t pid = e->pid;
    int status = -1;

    if (pid) {
        /* Also if another process has a copy of the socket */
        shutdown(e->host, SHUT_RDWR);
        drop_child(e);
        status = reap(pid);
    } else {
        drop_child(e);
    }
    return status;
}

bool emulator_end(Emulator *e)
{
    int status = end_with_status(e);

    return WIFEXITED(status) && WEXITSTATUS(status) == EMULATOR_FINDINGS;
}

static void describe(int status, char *text, size_t size)
{
    if (status == -1) {
        snprintf(text, size, "ended, and another process has its status");
    } else if (WIFSIGNALED(status)) {
        snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else {
        snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
    }
}

static const char *line_of(const char *text, const char *at)
{
    while (at > text && at[-1] != '\n') {
        at--;
    }
    return at;
}

/*
 * What explains the end: the latest deadlock, of any tile, which the history of
 * events follows, or else the end of the text.
 */
static const char *last_words(const char *text, size_t size)
{
    const char *found = NULL, *next = text;

    while ((next = strstr(next, ": deadlock: "))) {
        const char *line = line_of(text, next++);

        if (!strncmp(line, "tensix: ", strlen("tensix: "))) {
            found = line;
        }
    }
    if (found) {
        return found;
    }
    return size > LAST_WORDS ? text + size - LAST_WORDS : text;
}

/* From the log of this emulator, on stderr. */
static void print_last_words(const TileLibrary *l)
{
    static char text[LOG_END + 1];
    off_t end = l->log >= 0 ? lseek(l->log, 0, SEEK_END) : 0;
    off_t begin = end - l->log_begin > LOG_END ? end - LOG_END : l->log_begin;
    ssize_t size = end > begin ? pread(l->log, text, end - begin, begin) : 0;

    if (size > 0) {
        text[size] = '\0';
        dprintf(STDERR_FILENO, "blackhole-tile: the emulator's last words:\n"
                "%.*s\n", LAST_WORDS, last_words(text, size));
    }
}

void emulator_lost(TileLibrary *l)
{
    char text[128];
    pid_t pid = l->emulator.pid;

    if (l->state == LIBRARY_DEAD) {
        return;
    }
    if (l->state == LIBRARY_INHERITED) {
        emulator_end(&l->emulator);
        l->state = LIBRARY_DEAD;
        complain(l, SYSTEM, 0, "this process was forked by a DMA callback, and "
                 "continues with the call: it has no machine");
        return;
    }
    describe(end_with_status(&l->emulator), text, sizeof(text));
    l->state = LIBRARY_DEAD;
    print_last_words(l);
    complain(l, SYSTEM, pid, "the emulator (process %d) %s%s", (int)pid, text,
             l->log < 0 ? "; what it said is on stderr" : "");
}
