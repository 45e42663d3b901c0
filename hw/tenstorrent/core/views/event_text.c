/*
 * An event of the recorder, as text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>

#include "decode/decode.h"
#include "tensix_core.h"

/* Like snprintf after what is there; `used` may be beyond size. */
#define APPEND(buf, size, used, ...) \
    ((used) += snprintf((buf) + ((used) < (size) ? (used) : (size)), \
                        (used) < (size) ? (size) - (used) : 0, __VA_ARGS__))

static size_t insn_text(char *buf, size_t size, const TensixEventDef *def,
                        const TensixEvent *event)
{
    const TensixInsn *i = &event->insn;
    uint32_t hart = i->origin.hart <= TENSIX_HART_NONE ? i->origin.hart
                                                       : TENSIX_HART_NONE;
    char text[TENSIX_DISAS_NAMED];
    size_t used = 0;

    tensix_disas_named(text, sizeof(text), i->word);
    APPEND(buf, size, used, "%s thread %u, %s pc 0x%08x", def->name,
           (unsigned)i->thread, tensix_hart_names[hart],
           (unsigned)i->origin.pc);
    if (i->mop_position != TENSIX_NO_POSITION) {
        APPEND(buf, size, used, ", MOP word %u", (unsigned)i->mop_position);
    }
    if (i->replay_slot != TENSIX_NO_POSITION) {
        APPEND(buf, size, used, ", REPLAY slot %u", (unsigned)i->replay_slot);
    }
    APPEND(buf, size, used, ": %s", text);
    if (event->kind == TENSIX_EVENT_VIOLATION) {
        uint32_t category = event->number[TENSIX_EVENT_EXTRA];

        APPEND(buf, size, used, " (%s)",
               category < TENSIX_CATEGORIES ? tensix_category_names[category]
                                            : "?");
    }
    return used;
}

/* "name number number", with the numbers' names between. */
static size_t numbers_text(char *buf, size_t size, const TensixEventDef *def,
                           const TensixEvent *event)
{
    size_t used = 0;
    const char *at = def->details;

    APPEND(buf, size, used, "%s", def->name);
    for (unsigned n = 0; *at && n < TENSIX_EVENT_NUMBERS; n++) {
        int length = 0;

        while (at[length] && at[length] != ' ') {
            length++;
        }
        APPEND(buf, size, used, " %.*s 0x%x", length, at,
               (unsigned)event->number[n]);
        at += length + (at[length] == ' ');
    }
    return used;
}

size_t tensix_event_text(char *buf, size_t size, const TensixEvent *event)
{
    const TensixEventDef *def;

    if (event->kind == TENSIX_EVENT_NONE || event->kind >= TENSIX_EVENTS) {
        return snprintf(buf, size, "%s", "");
    }
    def = &tensix_events[event->kind];
    return def->form == TENSIX_FORM_INSN ? insn_text(buf, size, def, event)
                                         : numbers_text(buf, size, def, event);
}
