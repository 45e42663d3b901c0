/*
 * One ELF: its file, its segments, its symbols.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file is read as a whole: with a map of it the process would end once the
 * program is rebuilt and becomes shorter.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "qemu/units.h"
#include "hw/tenstorrent/tensix_file.h"
#include "tensix_elf.h"

enum {
    MAX_FILE = 32 * MiB,
    MAX_DEBUG = 16 * MiB,          /* of all debug sections, unpacked */
    MAX_NAME = 200,                /* characters */
    CODE_BYTES = 4,                /* of an instruction */
};

/*
 * Sections, by a part of their names, from which libdw makes structures that
 * are many times larger: 0.2 KiB of a unit's 12 bytes, 90 bytes of a line's one.
 * The largest kernel known has a hundredth of that.
 */
static const struct {
    const char *name;
    uint64_t most;
} limits[] = {
    { "debug_info", 4 * MiB },
    { "debug_types", 4 * MiB },
    { "debug_abbrev", 256 * KiB },
    { "debug_line", TENSIX_ELF_MOST_LINES },
    { "gnu_debugaltlink", 0 },     /* libdw would open a file that it names */
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

static bool is_same_file(const TensixElfStamp *now, const TensixElfStamp *stamp,
                         Error **errp)
{
    if (now->size != stamp->size || now->inode != stamp->inode ||
        now->seconds != stamp->seconds ||
        now->nanoseconds != stamp->nanoseconds) {
        error_setg(errp, "it has changed since it was named");
        return false;
    }
    return true;
}

/* Its bytes; NULL with errp set. */
static gchar *read_file(const char *file, const TensixElfStamp *stamp,
                        size_t *size, Error **errp)
{
    g_autofree gchar *bytes = NULL;
    TensixElfStamp now;
    struct stat st;

    bytes = tensix_file_read(file, MAX_FILE, &st, size, errp);
    if (!bytes || !make_stamp(&st, &now, errp) ||
        !is_same_file(&now, stamp, errp)) {
        return NULL;
    }
    return g_steal_pointer(&bytes);
}

/* --- names in it --- */

/*
 * A name in a table of strings, NULL if there is none.  It ends in the table,
 * or is longer than any that is used: elf_strptr() searches each time for the
 * end of the table's last one, which may be far.
 */
static const char *name_at(const Elf_Data *strings, size_t offset)
{
    const char *name;
    size_t room;

    if (!strings || !strings->d_buf || offset >= strings->d_size) {
        return NULL;
    }
    name = (const char *)strings->d_buf + offset;
    room = strings->d_size - offset;
    return room > MAX_NAME || memchr(name, 0, room) ? name : NULL;
}

static const Elf_Data *strings_of(const TensixElf *e, size_t section)
{
    return e->lib->elf_getdata(e->lib->elf_getscn(e->elf, section), NULL);
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
static bool is_whole(const TensixElf *e, Error **errp)
{
    const Elf32_Ehdr *h = e->lib->elf32_getehdr(e->elf);
    uint64_t programs = (uint64_t)h->e_phnum * h->e_phentsize;
    uint64_t sections = (uint64_t)h->e_shnum * h->e_shentsize;

    if (h->e_phoff + programs > e->size ||
        h->e_shoff + sections > e->size) {
        error_setg(errp, "it is cut off");
        return false;
    }
    return true;
}

/* Bytes of the section once it is unpacked: what it says of itself. */
static uint64_t unpacked_size(const TensixElf *e, Elf_Scn *section,
                              const GElf_Shdr *header)
{
    GElf_Chdr packed;

    return (header->sh_flags & SHF_COMPRESSED) &&
           e->lib->gelf_getchdr(section, &packed) ? packed.ch_size
                                                  : header->sh_size;
}

static bool check_limits(const char *name, uint64_t size, Error **errp)
{
    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        if (g_strstr_len(name, MAX_NAME, limits[i].name) &&
            size > limits[i].most) {
            error_setg(errp, "its section .%s has more than %" PRIu64 " KiB",
                       limits[i].name, limits[i].most / KiB);
            return false;
        }
    }
    return true;
}

typedef struct DebugInfo {
    uint64_t size;                 /* of all its sections */
    bool has_units;
} DebugInfo;

/* Adds what the section has of it. */
static bool check_section(const TensixElf *e, Elf_Scn *section,
                          const GElf_Shdr *header, const Elf_Data *names,
                          DebugInfo *debug, Error **errp)
{
    const char *name = name_at(names, header->sh_name) ?: "";
    uint64_t size = unpacked_size(e, section, header);

    if (g_strstr_len(name, MAX_NAME, "debug") ||
        (header->sh_flags & SHF_COMPRESSED)) {
        debug->size += MIN(size, MAX_DEBUG + 1);
    }
    debug->has_units |= !strcmp(name, ".debug_info");
    if (debug->size > MAX_DEBUG || !strncmp(name, ".zdebug", strlen(".zdebug"))) {
        error_setg(errp, "its debug information is too long, or packed in a "
                   "way that is not read here");
        return false;
    }
    return check_limits(name, size, errp);
}

/* Of its sections, NULL if they have none.  False: the last one has no end. */
static bool find_names(const TensixElf *e, const Elf_Data **names)
{
    size_t section;

    if (e->lib->elf_getshdrstrndx(e->elf, &section) < 0) {
        return false;
    }
    *names = strings_of(e, section);
    return !*names || !(*names)->d_size ||
           ((*names)->d_buf &&     /* SHT_NOBITS has none */
            !((const char *)(*names)->d_buf)[(*names)->d_size - 1]);
}

static bool check_sections(const TensixElf *e, DebugInfo *debug, Error **errp)
{
    const Elf_Data *names;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    bool found = find_names(e, &names);

    while (found && !tensix_job_stops(e->job) &&
           (section = e->lib->elf_nextscn(e->elf, section))) {
        found = e->lib->gelf_getshdr(section, &header);
        if (found &&
            !check_section(e, section, &header, names, debug, errp)) {
            return false;
        }
    }
    if (!found) {
        error_setg(errp, "its sections are broken");
    }
    return found;
}

static bool open_elf(TensixElf *e, Error **errp)
{
    DebugInfo debug = { };

    e->elf = e->lib->elf_memory(e->bytes, e->size);
    if (!e->elf) {
        error_setg(errp, "it is not an ELF file");
        return false;
    }
    if (!check_header(e, errp) || !is_whole(e, errp) ||
        !check_sections(e, &debug, errp)) {
        return false;
    }
    if (debug.has_units) {
        e->dwarf = e->lib->dwarf_begin_elf(e->elf, DWARF_C_READ, NULL);
        if (!e->dwarf) {
            error_setg(errp, "its debug information is broken: %s",
                       e->lib->dwarf_errmsg(-1));
            return false;
        }
    }
    return true;
}

TensixElf *tensix_elf_read(const TensixLibdw *lib, const TensixJob *job,
                           const char *file, const TensixElfStamp *stamp,
                           Error **errp)
{
    TensixElf *e = g_new0(TensixElf, 1);

    e->lib = lib;
    e->job = job;
    e->line_tables = g_hash_table_new(NULL, NULL);
    e->bytes = read_file(file, stamp, &e->size, errp);
    if (e->bytes && open_elf(e, errp)) {
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
        g_hash_table_destroy(e->line_tables);
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

/*
 * The segment's first word at `address` or above, if it has one in the file.
 * A segment may end beyond the harts' 32 bits of address.
 */
static bool word_in_segment(const TensixElf *e, const GElf_Phdr *ph,
                            uint32_t *address)
{
    uint64_t from = MAX(*address, ROUND_UP(ph->p_vaddr, CODE_BYTES));
    uint64_t end = MIN(ph->p_vaddr + MIN(ph->p_filesz, ph->p_memsz), 4 * GiB);

    if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) ||
        ph->p_offset > e->size || ph->p_filesz > e->size - ph->p_offset ||
        from + CODE_BYTES > end) {
        return false;
    }
    *address = from;
    return true;
}

bool tensix_elf_next_code(const TensixElf *e, uint32_t *address,
                          uint32_t *word)
{
    uint32_t best = UINT32_MAX;
    size_t count;
    GElf_Phdr ph;

    if (e->lib->elf_getphdrnum(e->elf, &count) < 0) {
        return false;
    }
    for (size_t i = 0; i < count && !tensix_job_stops(e->job); i++) {
        uint32_t at = *address;

        if (e->lib->gelf_getphdr(e->elf, i, &ph) &&
            word_in_segment(e, &ph, &at) && at < best) {
            best = at;
            *word = ldl_le_p(e->bytes + ph.p_offset + (at - ph.p_vaddr));
        }
    }
    *address = best;
    return best != UINT32_MAX;
}

/* --- symbols --- */

static char *clean_text(const char *name, size_t most)
{
    g_autofree char *text = g_utf8_make_valid(name, strnlen(name, most));
    GString *clean = g_string_new(NULL);

    for (const char *p = text; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);

        g_string_append_unichar(clean, g_unichar_isprint(c) ? c : '?');
    }
    return g_string_free(clean, false);
}

