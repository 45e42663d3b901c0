/*
 * tt-umd's socket protocol: flatbuffers with one table and at most one vector,
 * short names aside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Plain C, libc only. A message's schema is a table of fields, in the order of
 * their numbers; one encoder and one decoder go through it. As written here a
 * buffer is
 *
 *     offset of the table | vtable | table | names |
 *     length of the vector | its bytes
 *
 * Format: https://flatbuffers.dev/internals
 */

#include <string.h>

#include "hw/tenstorrent/tensix_wire.h"

/* A field: bytes of a scalar, or which kind of vector; a NAME is short. */
enum { VECTOR = 16, TEXT, NAME };

typedef struct WireField {
    uint8_t kind;
    uint8_t member;               /* where the message's struct has it */
} WireField;

enum {
    MAX_FIELDS = 11,
    ROOT = 4,                     /* bytes of the offset of the table */
    VTABLE_HEAD = 4,              /* bytes before the vtable's fields */
    TABLE_HEAD = 4,               /* bytes before the table's fields */
    VECTOR_HEAD = 4,              /* bytes before a vector's elements */
};

typedef struct WireSchema {
    unsigned count;
    WireField field[MAX_FIELDS];
} WireSchema;

static const WireSchema request_schema = { 6, {
    { 1, offsetof(TensixWireRequest, command) },
    { 4, offsetof(TensixWireRequest, x) },
    { 4, offsetof(TensixWireRequest, y) },
    { 8, offsetof(TensixWireRequest, address) },
    { 4, offsetof(TensixWireRequest, size) },
    { VECTOR, offsetof(TensixWireRequest, data) },
} };

static const WireSchema response_schema = { 2, {
    { 4, offsetof(TensixWireResponse, status) },
    { VECTOR, offsetof(TensixWireResponse, data) },
} };

static const WireSchema device_info_schema = { 11, {
    { 4, offsetof(TensixWireDeviceInfo, status) },
    { 4, offsetof(TensixWireDeviceInfo, arch) },
    { 1, offsetof(TensixWireDeviceInfo, backend_type) },
    { TEXT, offsetof(TensixWireDeviceInfo, soc_descriptor) },
    { 1, offsetof(TensixWireDeviceInfo, noc_translation_enabled) },
    { 4, offsetof(TensixWireDeviceInfo, tensix_harvesting_mask) },
    { 4, offsetof(TensixWireDeviceInfo, dram_harvesting_mask) },
    { 4, offsetof(TensixWireDeviceInfo, eth_harvesting_mask) },
    { 4, offsetof(TensixWireDeviceInfo, l2cpu_harvesting_mask) },
    { 4, offsetof(TensixWireDeviceInfo, pcie_harvesting_mask) },
    { NAME, offsetof(TensixWireDeviceInfo, simulator) },
} };

static const WireSchema cluster_schema = { 2, {
    { 4, offsetof(TensixWireCluster, status) },
    { TEXT, offsetof(TensixWireCluster, descriptor) },
} };

static unsigned width_of(WireField field)
{
    return field.kind >= VECTOR ? 4 : field.kind;
}

static void put(uint8_t *p, uint64_t value, unsigned width)
{
    for (unsigned n = 0; n < width; n++) {
        p[n] = value >> (8 * n);
    }
}

static uint64_t get(const uint8_t *p, unsigned width)
{
    uint64_t value = 0;

    for (unsigned n = 0; n < width; n++) {
        value |= (uint64_t)p[n] << (8 * n);
    }
    return value;
}

/* The number in a member of a message's struct, which has the host's order. */
static uint64_t scalar_of(const void *message, WireField field)
{
    const char *member = (const char *)message + field.member;

    switch (field.kind) {
    case 1:
        return *(const uint8_t *)member;
    case 4:
        return *(const uint32_t *)member;
    default:
        return *(const uint64_t *)member;
    }
}

static void set_scalar(void *message, WireField field, uint64_t value)
{
    char *member = (char *)message + field.member;

    switch (field.kind) {
    case 1:
        *(uint8_t *)member = value;
        break;
    case 4:
        *(uint32_t *)member = value;
        break;
    default:
        *(uint64_t *)member = value;
        break;
    }
}

static TensixWireBytes *vector_of(void *message, WireField field)
{
    return (TensixWireBytes *)((char *)message + field.member);
}

