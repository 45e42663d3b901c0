/*
 * Errors, in the form that ttsim gives them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ttsim ends the process with each of these. Here the process continues unless
 * BLACKHOLE_TILE_ON_ERROR=exit; so a site is reported once, or a host that
 * polls a bad address would print nothing else.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"

static const char *const category_names[] = {
    [UNDEFINED_BEHAVIOR] = "UndefinedBehavior",
    [UNIMPLEMENTED] = "UnimplementedFunctionality",
    [CONFIGURATION] = "ConfigurationError",
    [SYSTEM] = "SystemError",
};

/* FNV-1a */
static uint64_t hash(uint64_t seed, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    for (size_t n = 0; n < size; n++) {
        seed = (seed ^ bytes[n]) * 0x100000001b3;
    }
    return seed;
}

uint64_t site_of_text(const char *text, uint32_t size)
{
    return hash(0xcbf29ce484222325, text, size);
}

/* Is this the first time? The last place is for the remark on silence. */
static bool is_new(TileLibrary *l, const char *format, uint64_t site)
{
    uint64_t key = hash(site_of_text(format, strlen(format)), &site,
                        sizeof(site));

    key = hash(key, l->function, strlen(l->function));
    for (unsigned n = 0; n < l->complaints; n++) {
        if (l->complaint[n] == key) {
            return false;
        }
    }
    if (l->complaints == COMPLAINTS) {
        return false;
    }
    l->complaint[l->complaints++] = key;
    return true;
}

/* In one piece and past the buffer of stdio, which a fork would have copied. */
static void print(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(STDOUT_FILENO, text, size);

        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            break;
        }
        text += n > 0 ? n : 0;
        size -= n > 0 ? n : 0;
    }
}

void complain(TileLibrary *l, Category category, uint64_t site,
              const char *format, ...)
{
    char text[1024], line[1280];
    va_list args;
    int size;

    if (!is_new(l, format, site)) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    size = snprintf(line, sizeof(line), "[%llu] ERROR: %s: %s: %s\n%s",
                    (unsigned long long)l->clocks, category_names[category],
                    l->function, text, l->complaints < COMPLAINTS ? "" :
                    "blackhole-tile: no further errors will be shown\n");
    print(line, size);
    if (l->exit_on_error) {
        _Exit(1);
    }
}
