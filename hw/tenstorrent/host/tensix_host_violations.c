/*
 * Violations since host software asked last, for it to print.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Told as in the log: the first of each site in a line, then how often they
 * came.  A guest may violate all the time and nobody ask: only so many sites
 * are kept.
 */

#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "tensix_host_internal.h"
#include "../common/tensix_sites.h"

void tensix_host_violations_init(HostViolations *v)
{
    qemu_mutex_init(&v->lock);
    v->sites = tensix_sites_new();
    v->lines = g_string_new(NULL);
}

void tensix_host_violations_finish(HostViolations *v)
{
    g_string_free(v->lines, true);
    tensix_sites_free(v->sites);
    qemu_mutex_destroy(&v->lock);
}

void tensix_host_violation(void *opaque, const TensixViolation *violation,
                           bool has_place)
{
    HostViolations *v = opaque;
    g_autofree char *line = NULL;

    QEMU_LOCK_GUARD(&v->lock);
    line = tensix_sites_add(v->sites, violation, has_place,
                            tensix_report_line).line;
    if (line) {
        g_string_append_printf(v->lines, "%s\n", line);
    }
}

char *tensix_host_violations_take(HostViolations *v, TensixSources *sources)
{
    g_autoptr(GString) counts = NULL;
    char *text;

    QEMU_LOCK_GUARD(&v->lock);
    counts = tensix_sites_summary(v->sites, sources);
    if (counts) {
        g_string_append_printf(v->lines, "%s\n", counts->str);
    }
    text = tensix_sources_annotate(sources, v->lines->str);
    g_string_free(v->lines, true);
    v->lines = g_string_new(NULL);
    tensix_sites_free(v->sites);
    v->sites = tensix_sites_new();
    return text;
}
