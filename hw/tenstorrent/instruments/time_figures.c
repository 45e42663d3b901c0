/*
 * Estimated cycles: figures, and files that replace some of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A file is GLib's key file: groups [hart] and [thread] with the names below,
 * and a group for each mnemonic with occupancy, latency or issue.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/units.h"
#include "hw/tenstorrent/tensix_file.h"
#include "time_internal.h"

enum { MAX_FILE = 1 * MiB };

typedef struct TimeName {
    const char *name;
    uint32_t value;                /* docs/time.rst has the sources */
} TimeName;

static const TimeName hart_names[TENSIX_HART_FIGURES] = {
    [TENSIX_HART_SERIAL] = { "serial", 4 },
    [TENSIX_HART_MISPREDICTED] = { "mispredicted", 4 },
    [TENSIX_HART_LOCAL_RAM] = { "local-ram", 2 },
    [TENSIX_HART_OTHER_RAM] = { "other-ram", 8 },
    [TENSIX_HART_L1] = { "l1", 8 },
    [TENSIX_HART_ATOMIC] = { "atomic", 12 },
    [TENSIX_HART_SYNC] = { "sync", 3 },
    [TENSIX_HART_DONE] = { "done", 4 },
    [TENSIX_HART_REGISTER] = { "register", 4 },
    [TENSIX_HART_TILE] = { "tile", 7 },
};

static const TimeName thread_names[TIME_FIGURES] = {
    [TIME_PUSHED] = { "pushed", 3 },
    [TIME_ENDED] = { "ended", 1 },
    [TIME_ACCUMULATED] = { "accumulated", 6 },
    [TIME_UNPACKED] = { "unpacked", 128 },
    [TIME_PACKED] = { "packed", 32 },
    [TIME_NIU] = { "niu", 5 },
    [TIME_HOP] = { "hop", 9 },
    [TIME_DRAM] = { "dram", 108 },
};

/* Measured otherwise than the unit's page says (docs/time.rst). */
static const struct {
    const char *mnemonic;
    TensixTiming timing;
} measured[] = {
    { "DMANOP", { .occupancy = 2, .issue = 2 } },
};

/* --- a file --- */

typedef struct TimeFile {
    const char *name;
    GKeyFile *keys;
    const char *group;
} TimeFile;

/* A number of cycles, from 1 to 65535. */
static bool read_cycles(const TimeFile *f, const char *key, uint32_t *cycles,
                        Error **errp)
{
    g_autofree char *text = g_key_file_get_value(f->keys, f->group, key, NULL);
    unsigned value;

    if (qemu_strtoui(text, NULL, 0, &value) || !value || value > UINT16_MAX) {
        error_setg(errp, "timing=%s: [%s] %s=%s: cycles must be a number from "
                   "1 to %u", f->name, f->group, key, text, UINT16_MAX);
        return false;
    }
    *cycles = value;
    return true;
}

static bool read_named(const TimeFile *f, const char *key,
                       const TimeName *names, unsigned count, uint32_t *figure,
                       Error **errp)
{
    for (unsigned n = 0; n < count; n++) {
        if (!strcmp(names[n].name, key)) {
            return read_cycles(f, key, &figure[n], errp);
        }
    }
    error_setg(errp, "timing=%s: [%s] has no figure '%s'", f->name, f->group,
               key);
    return false;
}

static TensixTiming *timing_of(TensixTime *t, const char *mnemonic)
{
    for (unsigned opcode = 0; opcode < ARRAY_SIZE(t->timing); opcode++) {
        const char *name = tensix_insns[opcode].mnemonic;

        if (name && !strcmp(name, mnemonic)) {
            return &t->timing[opcode];
        }
    }
    return NULL;
}

static bool read_timing(const TimeFile *f, const char *key,
                        TensixTiming *timing, Error **errp)
{
    static const TimeName names[] = {
        { "occupancy" }, { "latency" }, { "issue" },
    };
    uint32_t figure[] = { timing->occupancy, timing->latency, timing->issue };

    if (!read_named(f, key, names, ARRAY_SIZE(names), figure, errp)) {
        return false;
    }
    *timing = (TensixTiming) { figure[0], figure[1], figure[2] };
    return true;
}

