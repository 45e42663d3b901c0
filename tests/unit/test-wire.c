/*
 * The codec of tt-umd's socket protocol: round trips, another encoder's
 * message, and what a hostile peer may send.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "hw/tenstorrent/tensix_wire.h"
#include "tap.h"

enum { ROUNDS = 100000, LONGEST = 512 };

/* What flatc 2.0.8 makes of the request that known_request() expects. */
static const uint8_t flatc_request[] = {
    0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x20, 0x00,
    0x07, 0x00, 0x08, 0x00, 0x0c, 0x00, 0x18, 0x00, 0x10, 0x00, 0x14, 0x00,
    0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x00, 0x00,
    0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0x03, 0x00, 0x00, 0x00,
    0xaa, 0xbb, 0xcc, 0x00,
};

/*
 * A request as another encoder may lay it out: fields in another order, a
 * vtable after the table, fields that no schema has (yet).
 */
static const uint8_t foreign_request[] = {
    0x08, 0x00, 0x00, 0x00,                     /* table at 8 */
    0xee, 0xee, 0xee, 0xee,
    0xdc, 0xff, 0xff, 0xff,                     /* 8: vtable 36 bytes on */
    0x18, 0x00, 0x00, 0x00,                     /* 12: vector 24 bytes on */
    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* 16: address */
    0x03, 0x00, 0x00, 0x00,                     /* 24: size */
    0x01, 0x00, 0x00, 0x00,                     /* 28: command */
    0x07, 0x00, 0x00, 0x00,                     /* 32: y */
    0x03, 0x00, 0x00, 0x00, 0xaa, 0xbb, 0xcc, 0x00, /* 36: vector */
    0x12, 0x00, 0x1c, 0x00,                     /* 44: vtable, 7 fields */
    0x14, 0x00, 0x00, 0x00, 0x18, 0x00, 0x08, 0x00, 0x10, 0x00, 0x04, 0x00,
    0x14, 0x00,
};

static uint64_t seed = 1;

static uint32_t random_word(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return seed >> 32;
}

/* The frame in one piece, as it goes over the wire; its size. */
static uint32_t whole(const TensixWireFrame *frame, uint8_t *buf)
{
    memcpy(buf, frame->head, frame->head_size);
    memcpy(buf + frame->head_size, frame->tail.data, frame->tail.size);
    return frame->head_size + frame->tail.size;
}

