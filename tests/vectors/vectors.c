/*
 * Bit-exact vectors: parser, comparison and report.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

#define NAME_SIZE 64
#define NOTE_SIZE 320
#define MAX_KINDS 512
#define MAX_KNOWN_BAD 256
#define MAX_BULK 65536
#define EXIT_HARD_ERROR 99         /* for Meson, even where it should fail */

/*
 * Every case has to run and to pass, but in these classes and kinds a case
 * that uses something unimplemented may be left out...
 */
static const char *const may_be_left_out[] = {
    "adc_unpack", "chain", "pack", "pack_strided", "unpack",
};
/*
 * ...and in these a mismatch is no failure: the simulator that made them does
 * not model remap_addrs and swizzle_32b, which they use.
 */
static const char *const only_informative[] = { "pack_strided" };

typedef enum Outcome {
    PASSED,
    FAILED,
    NOT_RUN,
    KNOWN_BAD,
    OUTCOMES,
} Outcome;

/* All cases that share a name but for its number: one TAP point. */
typedef struct Kind {
    char name[NAME_SIZE];
    char class[NAME_SIZE];
    unsigned count[OUTCOMES];
    char note[NOTE_SIZE];          /* first failure, or what was lacking */
} Kind;

/* A case that an official page shows wrong. */
typedef struct KnownBad {
    char name[NAME_SIZE];
    char why[NOTE_SIZE];           /* page and reason */
} KnownBad;

typedef struct Case {
    char name[NAME_SIZE];
    char *text;                    /* its first line after "case" */
    unsigned line;                 /* that line's number in the file */
} Case;

typedef struct Run {
    VectorTarget *target;
    const char *dir;
    const char *class_pattern, *case_pattern;
    bool verbose;
    bool answers;                  /* cases are on stdin; print what `p` asks */
    uint64_t shuffle;              /* 0: file order */
    Kind kinds[MAX_KINDS];
    unsigned num_kinds;
    KnownBad known_bad[MAX_KNOWN_BAD];
    unsigned num_known_bad;
    char message[NOTE_SIZE];       /* of the case at hand */
    uint8_t expected[MAX_BULK], got[MAX_BULK];
} Run;

static void fatal(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

static void fatal(const char *fmt, ...)
{
    va_list ap;

    printf("Bail out! ");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    exit(EXIT_HARD_ERROR);
}

/* --- one case --- */

static bool fail(Run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(Run *run, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(run->message, sizeof(run->message), fmt, ap);
    va_end(ap);
    return false;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *p = c ? strchr(digits, c) : NULL;

    return p ? (int)(p - digits) : -1;
}

/* Bytes of a hex text into run->expected; 0 if it is none or too long. */
static size_t parse_bytes(Run *run, const char *text)
{
    size_t n = 0;

    for (; *text; text += 2, n++) {
        int high = hex_digit(text[0]);
        int low = high < 0 ? -1 : hex_digit(text[1]);

        if (low < 0 || n == MAX_BULK) {
            return 0;
        }
        run->expected[n] = high << 4 | low;
    }
    return n;
}

/* The word that an address belongs to, in memory order as a number. */
static uint32_t word_at(const uint8_t *bytes, size_t size, size_t index)
{
    uint32_t value = 0;

    for (size_t i = 0; i < 4 && (index & ~3u) + i < size; i++) {
        value |= (uint32_t)bytes[(index & ~3u) + i] << (8 * i);
    }
    return value;
}

static bool compare(Run *run, unsigned line, uint64_t addr, size_t size)
{
    const char *error = run->target->read(run->target, addr, run->got, size);
    unsigned wrong = 0;
    size_t first = 0;

    if (error) {
        return fail(run, "line %u: read of %" PRIx64 ": %s", line, addr,
                    error);
    }
    for (size_t i = 0; i < size; i++) {
        if (run->got[i] != run->expected[i] && wrong++ == 0) {
            first = i;
        }
    }
    if (!wrong) {
        return true;
    }
    return fail(run, "line %u: at %" PRIx64 " got %08" PRIx32 " expected %08"
                PRIx32 " (%u of %zu bytes differ)", line,
                addr + (first & ~(size_t)3), word_at(run->got, size, first),
                word_at(run->expected, size, first), wrong, size);
}

static bool do_write(Run *run, unsigned line, uint64_t addr, size_t size)
{
    const char *error = run->target->write(run->target, addr, run->expected,
                                           size);

    if (error) {
        return fail(run, "line %u: write to %" PRIx64 ": %s", line, addr,
                    error);
    }
    return true;
}

static void put_word(Run *run, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        run->expected[at + i] = value >> (8 * i);
    }
}

/*
 * Words FIRST, FIRST + STEP, ... into run->expected; returns their size in
 * bytes, 0 if the text is malformed or too long.
 */
static size_t parse_series(Run *run, const char *text)
{
    uint32_t first, step, count;

    if (sscanf(text, "%" SCNx32 " %" SCNx32 " %" SCNx32, &first, &step,
               &count) != 3 || count > MAX_BULK / 4) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        put_word(run, 4 * i, first + i * step);
    }
    return 4 * count;
}

