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

/*
 * Moves one word, without its quotes, from *TEXT to OUT, which is as long as
 * the text. False: a quote does not end.
 */
static bool take_word(const char **text, char *out)
{
    const char *in = *text;
    char quote = 0;

    for (; *in && (quote || !is_space(*in)); in++) {
        if (*in == quote) {
            quote = 0;
        } else if (!quote && (*in == '\'' || *in == '"')) {
            quote = *in;
        } else {
            in += *in == '\\' && quote != '\'' && in[1];
            *out++ = *in;
        }
    }
    *out = '\0';
    *text = in;
    return !quote;
}

bool words_split(Words *words, const char *text)
{
    char *word = malloc(strlen(text) + 1);
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

/* FOLDER/MORE/EMULATOR if that can be run, for free(); else NULL. */
static char *emulator_in(const char *folder, size_t length, const char *more)
{
    char *path;

    if (asprintf(&path, "%.*s/%s%s", (int)length, folder, more,
                 EMULATOR) < 0) {
        return NULL;
    }
    if (access(path, X_OK) < 0) {
        free(path);
        return NULL;
    }
    return path;
}

/* Beside the library FILE, or where an installation puts programs. */
static char *emulator_beside(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    char *path;

    if (!slash) {
        return NULL;
    }
    path = emulator_in(file, slash - file, "");
    if (!path) {
        path = emulator_in(file, slash - file, "../../bin/");
    }
    return path;
}

static char *emulator_in_path(void)
{
    const char *folder = option("PATH");
    char *path = NULL;

    while (folder && !path) {
        size_t length = strcspn(folder, ":");

        path = length ? emulator_in(folder, length, "") : NULL;
        folder = folder[length] ? folder + length + 1 : NULL;
    }
    return path;
}

/* As it was opened, then where symbolic links lead to. */
static char *emulator_beside_us(void)
{
    Dl_info info;
    char *path, *real;

    if (!dladdr((void *)(uintptr_t)find_emulator, &info)) {
        return NULL;
    }
    path = emulator_beside(info.dli_fname);
    if (!path) {
        real = realpath(info.dli_fname, NULL);
        path = emulator_beside(real);
        free(real);
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
    path = emulator_beside_us();
    return path ? path : emulator_in_path();
}
