/*
 * Writers and users of each named value during a kernel.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * After each event the words that it may have changed are compared with a copy:
 * cells that observers follow, if it has written them, and all others.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/memalign.h"
#include "hw/tenstorrent/core/config/cfg_names.h"
#include "hw/tenstorrent/core/config/config_users.h"
#include "tensix_changers.h"

enum {
    USERS = 6,                     /* bits TENSIX_USES_... */
    MOST_CHANGES = 1 << 16,        /* of a kernel; places repeat */
    MOST_PLACES = 1 << 20,
};

/* A unit's instruction for a thread, which uses configuration of a bank. */
typedef struct Use {
    uint32_t place, bank;          /* place 0: none */
    uint64_t event;
} Use;

/* Words, and the cells that observers follow in which they are; or none. */
typedef struct Words {
    TensixNamedWords named;
    uint32_t first, end;
} Words;

struct TensixChangers {
    const TensixState *state;
    TensixState *known;            /* its named words, after the latest event */
    GArray *followed;              /* Words in cells, by offset; */
    TensixCellSet followed_cells;
    GArray *others[TENSIX_NAMED_BY_EXPANDER];  /* all others, by TensixNamedBy */
    TensixActors *places;
    GHashTable *changes;           /* of TensixChanged, each its own key */
    uint64_t events;
    bool stale;                    /* another state has come */
    Use first[TENSIX_THREADS][USERS], last[TENSIX_THREADS][USERS];
};

/* --- words --- */

static TensixSpace space_at(uint32_t offset)
{
    TensixSpace space = 0;

    while (space < TENSIX_SPACE_L1 &&
           (offset < tensix_spaces[space].state ||
            offset - tensix_spaces[space].state >=
            tensix_spaces[space].cells * tensix_spaces[space].cell_bytes)) {
        space++;
    }
    return space;
}

static Words with_cells(const TensixNamedWords *named)
{
    const TensixSpaceDef *space = &tensix_spaces[space_at(named->offset)];
    uint32_t at = named->offset - space->state;
    Words words = { *named };

    if (space != &tensix_spaces[TENSIX_SPACE_L1]) {
        words.first = space->first + at / space->cell_bytes;
        words.end = space->first + DIV_ROUND_UP(at + named->count * named->size,
                                                space->cell_bytes);
    }
    return words;
}

static void add_words(void *opaque, const TensixNamedWords *named)
{
    TensixChangers *c = opaque;
    Words words = with_cells(named);

    if (words.end && named->by <= TENSIX_NAMED_BY_CONFIGURING) {
        g_array_append_val(c->followed, words);
    } else if (named->by != TENSIX_NAMED_BY_EXPANDER) {
        g_array_append_val(c->others[named->by], words);
    }
}

static gint by_offset(gconstpointer a, gconstpointer b)
{
    const Words *p = a, *q = b;

    return p->named.offset < q->named.offset ? -1
           : p->named.offset > q->named.offset;
}

static bool continues(const Words *a, const Words *b)
{
    return a->named.size == b->named.size &&
           a->named.offset + a->named.count * a->named.size == b->named.offset &&
           b->first >= a->first && b->first <= a->end;
}

/* As few as there can be, for an event compares many of them. */
static void merge(GArray *words)
{
    unsigned kept = 0;

    g_array_sort(words, by_offset);
    for (unsigned n = 1; n < words->len; n++) {
        Words *last = &g_array_index(words, Words, kept);
        Words next = g_array_index(words, Words, n);

        if (continues(last, &next)) {
            last->named.count += next.named.count;
            last->end = next.end;
        } else {
            g_array_index(words, Words, ++kept) = next;
        }
    }
    g_array_set_size(words, kept + 1);
}

static void find_words(TensixChangers *c)
{
    c->followed = g_array_new(false, false, sizeof(Words));
    for (unsigned by = 0; by < TENSIX_NAMED_BY_EXPANDER; by++) {
        c->others[by] = g_array_new(false, false, sizeof(Words));
    }
    tensix_named_words(add_words, c);
    merge(c->followed);
    for (unsigned by = 0; by < TENSIX_NAMED_BY_EXPANDER; by++) {
        merge(c->others[by]);
    }
    for (unsigned n = 0; n < c->followed->len; n++) {
        const Words *words = &g_array_index(c->followed, Words, n);

        for (uint32_t cell = words->first; cell < words->end; cell++) {
            tensix_add_cells(&c->followed_cells, cell, 1);
        }
    }
}