/*
 * Places the fields after the table's head, the wide ones first so that each
 * is aligned; the size of the table.
 */
static unsigned place_fields(const WireSchema *schema, uint8_t *vtable)
{
    unsigned at = TABLE_HEAD;

    for (unsigned width = 8; width > 0; width /= 2) {
        for (unsigned n = 0; n < schema->count; n++) {
            if (width_of(schema->field[n]) == width) {
                put(vtable + VTABLE_HEAD + 2 * n, at, 2);
                at += width;
            }
        }
    }
    return (at + 3) & ~3u;
}

/* A table's fields after its head are at multiples of 8 of the buffer. */
static unsigned table_position(unsigned vtable_size)
{
    return ((ROOT + vtable_size + TABLE_HEAD + 7) & ~7u) - TABLE_HEAD;
}

/* A text of the field at `at`, with its NUL, after the table; its end. */
static unsigned put_name(uint8_t *buf, unsigned at, unsigned end,
                         TensixWireBytes name)
{
    uint32_t size = name.size <= TENSIX_WIRE_MAX_NAME ? name.size : 0;

    put(buf + at, end - at, 4);
    put(buf + end, size, VECTOR_HEAD);
    if (size) {
        memcpy(buf + end + VECTOR_HEAD, name.data, size);
    }
    return end + VECTOR_HEAD + ((size + 1 + 3) & ~3u);
}

static unsigned put_names(uint8_t *buf, unsigned table, unsigned end,
                          const WireSchema *schema, const void *message)
{
    unsigned vtable = table - VTABLE_HEAD - 2 * schema->count;

    for (unsigned n = 0; n < schema->count; n++) {
        WireField field = schema->field[n];
        unsigned at = table + get(buf + vtable + VTABLE_HEAD + 2 * n, 2);

        if (field.kind == NAME) {
            end = put_name(buf, at, end, *vector_of((void *)message, field));
        }
    }
    return end;
}

static bool encode(TensixWireFrame *frame, const WireSchema *schema,
                   const void *message)
{
    uint8_t *buf = frame->head + TENSIX_WIRE_PREFIX;
    unsigned vtable_size = VTABLE_HEAD + 2 * schema->count;
    unsigned table = table_position(vtable_size), end;
    uint8_t *vtable = buf + table - vtable_size;
    TensixWireBytes vector = { "", 0 };

    memset(frame->head, 0, sizeof(frame->head));
    end = table + place_fields(schema, vtable);
    put(buf, table, ROOT);
    put(vtable, vtable_size, 2);
    put(vtable + 2, end - table, 2);
    put(buf + table, vtable_size, TABLE_HEAD);
    end = put_names(buf, table, end, schema, message);
    for (unsigned n = 0; n < schema->count; n++) {
        WireField field = schema->field[n];
        unsigned at = table + get(vtable + VTABLE_HEAD + 2 * n, 2);

        if (field.kind == NAME) {
            continue;
        }
        if (field.kind < VECTOR) {
            put(buf + at, scalar_of(message, field), field.kind);
            continue;
        }
        vector = *vector_of((void *)message, field);
        if (vector.size > TENSIX_WIRE_MAX_DATA) {
            return false;
        }
        if (vector.size == 0) {
            vector.data = "";
        }
        put(buf + at, end - at, 4);
        put(buf + end, vector.size, VECTOR_HEAD);
        vector.size += field.kind == TEXT;
    }
    frame->tail = vector;
    frame->head_size = TENSIX_WIRE_PREFIX + end + VECTOR_HEAD;
    put(frame->head, frame->head_size - TENSIX_WIRE_PREFIX + vector.size,
        TENSIX_WIRE_PREFIX);
    return true;
}

/*
 * A received buffer, of which the first size bytes are there. All positions are
 * 64 bits wide: sums do not wrap.
 */
typedef struct WireBuffer {
    const uint8_t *p;
    uint64_t size, whole;
} WireBuffer;

static bool within(const WireBuffer *b, uint64_t at, uint64_t size)
{
    return at <= b->size && size <= b->size - at;
}

/* The table and its vtable; positions before the buffer wrap beyond its end. */
static bool find_table(const WireBuffer *b, uint64_t *table, uint64_t *vtable)
{
    if (!within(b, 0, ROOT)) {
        return false;
    }
    *table = get(b->p, ROOT);
    if (!within(b, *table, TABLE_HEAD)) {
        return false;
    }
    *vtable = *table - (uint64_t)(int32_t)get(b->p + *table, TABLE_HEAD);
    return within(b, *vtable, VTABLE_HEAD) &&
           get(b->p + *vtable, 2) >= VTABLE_HEAD &&
           within(b, *vtable, get(b->p + *vtable, 2));
}