char *tensix_elf_clean(const char *name)
{
    return clean_text(name, MAX_NAME);
}

char *tensix_elf_clean_path(const char *path)
{
    return clean_text(path, PATH_MAX);
}

/* Does it name a piece of code at the address or before it? */
static bool is_candidate(const GElf_Sym *sym, uint32_t address)
{
    bool named = GELF_ST_TYPE(sym->st_info) == STT_FUNC ||
                 (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE &&
                  GELF_ST_BIND(sym->st_info) == STB_GLOBAL);

    return named && sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
           sym->st_value <= address &&
           (!sym->st_size || address - sym->st_value < sym->st_size);
}

/* The nearest one of a table; NULL if there is none. */
static const char *nearest(const TensixElf *e, Elf_Scn *section,
                           const GElf_Shdr *header, uint32_t address,
                           uint32_t *start)
{
    Elf_Data *data = e->lib->elf_getdata(section, NULL);
    const Elf_Data *strings = strings_of(e, header->sh_link);
    const char *best = NULL;
    GElf_Sym sym;

    for (int i = 0; !tensix_job_stops(e->job) && data &&
                    e->lib->gelf_getsym(data, i, &sym); i++) {
        if (is_candidate(&sym, address) && (!best || sym.st_value > *start)) {
            const char *name = name_at(strings, sym.st_name);

            if (name && name[0]) {
                best = name;
                *start = sym.st_value;
            }
        }
    }
    return best;
}

/* An ELF file has one table of symbols at most: the first counts. */
static const char *find_symbol(const TensixElf *e, uint32_t address,
                               uint32_t *start)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = e->lib->elf_nextscn(e->elf, section))) {
        if (e->lib->gelf_getshdr(section, &header) &&
            header.sh_type == SHT_SYMTAB) {
            return nearest(e, section, &header, address, start);
        }
    }
    return NULL;
}

char *tensix_elf_symbol(const TensixElf *e, uint32_t address)
{
    uint32_t start = 0;
    const char *name = find_symbol(e, address, &start);
    g_autofree char *clean = name ? tensix_elf_clean(name) : NULL;

    return !clean || start == address
           ? g_steal_pointer(&clean)
           : g_strdup_printf("%s+0x%x", clean, address - start);
}
