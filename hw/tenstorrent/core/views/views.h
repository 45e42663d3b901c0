/*
 * Looking at the core without being noticed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_VIEWS_H
#define TENSIX_VIEWS_H

#include "tensix_core.h"

/*
 * The core as it is once what SFPLOADMACRO scheduled has run, for those who
 * look without being noticed.  (aperture.c)
 */
TensixCore tensix_settled_copy(const TensixCore *c);

#endif