/* The data of an operation into run->expected; their size, 0 if malformed. */
static size_t parse_data(Run *run, const char *op, const char *text)
{
    uint32_t value;

    if (strchr(op, 'b')) {
        return parse_bytes(run, text);
    }
    if (strchr(op, 's')) {
        return parse_series(run, text);
    }
    if (sscanf(text, "%" SCNx32, &value) != 1) {
        return 0;
    }
    put_word(run, 0, value);
    return 4;
}

/* Prints the line that would expect what is there now. */
static bool print_bytes(Run *run, unsigned line, uint64_t addr,
                        const char *text)
{
    const char *error;
    uint32_t size;

    if (sscanf(text, "%" SCNx32, &size) != 1 || size > MAX_BULK) {
        return fail(run, "line %u: cannot read it", line);
    }
    error = run->target->read(run->target, addr, run->got, size);
    if (error) {
        return fail(run, "line %u: read of %" PRIx64 ": %s", line, addr,
                    error);
    }
    printf("rb %" PRIx64 " ", addr);
    for (uint32_t n = 0; n < size; n++) {
        printf("%02x", run->got[n]);
    }
    printf("\n");
    return true;
}

/* One line of a case; false with run->message set if it fails. */
static bool run_line(Run *run, unsigned line, const char *text)
{
    char op[4];
    uint64_t addr, view = 0;
    uint32_t value;
    unsigned thread;
    int used;
    size_t size;

    if (sscanf(text, "t %x %" SCNx64 " %" SCNx32, &thread, &addr, &value) == 3
        && thread < 3) {
        put_word(run, 0, value);
        view = VECTOR_TRISC_VIEW(thread);
        return do_write(run, line, view + addr, 4);
    }
    if (sscanf(text, "%3s %" SCNx64 " %n", op, &addr, &used) != 2) {
        return fail(run, "line %u: cannot read it", line);
    }
    if (strcmp(op, "p") == 0) {
        return print_bytes(run, line, addr, text + used);
    }
    size = parse_data(run, op, text + used);
    if (!size || !strchr("wrx", op[0])) {
        return fail(run, "line %u: cannot read it", line);
    }
    return op[0] == 'w' ? do_write(run, line, addr, size) :
                          compare(run, line, addr, size);
}

static const KnownBad *known_bad_find(const Run *run, const char *name)
{
    for (unsigned i = 0; i < run->num_known_bad; i++) {
        if (strcmp(run->known_bad[i].name, name) == 0) {
            return &run->known_bad[i];
        }
    }
    return NULL;
}

/* Lines up to "end"; true if every one went as it should. */
static bool run_lines(Run *run, const Case *c)
{
    unsigned line = c->line;

    for (const char *p = c->text; strcmp(p, "end") != 0;
         p += strlen(p) + 1, line++) {
        if (!*p) {
            return fail(run, "line %u: the case has no end", line);
        }
        if (!run_line(run, line, p)) {
            return false;
        }
    }
    return true;
}

static Outcome run_case(Run *run, const Case *c)
{
    const KnownBad *bad = known_bad_find(run, c->name);
    const char *lacking, *complaint;
    bool good;

    run->target->begin(run->target);
    good = run_lines(run, c);
    lacking = run->target->lacking(run->target);
    complaint = run->target->complaint(run->target);
    if (lacking) {
        fail(run, "not implemented: %s", lacking);
        return NOT_RUN;
    }
    if (good && complaint) {
        good = fail(run, "%s", complaint);
    }
    if (bad && good) {
        fail(run, "listed in known-bad.txt, but passes");
        return FAILED;
    }
    return good ? PASSED : bad ? KNOWN_BAD : FAILED;
}

/* --- kinds and classes --- */

static Kind *kind_get(Run *run, const char *class, const char *case_name)
{
    char name[NAME_SIZE];
    char *end;
    Kind *k;

    snprintf(name, sizeof(name), "%s", case_name);
    end = strrchr(name, '_');
    if (end && end[1] && strspn(end + 1, "0123456789") == strlen(end + 1)) {
        *end = '\0';
    }
    for (unsigned i = 0; i < run->num_kinds; i++) {
        k = &run->kinds[i];
        if (strcmp(k->name, name) == 0 && strcmp(k->class, class) == 0) {
            return k;
        }
    }
    if (run->num_kinds == MAX_KINDS) {
        fatal("more than %d kinds of cases", MAX_KINDS);
    }
    k = &run->kinds[run->num_kinds++];
    memcpy(k->name, name, sizeof(name));
    snprintf(k->class, sizeof(k->class), "%s", class);
    return k;
}

