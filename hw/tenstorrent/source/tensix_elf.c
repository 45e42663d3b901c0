/*
 * One ELF: its file, its segments, its symbols.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file is read as a whole: a map of it would end with the process once
 * somebody builds the program anew and makes it shorter.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/units.h"
#include "tensix_elf.h"

enum {
    MAX_FILE = 128 * MiB,
    MAX_UNPACKED = 512 * MiB,      /* of all compressed sections */
    MAX_NAME = 200,                /* characters */
};

/* --- the file --- */

static bool make_stamp(const struct stat *st, TensixElfStamp *stamp,
                       Error **errp)
{
    if (!S_ISREG(st->st_mode)) {
        error_setg(errp, "it is not a file");
        return false;
    }
    *stamp = (TensixElfStamp) {
        .size = st->st_size, .inode = st->st_ino,
        .seconds = st->st_mtim.tv_sec, .nanoseconds = st->st_mtim.tv_nsec,
    };
    return true;
}

bool tensix_elf_stamp(const char *file, TensixElfStamp *stamp, Error **errp)
{
    struct stat st;

    if (stat(file, &st) < 0) {
        error_setg(errp, "%s", strerror(errno));
        return false;
    }
    return make_stamp(&st, stamp, errp);
}

static bool is_same_file(const char *file, const TensixElfStamp *stamp,
                         Error **errp)
{
    TensixElfStamp now;

    if (!tensix_elf_stamp(file, &now, errp)) {
        return false;
    }
    if (now.size != stamp->size || now.inode != stamp->inode ||
        now.seconds != stamp->seconds ||
        now.nanoseconds != stamp->nanoseconds) {
        error_setg(errp, "it has changed since it was named");
        return false;
    }
    if (now.size > MAX_FILE) {
        error_setg(errp, "it is larger than %d MiB", (int)(MAX_FILE / MiB));
        return false;
    }
    return true;
}

/* --- is it one of ours? --- */

static bool check_header(const TensixElf *e, Error **errp)
{
    const Elf32_Ehdr *header = e->lib->elf32_getehdr(e->elf);

    if (e->lib->elf_kind(e->elf) != ELF_K_ELF || !header ||
        header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_RISCV) {
        error_setg(errp, "it is not a 32-bit RISC-V ELF file");
        return false;
    }
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN) {
        error_setg(errp, "it is not linked");
        return false;
    }
    return true;
}

/* Half a file has half of its names, and no one would know which. */
static bool is_whole(const TensixElf *e, size_t size, Error **errp)
{
    const Elf32_Ehdr *h = e->lib->elf32_getehdr(e->elf);
    uint64_t programs = (uint64_t)h->e_phnum * h->e_phentsize;
    uint64_t sections = (uint64_t)h->e_shnum * h->e_shentsize;

    if (h->e_phoff + programs > size || h->e_shoff + sections > size) {
        error_setg(errp, "it is cut off");
        return false;
    }
    return true;
}

/* What a compressed section says of itself is memory that it will take. */
static bool check_sections(const TensixElf *e, bool *has_debug, Error **errp)
{
    uint64_t unpacked = 0;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Chdr packed;
    size_t names;

    *has_debug = false;
    if (e->lib->elf_getshdrstrndx(e->elf, &names) < 0) {
        error_setg(errp, "its sections are broken");
        return false;
    }
    while ((section = e->lib->elf_nextscn(e->elf, section))) {
        const char *name;

        if (!e->lib->gelf_getshdr(section, &header)) {
            error_setg(errp, "its sections are broken");
            return false;
        }
        name = e->lib->elf_strptr(e->elf, names, header.sh_name) ?: "";
        *has_debug |= !strcmp(name, ".debug_info");
        if ((header.sh_flags & SHF_COMPRESSED) &&
            e->lib->gelf_getchdr(section, &packed)) {
            unpacked += MIN(packed.ch_size, MAX_UNPACKED + 1);
        }
        if (unpacked > MAX_UNPACKED || g_str_has_prefix(name, ".zdebug")) {
            error_setg(errp, "its debug information is packed in a way that "
                       "is not read here");
            return false;
        }
    }
    return true;
}

