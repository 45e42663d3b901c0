/*
 * Violations since host software asked last, for it to print.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reported as on stderr: the first of each site, then how often they came.  A
 * guest may violate without end while no host asks: only so many sites are kept.
 */

#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "tensix_host_internal.h"
#include "../common/tensix_sites.h"

void tensix_host_violations_init(HostViolations *v, TensixSources *sources)
{
    v->sources = sources;
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
    g_autofree char *text = NULL;

    QEMU_LOCK_GUARD(&v->lock);
    text = tensix_sites_text(tensix_sites_add(v->sites, violation, has_place),
                             v->sources, violation);
    if (text) {
        g_string_append_printf(v->lines, "%s\n", text);
    }
}

char *tensix_host_violations_take(HostViolations *v)
{
    g_autoptr(GString) counts = NULL;
    char *text;

    QEMU_LOCK_GUARD(&v->lock);
    counts = tensix_sites_summary(v->sites, v->sources);
    if (counts) {
        g_string_append_printf(v->lines, "%s\n", counts->str);
    }
    text = g_string_free(v->lines, false);
    v->lines = g_string_new(NULL);
    tensix_sites_free(v->sites);
    v->sites = tensix_sites_new();
    return text;
}