static uint32_t word_at(const TensixState *s, const TensixNamedWords *words,
                        uint32_t n)
{
    const char *at = (const char *)s + words->offset;

    return words->size == sizeof(uint16_t) ? ((const uint16_t *)at)[n]
                                           : ((const uint32_t *)at)[n];
}

/* --- changes --- */

static guint change_hash(gconstpointer key)
{
    const TensixChanged *c = key;

    return c->place * 0x9e3779b1u ^ c->offset;
}

static gboolean change_equal(gconstpointer a, gconstpointer b)
{
    const TensixChanged *p = a, *q = b;

    return p->place == q->place && p->offset == q->offset;
}

/* before and after of key are those of this change. */
static void record_change(TensixChangers *c, const TensixChanged *key)
{
    TensixChanged *change = g_hash_table_lookup(c->changes, key);

    if (!change) {
        if (g_hash_table_size(c->changes) >= MOST_CHANGES) {
            return;
        }
        change = g_memdup2(key, sizeof(*key));
        change->first = c->events;
        g_hash_table_add(c->changes, change);
    }
    change->mask |= key->before ^ key->after;
    change->after = key->after;
    change->last = c->events;
}

static void compare(TensixChangers *c, const TensixNamedWords *words,
                    uint32_t place)
{
    size_t bytes = words->count * words->size;
    char *known = (char *)c->known + words->offset;
    const char *now = (const char *)c->state + words->offset;

    if (!memcmp(known, now, bytes)) {
        return;
    }
    for (uint32_t n = 0; n < words->count; n++) {
        TensixChanged change = {
            .place = place, .offset = words->offset + n * words->size,
            .size = words->size, .before = word_at(c->known, words, n),
            .after = word_at(c->state, words, n),
        };

        if (change.before != change.after) {
            record_change(c, &change);
        }
    }
    memcpy(known, now, bytes);
}

/* The event has written these cells of observed spaces. */
static void compare_followed(TensixChangers *c, const TensixCellSet *written,
                             uint32_t place)
{
    for (unsigned n = 0; n < c->followed->len; n++) {
        const Words *words = &g_array_index(c->followed, Words, n);

        if (tensix_next_cell(written, words->first, words->end) < words->end) {
            compare(c, &words->named, place);
        }
    }
}

/* Of words that nothing follows all may have changed. */
static void compare_others(TensixChangers *c, TensixNamedBy by, uint32_t place)
{
    for (unsigned n = 0; n < c->others[by]->len; n++) {
        compare(c, &g_array_index(c->others[by], Words, n).named, place);
    }
}

static uint32_t place_of(TensixChangers *c, const TensixActor *by)
{
    if (c->stale) {
        tensix_changers_begin(c);
    }
    c->events++;
    return tensix_actors_add(c->places, by);
}

/* --- uses --- */

static void record_use(TensixChangers *c, const TensixInsn *insn,
                       uint32_t place)
{
    uint32_t user = tensix_config_user(insn->word);
    Use use = {
        .place = place, .event = c->events,
        .bank = c->state->thread_cfg[insn->thread]
                    [THREAD_CFG_CFG_STATE_ID_StateID_INDEX] & 1,
    };

    if (user) {
        Use *first = &c->first[insn->thread][ctz32(user)];

        if (!first->place) {
            *first = use;
        }
        c->last[insn->thread][ctz32(user)] = use;
    }
}

/* Bits of a word of configuration, and the units that use them; 0: none. */
typedef struct ConfigBits {
    uint32_t bank, users;
    bool is_shared;                /* used whatever the bank */
} ConfigBits;

static ConfigBits config_bits(uint32_t offset, uint32_t mask)
{
    uint32_t n = (offset - offsetof(TensixState, cfg)) / sizeof(uint32_t);
    uint32_t word = n % TENSIX_CFG_WORDS;

    if (offset < offsetof(TensixState, cfg) ||
        n >= TENSIX_CFG_BANKS * TENSIX_CFG_WORDS) {
        return (ConfigBits) { };
    }
    return (ConfigBits) {
        .bank = n / TENSIX_CFG_WORDS, .users = tensix_config_users(word, mask),
        .is_shared = word >= TENSIX_CFG_GLOBAL_BASE,
    };
}

