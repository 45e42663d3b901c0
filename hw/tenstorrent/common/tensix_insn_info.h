/*
 * Instructions of the coprocessor as QAPI has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_INSN_INFO_H
#define HW_TENSTORRENT_TENSIX_INSN_INFO_H

#include "hw/tenstorrent/core/tensix_core.h"
#include "qapi/qapi-types-tenstorrent.h"
#include "qapi/qapi-types-tenstorrent-state.h"

/*
 * All about an instruction; to be freed with qapi_free_TensixInsnInfo().
 * recorded: where its expansion was written down, NULL if that is not known.
 */
TensixInsnInfo *tensix_insn_info(const TensixInsn *insn,
                                 const TensixRecorded *recorded);

/* To be freed with qapi_free_TensixOriginInfo(); NULL if it is no hart's. */
TensixOriginInfo *tensix_origin_info(const TensixOrigin *from);

/*
 * The actor's description, into *info; recorded: as tensix_insn_info() takes
 * it.  Its members are freed with those of the struct that *info is in.
 */
void tensix_actor_info(const TensixActor *by, const TensixRecorded *recorded,
                       TensixActorInfo *info);

/* The bits as a list, to be freed with qapi_free_uint32List(). */
uint32List *tensix_words_list(const uint32_t *words, uint32_t count);

#endif
