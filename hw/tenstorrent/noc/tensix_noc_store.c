/*
 * Sparse memory of tiles that are memory and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/cutils.h"
#include "hw/tenstorrent/tensix_noc_store.h"
#include "migration/qemu-file-types.h"

enum {
    PIECE_SHIFT = 16,
    SPACE_SHIFT = 64 - PIECE_SHIFT,  /* in a key; the piece's number below */
    PAGES_A_PIECE = TENSIX_NOC_STORE_PIECE / TENSIX_NOC_STORE_PAGE,
};

QEMU_BUILD_BUG_ON(TENSIX_NOC_STORE_PIECE != 1 << PIECE_SHIFT);

/* The key is first: the set compares pieces and looks them up by it. */
struct TensixNocPiece {
    uint64_t key;
    uint64_t unused;               /* the data is aligned to 16 bytes */
    uint8_t data[TENSIX_NOC_STORE_PIECE];
};

void tensix_noc_store_init(TensixNocStore *s)
{
    s->pieces = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                      NULL);
}

void tensix_noc_store_finish(TensixNocStore *s)
{
    g_hash_table_destroy(s->pieces);
}

void tensix_noc_store_clear(TensixNocStore *s)
{
    s->last = NULL;
    g_hash_table_remove_all(s->pieces);
}

static uint64_t key_of(uint32_t space, uint64_t addr)
{
    assert(space < TENSIX_NOC_STORE_SPACES);
    return (uint64_t)space << SPACE_SHIFT | addr >> PIECE_SHIFT;
}

static TensixNocPiece *find_piece(TensixNocStore *s, uint64_t key)
{
    TensixNocPiece *p = s->last;

    if (!p || p->key != key) {
        p = g_hash_table_lookup(s->pieces, &key);
        s->last = p ?: s->last;
    }
    return p;
}

/* NULL if no further piece may be had. */
static TensixNocPiece *make_piece(TensixNocStore *s, uint64_t key)
{
    TensixNocPiece *p = find_piece(s, key);
    uint32_t max = DIV_ROUND_UP((uint64_t)s->max_pages, PAGES_A_PIECE);

    if (p || g_hash_table_size(s->pieces) >= max) {
        return p;
    }
    p = g_new0(TensixNocPiece, 1);
    p->key = key;
    g_hash_table_add(s->pieces, p);
    s->last = p;
    return p;
}

static uint32_t in_piece(uint64_t addr, uint32_t size)
{
    return MIN(size, TENSIX_NOC_STORE_PIECE - addr % TENSIX_NOC_STORE_PIECE);
}

void tensix_noc_store_read(TensixNocStore *s, uint32_t space, uint64_t addr,
                           void *data, uint32_t size)
{
    uint8_t *bytes = data;

    while (size) {
        TensixNocPiece *p = find_piece(s, key_of(space, addr));
        uint32_t n = in_piece(addr, size);

        if (p) {
            memcpy(bytes, p->data + addr % TENSIX_NOC_STORE_PIECE, n);
        } else {
            memset(bytes, 0, n);
        }
        bytes += n;
        addr += n;
        size -= n;
    }
}

bool tensix_noc_store_write(TensixNocStore *s, uint32_t space, uint64_t addr,
                            const void *data, uint32_t size)
{
    const uint8_t *bytes = data;

    while (size) {
        TensixNocPiece *p = make_piece(s, key_of(space, addr));
        uint32_t n = in_piece(addr, size);

        if (!p) {
            return false;
        }
        memcpy(p->data + addr % TENSIX_NOC_STORE_PIECE, bytes, n);
        bytes += n;
        addr += n;
        size -= n;
    }
    return true;
}

uint32_t *tensix_noc_store_word(TensixNocStore *s, uint32_t space,
                                uint64_t addr)
{
    TensixNocPiece *p = make_piece(s, key_of(space, addr));

    return p ? (uint32_t *)(p->data + addr % TENSIX_NOC_STORE_PIECE) : NULL;
}

/* --- snapshots: (1, space, address, page) for each page, then 0 --- */

static int compare_pieces(gconstpointer a, gconstpointer b)
{
    const TensixNocPiece *p = a, *q = b;

    return p->key < q->key ? -1 : p->key > q->key;
}

static void put_piece(QEMUFile *f, const TensixNocPiece *p)
{
    for (unsigned i = 0; i < PAGES_A_PIECE; i++) {
        const uint8_t *page = p->data + i * TENSIX_NOC_STORE_PAGE;

        if (!buffer_is_zero(page, TENSIX_NOC_STORE_PAGE)) {
            qemu_put_byte(f, 1);
            qemu_put_be32(f, p->key >> SPACE_SHIFT);
            qemu_put_be64(f, (p->key << PIECE_SHIFT) +
                             i * TENSIX_NOC_STORE_PAGE);
            qemu_put_buffer(f, page, TENSIX_NOC_STORE_PAGE);
        }
    }
}

/* In the order of addresses: equal contents give equal snapshots. */
static int put_store(QEMUFile *f, void *pv, size_t size,
                     const VMStateField *field, JSONWriter *vmdesc)
{
    TensixNocStore *s = pv;
    g_autoptr(GList) pieces = g_hash_table_get_keys(s->pieces);

    pieces = g_list_sort(pieces, compare_pieces);
    for (GList *at = pieces; at; at = at->next) {
        put_piece(f, at->data);
    }
    qemu_put_byte(f, 0);
    return 0;
}

/* Incoming state is not trusted. */
static int get_store(QEMUFile *f, void *pv, size_t size,
                     const VMStateField *field)
{
    TensixNocStore *s = pv;

    tensix_noc_store_clear(s);
    while (qemu_get_byte(f)) {
        uint32_t space = qemu_get_be32(f);
        uint64_t addr = qemu_get_be64(f);
        TensixNocPiece *p;

        if (space >= TENSIX_NOC_STORE_SPACES || addr % TENSIX_NOC_STORE_PAGE) {
            return -EINVAL;
        }
        p = make_piece(s, key_of(space, addr));
        if (!p || qemu_get_buffer(f, p->data + addr % TENSIX_NOC_STORE_PIECE,
                                  TENSIX_NOC_STORE_PAGE) !=
            TENSIX_NOC_STORE_PAGE) {
            return -EINVAL;
        }
    }
    return 0;
}

const VMStateInfo vmstate_info_tensix_noc_store = {
    .name = "tensix-noc-store",
    .get = get_store,
    .put = put_store,
};
