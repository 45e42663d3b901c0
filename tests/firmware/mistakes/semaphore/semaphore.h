/*
 * What the two threads share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SEMAPHORE_H
#define SEMAPHORE_H

#include "tensix.h"

enum {
    SEM_MATH_PACK = 1,
    ALL_OF_DEST = 3,               /* mode of ZEROACC */
    UNTIL_MATH_DONE = 1 << 4,      /* condition of STALLWAIT */
};

#endif