static void run_and_count(Run *run, const char *class, const Case *c)
{
    static const char *const texts[OUTCOMES] = {
        "passed", "FAILED", "not run", "known bad",
    };
    Kind *k = kind_get(run, class, c->name);
    Outcome outcome = run_case(run, c);

    k->count[outcome]++;
    if (outcome == PASSED) {
        if (run->verbose) {
            printf("# %s: %s\n", c->name, texts[outcome]);
        }
        return;
    }
    if (run->verbose || (outcome == FAILED && k->count[FAILED] <= 3)) {
        printf("# %s: %s: %s\n", c->name, texts[outcome], run->message);
    }
    if (!k->note[0] || (outcome == FAILED && k->count[FAILED] == 1)) {
        memcpy(k->note, run->message, sizeof(k->note));
    }
    run->target->reset(run->target);
}

/* --- files --- */

/* The text of a file, gzip or plain, to be freed. */
static char *file_text(const char *path)
{
    char command[1024];
    size_t size = 0, room = 1 << 20, n;
    char *text = malloc(room + 1);
    FILE *f;

    if (strchr(path, '\'') ||
        snprintf(command, sizeof(command), "gzip -dcf '%s'", path) >=
        (int)sizeof(command)) {
        fatal("cannot use the path %s", path);
    }
    f = popen(command, "r");
    while (f && text && (n = fread(text + size, 1, room - size, f)) > 0) {
        size += n;
        if (size == room) {
            room *= 2;
            text = realloc(text, room + 1);
        }
    }
    if (!f || !text || pclose(f) != 0) {
        fatal("cannot read %s", path);
    }
    text[size] = '\0';
    return text;
}

/*
 * Ends each line with NUL and finds the cases of a text, which has to end with
 * a newline; returns their number, *cases is to be freed.
 */
static unsigned split_cases(char *text, Case **cases)
{
    unsigned count = 0, line = 1;
    Case *list = NULL;

    for (char *p = text, *end; (end = strchr(p, '\n')); p = end + 1, line++) {
        *end = '\0';
        if (strncmp(p, "case ", 5) != 0) {
            continue;
        }
        list = realloc(list, (count + 1) * sizeof(*list));
        if (!list || sscanf(p, "case %63s", list[count].name) != 1) {
            fatal("line %u: cannot read it", line);
        }
        list[count].text = end + 1;
        list[count++].line = line + 1;
    }
    *cases = list;
    return count;
}

/* Fisher-Yates with xorshift64: cases may run in any order. */
static void shuffle_cases(Case *cases, unsigned count, uint64_t seed)
{
    for (unsigned i = count; i > 1; i--) {
        unsigned j;
        Case swap;

        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        j = seed % i;
        swap = cases[i - 1];
        cases[i - 1] = cases[j];
        cases[j] = swap;
    }
}

static void class_of_path(const char *path, char class[NAME_SIZE])
{
    const char *base = strrchr(path, '/');

    snprintf(class, NAME_SIZE, "%.*s", NAME_SIZE - 1, base ? base + 1 : path);
    class[strcspn(class, ".")] = '\0';
}

static void run_file(Run *run, const char *path)
{
    char class[NAME_SIZE];
    char *text;
    Case *cases;
    unsigned count;

    class_of_path(path, class);
    if (fnmatch(run->class_pattern, class, 0) != 0) {
        return;
    }
    text = file_text(path);
    count = split_cases(text, &cases);
    if (run->shuffle) {
        shuffle_cases(cases, count, run->shuffle);
    }
    for (unsigned i = 0; i < count; i++) {
        if (fnmatch(run->case_pattern, cases[i].name, 0) == 0) {
            run_and_count(run, class, &cases[i]);
        }
    }
    free(cases);
    free(text);
}

/* Each case of stdin from power-on: its answers, and why it ended early. */
static int answer(Run *run)
{
    char *text = file_text("/dev/stdin");
    Case *cases;
    unsigned count = split_cases(text, &cases);

    for (unsigned i = 0; i < count; i++) {
        run->target->reset(run->target);
        printf("case %s\n", cases[i].name);
        if (run_case(run, &cases[i]) != PASSED) {
            printf("# %s\n", run->message);
        }
        printf("end\n");
    }
    free(cases);
    free(text);
    return 0;
}

