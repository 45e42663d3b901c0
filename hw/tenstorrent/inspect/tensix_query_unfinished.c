/*
 * What a program has left unfinished, as QAPI has it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_report.h"
#include "hw/tenstorrent/tensix_unfinished.h"
#include "tensix_query.h"
#include "tensix_verdict.h"

typedef TensixUnfinishedList ***Tail;

static TensixSources *sources_of(TensixCopState *cop)
{
    return tensix_cop_reporter(cop)->sources;
}

/* "in main(), trisc1.c:14", to be freed */
static char *place_of(TensixCopState *cop, const TensixOrigin *origin)
{
    return tensix_sources_short_location(sources_of(cop), origin->hart,
                                         origin->pc);
}

/* --- instructions --- */

/* The oldest word that is not executed; NULL: there is none. */
static const TensixInsn *first_insn(const TensixThread *t)
{
    const TensixFifo *fifo = t->post_fifo.count ? &t->post_fifo : &t->fifo;

    return t->flight.count         ? &t->flight.insn[0]
           : t->gate.pending.valid ? &t->gate.pending
           : fifo->count           ? &fifo->entry[fifo->head]
                                   : NULL;
}

/* With it; what a MOP or a REPLAY would still yield does not count. */
static uint32_t count_insns(const TensixThread *t)
{
    return t->flight.count + !!t->gate.pending.valid + t->fifo.count +
           t->post_fifo.count;
}

static void list_thread(TensixCopState *cop, uint32_t n, Tail tail)
{
    const TensixThread *t = &tensix_cop_state(cop)->thread[n];
    const TensixInsn *first = first_insn(t);
    char text[TENSIX_DISAS_NAMED];
    g_autofree char *place = place_of(cop, &first->origin);
    g_autoptr(GString) more = g_string_new(NULL);
    uint32_t count = count_insns(t);

    tensix_disas_named(text, sizeof(text), first->word);
    if (count > 1) {
        g_string_printf(more, ", nor %u more after it", count - 1);
    }
    tensix_unfinished_add(tail, TENSIX_UNFINISHED_KIND_INSTRUCTION,
                          "thread %u has not executed %s, pushed by %s %s%s", n,
                          text, tensix_hart_names[first->origin.hart], place,
                          more->str);
}

static void list_instructions(TensixCopState *cop, Tail tail)
{
    for (uint32_t n = 0; n < TENSIX_THREADS; n++) {
        if (first_insn(&tensix_cop_state(cop)->thread[n])) {
            list_thread(cop, n, tail);
        }
    }
}

/* --- banks of SrcA and SrcB --- */

static void list_bank(TensixCopState *cop, uint32_t src, uint32_t bank,
                      Tail tail)
{
    const TensixState *s = tensix_cop_state(cop);
    const TensixOrigin *given = &s->src_given[src][bank];
    bool read = s->matrix_bank[src] == bank && s->src_read >> src & 1;
    g_autofree char *place = place_of(cop, given);

    tensix_unfinished_add(
        tail, TENSIX_UNFINISHED_KIND_SRC_BANK,
        "Src%c bank %u: given to the Matrix Unit by %s %s, %s", 'A' + src, bank,
        tensix_hart_names[given->hart], place,
        read ? "consumed and never released (no clear_dvalid, no SETRWC)"
             : "never consumed");
}

static void list_banks(TensixCopState *cop, Tail tail)
{
    const TensixState *s = tensix_cop_state(cop);

    for (uint32_t n = 0; n < TENSIX_SRCS * TENSIX_SRC_BANKS; n++) {
        uint32_t src = n / TENSIX_SRC_BANKS, bank = n % TENSIX_SRC_BANKS;

        if (s->src_client[src][bank] == TENSIX_CLIENT_MATRIX_UNIT ||
            s->order.hand_over_at[src][bank]) {
            list_bank(cop, src, bank, tail);
        }
    }
}

/* --- semaphores and mutexes --- */

static void list_lost(TensixCopState *cop, uint32_t index, const char *what,
                      uint32_t count, const TensixOrigin *last, Tail tail)
{
    g_autofree char *place = place_of(cop, last);

    tensix_unfinished_add(tail, TENSIX_UNFINISHED_KIND_SEMAPHORE,
                          "%s (semaphore %u): %s, %u time%s, changed nothing "
                          "(last %s)",
                          tensix_semaphore_name(tensix_cop_core(cop), index), index,
                          what, count, count == 1 ? "" : "s", place);
}

static void list_value(TensixCopState *cop, uint32_t index, Tail tail)
{
    const TensixSemaphoreUse *use = &tensix_cop_state(cop)->semaphore_use[index];
    g_autoptr(TensixSemaphoreInfo) sem = tensix_query_semaphore(cop, index);
    g_autoptr(GString) text = g_string_new(NULL);

    tensix_verdict_uses(sources_of(cop), text, sem);
    tensix_unfinished_add(tail, TENSIX_UNFINISHED_KIND_SEMAPHORE,
                          "%s (semaphore %u) is %u, began as %u: %s", sem->name,
                          index, sem->value, use->initial, text->str);
}

/*
 * What a host has set without a post or a get is the host's.  Names and places are
 * in ELFs, which are read only for what is listed.
 */
static void list_semaphores(TensixCopState *cop, Tail tail)
{
    const TensixState *s = tensix_cop_state(cop);

    for (uint32_t i = 0; i < TENSIX_SEMAPHORES; i++) {
        const TensixSemaphoreUse *use = &s->semaphore_use[i];

        if (s->semaphore[i].value != use->initial && (use->posts | use->gets)) {
            list_value(cop, i, tail);
        }
        if (use->lost_posts) {
            list_lost(cop, i, "posted at 15", use->lost_posts, &use->lost_post,
                      tail);
        }
        if (use->lost_gets) {
            list_lost(cop, i, "taken at 0", use->lost_gets, &use->lost_get, tail);
        }
    }
}

static void list_mutexes(TensixCopState *cop, Tail tail)
{
    for (uint32_t i = 0; i < TENSIX_MUTEXES; i++) {
        uint32_t owner = tensix_cop_state(cop)->mutex_owner[i];

        if (owner) {
            tensix_unfinished_add(tail, TENSIX_UNFINISHED_KIND_MUTEX,
                                  "mutex %u: thread %u has never released it", i,
                                  owner - 1);
        }
    }
}

/* --- all --- */

static void list_devices(TensixCopState *cop, Tail tail)
{
    tensix_unfinished_list(OBJECT(cop)->parent, tail);
}

TensixUnfinishedList *tensix_query_unfinished(TensixCopState *cop)
{
    static void (*const rows[])(TensixCopState *cop, Tail tail) = {
        tensix_verdict_waits, list_instructions, list_banks, list_semaphores,
        list_mutexes, list_devices,
    };
    TensixUnfinishedList *list = NULL, **tail = &list;

    for (unsigned n = 0; n < ARRAY_SIZE(rows); n++) {
        rows[n](cop, &tail);
    }
    return list;
}
