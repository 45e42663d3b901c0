/*
 * Memory that a client of tensix-host shares with the device, for requests that
 * are answered within a microsecond.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The answer to the message MAILBOX carries two files: this memory, whose size
 * is sealed, and the client's end of a socket, the bell.  The client fills in
 * READ, WRITE or CLOCK, then increments `request`; the device carries it out as
 * if it had come by the socket, then sets `answer` to the same number.  There
 * is one request at a time.
 *
 * Either side polls the other's number for some microseconds, unless both were
 * on one processor; then it sets its `sleeps`, polls once more, and waits: the
 * device at the futex request.number, the client at the bell.  The other side
 * writes its number, then reads `sleeps`; if that is set, it wakes the futex, or
 * rings by one byte.  A full barrier lies between write and read on both sides,
 * so none is missed; one too many is harmless.
 *
 * Order: the device has carried out a request when it is answered, here or on
 * the socket.  So what a client requests next by either, or reads from a mapping
 * of L1, finds the effect.  Two requests under way at the same time, one by
 * each, have no order.
 */

#ifndef HW_TENSTORRENT_TENSIX_HOST_MAILBOX_H
#define HW_TENSTORRENT_TENSIX_HOST_MAILBOX_H

#include <stdint.h>
#include <string.h>
#if defined(SIMD_PLAIN)            /* the portable form alone */
#elif defined(__SSE2__)
#include <emmintrin.h>
#define TENSIX_HOST_MAILBOX_SSE2
#endif

enum {
    TENSIX_HOST_MAILBOX_DATA = 2 << 20,
    TENSIX_HOST_MAILBOX_FILES = 2, /* that the client gets: memory, bell */
    TENSIX_HOST_MAILBOX_LINE = 64,
    TENSIX_HOST_MAILBOX_HEAD = 4096,
    TENSIX_HOST_MAILBOX_LARGE = 64 << 10,
};

typedef struct TensixHostMailboxSide {
    uint32_t number;               /* of requests, or answers, so far */
    uint32_t sleeps;               /* has to be woken up */
    uint32_t cpu;                  /* where that was written: a hint */
} TensixHostMailboxSide;

/* Little-endian or not: both sides are on one host. */
typedef struct TensixHostMailbox {
    union {
        struct {
            TensixHostMailboxSide request;
            uint32_t command;      /* TENSIX_WIRE_* */
            uint32_t x, y;
            uint32_t size;         /* TENSIX_HOST_MAILBOX_DATA at most */
            uint64_t address;
        };
        uint8_t client[TENSIX_HOST_MAILBOX_LINE];
    };
    union {
        struct {
            TensixHostMailboxSide answer;
            uint32_t status;       /* as in a response */
            uint32_t answer_size;  /* of its data */
        };
        uint8_t device[TENSIX_HOST_MAILBOX_HEAD - TENSIX_HOST_MAILBOX_LINE];
    };
    uint8_t data[TENSIX_HOST_MAILBOX_DATA];
} TensixHostMailbox;

/*
 * Copies data to the mailbox, before the number is written.  The other side's
 * processor has the lines in its cache: to fetch those of a large block only to
 * overwrite them takes longer than the rest of the request.
 */
static inline void tensix_host_mailbox_put(TensixHostMailbox *m,
                                           const void *data, uint32_t size)
{
    const uint8_t *bytes = data;
    uint32_t done = 0;

#ifdef TENSIX_HOST_MAILBOX_SSE2
    if (size >= TENSIX_HOST_MAILBOX_LARGE) {
        for (; size - done >= sizeof(__m128i); done += sizeof(__m128i)) {
            _mm_stream_si128((__m128i *)(m->data + done),
                             _mm_loadu_si128((const __m128i *)(bytes + done)));
        }
        _mm_sfence();
    }
#endif
    memcpy(m->data + done, bytes + done, size - done);
}

#endif
