/*
 * libblackhole-tile.so: ttsim's ABI for the machine blackhole-tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Plain C11 on libc. The library is a process-wide singleton, as the ABI wants
 * it: its one TileLibrary is abi.c's, everything else gets it as an argument.
 *
 *     abi.c ----> bars.c, iatu.c    PCI Express: BARs, windows, translation
 *       |           v
 *       |         connection.c      requests to the emulator, its DMA
 *       |         mailbox.c         those through shared memory
 *       v           v
 *     family.c -> emulator.c        the child process; fork(), snapshots
 *                 qmp.c, options.c, complain.c
 */

#ifndef BLACKHOLE_TILE_LIBRARY_H
#define BLACKHOLE_TILE_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define L1_SIZE (1536 * KIB)

/* --- state --- */

typedef enum LibraryState {
    LIBRARY_OFF,                   /* before init, after exit */
    LIBRARY_RUNNING,
    LIBRARY_INHERITED,             /* forked: the machine is the parent's */
    LIBRARY_DEAD,                  /* the emulator has ended */
} LibraryState;

/* What forked processes share with the one whose emulator it is. */
typedef struct FamilyPage {
    pthread_mutex_t lock;          /* of QMP and of the snapshot; robust */
    bool negotiated;               /* QMP takes commands */
    bool ran;                      /* the machine, before the snapshot ... */
    bool interrupted;              /* ... that is being taken of it */
    bool cached;                   /* a snapshot is in the queue, or soon */
} FamilyPage;

/* The child process and what leads to it; files are -1 if closed. */
typedef struct Emulator {
    pid_t pid;                     /* 0: none, or not this process's child */
    int host, dma, qmp;
    uint8_t *l1;                   /* read only, L1_SIZE bytes; or NULL */
    struct TensixHostMailbox *mailbox;  /* or NULL */
    int bell;                      /* of the mailbox */
    bool asked_for_mailbox;
    FamilyPage *page;
    int snapshot[2];               /* a queue of at most one: family.c */
    unsigned qmp_id;
} Emulator;

enum {
    TLB_2M_COUNT = 202,
    TLB_4G_COUNT = 8,
    TLB_COUNT = TLB_2M_COUNT + TLB_4G_COUNT,
    TLB_WORDS = 3,                 /* of configuration for a window */
    TLB_STRIDED_COUNT = 32,
    TLB_REGISTERS = TLB_COUNT * TLB_WORDS + TLB_STRIDED_COUNT,
    IATU_BYTES = 0x2000,
    CONFIG_WORDS = 16,
    COMPLAINTS = 256,              /* that are reported */
};

typedef void DmaRead(uint64_t paddr, void *dst, uint32_t size);
typedef void DmaWrite(uint64_t paddr, const void *src, uint32_t size);

typedef struct Buffer {
    uint8_t *data;
    uint32_t size;
} Buffer;

/* Of the forked processes that may still want this process's machine. */
typedef struct Children {
    int *link;
    unsigned count, room;
} Children;

enum { POLLED_WORDS = 4 };         /* one for each hart that ends */

/* Words of L1 that the client has read since its last write. */
typedef struct Polls {
    uint64_t since, clocked;       /* that write, and the last clocks, in us */
    uint32_t address[POLLED_WORDS], value[POLLED_WORDS];
    unsigned next;                 /* words read so far, each once in a row */
    bool again;                    /* the latest had been read before */
    bool unclocked;                /* it was read after the latest clocks */
} Polls;

