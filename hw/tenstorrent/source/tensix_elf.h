/*
 * One ELF: what is known of an address in it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Not for two threads at a time.  No file is trusted: the worst effect of one
 * is nonsense in a report.  Sizes bound what libdw allocates, a job's time the
 * remainder.
 */

#ifndef TENSIX_ELF_H
#define TENSIX_ELF_H

#include "qemu/units.h"
#include "hw/tenstorrent/tensix_source.h"
#include "tensix_job.h"
#include "tensix_libdw.h"

typedef struct TensixElf {
    const TensixLibdw *lib;        /* lives longer */
    const TensixJob *job;          /* that works on it now */
    gchar *bytes;                  /* all of the file, as it was */
    size_t size;
    Elf *elf;
    Dwarf *dwarf;                  /* NULL: it has no debug information */
    GHashTable *line_tables;       /* offsets of those that have been read */
    size_t lines;                  /* in them */
    bool whole_paths;              /* in frames, or as compilers had them */
} TensixElf;

/* What a file was when it was named: another one has other lines. */
typedef struct TensixElfStamp {
    uint64_t size, inode;
    int64_t seconds, nanoseconds;  /* of the last change */
} TensixElfStamp;

/* Of a regular file; false with errp set if there is none. */
bool tensix_elf_stamp(const char *file, TensixElfStamp *stamp, Error **errp);

/*
 * In a job.  NULL with errp set if it is no RISC-V program, or not as the stamp
 * says, or more than is read here.
 */
TensixElf *tensix_elf_read(const TensixLibdw *lib, const TensixJob *job,
                           const char *file, const TensixElfStamp *stamp,
                           Error **errp);

void tensix_elf_free(TensixElf *e);

enum {
    TENSIX_ELF_MOST_LINES = 512 * KiB,  /* bytes of .debug_line; lines of it */
};

/* Does a segment of it have this address? */
bool tensix_elf_covers(const TensixElf *e, uint32_t address);

/*
 * The first word of code in it, at *address or above, and where that is.
 * False: there is none.
 */
bool tensix_elf_next_code(const TensixElf *e, uint32_t *address,
                          uint32_t *word);

/* "main+0x14" by the table of symbols, "main" at its start; NULL: unknown. */
char *tensix_elf_symbol(const TensixElf *e, uint32_t address);

/* What is in a name of the file's, printable and not too long; to be freed. */
char *tensix_elf_clean(const char *name);

/* The same of a path, as long as paths may be. */
char *tensix_elf_clean_path(const char *path);

/* An array for TensixFrames that frees them. */
GPtrArray *tensix_frames_new(void);

/*
 * One frame at least by the debug information; NULL if there is none for the
 * address.  If it is broken, *problem says so: a string that lasts.
 * (tensix_dwarf.c)
 */
GPtrArray *tensix_dwarf_frames(TensixElf *e, uint32_t address,
                               const char **problem);

/*
 * For each value below `count`, the first enumerator of it whose name begins
 * with `prefix`: names[value], if it is NULL so far, becomes the name without
 * the prefix, an interned string.  Enumerations inside of functions do not
 * count.  (tensix_dwarf.c)
 */
void tensix_dwarf_enumerators(const TensixElf *e, const char *prefix,
                              const char **names, unsigned count);

#endif
