/*
 * The wire between host software and the device tensix-host: tt-umd's socket
 * protocol, as plain C on libc, for the device and its clients alike.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A frame is a length (32 bits, little-endian) and as many bytes of a
 * flatbuffer: one table with at most one vector of any size, which is last.
 * So a frame is a short head and the caller's own bytes: nothing is copied on
 * either side.
 * Facts: tt-umd, device/simulation/simulation_server_protocol.fbs (numbers and
 * types of the fields) and simulation_server_transport.cpp (the length).
 */

#ifndef HW_TENSTORRENT_TENSIX_WIRE_H
#define HW_TENSTORRENT_TENSIX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TENSIX_WIRE_PREFIX = 4,                 /* bytes of a frame's length */
    TENSIX_WIRE_MAX_DATA = 1 << 30,         /* bytes of a message's vector */
    TENSIX_WIRE_MAX_FRAME = TENSIX_WIRE_MAX_DATA + 4096,
    TENSIX_WIRE_MAX_NAME = 255,             /* of a text that is not last */
    TENSIX_WIRE_MAX_HEAD = 128 + TENSIX_WIRE_MAX_NAME + 1,
};

/* TensixWireRequest.command. From CLOCK on they are ours. */
enum {
    TENSIX_WIRE_READ = 0,
    TENSIX_WIRE_WRITE = 1,
    TENSIX_WIRE_GET_DEVICE_INFO = 2,
    TENSIX_WIRE_GET_CLUSTER_DESCRIPTOR = 3,
    TENSIX_WIRE_SHUTDOWN = 4,
    TENSIX_WIRE_CLOCK = 64,
    TENSIX_WIRE_STATUS = 65,
    TENSIX_WIRE_MAILBOX = 66,
};

/* Bytes that belong to the caller of an encoder, or into a decoded frame. */
typedef struct TensixWireBytes {
    const void *data;
    uint32_t size;
} TensixWireBytes;

typedef struct TensixWireRequest {
    uint8_t command;
    uint32_t x, y;
    uint64_t address;
    uint32_t size;
    TensixWireBytes data;
} TensixWireRequest;

typedef struct TensixWireResponse {
    uint32_t status;                        /* 0: good */
    TensixWireBytes data;
} TensixWireResponse;

typedef struct TensixWireDeviceInfo {
    uint32_t status, arch;
    uint8_t backend_type;                   /* 0: ttsim's ABI, 1: RTL */
    uint8_t noc_translation_enabled;
    uint32_t tensix_harvesting_mask, dram_harvesting_mask, eth_harvesting_mask;
    uint32_t l2cpu_harvesting_mask, pcie_harvesting_mask;
    TensixWireBytes soc_descriptor;         /* text; size without its NUL */
    TensixWireBytes simulator;              /* likewise; "" if too long */
} TensixWireDeviceInfo;

typedef struct TensixWireCluster {
    uint32_t status;
    TensixWireBytes descriptor;             /* text; size without its NUL */
} TensixWireCluster;

/*
 * A frame to send: head_size bytes of head, then tail's. tail.data is the
 * message's own; of a text it includes the NUL, which the caller's has to have.
 */
typedef struct TensixWireFrame {
    uint8_t head[TENSIX_WIRE_MAX_HEAD];
    uint32_t head_size;
    TensixWireBytes tail;
} TensixWireFrame;

/* Encoders. False: the vector is longer than TENSIX_WIRE_MAX_DATA. */
bool tensix_wire_put_request(TensixWireFrame *frame,
                             const TensixWireRequest *request);
bool tensix_wire_put_response(TensixWireFrame *frame,
                              const TensixWireResponse *response);
bool tensix_wire_put_device_info(TensixWireFrame *frame,
                                 const TensixWireDeviceInfo *info);
bool tensix_wire_put_cluster(TensixWireFrame *frame,
                             const TensixWireCluster *cluster);

/*
 * The length that PREFIX, TENSIX_WIRE_PREFIX bytes, announces. False: more than
 * TENSIX_WIRE_MAX_FRAME, which is no message.
 */
bool tensix_wire_length(const uint8_t *prefix, uint32_t *length);

/*
 * Decoders of the bytes after a frame's length, at any alignment. What the
 * frame leaves out is 0. False: it is no such message; the result is then
 * undefined, but no byte outside of the SIZE has been read. Whether a
 * request's size and data agree is for the caller to see.
 */
bool tensix_wire_get_request(TensixWireRequest *request,
                             const void *buf, uint32_t size);

/*
 * The same for a request of which only the first bytes are there, have of size.
 * Its data may be beyond them: where they would be, once they have come, is
 * request->data. False also if anything else is beyond.
 */
bool tensix_wire_get_request_start(TensixWireRequest *request, const void *buf,
                                   uint32_t have, uint32_t size);
bool tensix_wire_get_response(TensixWireResponse *response,
                              const void *buf, uint32_t size);
bool tensix_wire_get_device_info(TensixWireDeviceInfo *info,
                                 const void *buf, uint32_t size);
bool tensix_wire_get_cluster(TensixWireCluster *cluster,
                             const void *buf, uint32_t size);

#endif
