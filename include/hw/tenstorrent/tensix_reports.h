/*
 * What a violation does besides being reported.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-reports,id=ID[,action=log|stop|exit][,check=off|all]
 *    [,suppress=FILE][,tile=PATH]
 *  + properties "action": TensixViolationAction, and "check": TensixChecks, may
 *    be set at run time
 *  + property "suppress": rules of tensix_suppress.h
 *
 * Each tile has one from the start.  Without any, violations are only reported.
 */

#ifndef HW_TENSTORRENT_TENSIX_REPORTS_H
#define HW_TENSTORRENT_TENSIX_REPORTS_H

#define TYPE_TENSIX_REPORTS "tensix-reports"

#endif
