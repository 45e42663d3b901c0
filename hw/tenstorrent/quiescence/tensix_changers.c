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

/* Words of one space that observers follow, or of none (TENSIX_SPACES). */
typedef struct Words {
    TensixNamedWords named;
    TensixSpace space;
} Words;

struct TensixChangers {
    const TensixState *state;
    TensixState *known;            /* its named words, after the latest event */
    GArray *words;                 /* Words, by offset */
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
    return space < TENSIX_SPACE_L1 ? space : TENSIX_SPACES;
}

static void add_words(void *opaque, const TensixNamedWords *words)
{
    GArray *all = opaque;
    Words more = { *words, space_at(words->offset) };

    if (words->by != TENSIX_NAMED_BY_EXPANDER) {
        g_array_append_val(all, more);
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
    return a->named.by == b->named.by && a->space == b->space &&
           a->named.size == b->named.size &&
           a->named.offset + a->named.count * a->named.size == b->named.offset;
}

/* As few as there can be, for an event compares many of them. */
static GArray *all_words(void)
{
    GArray *words = g_array_new(false, false, sizeof(Words));
    unsigned kept = 0;

    tensix_named_words(add_words, words);
    g_array_sort(words, by_offset);
    for (unsigned n = 1; n < words->len; n++) {
        Words *last = &g_array_index(words, Words, kept);
        Words next = g_array_index(words, Words, n);

        if (continues(last, &next)) {
            last->named.count += next.named.count;
        } else {
            g_array_index(words, Words, ++kept) = next;
        }
    }
    g_array_set_size(words, kept + 1);
    return words;
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

/* Has the event written any cell of these words? */
static bool may_differ(const Words *words, const TensixCellSet *written)
{
    const TensixSpaceDef *space = &tensix_spaces[words->space];
    uint32_t bytes = words->named.count * words->named.size, at, first, end;

    if (words->space == TENSIX_SPACES) {
        return true;
    }
    at = words->named.offset - space->state;
    first = space->first + at / space->cell_bytes;
    end = space->first + DIV_ROUND_UP(at + bytes, space->cell_bytes);
    return tensix_next_cell(written, first, end) < end;
}

/* written: the cells of observed spaces; NULL: they are not known. */
static void compare_all(TensixChangers *c, TensixNamedBy by, uint32_t place,
                        const TensixCellSet *written)
{
    for (unsigned n = 0; n < c->words->len; n++) {
        const Words *words = &g_array_index(c->words, Words, n);

        if (words->named.by == by && (!written || may_differ(words, written))) {
            compare(c, &words->named, place);
        }
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
    c->words = all_words();
    c->places = tensix_actors_new();
    c->changes = g_hash_table_new_full(change_hash, change_equal, g_free, NULL);
    tensix_changers_begin(c);
    return c;
}

void tensix_changers_free(TensixChangers *c)
{
    if (c) {
        g_hash_table_destroy(c->changes);
        g_array_unref(c->words);
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
    compare_all(c, TENSIX_NAMED_BY_EXECUTION, place, e->written);
}

void tensix_changers_stored(TensixChangers *c, const TensixRegisterEvent *e)
{
    if (e->store) {
        compare_all(c, TENSIX_NAMED_BY_REGISTER, place_of(c, &e->by), NULL);
    }
}
