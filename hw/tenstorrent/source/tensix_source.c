/*
 * Source lines: the ELFs of a machine's harts, and what was found in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A lookup takes up to some milliseconds for a file as compilers write it:
 * answers are kept.  A file that makes libdw take longer is given up.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "hw/tenstorrent/core/tensix_core.h"
#include "hw/tenstorrent/tensix_source.h"
#include "tensix_elf.h"

enum {
    MAX_FILES = 64,                /* a hart */
    MAX_ANSWERS = 1 << 14,         /* beyond them, all are resolved anew */
    MAX_FRAMES = 8,                /* in a text */
    PC_DIGITS = 8,

    /* CPU time for a lookup, the first of which reads the file */
    LOOK_UP_NS = 35 * SCALE_MS,
    /* ... for all of a file, and how much more each lookup gives it */
    FILE_NS = 100 * SCALE_MS,
    FILE_NS_EACH = SCALE_MS,
    /* Of a lookup of many words: it ends when it has taken that */
    SOME_WORDS_NS = FILE_NS_EACH / 2,
    /* Without a lookup for so long, the next one is of another question */
    PAUSE_NS = 500 * SCALE_MS,
};

/* CPU time for lookups of one question, of all files */
#define QUESTION_NS (2 * NANOSECONDS_PER_SECOND)
/* For all of the words of a hart, host's time */
#define ALL_WORDS_NS (10 * NANOSECONDS_PER_SECOND)

/* An ELF that a hart executes. */
typedef struct Source {
    char *file;
    uint32_t offset;               /* of where it runs, from its own addresses */
    TensixElfStamp stamp;
    bool tried;                    /* to read it */
    bool reported;                 /* that something is wrong with it */
    int64_t left_ns;               /* of the CPU's time */
    TensixElf *elf;
} Source;

/* A question about one file, and its answer. */
typedef struct LookUp {
    TensixJob job;
    const TensixLibdw *lib;
    TensixElf *elf;                /* NULL: to be read from: */
    char *file;
    TensixElfStamp stamp;
    void (*query)(struct LookUp *l);
    uint32_t address;
    GPtrArray *frames;             /* or NULL */
    GArray *places;                /* of TensixSourceWord; or NULL */
    bool ended;                    /* no words follow those */
    const char *semaphore[TENSIX_SEMAPHORES];
    char *problem;                 /* or NULL */
} LookUp;

struct TensixSources {
    QemuMutex lock;
    TensixLibdw *lib;              /* from the first ELF on that is read */
    GPtrArray *hart[TENSIX_HART_NONE];   /* of Source, the newest last */
    char *image[TENSIX_HART_NONE]; /* of the machine, or NULL */
    GHashTable *answers;           /* hart and pc: TensixFrames, perhaps none */
    const char *semaphore[TENSIX_SEMAPHORES];   /* what ELFs call them */
    bool semaphores_known;
    bool lib_in_use;               /* by a lookup that was given up */
    int64_t left_ns, looked_up_at; /* CPU time for lookups, the last one */
    bool late;                     /* reported: it was not enough */
};

static void frame_free(gpointer data)
{
    TensixFrame *frame = data;

    g_free(frame->function);
    g_free(frame->file);
    g_free(frame);
}

GPtrArray *tensix_frames_new(void)
{
    return g_ptr_array_new_with_free_func(frame_free);
}

static void answer_free(gpointer data)
{
    g_ptr_array_unref(data);
}

static void source_free(gpointer data)
{
    Source *source = data;

    tensix_elf_free(source->elf);
    g_free(source->file);
    g_free(source);
}

TensixSources *tensix_sources_new(void)
{
    TensixSources *s = g_new0(TensixSources, 1);

    qemu_mutex_init(&s->lock);
    for (int i = 0; i < TENSIX_HART_NONE; i++) {
        s->hart[i] = g_ptr_array_new_with_free_func(source_free);
    }
    s->answers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                       answer_free);
    return s;
}

