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

static void take(Notifier *n, void *data)
{
    HostViolations *v = container_of(n, HostViolations, violation);
    const TensixViolationEvent *event = data;
    g_autofree char *text = NULL;

    QEMU_LOCK_GUARD(&v->lock);
    text = tensix_sites_text(
        tensix_sites_add(v->sites, event->violation, event->has_place),
        v->sources, event->violation);
    if (text) {
        g_string_append_printf(v->lines, "%s\n", text);
    }
}

void tensix_host_violations_init(HostViolations *v, TensixReporter *reporter)
{
    v->sources = reporter->sources;
    qemu_mutex_init(&v->lock);
    v->sites = tensix_sites_new();
    v->lines = g_string_new(NULL);
    v->violation.notify = take;
    tensix_bus_subscribe(reporter->bus, TENSIX_ON_VIOLATION, &v->violation);
}

void tensix_host_violations_finish(HostViolations *v)
{
    notifier_remove(&v->violation);
    g_string_free(v->lines, true);
    tensix_sites_free(v->sites);
    qemu_mutex_destroy(&v->lock);
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