static void read_known_bad(Run *run)
{
    char path[1024], line[512];
    FILE *f;

    snprintf(path, sizeof(path), "%s/known-bad.txt", run->dir);
    f = fopen(path, "r");
    if (!f) {
        fatal("cannot read %s", path);
    }
    while (fgets(line, sizeof(line), f)) {
        KnownBad *b = &run->known_bad[run->num_known_bad];

        if (line[0] == '#' || line[0] == '\n') {
            continue;
        }
        if (run->num_known_bad == MAX_KNOWN_BAD ||
            sscanf(line, "%63s %319[^\n]", b->name, b->why) != 2) {
            fatal("known-bad.txt: too long, or without a reason: %s", line);
        }
        run->num_known_bad++;
    }
    fclose(f);
}

/* --- report --- */

static bool listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

#define LISTED(name, list) \
    listed(name, list, sizeof(list) / sizeof((list)[0]))

#define KIND_LISTED(kind, list) \
    (LISTED((kind)->class, list) || LISTED((kind)->name, list))

static bool report_kind(const Kind *k, unsigned number)
{
    bool left_out = k->count[NOT_RUN] && KIND_LISTED(k, may_be_left_out);
    bool differs = k->count[FAILED] && KIND_LISTED(k, only_informative);
    bool good = (!k->count[FAILED] || differs) &&
                (!k->count[NOT_RUN] || left_out);

    printf("%s %u - %s/%s: %u passed, %u failed, %u not run, %u known bad",
           good ? "ok" : "not ok", number, k->class, k->name,
           k->count[PASSED], k->count[FAILED], k->count[NOT_RUN],
           k->count[KNOWN_BAD]);
    if (good && differs) {
        printf(" # SKIP informs only, for the simulator that made them models "
               "neither remap_addrs nor swizzle_32b: %s", k->note);
    } else if (good && left_out) {
        printf(" # SKIP uses what is unimplemented, nothing can be done: %s",
               k->note);
    }
    printf("\n");
    if (!good) {
        printf("# first: %s\n", k->note);
    }
    return good;
}

/* Sums of the classes, which are adjacent in run->kinds. */
static void report_classes(const Run *run)
{
    unsigned i = 0;

    while (i < run->num_kinds) {
        const char *class = run->kinds[i].class;
        unsigned sum[OUTCOMES] = { 0 };

        for (; i < run->num_kinds &&
               strcmp(run->kinds[i].class, class) == 0; i++) {
            for (int o = 0; o < OUTCOMES; o++) {
                sum[o] += run->kinds[i].count[o];
            }
        }
        printf("# class %s on %s: %u passed, %u failed, %u not run, "
               "%u known bad\n", class, run->target->name, sum[PASSED],
               sum[FAILED], sum[NOT_RUN], sum[KNOWN_BAD]);
    }
}

static int report(const Run *run)
{
    bool good = run->num_kinds > 0;

    for (unsigned i = 0; i < run->num_kinds; i++) {
        good &= report_kind(&run->kinds[i], i + 1);
    }
    report_classes(run);
    if (!run->num_kinds) {
        fatal("no case matches in %s", run->dir);
    }
    printf("1..%u\n", run->num_kinds);
    return good ? 0 : 1;
}

/* --- command line --- */

static void usage(const char *program)
{
    printf("usage: %s [--dir DIR] [--class PATTERN] [--case PATTERN]\n"
           "       [--shuffle SEED] [--verbose]\n"
           "       %s --answer < CASES\n", program, program);
    exit(EXIT_HARD_ERROR);
}

static void parse_options(Run *run, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--verbose") == 0) {
            run->verbose = true;
            continue;
        }
        if (strcmp(argv[i], "--answer") == 0) {
            run->answers = true;
            continue;
        }
        if (!value) {
            usage(argv[0]);
        } else if (strcmp(argv[i], "--dir") == 0) {
            run->dir = value;
        } else if (strcmp(argv[i], "--class") == 0) {
            run->class_pattern = value;
        } else if (strcmp(argv[i], "--case") == 0) {
            run->case_pattern = value;
        } else if (strcmp(argv[i], "--shuffle") == 0) {
            run->shuffle = strtoull(value, NULL, 0);
        } else {
            usage(argv[0]);
        }
        i++;
    }
}

int vectors_main(VectorTarget *t, int argc, char **argv)
{
    Run *run = calloc(1, sizeof(*run));
    char pattern[1024];
    glob_t files;
    int status;

    if (!run) {
        return 1;
    }
    run->target = t;
    run->dir = VECTORS_DIR;
    run->class_pattern = run->case_pattern = "*";
    parse_options(run, argc, argv);
    if (run->answers) {
        status = answer(run);
        free(run);
        return status;
    }
    read_known_bad(run);
    snprintf(pattern, sizeof(pattern), "%s/%s", run->dir, "*.vec*");
    if (glob(pattern, 0, NULL, &files) != 0) {
        fatal("no vectors in %s", run->dir);
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        run_file(run, files.gl_pathv[i]);
    }
    globfree(&files);
    status = report(run);
    free(run);
    return status;
}
