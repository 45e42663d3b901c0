/*
 * From an address to functions, files and lines, by an ELF's DWARF.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tree of a unit is walked here, not by libdw's own dwarf_getscopes(),
 * whose recursion is as deep as the file's nesting.
 */

#include "qemu/osdep.h"
#include <dwarf.h>
#include "tensix_elf.h"

enum {
    MAX_DEPTH = 48,                /* of the tree */
    MAX_STEPS = 1 << 20,           /* entries visited */
};

typedef struct Search {
    const TensixLibdw *lib;
    const TensixJob *job;
    uint32_t address;
    bool whole_paths;              /* TensixElf's */
    uint32_t steps;                /* so far */
    Dwarf_Die unit;
    Dwarf_Die scope[MAX_DEPTH];    /* functions, the outermost first */
    unsigned scopes;
} Search;

static void search_init(Search *s, const TensixElf *e)
{
    s->lib = e->lib;
    s->job = e->job;
    s->whole_paths = e->whole_paths;
}

/* False: it has taken long enough. */
static bool may_step(Search *s)
{
    return s->steps++ < MAX_STEPS && !tensix_job_stops(s->job);
}

/* --- units and functions --- */

static bool has_address(Search *s, Dwarf_Die *die)
{
    return s->lib->dwarf_haspc(die, s->address) > 0;
}

/* A unit that has the address; false if there is none, or on a problem. */
static bool find_unit(const TensixElf *e, Search *s, const char **problem)
{
    Dwarf_CU *unit = NULL;
    uint8_t type;
    int more;

    while ((more = s->lib->dwarf_get_units(e->dwarf, unit, &unit, NULL, &type,
                                   &s->unit, NULL)) == 0) {
        if (type == DW_UT_compile && has_address(s, &s->unit)) {
            return true;
        }
        if (!may_step(s)) {
            break;
        }
    }
    if (more < 0) {
        *problem = s->lib->dwarf_errmsg(-1);
    }
    return false;
}