static bool read_key(TensixTime *t, const TimeFile *f, const char *key,
                     Error **errp)
{
    TensixTiming *timing;

    if (!strcmp(f->group, "hart")) {
        return read_named(f, key, hart_names, TENSIX_HART_FIGURES, t->of_harts,
                          errp);
    }
    if (!strcmp(f->group, "thread")) {
        return read_named(f, key, thread_names, TIME_FIGURES, t->figure, errp);
    }
    timing = timing_of(t, f->group);
    if (!timing) {
        error_setg(errp, "timing=%s: [%s] is neither hart, thread nor an "
                   "instruction", f->name, f->group);
        return false;
    }
    return read_timing(f, key, timing, errp);
}

static bool read_group(TensixTime *t, TimeFile *f, const char *group,
                       Error **errp)
{
    g_auto(GStrv) keys = g_key_file_get_keys(f->keys, group, NULL, NULL);

    f->group = group;
    for (char **key = keys; *key; key++) {
        if (!read_key(t, f, *key, errp)) {
            return false;
        }
    }
    return true;
}

static bool load_keys(GKeyFile *keys, const char *name, Error **errp)
{
    g_autoptr(GError) error = NULL;
    g_autofree gchar *text = NULL;
    size_t size;

    text = tensix_file_read(name, MAX_FILE, NULL, &size, errp);
    if (!text) {
        error_prepend(errp, "timing=%s: ", name);
        return false;
    }
    if (!g_key_file_load_from_data(keys, text, size, G_KEY_FILE_NONE, &error)) {
        error_setg(errp, "timing=%s: %s", name, error->message);
        return false;
    }
    return true;
}

static bool read_file(TensixTime *t, const char *name, Error **errp)
{
    g_autoptr(GKeyFile) keys = g_key_file_new();
    g_auto(GStrv) groups = NULL;
    TimeFile f = { .name = name, .keys = keys };

    if (!load_keys(keys, name, errp)) {
        return false;
    }
    groups = g_key_file_get_groups(keys, NULL);
    for (char **group = groups; *group; group++) {
        if (!read_group(t, &f, *group, errp)) {
            return false;
        }
    }
    return true;
}

/* --- all of them --- */

bool time_read_figures(TensixTime *t, const char *file, Error **errp)
{
    memset(t->words, 0, sizeof(t->words));
    for (unsigned n = 0; n < TENSIX_HART_FIGURES; n++) {
        t->of_harts[n] = hart_names[n].value;
    }
    for (unsigned n = 0; n < TIME_FIGURES; n++) {
        t->figure[n] = thread_names[n].value;
    }
    for (unsigned n = 0; n < ARRAY_SIZE(measured); n++) {
        *timing_of(t, measured[n].mnemonic) = measured[n].timing;
    }
    return !file || !*file || read_file(t, file, errp);
}

/* The table has the rate of one of Wormhole's packers, for all rows. */
static TensixTiming timing_of_table(const TensixTime *t,
                                    const TensixExecuted *e)
{
    enum { BYTES = 16, INTERFACES = 4 };
    TensixTiming timing = *e->timing;
    uint32_t rows;

    if (timing.transfer && tensix_port(e->insn->word) == TENSIX_UNIT_PACK) {
        rows = ctpop32(TENSIX_FIELD(e->insn->word, PACR, ReadIntfSel))
               ?: INTERFACES;
        timing.transfer = DIV_ROUND_UP(timing.transfer * BYTES,
                                       rows * t->figure[TIME_PACKED]);
        timing.occupancy = timing.latency = timing.transfer;
    }
    return timing;
}

TensixTiming time_replaced(const TensixTime *t, uint32_t word,
                           TensixTiming timing)
{
    const TensixTiming *other = &t->timing[word >> 24];

    timing.occupancy = other->occupancy ?: timing.occupancy;
    timing.latency = other->latency ?: timing.latency;
    timing.issue = other->issue ?: timing.issue;
    return timing;
}

TensixTiming time_of_transfer(const TensixTime *t, const TensixExecuted *e)
{
    return time_replaced(t, e->insn->word, timing_of_table(t, e));
}
