/*
 * The Vector Unit one lane after the other, as the pages define it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An oracle for the core: scalar, with the pages' branches, and apart from the
 * multiply-add without a line in common.
 */

#ifndef VECTOR_MODEL_H
#define VECTOR_MODEL_H

#include "tensix_internal.h"

/*
 * Executes one Vector Unit instruction that does not touch Dest.  False: the
 * model does not know it, nothing was done.
 */
bool vector_model(TensixVectorUnit *vu, uint32_t word);

/* SFPARECIP's approximations of 1 / x and e^x; x has no sign. */
uint32_t vector_model_reciprocal(uint32_t x);
uint32_t vector_model_exponential(uint32_t x);

#endif