static bool open_elf(TensixElf *e, size_t size, Error **errp)
{
    bool has_debug;

    e->elf = e->lib->elf_memory(e->bytes, size);
    if (!e->elf) {
        error_setg(errp, "it is not an ELF file");
        return false;
    }
    if (!check_header(e, errp) || !is_whole(e, size, errp) ||
        !check_sections(e, &has_debug, errp)) {
        return false;
    }
    if (has_debug) {
        e->dwarf = e->lib->dwarf_begin_elf(e->elf, DWARF_C_READ, NULL);
        if (!e->dwarf) {
            error_setg(errp, "its debug information is broken: %s",
                       e->lib->dwarf_errmsg(-1));
            return false;
        }
    }
    return true;
}

TensixElf *tensix_elf_read(const TensixLibdw *lib, const char *file,
                           const TensixElfStamp *stamp, Error **errp)
{
    g_autoptr(GError) error = NULL;
    TensixElf *e;
    gsize size;

    if (!is_same_file(file, stamp, errp)) {
        return NULL;
    }
    e = g_new0(TensixElf, 1);
    e->lib = lib;
    if (!g_file_get_contents(file, &e->bytes, &size, &error)) {
        error_setg(errp, "%s", error->message);
    } else if (open_elf(e, size, errp)) {
        return e;
    }
    tensix_elf_free(e);
    return NULL;
}

void tensix_elf_free(TensixElf *e)
{
    if (e) {
        e->lib->dwarf_end(e->dwarf);
        e->lib->elf_end(e->elf);
        g_free(e->bytes);
        g_free(e);
    }
}

/* --- addresses --- */

bool tensix_elf_covers(const TensixElf *e, uint32_t address)
{
    size_t count;
    GElf_Phdr ph;

    if (e->lib->elf_getphdrnum(e->elf, &count) < 0) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (e->lib->gelf_getphdr(e->elf, i, &ph) && ph.p_type == PT_LOAD &&
            address >= ph.p_vaddr && address - ph.p_vaddr < ph.p_memsz) {
            return true;
        }
    }
    return false;
}

/* --- symbols --- */

char *tensix_elf_clean(const char *name)
{
    g_autofree char *text = g_utf8_make_valid(name, strnlen(name, MAX_NAME));
    GString *clean = g_string_new(NULL);

    for (const char *p = text; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);

        g_string_append_unichar(clean, g_unichar_isprint(c) ? c : '?');
    }
    return g_string_free(clean, false);
}

/* A name that someone gave a piece of code, at the address or before it? */
static bool is_candidate(const GElf_Sym *sym, const char *name,
                         uint32_t address)
{
    bool named = GELF_ST_TYPE(sym->st_info) == STT_FUNC ||
                 (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE &&
                  GELF_ST_BIND(sym->st_info) == STB_GLOBAL);

    return named && sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
           name && name[0] && sym->st_value <= address &&
           (!sym->st_size || address - sym->st_value < sym->st_size);
}

/* The nearest one of a table; NULL if there is none. */
static const char *nearest(const TensixElf *e, Elf_Scn *section,
                           const GElf_Shdr *header, uint32_t address,
                           uint32_t *start)
{
    Elf_Data *data = e->lib->elf_getdata(section, NULL);
    const char *best = NULL;
    GElf_Sym sym;

    for (int i = 0; data && e->lib->gelf_getsym(data, i, &sym); i++) {
        const char *name = e->lib->elf_strptr(e->elf, header->sh_link,
                                              sym.st_name);

        if (is_candidate(&sym, name, address) &&
            (!best || sym.st_value > *start)) {
            best = name;
            *start = sym.st_value;
        }
    }
    return best;
}

char *tensix_elf_symbol(const TensixElf *e, uint32_t address)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = e->lib->elf_nextscn(e->elf, section))) {
        const char *name = NULL;
        uint32_t start = 0;

        if (e->lib->gelf_getshdr(section, &header) &&
            header.sh_type == SHT_SYMTAB) {
            name = nearest(e, section, &header, address, &start);
        }
        if (name) {
            g_autofree char *clean = tensix_elf_clean(name);

            return start == address ? g_strdup(clean)
                   : g_strdup_printf("%s+0x%x", clean, address - start);
        }
    }
    return NULL;
}