typedef struct TileLibrary {
    pthread_mutex_t lock;
    LibraryState state;
    const char *function;          /* of the ABI, that is being called */
    uint64_t clocks;               /* asked for so far */
    uint32_t clocks_owed;          /* of them, not yet waited for */
    Polls polls;
    uint32_t unserved;             /* fast calls since DMA was polled */
    uint64_t dma_time;             /* of that poll, in us */
    bool patience_lost;            /* with this request; it was said */
    bool serving;                  /* a DMA callback is running, in ... */
    pthread_t server;

    uint32_t x, y;                 /* of the first tile */
    unsigned columns, rows;        /* of tiles, from there */
    bool exit_on_error;
    bool lockstep;                 /* the machine runs in libttsim_clock only */
    bool checks;                   /* check=all: an emulator may have findings */
    bool found;                    /* an emulator had them */
    Emulator emulator;
    DmaRead *dma_read;
    DmaWrite *dma_write;

    uint32_t config[CONFIG_WORDS];
    uint32_t tlb[TLB_REGISTERS];
    uint8_t iatu[IATU_BYTES];

    Buffer answer, dma;            /* frames received */
    int log;                       /* of the emulator, or -1: stderr */
    int64_t log_begin;             /* its size when the emulator started */
    uint64_t status_time;          /* of the last poll, in us */

    Children children;
    int link;                      /* to the parent while INHERITED, or -1 */
    pthread_mutex_t fork_lock;     /* from fork()'s first handler to its last */
    int fork_link[2];              /* between them */
    bool forked_in_call;

    unsigned complaints;
    uint64_t complaint[COMPLAINTS];
} TileLibrary;

/* --- complain.c --- */

typedef enum Category {
    UNDEFINED_BEHAVIOR,
    UNIMPLEMENTED,
    CONFIGURATION,
    SYSTEM,
} Category;

/*
 * Prints "[clocks] ERROR: Category: function: text", which tt-llk's tests look
 * for, to stdout: once for each SITE of a call. Ends the process if the user
 * wants that, else returns.
 */