void tensix_sources_free(TensixSources *s)
{
    for (int i = 0; i < TENSIX_HART_NONE; i++) {
        g_ptr_array_free(s->hart[i], true);
        g_free(s->image[i]);
    }
    g_hash_table_destroy(s->answers);
    if (!s->lib_in_use) {
        tensix_libdw_free(s->lib);
    }
    qemu_mutex_destroy(&s->lock);
    g_free(s);
}

/* --- naming --- */

/* The same file at the same place, perhaps with other contents by now. */
static void drop_same(GPtrArray *files, const Source *source)
{
    for (unsigned i = 0; i < files->len; i++) {
        const Source *other = g_ptr_array_index(files, i);

        if (other->offset == source->offset &&
            !strcmp(other->file, source->file)) {
            g_ptr_array_remove_index(files, i);
            return;
        }
    }
    if (files->len == MAX_FILES) {
        g_ptr_array_remove_index(files, 0);
    }
}

/* At an index of the hart's files, -1 for the end. */
static bool add_at(TensixSources *s, unsigned hart, const char *file,
                   uint32_t offset, int index, Error **errp)
{
    ERRP_GUARD();
    TensixElfStamp stamp;
    Source *source;

    if (!tensix_elf_stamp(file, &stamp, errp)) {
        error_prepend(errp, "cannot use '%s': ", file);
        return false;
    }
    source = g_new0(Source, 1);
    source->file = g_canonicalize_filename(file, NULL);
    source->offset = offset;
    source->stamp = stamp;
    source->left_ns = FILE_NS;
    WITH_QEMU_LOCK_GUARD(&s->lock) {
        drop_same(s->hart[hart], source);
        g_ptr_array_insert(s->hart[hart], index, source);
        g_hash_table_remove_all(s->answers);
        s->semaphores_known = false;
    }
    return true;
}

bool tensix_sources_add(TensixSources *s, unsigned hart, const char *file,
                        uint32_t offset, Error **errp)
{
    return add_at(s, hart, file, offset, -1, errp);
}

bool tensix_sources_add_image(TensixSources *s, unsigned hart, const char *file,
                              Error **errp)
{
    if (!add_at(s, hart, file, 0, 0, errp)) {
        return false;
    }
    g_free(s->image[hart]);
    s->image[hart] = realpath(file, NULL) ?: g_strdup(file);
    return true;
}

char *tensix_sources_image(TensixSources *s, unsigned hart)
{
    return g_strdup(s->image[hart]);
}

char *tensix_sources_list(TensixSources *s, unsigned hart)
{
    GString *text = g_string_new(NULL);

    QEMU_LOCK_GUARD(&s->lock);
    for (unsigned i = 0; i < s->hart[hart]->len; i++) {
        const Source *source = g_ptr_array_index(s->hart[hart], i);

        g_string_append_printf(text, "%s%s@0x%x", i ? " " : "", source->file,
                               source->offset);
    }
    return g_string_free(text, false);
}

/* --- the file of a pc --- */

/* One warning a file; to be given once nothing is locked. */
static void record_problem(Source *source, unsigned hart, const char *problem,
                           GString *warnings)
{
    g_autofree char *file = tensix_elf_clean(source->file);

    if (!source->reported) {
        g_string_append_printf(warnings, "%sno source lines of %s from '%s': "
                               "%s", warnings->len ? "; " : "",
                               tensix_hart_names[hart], file, problem);
    }
    source->reported = true;
}

/* By the table of symbols alone; perhaps none. */
static GPtrArray *symbol_frames(const TensixElf *elf, uint32_t address)
{
    GPtrArray *frames = tensix_frames_new();
    char *symbol = tensix_elf_symbol(elf, address);

    if (symbol) {
        TensixFrame *frame = g_new0(TensixFrame, 1);

        frame->function = symbol;
        g_ptr_array_add(frames, frame);
    }
    return frames;
}

static void query_frames(LookUp *l)
{
    const char *problem = NULL;

    if (tensix_elf_covers(l->elf, l->address)) {
        l->frames = tensix_dwarf_frames(l->elf, l->address, &problem)
                    ?: symbol_frames(l->elf, l->address);
        l->problem = g_strdup(problem);
    }
}