/* The place of the latest use after the event, or of the earliest before it. */
static uint32_t find_use(const Use (*uses)[USERS], ConfigBits bits,
                         uint64_t event, bool latest)
{
    uint32_t place = 0;

    for (uint32_t n = 0; n < TENSIX_THREADS * USERS; n++) {
        const Use *use = &uses[n / USERS][n % USERS];

        if (bits.users >> n % USERS & 1 && use->place &&
            (bits.is_shared || use->bank == bits.bank) &&
            (latest ? use->event > event : use->event < event)) {
            event = use->event;
            place = use->place;
        }
    }
    return place;
}

uint32_t tensix_changers_user(const TensixChangers *c, uint32_t offset,
                              uint32_t mask, uint64_t since)
{
    return find_use(c->last, config_bits(offset, mask), since, true);
}

uint32_t tensix_changers_early_user(const TensixChangers *c, uint32_t offset,
                                    uint32_t mask, uint64_t until)
{
    return find_use(c->first, config_bits(offset, mask), until, false);
}

/* --- questions --- */

static const TensixChanged *find(const TensixChangers *c, uint32_t offset,
                                 uint32_t mask, bool last)
{
    const TensixChanged *found = NULL, *change;
    GHashTableIter iter;

    g_hash_table_iter_init(&iter, c->changes);
    while (g_hash_table_iter_next(&iter, (gpointer *)&change, NULL)) {
        if (change->offset == offset && change->mask & mask &&
            (!found || (last ? change->last > found->last
                             : change->first < found->first))) {
            found = change;
        }
    }
    return found;
}

const TensixChanged *tensix_changers_last(const TensixChangers *c, uint32_t offset,
                                          uint32_t mask)
{
    return find(c, offset, mask, true);
}

const TensixChanged *tensix_changers_first(const TensixChangers *c,
                                           uint32_t offset, uint32_t mask)
{
    return find(c, offset, mask, false);
}

const TensixActors *tensix_changers_places(const TensixChangers *c)
{
    return c->places;
}

GHashTable *tensix_changers_changes(const TensixChangers *c)
{
    return c->changes;
}

/* --- life cycle --- */

TensixChangers *tensix_changers_new(const TensixState *state)
{
    TensixChangers *c = g_new0(TensixChangers, 1);

    c->state = state;
    c->known = qemu_memalign(__alignof(TensixState), sizeof(*c->known));
    find_words(c);
    c->places = tensix_actors_new();
    c->changes = g_hash_table_new_full(change_hash, change_equal, g_free, NULL);
    tensix_changers_begin(c);
    return c;
}

void tensix_changers_free(TensixChangers *c)
{
    if (c) {
        g_hash_table_destroy(c->changes);
        g_array_unref(c->followed);
        for (unsigned by = 0; by < TENSIX_NAMED_BY_EXPANDER; by++) {
            g_array_unref(c->others[by]);
        }
        tensix_actors_free(c->places);
        qemu_vfree(c->known);
        g_free(c);
    }
}

void tensix_changers_begin(TensixChangers *c)
{
    if (tensix_actors_count(c->places) > MOST_PLACES) {
        tensix_actors_free(c->places);
        c->places = tensix_actors_new();
    }
    g_hash_table_remove_all(c->changes);
    memset(c->first, 0, sizeof(c->first));
    memset(c->last, 0, sizeof(c->last));
    c->events = 0;
    c->stale = false;
    *c->known = *c->state;
}

void tensix_changers_discard(TensixChangers *c)
{
    c->stale = true;
}

/* --- events --- */

void tensix_changers_executed(TensixChangers *c, const TensixExecuted *e)
{
    uint32_t place = place_of(c, e->by);

    if (e->insn) {
        record_use(c, e->insn, place);
    }
    if (tensix_cells_meet(e->written, &c->followed_cells)) {
        compare_followed(c, e->written, place);
    }
    compare_others(c, TENSIX_NAMED_BY_EXECUTION, place);
    if (!e->insn || e->configures) {
        compare_others(c, TENSIX_NAMED_BY_CONFIGURING, place);
    }
}

void tensix_changers_stored(TensixChangers *c, const TensixRegisterEvent *e)
{
    if (e->store) {
        compare_others(c, TENSIX_NAMED_BY_REGISTER, place_of(c, &e->by));
    }
}
