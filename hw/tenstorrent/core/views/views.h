/*
 * Looking at the core without being noticed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_VIEWS_H
#define TENSIX_VIEWS_H

#include "tensix_core_struct.h"

/* A copy in which what SFPLOADMACRO has scheduled has run.  (aperture.c) */
TensixCore tensix_settled_copy(const TensixCore *c);

#endif