void complain(TileLibrary *l, Category category, uint64_t site,
              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* As a site: the text itself. */
uint64_t site_of_text(const char *text, uint32_t size);

/* --- options.c --- */

/* Words of a command line. */
typedef struct Words {
    char **word;                   /* ends with NULL */
    unsigned count;
    bool failed;                   /* no memory */
} Words;

void words_add(Words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Adds the words of TEXT as a shell would see them, with quotes and
 * backslashes; %p is this process's id. False: a quote does not end.
 */
bool words_split(Words *words, const char *text);
void words_free(Words *words);

/* Path of the emulator, for free(); NULL: none is found. */
char *find_emulator(void);

/* A rectangle of Tensix tiles. */
typedef struct Tiles {
    unsigned x, y;                 /* of its first tile */
    unsigned columns, rows;        /* 0 if they are no rectangle of up to 4x4 */
} Tiles;

/*
 * The Tensix tiles that the SoC descriptor near the library lists; false if
 * there is no such file, or it lists none.
 */
bool find_tiles(Tiles *tiles);

/* Finds the machine's option tiles= in a command line. */
bool tiles_option(const char *options, unsigned *columns, unsigned *rows);

/* The value of an environment variable; NULL also if it is empty. */
const char *option(const char *name);

/* --- emulator.c --- */

/*
 * Starts an emulator; with INCOMING its machine waits for a snapshot. False,
 * after a complaint, if there is none.
 */
bool emulator_start(TileLibrary *l, Emulator *e, bool incoming);

enum { EMULATOR_FINDINGS = 3 };   /* its status with check=all */

/*
 * Ends it and discards everything; also what was only inherited.  True: it has
 * ended with findings.
 */
bool emulator_end(Emulator *e);

/*
 * It does not answer any more: says why, and ends it. Or there is none: this
 * process was forked in the middle of a call, and continues with that.
 */
void emulator_lost(TileLibrary *l);

void close_file(int *file);

/* Connected sockets, neither of them stdin, stdout or stderr. */
bool make_pair(int type, int *ours, int *theirs);

/* --- connection.c --- */

enum { PATIENCE_MS = 5000 };       /* until the user hears of a wait */

/*
 * Until FILE of the emulator is ready (EVENTS); serves DMA meanwhile, at the end
 * of which the emulator may be lost.
 */
void wait_for(TileLibrary *l, int file, short events);

uint64_t now_us(void);

/* Once for each request, to stderr: a user may have stopped the machine. */
void report_long_wait(TileLibrary *l);

/*
 * Copies bytes from or to a tile. A failure is complained of; a read has then
 * given zeroes.
 */
void tile_read(TileLibrary *l, uint32_t x, uint32_t y, uint64_t address,
               void *data, uint32_t size);
void tile_write(TileLibrary *l, uint32_t x, uint32_t y, uint64_t address,
                const void *data, uint32_t size);

/* Returns when each hart that can run has executed N instructions. */
void tile_clock(TileLibrary *l, uint32_t n);

/* Waits until a new emulator answers; false, after a complaint: it won't. */
bool tile_hello(TileLibrary *l);

/* Violations, to stderr, if the emulator's own log goes elsewhere. */
void tile_status(TileLibrary *l);

/*
 * Accesses SIZE bytes of the host's memory at an address of the PCI Express
 * tile, by the DMA callbacks.  A failure is complained of; a read has then given
 * zeroes.
 */
void host_memory(TileLibrary *l, uint64_t address, void *data, uint32_t size,
                 bool is_write);

/* Answers some of the DMA requests that there are, without waiting. */
void serve_dma(TileLibrary *l);

/* --- polls.c --- */

/* The client has read an aligned word of L1. */
void polls_read(Polls *p, uint32_t address, uint32_t value);
void polls_written(Polls *p);

/*
 * Before the machine is asked for a few clocks: after those before, as much time
 * passes as has since the client's last write, 200 us at least and a millisecond
 * at most.  True: these can wait, because a word that the client has read has
 * changed.  Serves DMA meanwhile, at the end of which the emulator may be lost.
 */
bool polls_wait(TileLibrary *l);

/* --- mailbox.c --- */

struct TensixWireRequest;
struct TensixWireResponse;

/* Takes the files that the emulator sent; no mailbox if SIZE is another's. */
void mailbox_map(Emulator *e, int memory, int bell, uint32_t size);

/* Also where there is none. */
void mailbox_unmap(Emulator *e);

/* Is there a mailbox, and does it take such a request? */
bool mailbox_takes(const Emulator *e, const struct TensixWireRequest *request);

/* Was the last answer given on this processor?  Also where there is none. */
bool mailbox_shares_processor(const Emulator *e);

/* The data stay in the mailbox until the next request. False: it is lost. */
bool mailbox_transact(TileLibrary *l, const struct TensixWireRequest *request,
                      struct TensixWireResponse *response);

/* --- qmp.c --- */

/* As send(); the receiver gets a copy of the file unless it is -1. */
ssize_t library_send_file(int socket, const void *data, size_t size, int file,
                          int flags);

/* False, after a complaint, if QEMU refuses or has ended. */
bool qmp_run(TileLibrary *l, Emulator *e, const char *command, int file);

/* Has the answer this TEXT in it? Errors are answers. */
bool qmp_expect(TileLibrary *l, Emulator *e, const char *command,
                const char *text);

/* --- family.c --- */

/* Prepares the library for fork(); once in a process. */
void family_watch_forks(void (*prepare)(void), void (*parent)(void),
                        void (*child)(void));

/* What the three handlers do. */
void family_before_fork(TileLibrary *l);
void family_after_fork_in_parent(TileLibrary *l);
void family_after_fork_in_child(TileLibrary *l);

/* Makes a forked process its own machine; false after a complaint. */
bool family_start_own(TileLibrary *l);

/*
 * The machine is about to change: forked processes that may want it as it is
 * get a snapshot first.
 */
void family_send_snapshots(TileLibrary *l);

/* The host examines the machine: what was before is no state for later. */
void family_state_read(TileLibrary *l);

/* Discards parent and children: there is no machine any more. */
void family_end(TileLibrary *l);

/* --- bars.c, iatu.c --- */

void bars_reset(TileLibrary *l);
void bars_access(TileLibrary *l, uint64_t paddr, void *data, uint32_t size,
                 bool is_write);
uint32_t config_read(TileLibrary *l, uint32_t function, uint32_t offset);
void config_write(TileLibrary *l, uint32_t function, uint32_t offset,
                  uint32_t value);

/*
 * Where bytes that the PCI Express tile was asked for are in the host's
 * memory; how many of SIZE are there in one piece, 0 if none.
 */
uint32_t iatu_translate(const TileLibrary *l, uint64_t address, uint32_t size,
                        uint64_t *paddr);

#endif