static void query_semaphores(LookUp *l)
{
    tensix_dwarf_enumerators(l->elf, "SEM_", l->semaphore, TENSIX_SEMAPHORES);
}

/* One word: its frames, if it has a line. */
static void add_place(LookUp *l, uint32_t word)
{
    const char *problem = NULL;
    GPtrArray *frames = tensix_dwarf_frames(l->elf, l->address, &problem);
    TensixSourceWord place = {
        .pc = l->address, .word = word, .frames = frames
    };

    l->problem = l->problem ?: g_strdup(problem);
    if (frames && ((const TensixFrame *)frames->pdata[0])->file) {
        g_array_append_val(l->places, place);
    } else if (frames) {
        g_ptr_array_unref(frames);
    }
}

/* Words from the address on, as many as a lookup's time allows. */
static void query_places(LookUp *l)
{
    int64_t begun = get_clock();
    uint32_t word;

    l->places = g_array_new(false, false, sizeof(TensixSourceWord));
    l->elf->whole_paths = true;
    do {
        l->ended = !tensix_elf_next_code(l->elf, &l->address, &word);
        if (!l->ended && word) {
            add_place(l, word);
        }
        l->address += sizeof(word);
        l->ended |= l->address < sizeof(word);   /* past the last word */
    } while (!l->ended && get_clock() - begun < SOME_WORDS_NS);
    l->elf->whole_paths = false;
}

/* --- a lookup --- */

static void look_up_works(TensixJob *job)
{
    LookUp *l = container_of(job, LookUp, job);
    Error *err = NULL;

    if (!l->elf) {
        l->elf = tensix_elf_read(l->lib, job, l->file, &l->stamp, &err);
    }
    if (err) {
        l->problem = g_strdup(error_get_pretty(err));
        error_free(err);
    }
    if (l->elf) {
        l->elf->job = job;
        l->query(l);
        l->elf->job = NULL;
    }
}

/* All but the ELF. */
static void look_up_free(LookUp *l)
{
    for (guint i = 0; l->places && i < l->places->len; i++) {
        const TensixSourceWord *place = &g_array_index(l->places,
                                                       TensixSourceWord, i);

        g_ptr_array_unref((GPtrArray *)place->frames);
    }
    g_clear_pointer(&l->places, g_array_unref);
    g_clear_pointer(&l->frames, g_ptr_array_unref);
    g_free(l->problem);
    g_free(l->file);
    g_free(l);
}

static void look_up_discard(TensixJob *job)
{
    LookUp *l = container_of(job, LookUp, job);

    tensix_elf_free(l->elf);
    look_up_free(l);
}

static LookUp *look_up_new(const TensixSources *s, const Source *source,
                           void (*query)(LookUp *l), uint32_t pc)
{
    LookUp *l = g_new0(LookUp, 1);

    l->job.work = look_up_works;
    l->job.discard = look_up_discard;
    l->job.limit_ns = MIN(LOOK_UP_NS, source->left_ns);
    l->lib = s->lib;
    l->elf = source->elf;
    l->file = g_strdup(source->file);
    l->stamp = source->stamp;
    l->query = query;
    l->address = pc - source->offset;
    memcpy(l->semaphore, s->semaphore, sizeof(l->semaphore));
    return l;
}

static void load_libdw(TensixSources *s, Source *source, unsigned hart,
                       GString *warnings)
{
    Error *err = NULL;

    s->lib = s->lib ?: tensix_libdw_load(&err);
    if (err) {
        record_problem(source, hart, error_get_pretty(err), warnings);
        error_free(err);
    }
}

/* Of one question with many lookups, the BQL held, some may have no answer. */
static bool has_time(TensixSources *s, GString *warnings)
{
    if (get_clock() - s->looked_up_at > PAUSE_NS) {
        s->left_ns = QUESTION_NS;
    }
    if (s->left_ns <= 0 && !s->late) {
        g_string_append_printf(warnings, "%ssome places have no source lines: "
                               "to find all takes too long",
                               warnings->len ? "; " : "");
        s->late = true;
    }
    return s->left_ns > 0;
}