static bool is_function(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Can functions and blocks be inside of it? */
static bool is_inner(int tag)
{
    return is_function(tag) || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Records the functions below `die` that have the address. */
static bool find_scopes(Search *s, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;

    if (depth == MAX_DEPTH || s->lib->dwarf_child(die, &child) != 0) {
        return false;
    }
    do {
        int tag = s->lib->dwarf_tag(&child);

        if (!may_step(s)) {
            return false;
        }
        if (is_inner(tag) && has_address(s, &child)) {
            if (is_function(tag)) {
                s->scope[s->scopes++] = child;
            }
            find_scopes(s, &child, depth + 1);
            return true;
        }
        if (tag == DW_TAG_namespace && find_scopes(s, &child, depth + 1)) {
            return true;
        }
    } while (s->lib->dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* --- lines --- */

static const char *string_of(Search *s, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;

    return s->lib->dwarf_attr(die, name, &attribute)
           ? s->lib->dwarf_formstring(&attribute) : NULL;
}

static uint64_t number_of(Search *s, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;

    return s->lib->dwarf_attr(die, name, &attribute) &&
           s->lib->dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

/* A file as it was given to the compiler, or its whole path; to be freed. */
static char *file_name(Search *s, const char *file)
{
    const char *folder = string_of(s, &s->unit, DW_AT_comp_dir);
    g_autofree char *path = NULL;

    if (s->whole_paths) {
        path = g_canonicalize_filename(file, folder && *folder == '/' ? folder
                                                                      : "/");
        return tensix_elf_clean_path(path);
    }
    if (folder && g_str_has_prefix(file, folder) &&
        file[strlen(folder)] == '/') {
        file += strlen(folder) + 1;
    }
    return tensix_elf_clean(file);
}

static void set_line(Search *s, TensixFrame *frame, const char *file,
                     uint64_t line)
{
    if (file && line > 0 && line <= INT_MAX) {
        frame->file = file_name(s, file);
        frame->line = line;
    }
}

/*
 * Reads the unit's table of lines, which may lie across others: all of them have
 * no more lines than the section has bytes, or they are refused.
 */
static bool read_lines(TensixElf *e, Search *s, const char **problem)
{
    gpointer table = (gpointer)number_of(s, &s->unit, DW_AT_stmt_list);
    Dwarf_Lines *lines;
    size_t count = 0;

    if (!s->lib->dwarf_hasattr(&s->unit, DW_AT_stmt_list) ||
        g_hash_table_contains(e->line_tables, table)) {
        return true;
    }
    if (e->lines > TENSIX_ELF_MOST_LINES) {
        *problem = "its tables of lines overlap";
        return false;
    }
    if (s->lib->dwarf_getsrclines(&s->unit, &lines, &count) != 0) {
        *problem = s->lib->dwarf_errmsg(-1);
        return false;
    }
    e->lines += count;
    g_hash_table_add(e->line_tables, table);
    return true;
}

/* The line of the instruction itself. */
static void set_own_line(Search *s, TensixFrame *frame)
{
    Dwarf_Line *line;
    int number;

    line = s->lib->dwarf_getsrc_die(&s->unit, s->address);
    if (line && s->lib->dwarf_lineno(line, &number) == 0) {
        set_line(s, frame, s->lib->dwarf_linesrc(line, NULL, NULL), number);
    }
}

/* The line that an inlined function was called from. */
static void set_call_line(Search *s, TensixFrame *frame, Dwarf_Die *inlined)
{
    uint64_t file = number_of(s, inlined, DW_AT_call_file);
    Dwarf_Files *files;
    size_t count;

    if (s->lib->dwarf_getsrcfiles(&s->unit, &files, &count) == 0 &&
        file < count) {
        set_line(s, frame, s->lib->dwarf_filesrc(files, file, NULL, NULL),
                 number_of(s, inlined, DW_AT_call_line));
    }
}

/* --- frames --- */

static TensixFrame *add_frame(GPtrArray *frames)
{
    TensixFrame *frame = g_new0(TensixFrame, 1);

    g_ptr_array_add(frames, frame);
    return frame;
}

static void set_function(Search *s, TensixFrame *frame, Dwarf_Die *die)
{
    const char *name = s->lib->dwarf_diename(die);
    Dwarf_Addr entry;
    int line;

    frame->function = name ? tensix_elf_clean(name) : NULL;
    if (s->lib->dwarf_decl_line(die, &line) == 0 && line > 0) {
        frame->declared = line;
    }
    if (s->lib->dwarf_entrypc(die, &entry) == 0) {
        frame->entry = entry;
    }
}

/* Goes from the innermost function to the one that is not inlined. */
static void name_functions(Search *s, GPtrArray *frames, TensixFrame *frame,
                           bool has_lines)
{
    for (unsigned i = s->scopes; i-- > 0;) {
        Dwarf_Die *die = &s->scope[i];

        set_function(s, frame, die);
        if (i == 0 || s->lib->dwarf_tag(die) == DW_TAG_subprogram) {
            return;
        }
        frame = add_frame(frames);
        if (has_lines) {
            set_call_line(s, frame, die);
        }
    }
}

GPtrArray *tensix_dwarf_frames(TensixElf *e, uint32_t address,
                               const char **problem)
{
    g_autofree Search *s = g_new0(Search, 1);
    GPtrArray *frames;
    TensixFrame *frame;
    bool has_lines;

    search_init(s, e);
    s->address = address;
    if (!e->dwarf || !find_unit(e, s, problem)) {
        return NULL;
    }
    s->steps = 0;
    find_scopes(s, &s->unit, 0);
    frames = tensix_frames_new();
    frame = add_frame(frames);
    has_lines = read_lines(e, s, problem);
    if (has_lines) {
        set_own_line(s, frame);
    }
    name_functions(s, frames, frame, has_lines);
    if (!s->scopes) {              /* assembly has labels instead */
        frame->function = tensix_elf_symbol(e, address);
    }
    if (!frame->function && !frame->file) {
        g_clear_pointer(&frames, g_ptr_array_unref);
    }
    return frames;
}

/* --- enumerations --- */

static void record_enumerator(Search *s, Dwarf_Die *die, const char *prefix,
                              const char **names, unsigned count)
{
    const char *name = s->lib->dwarf_diename(die);
    uint64_t value = number_of(s, die, DW_AT_const_value);

    if (name && g_str_has_prefix(name, prefix) && value < count &&
        !names[value] && s->lib->dwarf_hasattr(die, DW_AT_const_value)) {
        g_autofree char *clean = tensix_elf_clean(name + strlen(prefix));

        names[value] = clean[0] ? g_intern_string(clean) : NULL;
    }
}

static void record_enumeration(Search *s, Dwarf_Die *type, const char *prefix,
                               const char **names, unsigned count)
{
    Dwarf_Die die;

    if (s->lib->dwarf_child(type, &die) != 0) {
        return;
    }
    do {
        record_enumerator(s, &die, prefix, names, count);
    } while (may_step(s) && s->lib->dwarf_siblingof(&die, &die) == 0);
}

static void record_unit(Search *s, const char *prefix, const char **names,
                        unsigned count)
{
    Dwarf_Die die;

    if (s->lib->dwarf_child(&s->unit, &die) != 0) {
        return;
    }
    do {
        if (s->lib->dwarf_tag(&die) == DW_TAG_enumeration_type) {
            record_enumeration(s, &die, prefix, names, count);
        }
    } while (may_step(s) && s->lib->dwarf_siblingof(&die, &die) == 0);
}

void tensix_dwarf_enumerators(const TensixElf *e, const char *prefix,
                              const char **names, unsigned count)
{
    g_autofree Search *s = g_new0(Search, 1);
    Dwarf_CU *unit = NULL;
    uint8_t type;

    search_init(s, e);
    while (e->dwarf && may_step(s) &&
           s->lib->dwarf_get_units(e->dwarf, unit, &unit, NULL, &type,
                                   &s->unit, NULL) == 0) {
        if (type == DW_UT_compile) {
            record_unit(s, prefix, names, count);
        }
    }
}