static bool same_bytes(TensixWireBytes a, TensixWireBytes b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static bool same_request(const TensixWireRequest *a,
                         const TensixWireRequest *b)
{
    return a->command == b->command && a->x == b->x && a->y == b->y &&
           a->address == b->address && a->size == b->size &&
           same_bytes(a->data, b->data);
}

static const TensixWireRequest sample_request = {
    .command = TENSIX_WIRE_WRITE, .x = 1, .y = 0xfedcba98,
    .address = 0x123456789abcdef0, .size = 5, .data = { "hello", 5 },
};

static void test_request(void)
{
    TensixWireFrame frame;
    TensixWireRequest got;
    uint8_t buf[LONGEST];
    uint32_t size, length;

    ok(tensix_wire_put_request(&frame, &sample_request), "request: encoded");
    ok(frame.tail.data == sample_request.data.data, "request: no copy");
    size = whole(&frame, buf);
    ok(tensix_wire_length(buf, &length), "request: length is allowed");
    ok_eq(length, size - TENSIX_WIRE_PREFIX, "request: length");
    ok(tensix_wire_get_request(&got, buf + 4, length), "request: decoded");
    ok(same_request(&got, &sample_request), "request: the same");
}

static void test_response(void)
{
    TensixWireResponse response = { 0x80000005, { "why", 3 } }, got;
    TensixWireFrame frame;
    uint8_t buf[LONGEST];
    uint32_t size;

    ok(tensix_wire_put_response(&frame, &response), "response: encoded");
    size = whole(&frame, buf);
    ok(tensix_wire_get_response(&got, buf + 4, size - 4), "response: decoded");
    ok_eq(got.status, response.status, "response: status");
    ok(same_bytes(got.data, response.data), "response: data");
}

static void test_device_info(void)
{
    TensixWireDeviceInfo info = {
        1, 3, 1, 1, 4, 5, 6, 7, 8, { "a: 1\n", 5 }, { "/bin/sim", 8 },
    };
    TensixWireDeviceInfo got;
    TensixWireFrame frame, again;
    uint8_t buf[LONGEST];
    uint32_t size;

    ok(tensix_wire_put_device_info(&frame, &info), "info: encoded");
    size = whole(&frame, buf);
    ok_eq(buf[size - 1], 0, "info: the text ends with a NUL");
    ok(tensix_wire_get_device_info(&got, buf + 4, size - 4), "info: decoded");
    ok(same_bytes(got.soc_descriptor, info.soc_descriptor), "info: text");
    ok(same_bytes(got.simulator, info.simulator), "info: name");
    got.soc_descriptor = info.soc_descriptor;
    tensix_wire_put_device_info(&again, &got);
    ok(memcmp(again.head, frame.head, sizeof(frame.head)) == 0,
       "info: numbers");
    buf[size - 1] = 'x';
    ok(!tensix_wire_get_device_info(&got, buf + 4, size - 4),
       "info: a text without an end");
    info.simulator.size = TENSIX_WIRE_MAX_NAME + 1;
    tensix_wire_put_device_info(&frame, &info);
    size = whole(&frame, buf);
    ok(tensix_wire_get_device_info(&got, buf + 4, size - 4) &&
       got.simulator.size == 0, "info: a name that is too long is left out");
}

static void test_cluster(void)
{
    TensixWireCluster cluster = { 0, { NULL, 0 } }, got;
    TensixWireFrame frame;
    uint8_t buf[LONGEST];
    uint32_t size;

    ok(tensix_wire_put_cluster(&frame, &cluster), "cluster: encoded");
    size = whole(&frame, buf);
    ok(tensix_wire_get_cluster(&got, buf + 4, size - 4), "cluster: decoded");
    ok(got.status == 0 && got.descriptor.size == 0, "cluster: empty");
}

static void known_request(const char *name, const uint8_t *buf, uint32_t size,
                          const TensixWireRequest *want)
{
    TensixWireRequest got;

    ok(tensix_wire_get_request(&got, buf, size), "%s: decoded", name);
    ok_eq(got.command, want->command, "%s: command", name);
    ok_eq(got.x, want->x, "%s: x", name);
    ok_eq(got.y, want->y, "%s: y", name);
    ok_eq(got.address, want->address, "%s: address", name);
    ok_eq(got.size, want->size, "%s: size", name);
    ok(same_bytes(got.data, want->data), "%s: data", name);
}

static void test_other_encoders(void)
{
    static const uint8_t three[] = { 0xaa, 0xbb, 0xcc };
    TensixWireRequest want = {
        1, 1, 2, 0x123456789abcdef0, 3, { three, 3 }
    };

    known_request("flatc", flatc_request, sizeof(flatc_request), &want);
    want.x = 0;                                 /* left out */
    want.y = 7;
    want.address = 0x1122334455667788;
    known_request("foreign", foreign_request, sizeof(foreign_request), &want);
}

/* Where the head of FRAME has VALUE: as the verifier of flatbuffers asks. */
static unsigned position_of(const TensixWireFrame *frame, uint64_t value,
                            unsigned width)
{
    uint8_t bytes[8];

    for (unsigned n = 0; n < width; n++) {
        bytes[n] = value >> (8 * n);
    }
    for (unsigned at = TENSIX_WIRE_PREFIX; at < frame->head_size; at++) {
        if (memcmp(frame->head + at, bytes, width) == 0) {
            return at - TENSIX_WIRE_PREFIX;
        }
    }
    return 1;
}

static void test_alignment(void)
{
    TensixWireFrame frame;
    uint8_t buf[LONGEST];
    uint32_t size;

    tensix_wire_put_request(&frame, &sample_request);
    ok_eq(position_of(&frame, sample_request.address, 8) % 8, 0,
          "64 bits at multiples of 8");
    ok_eq(position_of(&frame, sample_request.y, 4) % 4, 0,
          "32 bits at multiples of 4");
    for (unsigned shift = 0; shift < 8; shift++) {
        TensixWireRequest got;

        size = whole(&frame, buf + shift);
        ok(tensix_wire_get_request(&got, buf + shift + 4, size - 4) &&
           same_request(&got, &sample_request), "decoded at %u", shift);
    }
}

/*
 * All four decoders on a copy of exactly SIZE bytes, behind which a sanitizer
 * finds what reads on; how many took it.
 */
static unsigned decode_all(const uint8_t *bytes, uint32_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    TensixWireRequest request;
    TensixWireResponse response = { 0 };
    TensixWireDeviceInfo info;
    TensixWireCluster cluster;
    unsigned taken = 0, sum = 0;

    memcpy(exact, bytes, size);
    taken += tensix_wire_get_device_info(&info, exact, size);
    taken += tensix_wire_get_cluster(&cluster, exact, size);
    taken += tensix_wire_get_request(&request, exact, size);
    tensix_wire_get_request_start(&request, exact, size, 0xfffffff0u);
    if (tensix_wire_get_response(&response, exact, size)) {
        taken++;
        for (uint32_t n = 0; n < response.data.size; n++) {
            sum += ((const uint8_t *)response.data.data)[n];
        }
    }
    free(exact);
    return taken + (sum & 0);
}

static void test_truncated(void)
{
    TensixWireFrame frame;
    TensixWireRequest got;
    uint8_t buf[LONGEST];
    uint32_t size, refused = 0;

    tensix_wire_put_request(&frame, &sample_request);
    size = whole(&frame, buf) - 4;
    for (uint32_t n = 0; n < size; n++) {
        uint8_t *exact = malloc(n ? n : 1);

        memcpy(exact, buf + 4, n);
        refused += !tensix_wire_get_request(&got, exact, n);
        free(exact);
    }
    ok_eq(refused, size, "each truncated request is refused");
}

/* All but the data is there: each field is right, and data point beyond. */
static void test_start(void)
{
    TensixWireFrame frame;
    TensixWireRequest got;
    uint8_t buf[LONGEST];
    uint32_t size, head, taken = 0;

    tensix_wire_put_request(&frame, &sample_request);
    size = whole(&frame, buf) - TENSIX_WIRE_PREFIX;
    head = size - sample_request.data.size;
    for (uint32_t n = 0; n <= size; n++) {
        uint8_t *exact = malloc(n ? n : 1);

        memcpy(exact, buf + TENSIX_WIRE_PREFIX, n);
        if (tensix_wire_get_request_start(&got, exact, n, size)) {
            taken += n >= head && got.address == sample_request.address &&
                     got.data.size == sample_request.data.size &&
                     got.data.data == exact + head;
        }
        free(exact);
    }
    ok_eq(taken, size - head + 1, "each start with all but data is taken");
    ok(!tensix_wire_get_request_start(&got, buf + TENSIX_WIRE_PREFIX, head,
                                      size - 1),
       "data that do not fit are refused");
}

static void test_garbage(void)
{
    uint8_t buf[LONGEST];
    unsigned taken = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t size = random_word() % 64;

        for (uint32_t n = 0; n < size; n++) {
            /* small numbers often lead somewhere, also in 32 bits */
            bool high = n % 4 && random_word() % 4;

            buf[n] = high ? 0 : random_word() % (random_word() % 4 ? 32 : 256);
        }
        taken += decode_all(buf, size);
    }
    ok(taken > 0 && taken < ROUNDS, "garbage: %u of %u taken", taken,
       4 * ROUNDS);
}