/* NULL: the file has nothing to say, or is given up. */
static LookUp *query_source(TensixSources *s, Source *source, unsigned hart,
                            void (*query)(LookUp *l), uint32_t pc,
                            GString *warnings)
{
    LookUp *l;
    bool done;

    load_libdw(s, source, hart, warnings);
    if (!s->lib || (source->tried && !source->elf)) {
        return NULL;
    }
    source->tried = true;
    l = look_up_new(s, source, query, pc);
    done = tensix_job_run(&l->job);
    s->looked_up_at = get_clock();
    if (!done) {
        s->left_ns -= LOOK_UP_NS;
        source->elf = NULL;        /* the job's */
        s->lib_in_use = true;
        record_problem(source, hart, "it takes too long to read", warnings);
        return NULL;
    }
    s->left_ns -= l->job.used_ns;
    source->elf = l->elf;
    source->left_ns = MIN(source->left_ns + FILE_NS_EACH, FILE_NS) -
                      l->job.used_ns;
    if (l->problem) {
        record_problem(source, hart, l->problem, warnings);
    }
    return l;
}

/* NULL: the ELF does not have the address. */
static GPtrArray *frames_in(TensixSources *s, Source *source, unsigned hart,
                            uint32_t pc, GString *warnings)
{
    LookUp *l = query_source(s, source, hart, query_frames, pc, warnings);
    GPtrArray *frames = l ? g_steal_pointer(&l->frames) : NULL;

    if (l) {
        look_up_free(l);
    }
    return frames;
}

/* NULL: there is no time for it. */
static GPtrArray *look_up(TensixSources *s, unsigned hart, uint32_t pc,
                          GString *warnings)
{
    GPtrArray *files = s->hart[hart], *frames = NULL;

    for (unsigned i = files->len; i-- > 0 && !frames;) {
        if (!has_time(s, warnings)) {
            return NULL;
        }
        frames = frames_in(s, g_ptr_array_index(files, i), hart, pc, warnings);
    }
    return frames ?: tensix_frames_new();
}

/* Keeps the answer; lock held. */
static GPtrArray *answer(TensixSources *s, unsigned hart, uint32_t pc,
                         GString *warnings)
{
    int64_t key = (int64_t)hart << 32 | pc;
    GPtrArray *frames = g_hash_table_lookup(s->answers, &key);

    if (!frames) {
        if (g_hash_table_size(s->answers) >= MAX_ANSWERS) {
            g_hash_table_remove_all(s->answers);
        }
        frames = look_up(s, hart, pc, warnings);
        if (!frames) {
            return tensix_frames_new();
        }
        g_hash_table_insert(s->answers, g_memdup2(&key, sizeof(key)), frames);
    }
    return g_ptr_array_ref(frames);
}

GPtrArray *tensix_sources_frames(TensixSources *s, unsigned hart, uint32_t pc)
{
    g_autoptr(GString) warnings = g_string_new(NULL);
    GPtrArray *frames = NULL;

    if (!s || hart >= TENSIX_HART_NONE) {
        return tensix_frames_new();
    }
    WITH_QEMU_LOCK_GUARD(&s->lock) {
        frames = answer(s, hart, pc, warnings);
    }
    if (warnings->len) {
        warn_report("%s", warnings->str);
    }
    return frames;
}

/* --- all words --- */

typedef struct EachPlace {
    TensixSources *s;
    unsigned hart;
    void (*fn)(void *opaque, const TensixSourceWord *word);
    void *opaque;
    GString *warnings;
    int64_t begun;
} EachPlace;

/* Is the address one of a file that was named later? */
static bool is_covered_by_newer(const EachPlace *each, unsigned number,
                                uint32_t pc)
{
    const GPtrArray *files = each->s->hart[each->hart];

    for (unsigned i = number + 1; i < files->len; i++) {
        const Source *source = g_ptr_array_index(files, i);

        if (source->elf &&
            tensix_elf_covers(source->elf, pc - source->offset)) {
            return true;
        }
    }
    return false;
}

