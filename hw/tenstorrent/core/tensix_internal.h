/*
 * Tensix core: what all of its files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each layer has a header that says what others may use of it.
 */

#ifndef TENSIX_INTERNAL_H
#define TENSIX_INTERNAL_H

#include "decode/decode.h"
#include "report/report.h"

#endif
