/*
 * Breaks and watches of a tile: what users ask for, and who wrote what last.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instruments of the types tensix-watch and tensix-writers; what they see comes from
 * tensix_cop_observe.h.  A hit is a request to stop the machine, as a violation's is.
 */

#ifndef HW_TENSTORRENT_TENSIX_WATCH_H
#define HW_TENSTORRENT_TENSIX_WATCH_H

#include "hw/tenstorrent/tensix_cop.h"
#include "qapi/qapi-types-tenstorrent-state.h"

#define TYPE_TENSIX_WATCHER "tensix-watch"
#define TYPE_TENSIX_WRITERS "tensix-writers"

/* What a place is, in one space; fields that are not asked for are as noted. */
typedef struct TensixPlace {
    TensixSpace space;
    uint32_t first, count;         /* rows, registers, words or bytes */
    int32_t bank;                  /* of Src or Config; -1: each */
    int32_t thread;                /* of GPRs and ThreadConfig; -1: each */
    bool wide;                     /* rows of Dst32b */
    uint32_t accesses;             /* of a watch: TENSIX_WATCH_* */
    const TensixCfgField *field;   /* of Config or ThreadConfig, or NULL */
} TensixPlace;

typedef struct TensixPlaceRange {
    uint32_t first, count;         /* cells of the space */
} TensixPlaceRange;

enum { TENSIX_PLACE_RANGES = 16 };

/*
 * The place that words name: "l1 0x1000 64", "dest 4", "dest 4 8 wide",
 * "srca 3 bank 1", "lreg 2", "gpr 5 thread 1", "config FIELD bank 0",
 * "thread-config FIELD thread 2", "semaphore 1", "mutex 0"; behind one of the
 * first four spaces "read" or "access", else it is writes.  False: an error.
 */
bool tensix_place_parse(TensixPlace *place, char **words, Error **errp);

/* Its cells: how many ranges; 0: an error. */
unsigned tensix_place_ranges(const TensixPlace *place, TensixPlaceRange *ranges,
                             Error **errp);

/*
 * A break, from words: "PACR thread 2 if Flush=1", "any thread 1",
 * "violation bad-access".  A watch, from those of a place.  Their number, from 1
 * on; 0: an error.  BQL held.
 */
uint32_t tensix_watch_add_break(TensixCopState *cop, char **words, Error **errp);
uint32_t tensix_watch_add(TensixCopState *cop, char **words, Error **errp);

/* Takes away one, or all (0).  False: there is no such one. */
bool tensix_watch_delete(TensixCopState *cop, uint32_t id);

/* How many there are; number and words of each, n from 0 on. */
unsigned tensix_watch_count(const TensixCopState *cop);
uint32_t tensix_watch_get(const TensixCopState *cop, unsigned n,
                          const char **text);

/* Words without what is empty; to be freed with g_strfreev(). */
char **tensix_watch_words(const char *text);

/*
 * Calls fn for each cell of a place, "dest 4", or word of L1, with who wrote it
 * last; event 0: nobody.  False: an error.
 */
typedef void TensixWriterFn(void *opaque, const char *place,
                            const TensixActor *by);
bool tensix_watch_writers(TensixCopState *cop, char **words, TensixWriterFn *fn,
                          void *opaque, Error **errp);

/* "trisc1 pc 0x..., thread 1, ttelwadd ..., MOP word 3", or who it was. */
void tensix_watch_writer_text(const TensixActor *by, GString *text);

/*
 * Who that is, for QMP, into *info; recorded: as tensix_insn_info() wants it.  Its
 * instruction is to be freed with qapi_free_TensixInsnInfo().
 */
void tensix_watch_actor_info(const TensixActor *by,
                             const TensixRecorded *recorded,
                             TensixActorInfo *info);

/* Is `info tensix` asked for breaks or writers?  Then it is answered. */
bool tensix_watch_info(Monitor *mon, char **words);

#endif
