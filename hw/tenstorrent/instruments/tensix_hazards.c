/*
 * Rules of scheduling that hardware does not enforce, reported: tensix-hazards.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-hazards,id=ID[,tile=PATH]
 *
 * The rules are the core's (core/hazard/).
 */

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_hazards.h"
#include "hw/tenstorrent/tensix_instrument.h"

static void set_reported(TensixInstrument *i, bool reported)
{
    TensixCopState *cop = TENSIX_COP(i->cop);

    tensix_cop_lock(cop);
    tensix_cop_set_hazards(cop, reported);
    tensix_cop_release(cop);
}

static void tensix_hazards_attach(TensixInstrument *i)
{
    set_reported(i, true);
}

static void tensix_hazards_detach(TensixInstrument *i)
{
    set_reported(i, false);
}

static void tensix_hazards_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->attach = tensix_hazards_attach;
    ic->detach = tensix_hazards_detach;
}

static const TypeInfo tensix_hazards_types[] = {
    {
        .name = TYPE_TENSIX_HAZARDS,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .class_init = tensix_hazards_class_init,
    },
};

DEFINE_TYPES(tensix_hazards_types)
