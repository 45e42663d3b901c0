/*
 * Migration of a bounded queue of words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_words.h"

/* Migration input is not to be trusted with indices. */
static int tensix_words_post_load(void *opaque, int version_id)
{
    const TensixWords *q = opaque;

    if (q->head >= TENSIX_WORDS_MAX || q->count > TENSIX_WORDS_MAX) {
        return -EINVAL;
    }
    return 0;
}

const VMStateDescription vmstate_tensix_words = {
    .name = "tensix-words",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = tensix_words_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(head, TensixWords),
        VMSTATE_UINT32(count, TensixWords),
        VMSTATE_UINT32_ARRAY(word, TensixWords, TENSIX_WORDS_MAX),
        VMSTATE_END_OF_LIST()
    }
};
