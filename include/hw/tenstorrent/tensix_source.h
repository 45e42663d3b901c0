/*
 * Source lines: which function, file and line an instruction of a hart is from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine knows the ELFs that its options name; others (of a host, of gdb)
 * can be named later.  An ELF is read when a place in it is needed, not
 * before: a run without reports pays nothing.
 */

#ifndef HW_TENSTORRENT_TENSIX_SOURCE_H
#define HW_TENSTORRENT_TENSIX_SOURCE_H

/* The ELFs of one machine's harts; all functions from any thread. */
typedef struct TensixSources TensixSources;

TensixSources *tensix_sources_new(void);
void tensix_sources_free(TensixSources *s);

/*
 * Names an ELF that this hart (TensixHartIndex) executes, `offset` bytes after
 * its own addresses (modulo 2^32).  Of several that have an address, the one
 * that was named last counts; of more than 64 a hart, the oldest is forgotten.
 * False with errp set if there is no such file.  What is in it shows later:
 * there is one warning if nothing can be had from it.
 */
bool tensix_sources_add(TensixSources *s, unsigned hart, const char *file,
                        uint32_t offset, Error **errp);

/* The same for what the machine itself has loaded: as if named first of all. */
bool tensix_sources_add_image(TensixSources *s, unsigned hart, const char *file,
                              Error **errp);

/* The path of that, to be freed; NULL: the machine has loaded none. */
char *tensix_sources_image(TensixSources *s, unsigned hart);

/* "FILE@0x0 FILE2@0x8000": what has been named for a hart; to be freed. */
char *tensix_sources_list(TensixSources *s, unsigned hart);

/* A function that an instruction is in, and where in it. */
typedef struct TensixFrame {
    char *function;                /* NULL: unknown; "main+0x14" by symbols */
    char *file;                    /* NULL: unknown */
    unsigned line;
    unsigned declared;             /* the function's own line; 0: unknown */
    uint32_t entry;                /* its address in the ELF; 0: unknown */
} TensixFrame;

/*
 * The TensixFrames of this hart's pc: the innermost function first, then those
 * that it is inlined in; empty if nothing is known.  Not to be changed; to be
 * given back with g_ptr_array_unref().  s may be NULL.
 */
GPtrArray *tensix_sources_frames(TensixSources *s, unsigned hart, uint32_t pc);

/* What is known of an instruction in an ELF; lives as long as the call. */
typedef struct TensixSourceWord {
    uint32_t pc, word;
    uint32_t offset;               /* from addresses in the ELF to the pc */
    const GPtrArray *frames;       /* as above; one at least, with its line */
} TensixSourceWord;

/*
 * Calls fn for each word of the hart's ELFs that debug information has a line
 * for, as far as tensix_sources_frames() would have it from that ELF, and that
 * is not 0; files are whole paths.  fn asks nothing of s, which may be NULL.
 */
void tensix_sources_each(TensixSources *s, unsigned hart,
                         void (*fn)(void *opaque, const TensixSourceWord *word),
                         void *opaque);

/*
 * The same as text, to be freed: "main (a.c:10)"; "push
 * (b.h:3), inlined in main (a.c:12)"; "main+0x14" without debug information;
 * NULL if no ELF has the address, or nothing is known of it.  s may be NULL.
 */
char *tensix_sources_location(TensixSources *s, unsigned hart, uint32_t pc);

/*
 * The same in short, to be freed: the function that the program calls, if the pc
 * is in one of our headers, the innermost function of the program, and the one
 * that this is inlined in if it is of another file: "in noc_read(),
 * blackhole-tile/noc.h:114, in main(), brisc.c:22"; "at pc 0x00001234" if nothing
 * is known.  s may be NULL.
 */
char *tensix_sources_short_location(TensixSources *s, unsigned hart,
                                    uint32_t pc);

/*
 * What a hart's ELF calls semaphore `index`: an enumerator "SEM_..." of this
 * value in its debug information, without the prefix.  The string lasts; NULL if
 * there is none.  Of several, that of the lowest hart's newest ELF counts.  s may
 * be NULL.
 */
const char *tensix_sources_semaphore(TensixSources *s, unsigned index);

/*
 * The text with " in PLACE" after each "HART pc 0x00001234" in it whose place
 * is known; to be freed.  s may be NULL.
 */
char *tensix_sources_annotate(TensixSources *s, const char *text);

#endif