static void report_places(const EachPlace *each, unsigned number,
                          const GArray *places)
{
    const GPtrArray *files = each->s->hart[each->hart];
    const Source *source = g_ptr_array_index(files, number);

    for (unsigned i = 0; i < places->len; i++) {
        TensixSourceWord place = g_array_index(places, TensixSourceWord, i);

        place.pc += source->offset;
        place.offset = source->offset;
        if (!is_covered_by_newer(each, number, place.pc)) {
            each->fn(each->opaque, &place);
        }
    }
}

static void each_word_of(const EachPlace *each, unsigned number)
{
    Source *source = g_ptr_array_index(each->s->hart[each->hart], number);
    uint32_t address = 0;
    bool ended = false;

    while (!ended) {
        LookUp *l = query_source(each->s, source, each->hart, query_places,
                                 address + source->offset, each->warnings);

        ended = !l || !l->places || l->ended;
        if (l && l->places) {
            report_places(each, number, l->places);
            address = l->address;
        }
        if (l) {
            look_up_free(l);
        }
        if (!ended && get_clock() - each->begun > ALL_WORDS_NS) {
            record_problem(source, each->hart, "it takes too long to read",
                           each->warnings);
            ended = true;
        }
    }
}

/* The newest file first: those before it need to know what it covers. */
void tensix_sources_each(TensixSources *s, unsigned hart,
                         void (*fn)(void *opaque, const TensixSourceWord *word),
                         void *opaque)
{
    g_autoptr(GString) warnings = g_string_new(NULL);
    const EachPlace each = { s, hart, fn, opaque, warnings, get_clock() };
    int64_t left_ns;

    if (!s) {
        return;
    }
    WITH_QEMU_LOCK_GUARD(&s->lock) {
        left_ns = s->left_ns;
        for (unsigned i = s->hart[hart]->len; i-- > 0;) {
            each_word_of(&each, i);
        }
        s->left_ns = left_ns;
    }
    if (warnings->len) {
        warn_report("%s", warnings->str);
    }
}

/* --- semaphores --- */

static void find_semaphores_in(TensixSources *s, Source *source, unsigned hart,
                               GString *warnings)
{
    LookUp *l = has_time(s, warnings)
                ? query_source(s, source, hart, query_semaphores, 0, warnings)
                : NULL;

    if (l) {
        memcpy(s->semaphore, l->semaphore, sizeof(s->semaphore));
        look_up_free(l);
    }
}

static void find_semaphores(TensixSources *s, GString *warnings)
{
    memset(s->semaphore, 0, sizeof(s->semaphore));
    for (unsigned hart = 0; hart < TENSIX_HART_NONE; hart++) {
        for (unsigned i = s->hart[hart]->len; i-- > 0;) {
            find_semaphores_in(s, g_ptr_array_index(s->hart[hart], i), hart,
                               warnings);
        }
    }
    s->semaphores_known = true;
}

const char *tensix_sources_semaphore(TensixSources *s, unsigned index)
{
    g_autoptr(GString) warnings = g_string_new(NULL);
    const char *name = NULL;

    if (!s) {
        return NULL;
    }
    WITH_QEMU_LOCK_GUARD(&s->lock) {
        if (!s->semaphores_known) {
            find_semaphores(s, warnings);
        }
        name = s->semaphore[index];
    }
    if (warnings->len) {
        warn_report("%s", warnings->str);
    }
    return name;
}

/* --- texts --- */

/* "main (a.c:10)", or as much of it as is known. */
static void append_frame(GString *text, const TensixFrame *frame)
{
    if (!frame->file) {
        g_string_append(text, frame->function ?: "?");
    } else if (!frame->function) {
        g_string_append_printf(text, "%s:%u", frame->file, frame->line);
    } else {
        g_string_append_printf(text, "%s (%s:%u)", frame->function,
                               frame->file, frame->line);
    }
}

