/*
 * One source, several builds: the back-end units for each level of vector
 * instructions of the host.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * meson.build compiles tensix_isa_sources once per level, each time with
 * another TENSIX_ISA_SUFFIX.  TENSIX_ISA_SYMBOL() gives an external name that
 * suffix, so the builds live side by side in one program, call their own kind,
 * and tests can compare them.  Files compiled only once see the portable
 * build, whose suffix is empty.
 */

#ifndef TENSIX_ISA_H
#define TENSIX_ISA_H

#ifndef TENSIX_ISA_SUFFIX
#define TENSIX_ISA_SUFFIX ""
#endif

#define TENSIX_ISA_SYMBOL(name) __asm__(name TENSIX_ISA_SUFFIX)

/* Whether a unit's instructions are built per level (1) or once (0). */
#define TENSIX_ISA_UNIT_NONE(name)
#define TENSIX_ISA_UNIT_FRONTEND(name)
#define TENSIX_ISA_UNIT_SYNC(name)
#define TENSIX_ISA_UNIT_CFG(name)
#define TENSIX_ISA_UNIT_THCON(name)
#define TENSIX_ISA_UNIT_MISC(name)
#define TENSIX_ISA_UNIT_XMOV(name)
#define TENSIX_ISA_UNIT_UNPACK(name) TENSIX_ISA_SYMBOL(name)
#define TENSIX_ISA_UNIT_PACK(name) TENSIX_ISA_SYMBOL(name)
#define TENSIX_ISA_UNIT_MATRIX(name) TENSIX_ISA_SYMBOL(name)
#define TENSIX_ISA_UNIT_VECTOR(name) TENSIX_ISA_SYMBOL(name)

#endif