/* Where the table has a field; 0: it was left out. */
static uint64_t find_field(const WireBuffer *b, uint64_t table,
                           uint64_t vtable, unsigned number)
{
    unsigned at = VTABLE_HEAD + 2 * number;
    unsigned offset = 0;

    if (at + 2 <= get(b->p + vtable, 2)) {
        offset = get(b->p + vtable + at, 2);
    }
    return offset ? table + offset : 0;
}

static bool get_vector(const WireBuffer *b, WireField field, uint64_t at,
                       TensixWireBytes *bytes)
{
    uint64_t head = at + get(b->p + at, 4);
    uint64_t size;

    if (!within(b, head, VECTOR_HEAD)) {
        return false;
    }
    size = get(b->p + head, VECTOR_HEAD);
    head += VECTOR_HEAD;
    if (size > TENSIX_WIRE_MAX_DATA || size > b->whole - head) {
        return false;
    }
    *bytes = (TensixWireBytes) { b->p + head, size };
    return field.kind == VECTOR ||
           (within(b, head + size, 1) && b->p[head + size] == 0);
}

static bool decode_start(void *message, const WireSchema *schema,
                         const void *buf, uint32_t have, uint32_t size)
{
    WireBuffer b = { buf, have, size };
    uint64_t table, vtable;

    if (!find_table(&b, &table, &vtable)) {
        return false;
    }
    for (unsigned n = 0; n < schema->count; n++) {
        WireField field = schema->field[n];
        uint64_t at = find_field(&b, table, vtable, n);

        if (!at) {
            continue;
        }
        if (!within(&b, at, width_of(field))) {
            return false;
        }
        if (field.kind < VECTOR) {
            set_scalar(message, field, get(b.p + at, field.kind));
        } else if (!get_vector(&b, field, at, vector_of(message, field))) {
            return false;
        }
    }
    return true;
}

static bool decode(void *message, const WireSchema *schema, const void *buf,
                   uint32_t size)
{
    return decode_start(message, schema, buf, size, size);
}

bool tensix_wire_length(const uint8_t *prefix, uint32_t *length)
{
    *length = get(prefix, TENSIX_WIRE_PREFIX);
    return *length <= TENSIX_WIRE_MAX_FRAME;
}

bool tensix_wire_put_request(TensixWireFrame *frame,
                             const TensixWireRequest *request)
{
    return encode(frame, &request_schema, request);
}

bool tensix_wire_put_response(TensixWireFrame *frame,
                              const TensixWireResponse *response)
{
    return encode(frame, &response_schema, response);
}

bool tensix_wire_put_device_info(TensixWireFrame *frame,
                                 const TensixWireDeviceInfo *info)
{
    return encode(frame, &device_info_schema, info);
}

bool tensix_wire_put_cluster(TensixWireFrame *frame,
                             const TensixWireCluster *cluster)
{
    return encode(frame, &cluster_schema, cluster);
}

bool tensix_wire_get_request(TensixWireRequest *request,
                             const void *buf, uint32_t size)
{
    *request = (TensixWireRequest) { 0 };
    return decode(request, &request_schema, buf, size);
}

bool tensix_wire_get_request_start(TensixWireRequest *request, const void *buf,
                                   uint32_t have, uint32_t size)
{
    *request = (TensixWireRequest) { 0 };
    return decode_start(request, &request_schema, buf, have, size);
}

bool tensix_wire_get_response(TensixWireResponse *response,
                              const void *buf, uint32_t size)
{
    *response = (TensixWireResponse) { 0 };
    return decode(response, &response_schema, buf, size);
}

bool tensix_wire_get_device_info(TensixWireDeviceInfo *info,
                                 const void *buf, uint32_t size)
{
    *info = (TensixWireDeviceInfo) { 0 };
    return decode(info, &device_info_schema, buf, size);
}

bool tensix_wire_get_cluster(TensixWireCluster *cluster,
                             const void *buf, uint32_t size)
{
    *cluster = (TensixWireCluster) { 0 };
    return decode(cluster, &cluster_schema, buf, size);
}
