/*
 * Sparse memory of tiles that are memory and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "qemu/cutils.h"
#include "hw/tenstorrent/tensix_noc_store.h"
#include "migration/qemu-file-types.h"

enum {
    PIECE_SHIFT = 16,
    SPACE_SHIFT = 64 - PIECE_SHIFT,  /* in a key; the piece's number below */
    PAGES_A_PIECE = TENSIX_NOC_STORE_PIECE / TENSIX_NOC_STORE_PAGE,
    GRANULE = TENSIX_NOC_STORE_GRANULE,
    GRANULES_A_PIECE = TENSIX_NOC_STORE_PIECE / GRANULE,
    GRANULES_A_PAGE = TENSIX_NOC_STORE_PAGE / GRANULE,
};

QEMU_BUILD_BUG_ON(TENSIX_NOC_STORE_PIECE != 1 << PIECE_SHIFT);

/* The key is first: the set compares and finds pieces by it. */
struct TensixNocPiece {
    uint64_t key;
    uint64_t unused;               /* the data is aligned to 16 bytes */
    uint8_t data[TENSIX_NOC_STORE_PIECE];
    DECLARE_BITMAP(written, GRANULES_A_PIECE);
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

/* --- what was written --- */

/* Of bytes inside one piece. */
static void mark_written(TensixNocPiece *p, uint32_t offset, uint32_t size)
{
    uint32_t first = offset / GRANULE;

    bitmap_set(p->written, first, (offset + size - 1) / GRANULE - first + 1);
}

/* Likewise: the first granule from this offset on that was never written. */
static uint32_t next_unwritten(const TensixNocPiece *p, uint32_t offset,
                               uint32_t end)
{
    uint32_t granule = offset / GRANULE;

    if (p) {
        granule = find_next_zero_bit(p->written, GRANULES_A_PIECE, granule);
    }
    return MIN(MAX(granule * GRANULE, offset), end);
}

static uint32_t unwritten_in_piece(const TensixNocPiece *p, uint32_t offset,
                                   uint32_t size, uint32_t *first)
{
    uint32_t end = offset + size, count = 0;

    *first = next_unwritten(p, offset, end);
    for (uint32_t at = *first; at < end; at = next_unwritten(p, at, end)) {
        uint32_t next = MIN(QEMU_ALIGN_DOWN(at, GRANULE) + GRANULE, end);

        count += next - at;
        at = next;
    }
    return count;
}

uint32_t tensix_noc_store_unwritten(TensixNocStore *s, uint32_t space,
                                    uint64_t addr, uint32_t size,
                                    uint64_t *first)
{
    uint32_t count = 0;

    while (size) {
        uint32_t offset = addr % TENSIX_NOC_STORE_PIECE, at;
        uint32_t n = in_piece(addr, size);
        uint32_t found = unwritten_in_piece(find_piece(s, key_of(space, addr)),
                                            offset, n, &at);

        if (found && !count) {
            *first = addr + (at - offset);
        }
        count += found;
        addr += n;
        size -= n;
    }
    return count;
}

/* --- accesses --- */

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
        mark_written(p, addr % TENSIX_NOC_STORE_PIECE, n);
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
    uint32_t offset = addr % TENSIX_NOC_STORE_PIECE;

    if (!p) {
        return NULL;
    }
    mark_written(p, offset, sizeof(uint32_t));
    return (uint32_t *)(p->data + offset);
}

/*
 * --- snapshots: (kind, space, address, which granules were written, data) for
 * each page that was written, then END; a page of zeros has no data ---
 */

enum { END, PAGE, ZERO_PAGE };

static void put_written(QEMUFile *f, const TensixNocPiece *p, unsigned page)
{
    for (unsigned i = 0; i < GRANULES_A_PAGE; i += 8) {
        unsigned long bit = page * GRANULES_A_PAGE + i;

        qemu_put_byte(f, p->written[BIT_WORD(bit)] >> bit % BITS_PER_LONG);
    }
}

static void get_written(QEMUFile *f, TensixNocPiece *p, unsigned page)
{
    for (unsigned i = 0; i < GRANULES_A_PAGE; i += 8) {
        unsigned long bit = page * GRANULES_A_PAGE + i;
        unsigned long bits = qemu_get_byte(f) & UINT8_MAX;

        p->written[BIT_WORD(bit)] |= bits << bit % BITS_PER_LONG;
    }
}

static bool page_written(const TensixNocPiece *p, unsigned page)
{
    unsigned end = (page + 1) * GRANULES_A_PAGE;

    return find_next_bit(p->written, end, page * GRANULES_A_PAGE) < end;
}

static void put_page(QEMUFile *f, const TensixNocPiece *p, unsigned page)
{
    const uint8_t *data = p->data + page * TENSIX_NOC_STORE_PAGE;
    bool zero = buffer_is_zero(data, TENSIX_NOC_STORE_PAGE);

    qemu_put_byte(f, zero ? ZERO_PAGE : PAGE);
    qemu_put_be32(f, p->key >> SPACE_SHIFT);
    qemu_put_be64(f, (p->key << PIECE_SHIFT) + page * TENSIX_NOC_STORE_PAGE);
    put_written(f, p, page);
    if (!zero) {
        qemu_put_buffer(f, data, TENSIX_NOC_STORE_PAGE);
    }
}

static int compare_pieces(gconstpointer a, gconstpointer b, gpointer unused)
{
    const TensixNocPiece *p = a, *q = b;

    return p->key < q->key ? -1 : p->key > q->key;
}

static void put_piece(QEMUFile *f, const TensixNocPiece *p)
{
    for (unsigned i = 0; i < PAGES_A_PIECE; i++) {
        if (page_written(p, i)) {
            put_page(f, p, i);
        }
    }
}

/* In the order of addresses: equal contents give equal snapshots. */
static int put_store(QEMUFile *f, void *pv, size_t size,
                     const VMStateField *field, JSONWriter *vmdesc)
{
    TensixNocStore *s = pv;
    g_autoptr(GList) pieces = g_hash_table_get_keys(s->pieces);

    pieces = g_list_sort_with_data(pieces, compare_pieces, NULL);
    for (GList *at = pieces; at; at = at->next) {
        put_piece(f, at->data);
    }
    qemu_put_byte(f, END);
    return 0;
}

/* Incoming state is not trusted. */
static bool get_page(QEMUFile *f, TensixNocStore *s, int kind)
{
    uint32_t space = qemu_get_be32(f);
    uint64_t addr = qemu_get_be64(f);
    uint32_t offset = addr % TENSIX_NOC_STORE_PIECE;
    TensixNocPiece *p;

    if (kind > ZERO_PAGE || space >= TENSIX_NOC_STORE_SPACES ||
        addr % TENSIX_NOC_STORE_PAGE) {
        return false;
    }
    p = make_piece(s, key_of(space, addr));
    if (!p) {
        return false;
    }
    get_written(f, p, offset / TENSIX_NOC_STORE_PAGE);
    return kind == ZERO_PAGE ||
           qemu_get_buffer(f, p->data + offset, TENSIX_NOC_STORE_PAGE) ==
           TENSIX_NOC_STORE_PAGE;
}

static int get_store(QEMUFile *f, void *pv, size_t size,
                     const VMStateField *field)
{
    TensixNocStore *s = pv;
    int kind;

    tensix_noc_store_clear(s);
    while ((kind = qemu_get_byte(f)) != END) {
        if (!get_page(f, s, kind)) {
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
