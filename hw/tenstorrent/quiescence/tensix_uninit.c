/*
 * What NAME_init changes and NAME_uninit sets to another value.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The convention is that of Tenstorrent's low-level kernels: an operation's
 * uninit function restores what the next one expects.  (tt-llk)  Address
 * modifiers and counters are none of that: each init sets its own.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/memalign.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "tensix_left.h"

#define INIT "init"
#define UNINIT "uninit"

/* A change, by a function that it is in: inlined functions may be several. */
typedef struct Step {
    const TensixChanged *change;
    GQuark operation;              /* the init function's name */
    bool uninit;
} Step;

/* --- functions --- */

/* "_llk_x_uninit_" is the uninit of "_llk_x_init_"; false: it is neither. */
static bool find_operation(const char *function, Step *step)
{
    const char *at = strstr(function, UNINIT);
    g_autofree char *name = NULL;

    if (!at && !strstr(function, INIT)) {
        return false;
    }
    name = at ? g_strdup_printf("%.*s" INIT "%s", (int)(at - function), function,
                                at + strlen(UNINIT))
              : g_strdup(function);
    name[strcspn(name, "+")] = '\0';
    step->operation = g_quark_from_string(name);
    step->uninit = at != NULL;
    return true;
}

static void add_steps(GArray *steps, TensixSources *sources,
                      const TensixActor *by, const TensixChanged *change)
{
    g_autoptr(GPtrArray) frames = NULL;

    if (tensix_actor_hart(by) == TENSIX_HART_NONE) {
        return;
    }
    frames = tensix_sources_frames(sources, by->hart, by->pc);
    for (unsigned n = 0; n < frames->len; n++) {
        const TensixFrame *frame = g_ptr_array_index(frames, n);
        Step step = { .change = change };

        if (frame->function && find_operation(frame->function, &step)) {
            g_array_append_val(steps, step);
        }
    }
}

static GArray *all_steps(const TensixChangers *c, TensixSources *sources)
{
    GArray *steps = g_array_new(false, false, sizeof(Step));
    const TensixChanged *change;
    GHashTableIter iter;

    g_hash_table_iter_init(&iter, tensix_changers_changes(c));
    while (g_hash_table_iter_next(&iter, (gpointer *)&change, NULL)) {
        if (change->size == sizeof(uint32_t)) {
            add_steps(steps, sources,
                      tensix_actors_get(tensix_changers_places(c),
                                          change->place), change);
        }
    }
    return steps;
}

/* --- values --- */

/* The last thing that an uninit did to a word, and what is compared with it. */
typedef struct Check {
    const TensixChangers *c;
    TensixReporter *reporter;
    const GArray *steps;
    const Step *uninit;
} Check;

static bool is_about(const Step *step, const Step *other, uint32_t mask,
                     bool uninit)
{
    return step->operation == other->operation && step->uninit == uninit &&
           step->change->offset == other->change->offset &&
           step->change->mask & mask;
}

/*
 * The operation's first change of these bits by its init, or its last one by its
 * uninit; NULL: none.
 */
static const TensixChanged *find_change(const Check *check, uint32_t mask,
                                        bool uninit)
{
    const TensixChanged *found = NULL;

    for (unsigned n = 0; n < check->steps->len; n++) {
        const Step *step = &g_array_index(check->steps, Step, n);

        if (is_about(step, check->uninit, mask, uninit) &&
            (!found || (uninit ? step->change->last > found->last
                               : step->change->first < found->first))) {
            found = step->change;
        }
    }
    return found;
}

static bool is_restored(const TensixNamedValue *value)
{
    return value->group == TENSIX_NAMED_CONFIG ||
           value->group == TENSIX_NAMED_GPR;
}

static void check_value(void *opaque, const TensixNamedValue *value)
{
    const Check *check = opaque;
    const TensixActors *places = tensix_changers_places(check->c);
    const TensixChanged *uninit = check->uninit->change;
    const TensixChanged *init = find_change(check, value->mask, false);
    uint32_t low = ctz32(value->mask), before;
    g_autoptr(GString) text = g_string_new(NULL);

    if (!init || !is_restored(value) || init->first > uninit->last ||
        find_change(check, value->mask, true) != uninit) {
        return;
    }
    before = (init->before & value->mask) >> low;
    if (before != value->after) {
        tensix_actor_text(tensix_actors_get(places, init->place), text);
        tensix_report_by(check->reporter,
                         tensix_actors_get(places, uninit->place), TENSIX_LEAK,
                         "sets %s to 0x%x, but it was 0x%x before %s() changed "
                         "it: %s", value->name, value->after, before,
                         g_quark_to_string(check->uninit->operation), text->str);
    }
}

/* Of two states that are otherwise equal, all fields of the word differ. */
static void check_word(const Check *check, TensixState *a, TensixState *b)
{
    uint32_t offset = check->uninit->change->offset;
    uint32_t *was = (uint32_t *)((char *)a + offset);
    uint32_t *is = (uint32_t *)((char *)b + offset);

    *was = ~check->uninit->change->after;
    *is = check->uninit->change->after;
    tensix_named_changes(a, b, check_value, (void *)check);
    *was = *is = 0;
}

static TensixState *zero_state(void)
{
    TensixState *s = qemu_memalign(__alignof(TensixState), sizeof(*s));

    memset(s, 0, sizeof(*s));
    return s;
}

void tensix_left_check_uninit(const TensixChangers *c, TensixReporter *reporter)
{
    g_autoptr(GArray) steps = all_steps(c, reporter->sources);
    TensixState *was = zero_state(), *is = zero_state();
    Check check = { .c = c, .reporter = reporter, .steps = steps };

    for (unsigned n = 0; n < steps->len; n++) {
        check.uninit = &g_array_index(steps, Step, n);
        if (check.uninit->uninit) {
            check_word(&check, was, is);
        }
    }
    qemu_vfree(was);
    qemu_vfree(is);
}
