/*
 * Coverage: which source lines harts and the coprocessor executed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-coverage,id=ID,file=FILE[,tile=PATH]
 *
 * The file, an LCOV tracefile, is written when the object is deleted or QEMU
 * ends.
 */

#ifndef HW_TENSTORRENT_TENSIX_COVERAGE_H
#define HW_TENSTORRENT_TENSIX_COVERAGE_H

#define TYPE_TENSIX_COVERAGE "tensix-coverage"

#endif
