/*
 * Breaks and watches of a tile: the agent of an action as data, and QMP's event
 * of a stop.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + QMP event TENSIX_STOP (for breaks and watches)
 */

#include "qemu/osdep.h"
#include "qapi/qapi-events-tenstorrent-state.h"
#include "qapi/util.h"
#include "qemu/bswap.h"
#include "../common/tensix_insn_info.h"
#include "tensix_watch_internal.h"

/* --- what was touched --- */

/* How the cells of a space are numbered. */
typedef struct SpaceInfo {
    TensixSpaceName name;
    uint32_t in_bank, in_thread;   /* cells of each; 0: it has no such */
} SpaceInfo;

static const SpaceInfo spaces[TENSIX_SPACES] = {
    [TENSIX_SPACE_DST] = { TENSIX_SPACE_NAME_DEST },
    [TENSIX_SPACE_SRCA] = { TENSIX_SPACE_NAME_SRCA, .in_bank = TENSIX_SRC_ROWS },
    [TENSIX_SPACE_SRCB] = { TENSIX_SPACE_NAME_SRCB, .in_bank = TENSIX_SRC_ROWS },
    [TENSIX_SPACE_LREG] = { TENSIX_SPACE_NAME_LREG },
    [TENSIX_SPACE_GPR] = { TENSIX_SPACE_NAME_GPR, .in_thread = TENSIX_GPRS },
    [TENSIX_SPACE_CONFIG] = { TENSIX_SPACE_NAME_CONFIG,
                              .in_bank = TENSIX_CFG_WORDS },
    [TENSIX_SPACE_THREAD_CONFIG] = { TENSIX_SPACE_NAME_THREAD_CONFIG,
                                     .in_thread = TENSIX_THREAD_CFG_WORDS },
    [TENSIX_SPACE_SEMAPHORE] = { TENSIX_SPACE_NAME_SEMAPHORE },
    [TENSIX_SPACE_MUTEX] = { TENSIX_SPACE_NAME_MUTEX },
    [TENSIX_SPACE_L1] = { TENSIX_SPACE_NAME_L1 },
};

static uint32List *values_of(const TensixHit *hit, const uint8_t *bytes)
{
    unsigned width = hit->space == TENSIX_SPACE_L1
                     ? 1 : tensix_watch_value_bytes(hit->space);
    uint32List *list = NULL, **tail = &list;

    for (unsigned at = 0; at < hit->size; at += width) {
        QAPI_LIST_APPEND(tail, (uint32_t)ldn_le_p(bytes + at, width));
    }
    return list;
}

static void set_index(TensixTouchInfo *info, const TensixHit *hit)
{
    const SpaceInfo *space = &spaces[hit->space];

    info->space = space->name;
    info->index = hit->index;
    if (space->in_bank) {
        info->has_bank = true;
        info->bank = hit->index / space->in_bank;
        info->index = hit->index % space->in_bank;
    } else if (space->in_thread) {
        info->has_thread = true;
        info->thread = hit->index / space->in_thread;
        info->index = hit->index % space->in_thread;
    }
}

static void set_values(TensixTouchInfo *info, const TensixHit *hit)
{
    info->has_old = hit->was_valid;
    info->old = hit->was_valid ? values_of(hit, hit->old) : NULL;
    info->has_q_new = !hit->is_read && hit->is_valid;
    info->q_new = info->has_q_new ? values_of(hit, hit->new) : NULL;
}

static TensixTouchInfo *touch_info(const TensixHit *hit)
{
    TensixTouchInfo *info = g_new0(TensixTouchInfo, 1);
    g_autoptr(GString) place = g_string_new(NULL);
    const TensixCfgField *field = tensix_watch_cfg_table(hit->space)
                                  ? tensix_watch_changed_field(hit) : NULL;

    tensix_watch_place_text(hit, place);
    info->place = g_strdup(place->str);
    info->first = tensix_watch_first(hit);
    info->field = field ? g_strdup(field->name) : NULL;
    set_index(info, hit);
    set_values(info, hit);
    return info;
}

/* --- the event --- */

static TensixStopReason reason_of(const TensixHit *hit)
{
    return hit->is_break ? TENSIX_STOP_REASON_INSTRUCTION
                         : hit->is_read ? TENSIX_STOP_REASON_READ
                                        : TENSIX_STOP_REASON_WRITE;
}

void tensix_watch_send_hit(const TensixHit *hit, const TensixRecorded *recorded,
                           const char *line, const char *path)
{
    g_autoptr(TensixActorInfo) by = g_new0(TensixActorInfo, 1);
    g_autoptr(TensixTouchInfo) touch = hit->is_break ? NULL : touch_info(hit);
    TensixActor who = hit->by;

    who.event = 1;                 /* of an agent: it is happening */
    tensix_actor_info(&who, recorded, by);
    qapi_event_send_tensix_stop(reason_of(hit), true, hit->id, by, touch, false,
                                0, line, path);
}