char *tensix_sources_location(TensixSources *s, unsigned hart, uint32_t pc)
{
    g_autoptr(GPtrArray) frames = tensix_sources_frames(s, hart, pc);
    GString *text;

    if (!frames->len) {
        return NULL;
    }
    text = g_string_new(NULL);
    for (unsigned i = 0; i < frames->len; i++) {
        g_string_append(text, i ? ", inlined in " : "");
        if (i == MAX_FRAMES) {
            g_string_append(text, "others");
            break;
        }
        append_frame(text, g_ptr_array_index(frames, i));
    }
    return g_string_free(text, false);
}

/* What #include names if it is a header of ours, else NULL. */
static const char *our_header(const TensixFrame *frame)
{
    static const char root[] = "include/";
    const char *found = frame->file
                        ? strstr(frame->file, "include/blackhole-tile/") : NULL;

    return found && (found == frame->file || found[-1] == '/')
           ? found + strlen(root) : NULL;
}

/* "main(), trisc2.c:14" */
static void append_short_frame(GString *text, const TensixFrame *frame)
{
    const char *name = frame->function;

    g_string_append(text, text->len ? ", in " : "in ");
    if (name) {
        g_string_append_printf(text, "%s%s", name,
                               strchr(name, '+') ? "" : "()");
    }
    if (frame->file) {
        g_string_append_printf(text, "%s%s:%u", name ? ", " : "",
                               our_header(frame) ?: frame->file, frame->line);
    }
}

char *tensix_sources_short_location(TensixSources *s, unsigned hart, uint32_t pc)
{
    g_autoptr(GPtrArray) frames = tensix_sources_frames(s, hart, pc);
    const TensixFrame *users, *outer;
    GString *text;
    unsigned n = 0;

    if (!frames->len) {
        return g_strdup_printf("at pc 0x%08x", pc);
    }
    while (n + 1 < frames->len && our_header(frames->pdata[n])) {
        n++;
    }
    users = frames->pdata[n];
    outer = frames->pdata[frames->len - 1];
    text = g_string_new(NULL);
    if (n) {
        append_short_frame(text, frames->pdata[n - 1]);
    }
    append_short_frame(text, users);
    if (g_strcmp0(users->file, outer->file)) {
        append_short_frame(text, outer);
    }
    return g_string_free(text, false);
}

static unsigned hart_before(const char *text, const char *at)
{
    unsigned hart = 0;

    while (hart < TENSIX_HART_NONE) {
        size_t length = strlen(tensix_hart_names[hart]);
        const char *start = at - length;

        if (at - text >= length &&
            !strncmp(start, tensix_hart_names[hart], length) &&
            (start == text || !g_ascii_isalnum(start[-1]))) {
            break;
        }
        hart++;
    }
    return hart;
}

/* The eight digits after "pc 0x", and no more of them. */
static bool digits_at(const char *at, uint32_t *pc)
{
    *pc = 0;
    for (int i = 0; i < PC_DIGITS; i++) {
        if (!g_ascii_isxdigit(at[i])) {
            return false;
        }
        *pc = *pc << 4 | g_ascii_xdigit_value(at[i]);
    }
    return !g_ascii_isxdigit(at[PC_DIGITS]);
}

char *tensix_sources_annotate(TensixSources *s, const char *text)
{
    static const char mark[] = " pc 0x";
    GString *out = g_string_new(NULL);
    const char *from = text, *at = text;

    while ((at = strstr(at, mark))) {
        unsigned hart = hart_before(text, at);
        g_autofree char *place = NULL;
        uint32_t pc;

        at += strlen(mark);
        if (digits_at(at, &pc)) {
            at += PC_DIGITS;
            place = tensix_sources_location(s, hart, pc);
        }
        if (place) {
            g_string_append_len(out, from, at - from);
            g_string_append_printf(out, " in %s", place);
            from = at;
        }
    }
    g_string_append(out, from);
    return g_string_free(out, false);
}
