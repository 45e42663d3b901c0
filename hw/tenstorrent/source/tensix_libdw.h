/*
 * elfutils' libdw, loaded when the first ELF is read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Most runs report nothing; to have the dynamic linker load libdw and what it
 * needs each time took a thirtieth of the machine's start.
 */

#ifndef TENSIX_LIBDW_H
#define TENSIX_LIBDW_H

#include <elfutils/libdw.h>
#include <gelf.h>

/* What is used of it; libdw brings libelf along. */
#define TENSIX_LIBDW_FUNCTIONS(F) \
    F(dwarf_attr) F(dwarf_begin_elf) F(dwarf_child) F(dwarf_decl_line) \
    F(dwarf_diename) F(dwarf_end) F(dwarf_entrypc) F(dwarf_errmsg) \
    F(dwarf_filesrc) F(dwarf_formstring) F(dwarf_formudata) \
    F(dwarf_get_units) F(dwarf_getsrc_die) \
    F(dwarf_getsrcfiles) F(dwarf_getsrclines) F(dwarf_hasattr) \
    F(dwarf_haspc) F(dwarf_lineno) F(dwarf_linesrc) F(dwarf_siblingof) \
    F(dwarf_tag) F(elf32_getehdr) F(elf_end) F(elf_getdata) \
    F(elf_getphdrnum) F(elf_getscn) F(elf_getshdrstrndx) F(elf_kind) \
    F(elf_memory) F(elf_nextscn) F(elf_version) F(gelf_getchdr) \
    F(gelf_getphdr) F(gelf_getshdr) F(gelf_getsym)

typedef struct TensixLibdw {
    void *handle;
#define TENSIX_LIBDW_MEMBER(name) typeof(name) *name;
    TENSIX_LIBDW_FUNCTIONS(TENSIX_LIBDW_MEMBER)
#undef TENSIX_LIBDW_MEMBER
} TensixLibdw;

/* NULL with errp set if this host does not have it. */
TensixLibdw *tensix_libdw_load(Error **errp);

/* Takes NULL, too. */
void tensix_libdw_free(TensixLibdw *lib);

#endif
