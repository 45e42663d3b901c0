/*
 * What happened in the tile, in a file.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-timeline,id=ID,file=FILE[,tile=PATH]
 *  + property "file": may be set to another file at run time
 *
 * All events from its creation on are written; the file ends when it is deleted, or
 * set to another, or QEMU ends.  Timelines of several tiles may have one file,
 * which ends with the last of them; other machines' must not be used.
 */

#ifndef HW_TENSTORRENT_TENSIX_TIMELINE_H
#define HW_TENSTORRENT_TENSIX_TIMELINE_H

#define TYPE_TENSIX_TIMELINE "tensix-timeline"

#endif
