/*
 * The host's vector instructions, whichever builds of the units there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_HOST_ISA_H
#define TENSIX_HOST_ISA_H

#include "tensix_core.h"

/* Can this machine run that build of the units, compiled or not? */
bool tensix_isa_on_host(TensixIsa isa);

#endif /* TENSIX_HOST_ISA_H */
