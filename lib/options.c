/*
 * What the user says in environment variables, and where the emulator is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"

#define EMULATOR "qemu-system-riscv64"

enum {
    DESCRIPTOR = 16 << 10,         /* bytes of it that are read */
    GROWTH = 6,                    /* of a word: digits of an id for %p */
};

const char *option(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* --- words --- */

/* Takes WORD, which may be NULL if there was no memory for it. */
static void words_take(Words *words, char *word)
{
    char **grown = word ? realloc(words->word, (words->count + 2) *
                                  sizeof(*words->word)) : NULL;

    if (!grown) {
        words->failed = true;
        free(word);
        return;
    }
    words->word = grown;
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

void words_add(Words *words, const char *format, ...)
{
    char *word;
    va_list args;

    va_start(args, format);
    if (vasprintf(&word, format, args) < 0) {
        word = NULL;
    }
    va_end(args);
    words_take(words, word);
}

void words_free(Words *words)
{
    for (unsigned n = 0; n < words->count; n++) {
        free(words->word[n]);
    }
    free(words->word);
    *words = (Words) { 0 };
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* One character that is not a quote; *OUT then points past what it becomes. */
static const char *take_character(const char *in, char quote, char **out)
{
    if (in[0] == '%' && in[1] == 'p') {
        *out += sprintf(*out, "%d", (int)getpid());
        return in + 2;
    }
    in += *in == '\\' && quote != '\'' && in[1];
    *(*out)++ = *in;
    return in + 1;
}

/*
 * Moves one word, without its quotes, from *TEXT to OUT, which has room for
 * GROWTH times the text. False: a quote does not end.
 */
static bool take_word(const char **text, char *out)
{
    const char *in = *text;
    char quote = 0;

    while (*in && (quote || !is_space(*in))) {
        if (*in == quote) {
            quote = 0;
            in++;
        } else if (!quote && (*in == '\'' || *in == '"')) {
            quote = *in++;
        } else {
            in = take_character(in, quote, &out);
        }
    }
    *out = '\0';
    *text = in;
    return !quote;
}

bool words_split(Words *words, const char *text)
{
    char *word = malloc(GROWTH * strlen(text) + 1);
    bool good = word != NULL;

    while (good) {
        while (is_space(*text)) {
            text++;
        }
        if (!*text) {
            break;
        }
        good = take_word(&text, word);
        words_add(words, "%s", word);
    }
    free(word);
    return good;
}

/* --- the emulator --- */

/* FOLDER/MORE/NAME, for free(), if it can be accessed; else NULL. */
static char *find_in(const char *folder, size_t length, const char *more,
                     const char *name, int mode)
{
    char *path;

    if (asprintf(&path, "%.*s/%s%s", (int)length, folder, more, name) < 0) {
        return NULL;
    }
    if (access(path, mode) < 0) {
        free(path);
        return NULL;
    }
    return path;
}

/* From the library's folder: as built by scripts/setup, and installed. */
static const char *const nearby[] = {
    "", "../", "../../", "../../bin/", "../../../bin/"
};

static char *find_near(const char *library, const char *name, int mode)
{
    const char *slash = library ? strrchr(library, '/') : NULL;
    char *path = NULL;

    for (unsigned n = 0; slash && !path &&
         n < sizeof(nearby) / sizeof(nearby[0]); n++) {
        path = find_in(library, slash - library, nearby[n], name, mode);
    }
    return path;
}

/* Near the library as it was opened, or where symbolic links lead to. */
static char *find_near_us(const char *name, int mode)
{
    Dl_info info;
    char *path, *real;

    if (!dladdr((void *)(uintptr_t)find_emulator, &info)) {
        return NULL;
    }
    path = find_near(info.dli_fname, name, mode);
    if (!path) {
        real = realpath(info.dli_fname, NULL);
        path = find_near(real, name, mode);
        free(real);
    }
    return path;
}

static char *find_in_path(const char *name)
{
    const char *folder = option("PATH");
    char *path = NULL;

    while (folder && !path) {
        size_t length = strcspn(folder, ":");

        path = length ? find_in(folder, length, "", name, X_OK) : NULL;
        folder = folder[length] ? folder + length + 1 : NULL;
    }
    return path;
}

char *find_emulator(void)
{
    const char *named = option("BLACKHOLE_TILE_QEMU");
    char *path;

    if (named) {
        return strdup(named);
    }
    path = find_near_us(EMULATOR, X_OK);
    return path ? path : find_in_path(EMULATOR);
}

/* --- the tiles --- */

enum { SIDE = 4 };                 /* of the largest rectangle */

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* SEEN has a bit for each tile from the first one on, SIDE in a row. */
static bool add_tile(Tiles *t, unsigned x, unsigned y, uint32_t *seen)
{
    if (!*seen) {
        *t = (Tiles) { .x = x, .y = y };
    }
    x -= t->x;
    y -= t->y;
    if (x >= SIDE || y >= SIDE) {
        return false;
    }
    t->columns = larger(t->columns, x + 1);
    t->rows = larger(t->rows, y + 1);
    *seen |= 1u << (y * SIDE + x);
    return true;
}

static bool is_rectangle(const Tiles *t, uint32_t seen)
{
    uint32_t row = (1u << t->columns) - 1, all = 0;

    for (unsigned y = 0; y < t->rows; y++) {
        all |= row << y * SIDE;
    }
    return seen == all;
}

/* LIST is "[x-y, x-y]". False: not even one tile. */
static bool read_tiles(const char *list, Tiles *t)
{
    uint32_t seen = 0;
    bool fits = true;
    unsigned x, y;

    while (fits && *list && sscanf(list + 1, " %u-%u", &x, &y) == 2) {
        fits = add_tile(t, x, y, &seen);
        list += 1 + strcspn(list + 1, ",]");
    }
    if (!fits || !is_rectangle(t, seen)) {
        t->columns = t->rows = 0;
    }
    return seen;
}

static bool workers(const char *text, Tiles *t)
{
    const char *list = strstr(text, "\nfunctional_workers:");

    list = list ? strchr(list, '[') : NULL;
    return list && read_tiles(list, t);
}

bool find_tiles(Tiles *tiles)
{
    char *path = find_near_us("soc_descriptor.yaml", R_OK);
    FILE *file = path ? fopen(path, "re") : NULL;
    char text[DESCRIPTOR + 1];
    bool found = false;

    if (file) {
        text[fread(text, 1, DESCRIPTOR, file)] = '\0';
        found = workers(text, tiles);
        fclose(file);
    }
    free(path);
    return found;
}

bool tiles_option(const char *options, unsigned *columns, unsigned *rows)
{
    const char *at = options ? strstr(options, "tiles=") : NULL;

    return at && sscanf(at, "tiles=%ux%u", columns, rows) == 2;
}
