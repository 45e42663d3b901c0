/*
 * Runs of a program with delays: its sites, the instructions that it issues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "qapi/util.h"
#include "../common/tensix_insn_info.h"
#include "perturb_internal.h"

enum { MOST_SITES = 4096 };

/* Words from a MOP or REPLAY have a site each. */
typedef struct Site {
    TensixInsn insn;
    uint64_t count;
} Site;

static const uint32_t ports[] = {
    [TENSIX_DELAYED_CONFIG] = TENSIX_UNIT_CFG,
    [TENSIX_DELAYED_SCALAR] = TENSIX_UNIT_THCON,
    [TENSIX_DELAYED_MOVER] = TENSIX_UNIT_XMOV,
    [TENSIX_DELAYED_UNPACKER0] = TENSIX_UNIT_UNPACK,
    [TENSIX_DELAYED_PACKER] = TENSIX_UNIT_PACK,
    [TENSIX_DELAYED_MATRIX] = TENSIX_UNIT_MATRIX,
    [TENSIX_DELAYED_VECTOR] = TENSIX_UNIT_VECTOR,
    [TENSIX_DELAYED_UNPACKER1] = TENSIX_PORT_UNPACK1,
};

uint32_t perturb_delayed(TensixDelayed what)
{
    return what == TENSIX_DELAYED_HART ? TENSIX_DELAY_HART
           : what == TENSIX_DELAYED_THREAD ? TENSIX_DELAY_THREAD
           : what == TENSIX_DELAYED_STORE ? TENSIX_DELAY_STORE
           : TENSIX_DELAY_PORT + ports[what];
}

static guint hash(gconstpointer key)
{
    const TensixInsn *i = key;

    return i->origin.pc ^ i->origin.hart << 28 ^
           (tensix_insn_is_expanded(i) ? i->word : 0);
}

static gboolean equal(gconstpointer key_a, gconstpointer key_b)
{
    const TensixInsn *a = key_a, *b = key_b;

    return a->origin.pc == b->origin.pc && a->origin.hart == b->origin.hart &&
           tensix_insn_is_expanded(a) == tensix_insn_is_expanded(b) &&
           (!tensix_insn_is_expanded(a) || a->word == b->word);
}

GHashTable *perturb_sites_new(void)
{
    return g_hash_table_new_full(hash, equal, NULL, g_free);
}

static void record_in(GHashTable *sites, const TensixInsn *i)
{
    Site *site = g_hash_table_lookup(sites, i);

    if (!site && g_hash_table_size(sites) < MOST_SITES) {
        site = g_new0(Site, 1);
        site->insn = *i;
        g_hash_table_insert(sites, &site->insn, site);
    }
    if (site) {
        site->count++;
    }
}

void perturb_record_site(void *opaque, const TensixInsn *i)
{
    record_in(((TensixPerturb *)opaque)->sites, i);
}

/* An instruction without a word: the hart's own. */
void perturb_record_store(void *opaque, TensixOrigin by)
{
    record_in(((TensixPerturb *)opaque)->stores, &(const TensixInsn) {
        .origin = by, .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION });
}

static void find_unit(TensixPerturbSite *info, uint32_t port)
{
    for (unsigned n = TENSIX_DELAYED_CONFIG; n < TENSIX_DELAYED__MAX; n++) {
        if (ports[n] == port) {
            info->has_unit = true;
            info->unit = n;
        }
    }
}

static TensixPerturbSite *describe(const TensixPerturb *p, const Site *site)
{
    TensixPerturbSite *info = g_new0(TensixPerturbSite, 1);
    const TensixInsn *i = &site->insn;

    info->insn = tensix_insn_info(i, NULL);
    info->source = tensix_sources_location(p->reporter->sources,
                                           i->origin.hart, i->origin.pc);
    info->sync = tensix_insns[i->word >> 24].unit == TENSIX_UNIT_SYNC;
    info->count = site->count;
    find_unit(info, tensix_port(i->word));
    return info;
}

static TensixPerturbStore *describe_store(const TensixPerturb *p,
                                          const Site *site)
{
    TensixPerturbStore *info = g_new0(TensixPerturbStore, 1);
    TensixOrigin by = site->insn.origin;

    info->hart = by.hart;
    info->pc = by.pc;
    info->source = tensix_sources_location(p->reporter->sources, by.hart,
                                           by.pc);
    info->count = site->count;
    return info;
}

static gint compare(gconstpointer site_a, gconstpointer site_b, gpointer unused)
{
    const TensixInsn *a = site_a, *b = site_b;
    uint64_t keys[] = {
        (uint64_t)a->origin.hart << 32 | a->origin.pc,
        (uint64_t)b->origin.hart << 32 | b->origin.pc,
    };

    return keys[0] != keys[1] ? (keys[0] > keys[1] ? 1 : -1)
                              : (a->word > b->word) - (a->word < b->word);
}

static GList *sorted_keys(GHashTable *sites)
{
    return g_list_sort_with_data(g_hash_table_get_keys(sites), compare, NULL);
}

TensixPerturbSiteList *perturb_sites_list(const TensixPerturb *p)
{
    TensixPerturbSiteList *list = NULL, **tail = &list;
    g_autoptr(GList) keys = sorted_keys(p->sites);

    for (const GList *key = keys; key; key = key->next) {
        QAPI_LIST_APPEND(tail, describe(
            p, g_hash_table_lookup(p->sites, key->data)));
    }
    return list;
}

TensixPerturbStoreList *perturb_stores_list(const TensixPerturb *p)
{
    TensixPerturbStoreList *list = NULL, **tail = &list;
    g_autoptr(GList) keys = sorted_keys(p->stores);

    for (const GList *key = keys; key; key = key->next) {
        QAPI_LIST_APPEND(tail, describe_store(
            p, g_hash_table_lookup(p->stores, key->data)));
    }
    return list;
}
