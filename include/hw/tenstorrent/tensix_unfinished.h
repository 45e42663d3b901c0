/*
 * What a program has left unfinished: rows of query-tensix-unfinished.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The interface "tensix-unfinished" is for devices that hold what a program
 * must not leave behind: mail that no hart has read, requests whose answer no
 * hart has seen.
 */

#ifndef HW_TENSTORRENT_TENSIX_UNFINISHED_H
#define HW_TENSTORRENT_TENSIX_UNFINISHED_H

#include "qapi/qapi-types-tenstorrent.h"
#include "qom/object.h"

#define TYPE_TENSIX_UNFINISHED "tensix-unfinished"
typedef struct TensixUnfinishedClass TensixUnfinishedClass;
DECLARE_CLASS_CHECKERS(TensixUnfinishedClass, TENSIX_UNFINISHED,
                       TYPE_TENSIX_UNFINISHED)

struct TensixUnfinishedClass {
    InterfaceClass parent_class;

    /* Adds its rows.  BQL and the coprocessor's lock held: it takes no lock. */
    void (*list)(Object *obj, TensixUnfinishedList ***tail);
};

/* Of the TypeInfo of a type that implements it; QEMU does not write there. */
#define TENSIX_UNFINISHED_INTERFACES                                       \
    ((InterfaceInfo *)(const InterfaceInfo[]) { { TYPE_TENSIX_UNFINISHED }, \
                                                { } })

/* Adds a row to the end of a list, and moves the end. */
void tensix_unfinished_add(TensixUnfinishedList ***tail,
                           TensixUnfinishedKind kind, const char *fmt, ...)
                           G_GNUC_PRINTF(3, 4);

/* Adds the rows of all devices of a tile and of its instruments.  As list(). */
void tensix_unfinished_list(Object *tile, TensixUnfinishedList ***tail);

#endif