static void test_changed(void)
{
    TensixWireFrame frame;
    uint8_t buf[LONGEST], changed[LONGEST];
    uint32_t size;
    unsigned taken = 0;

    tensix_wire_put_request(&frame, &sample_request);
    size = whole(&frame, buf) - 4;
    for (unsigned round = 0; round < ROUNDS; round++) {
        memcpy(changed, buf + 4, size);
        for (unsigned n = random_word() % 4 + 1; n > 0; n--) {
            changed[random_word() % size] = random_word();
        }
        taken += decode_all(changed, size);
    }
    ok(taken > 0, "changed bytes: %u of %u taken", taken, 4 * ROUNDS);
}

static void test_lengths(void)
{
    static const struct {
        uint8_t prefix[TENSIX_WIRE_PREFIX];
        bool good;
    } rows[] = {
        { { 0, 0, 0, 0 }, true },
        { { 0, 0, 0, 0x40 }, true },            /* 1 GiB of data */
        { { 0, 0x10, 0, 0x40 }, true },         /* and the slack */
        { { 1, 0x10, 0, 0x40 }, false },
        { { 0xff, 0xff, 0xff, 0xff }, false },
        { { 0, 0, 0, 0x80 }, false },
    };
    uint32_t length;

    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        ok(tensix_wire_length(rows[n].prefix, &length) == rows[n].good,
           "length 0x%x", length);
    }
}

static void test_longest(void)
{
    TensixWireRequest request = sample_request;
    TensixWireFrame frame;
    uint32_t length;

    request.data.size = TENSIX_WIRE_MAX_DATA;   /* the data is not read */
    ok(tensix_wire_put_request(&frame, &request) &&
       tensix_wire_length(frame.head, &length), "1 GiB fits into a frame");
    request.data.size++;
    ok(!tensix_wire_put_request(&frame, &request), "more does not");
}

int main(void)
{
    test_request();
    test_response();
    test_device_info();
    test_cluster();
    test_other_encoders();
    test_alignment();
    test_truncated();
    test_start();
    test_garbage();
    test_changed();
    test_lengths();
    test_longest();
    return done_testing();
}
