/*
 * Multiply-add of the baby RISC-Vs' floating-point unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Neither fused nor separate (OLD InstructionSet.md): it is the Vector Unit's
 * (BH SFPMAD.md), which is in the core.
 */

#include "qemu/osdep.h"
#include "tensix_cpu.h"
#include "fpu/softfloat-types.h"
#include "fpu/softfloat.h"
#include "hw/tenstorrent/core/num/num.h"

#define SIGN_BIT 0x80000000u

uint32_t tensix_fpu_muladd(uint32_t a, uint32_t b, uint32_t c, int flags)
{
    if (flags & float_muladd_negate_product) {
        a ^= SIGN_BIT;
    }
    if (flags & float_muladd_negate_c) {
        c ^= SIGN_BIT;
    }
    c = tensix_num_fma(a, b, c);
    if ((flags & float_muladd_negate_result) && !float32_is_any_nan(c)) {
        c ^= SIGN_BIT;
    }
    return c;
}
