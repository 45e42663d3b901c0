/*
 * What a violation does besides being reported: tensix-reports.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_reports.h
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_reports.h"
#include "../common/tensix_suppress.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixReports, TENSIX_REPORTS)

struct TensixReports {
    TensixInstrument parent_obj;

    TensixViolationAction action;
    TensixChecks check;
    char *suppress;                /* a file of rules, or NULL */
    struct TensixSuppress *rules;  /* until they are the reporter's */
};

static TensixReporter *reporter_of(TensixInstrument *i)
{
    return tensix_cop_reporter(TENSIX_COP(i->cop));
}

static bool tensix_reports_prepare(TensixInstrument *i, Error **errp)
{
    TensixReports *s = TENSIX_REPORTS(i);

    if (s->suppress && *s->suppress) {
        s->rules = tensix_suppress_load(s->suppress, errp);
        return s->rules;
    }
    return true;
}

static void tensix_reports_attach(TensixInstrument *i)
{
    TensixReports *s = TENSIX_REPORTS(i);

    tensix_report_set_action(reporter_of(i), s->action);
    tensix_report_set_check(reporter_of(i), s->check == TENSIX_CHECKS_ALL);
    tensix_report_set_suppress(reporter_of(i), g_steal_pointer(&s->rules));
}

/* When QEMU ends, the summary depends on the policy. */
static void tensix_reports_detach(TensixInstrument *i)
{
    if (!tensix_instrument_at_exit(i)) {
        tensix_report_set_action(reporter_of(i), TENSIX_VIOLATION_ACTION_LOG);
        tensix_report_set_check(reporter_of(i), false);
        tensix_report_set_suppress(reporter_of(i), NULL);
    }
}

static int get_action(Object *obj, Error **errp)
{
    return TENSIX_REPORTS(obj)->action;
}

static void set_action(Object *obj, int value, Error **errp)
{
    TENSIX_REPORTS(obj)->action = value;
    if (TENSIX_INSTRUMENT(obj)->attached) {
        tensix_report_set_action(reporter_of(TENSIX_INSTRUMENT(obj)), value);
    }
}

static int get_check(Object *obj, Error **errp)
{
    return TENSIX_REPORTS(obj)->check;
}

static void set_check(Object *obj, int value, Error **errp)
{
    TENSIX_REPORTS(obj)->check = value;
    if (TENSIX_INSTRUMENT(obj)->attached) {
        tensix_report_set_check(reporter_of(TENSIX_INSTRUMENT(obj)),
                                value == TENSIX_CHECKS_ALL);
    }
}

static char *get_suppress(Object *obj, Error **errp)
{
    return g_strdup(TENSIX_REPORTS(obj)->suppress);
}

static void set_suppress(Object *obj, const char *value, Error **errp)
{
    tensix_instrument_set_text(obj, &TENSIX_REPORTS(obj)->suppress, value,
                               "suppress cannot be set any more", errp);
}

static void tensix_reports_finalize(Object *obj)
{
    g_free(TENSIX_REPORTS(obj)->suppress);
    tensix_suppress_free(TENSIX_REPORTS(obj)->rules);
}

static void tensix_reports_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->prepare = tensix_reports_prepare;
    ic->attach = tensix_reports_attach;
    ic->detach = tensix_reports_detach;
    object_class_property_add_enum(oc, "action", "TensixViolationAction",
                                   &TensixViolationAction_lookup, get_action,
                                   set_action);
    object_class_property_set_description(oc, "action",
        "what a violation does besides being reported");
    object_class_property_add_enum(oc, "check", "TensixChecks",
                                   &TensixChecks_lookup, get_check, set_check);
    object_class_property_set_description(oc, "check",
        "all: a summary when QEMU ends, and status 3 if there are findings");
    object_class_property_add_str(oc, "suppress", get_suppress, set_suppress);
    object_class_property_set_description(oc, "suppress",
        "file of rules for reports that are not made");
}

static const TypeInfo tensix_reports_types[] = {
    {
        .name = TYPE_TENSIX_REPORTS,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixReports),
        .instance_finalize = tensix_reports_finalize,
        .class_init = tensix_reports_class_init,
    },
};

DEFINE_TYPES(tensix_reports_types)
