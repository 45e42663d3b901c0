/*
 * What a violation does besides being reported: tensix-reports.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_reports.h
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_reports.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixReports, TENSIX_REPORTS)

struct TensixReports {
    TensixInstrument parent_obj;

    TensixViolationAction action;
};

static void set_policy(TensixInstrument *i, TensixViolationAction action)
{
    tensix_report_set_action(tensix_cop_reporter(TENSIX_COP(i->cop)), action);
}

static void tensix_reports_attach(TensixInstrument *i)
{
    set_policy(i, TENSIX_REPORTS(i)->action);
}

/* When QEMU ends, the summary of violations depends on the policy. */
static void tensix_reports_detach(TensixInstrument *i)
{
    if (!tensix_instrument_at_exit(i)) {
        set_policy(i, TENSIX_VIOLATION_ACTION_LOG);
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
        set_policy(TENSIX_INSTRUMENT(obj), value);
    }
}

static void tensix_reports_class_init(ObjectClass *oc, void *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->attach = tensix_reports_attach;
    ic->detach = tensix_reports_detach;
    object_class_property_add_enum(oc, "action", "TensixViolationAction",
                                   &TensixViolationAction_lookup, get_action,
                                   set_action);
    object_class_property_set_description(oc, "action",
        "what a violation does besides being reported");
}

static const TypeInfo tensix_reports_types[] = {
    {
        .name = TYPE_TENSIX_REPORTS,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixReports),
        .class_init = tensix_reports_class_init,
    },
};

DEFINE_TYPES(tensix_reports_types)
