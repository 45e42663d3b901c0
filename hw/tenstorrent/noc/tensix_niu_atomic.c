/*
 * Atomic operations that NoC requests perform on L1.  (BH NoC/Atomics.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each 32-bit word of L1 is changed in one step; operations on 16 bytes are
 * four such steps.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/tensix_niu.h"

/* NOC_AT_LEN_BE of an atomic request */
FIELD(AT, OFS, 0, 2)
FIELD(AT, INT_WIDTH, 2, 5)
FIELD(AT, CMP_VAL, 2, 4)
FIELD(AT, SET_VAL, 6, 4)
FIELD(AT, MASK, 2, 8)
FIELD(AT, SWAP7_OFS, 2, 2)
FIELD(AT, SWAP6_ONE, 2, 1)
FIELD(AT, FORMAT, 0, 4)
FIELD(AT, AMO, 8, 3)
FIELD(AT, AMO_KIND, 8, 4)
FIELD(AT, OPCODE, 12, 4)

enum {
    OPCODE_INCREMENT = 1,
    OPCODE_SWAP_MASK = 3,
    OPCODE_CAS = 4,
    OPCODE_SWAP6 = 6,
    OPCODE_SWAP7 = 7,
    OPCODE_ADD_PARALLEL = 9,
    OPCODE_AMO = 10,

    AMO_KIND_SWAP = 3,
    AMO_KIND_ZAAMO = 8,            /* + the operation */

    ROW_BYTES = 16,                /* what one operation may touch */
    ROW_WORDS = ROW_BYTES / 4,
};

/* What the functions on one word need to know. */
typedef struct AtomicStep {
    const TensixActor *by;
    uint32_t operation;            /* NOC_AT_LEN_BE */
    uint32_t data;                 /* NOC_AT_DATA */
    uint32_t word;                 /* index inside the row */
} AtomicStep;

typedef uint32_t StepFn(void *opaque, uint32_t word);

static uint32_t increment(void *opaque, uint32_t word)
{
    const AtomicStep *s = opaque;
    uint32_t width = FIELD_EX32(s->operation, AT, INT_WIDTH) + 1;

    return deposit32(word, 0, width, word + s->data);
}

static uint32_t compare_and_swap(void *opaque, uint32_t word)
{
    const AtomicStep *s = opaque;

    return word == FIELD_EX32(s->operation, AT, CMP_VAL)
           ? FIELD_EX32(s->operation, AT, SET_VAL) : word;
}

static uint32_t swap(void *opaque, uint32_t word)
{
    const AtomicStep *s = opaque;

    return s->data;
}

/* Two bits of the mask a word, one a half word */
static uint32_t swap_mask(void *opaque, uint32_t word)
{
    const AtomicStep *s = opaque;
    uint32_t mask = FIELD_EX32(s->operation, AT, MASK) >> (2 * s->word);
    uint32_t bits = (mask & 1 ? 0xffff : 0) | (mask & 2 ? 0xffff0000 : 0);

    return (word & ~bits) | (s->data & bits);
}

static uint32_t zaamo(void *opaque, uint32_t word)
{
    const AtomicStep *s = opaque;
    uint32_t data = s->data;

    switch (FIELD_EX32(s->operation, AT, AMO)) {
    case 0:
        return word + data;
    case 1:
        return word ^ data;
    case 2:
        return word | data;
    case 3:
        return word & data;
    case 4:
        return (int32_t)word < (int32_t)data ? word : data;
    case 5:
        return (int32_t)word > (int32_t)data ? word : data;
    case 6:
        return MIN(word, data);
    default:
        return MAX(word, data);
    }
}

static uint32_t add_words(void *opaque, uint32_t word)
{
    const AtomicStep *s = opaque;

    return word + s->data;
}

static uint32_t add_bytes(void *opaque, uint32_t word, bool saturate)
{
    const AtomicStep *s = opaque;
    uint32_t result = 0;

    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t sum = extract32(word, shift, 8) + extract32(s->data, shift, 8);

        result |= (saturate ? MIN(sum, UINT8_MAX) : sum & UINT8_MAX) << shift;
    }
    return result;
}

static uint32_t add_bytes_saturating(void *opaque, uint32_t word)
{
    return add_bytes(opaque, word, true);
}

static uint32_t add_bytes_wrapping(void *opaque, uint32_t word)
{
    return add_bytes(opaque, word, false);
}

/* Formats of parallel addition in floating point; no page says how it rounds */
#define FLOAT_FORMATS (0x7u | 0x7u << 8)  /* 0, 1, 2, 8, 9, 10 */

/* Integer formats */
static StepFn *const parallel_add[16] = {
    [4] = add_words,
    [7] = add_bytes_saturating,
    [12] = add_words,
    [13] = add_words,
    [15] = add_bytes_wrapping,
};

/* One word, which NOC_AT_LEN_BE names; *result: the one at the address. */
static const char *modify_one(TensixNocPort *port, TensixNocAddress at,
                              StepFn *fn, AtomicStep *step, uint32_t word,
                              uint32_t *result)
{
    TensixNocAddress target = at;
    uint32_t old;
    const char *error;
    uint8_t bytes[4];

    target.addr = (at.addr & ~(uint64_t)(ROW_BYTES - 1)) + word * 4;
    if (target.addr != at.addr) {
        error = tensix_noc_port_read(port, step->by, at, bytes, sizeof(bytes));
        if (error) {
            return error;
        }
        *result = ldl_le_p(bytes);
        return tensix_noc_port_modify(port, step->by, target, fn, step, NULL);
    }
    error = tensix_noc_port_modify(port, step->by, target, fn, step, &old);
    if (!error) {
        *result = old;
    }
    return error;
}

static const char *modify_row(TensixNocPort *port, TensixNocAddress at,
                              StepFn *fn, AtomicStep *step, uint32_t *result)
{
    TensixNocAddress target = at;
    const char *error = NULL;

    for (uint32_t i = 0; i < ROW_WORDS && !error; i++) {
        uint32_t old;

        step->word = i;
        target.addr = (at.addr & ~(uint64_t)(ROW_BYTES - 1)) + i * 4;
        error = tensix_noc_port_modify(port, step->by, target, fn, step, &old);
        if (!error && target.addr == at.addr) {
            *result = old;
        }
    }
    return error;
}

static const char *amo(TensixNocPort *port, TensixNocAddress at,
                       AtomicStep *step, uint32_t *result)
{
    uint32_t kind = FIELD_EX32(step->operation, AT, AMO_KIND);
    uint32_t word = FIELD_EX32(step->operation, AT, OFS);

    if (kind == AMO_KIND_SWAP) {
        return modify_one(port, at, swap, step, word, result);
    }
    if (kind & AMO_KIND_ZAAMO) {
        return modify_one(port, at, zaamo, step, word, result);
    }
    return "no such atomic operation";
}

static const char *add_parallel(TensixNocPort *port, TensixNocAddress at,
                                AtomicStep *step, uint32_t *result)
{
    StepFn *fn = parallel_add[FIELD_EX32(step->operation, AT, FORMAT)];

    return fn ? modify_row(port, at, fn, step, result)
              : "no such format of parallel addition";
}

bool tensix_niu_atomic_implemented(uint32_t operation)
{
    return FIELD_EX32(operation, AT, OPCODE) != OPCODE_ADD_PARALLEL ||
           !(FLOAT_FORMATS & (1u << FIELD_EX32(operation, AT, FORMAT)));
}

const char *tensix_niu_atomic(TensixNocPort *port, const TensixActor *by,
                              TensixNocAddress at,
                              uint32_t operation, uint32_t data,
                              uint32_t *result)
{
    AtomicStep step = { .by = by, .operation = operation, .data = data };
    uint32_t word = FIELD_EX32(operation, AT, OFS);

    switch (FIELD_EX32(operation, AT, OPCODE)) {
    case OPCODE_INCREMENT:
        return modify_one(port, at, increment, &step, word, result);
    case OPCODE_CAS:
        return modify_one(port, at, compare_and_swap, &step, word, result);
    case OPCODE_SWAP_MASK:
        return modify_row(port, at, swap_mask, &step, result);
    case OPCODE_SWAP6:
        if (!FIELD_EX32(operation, AT, SWAP6_ONE)) {
            return "no such atomic operation";
        }
        return modify_one(port, at, swap, &step, word, result);
    case OPCODE_SWAP7:
        return modify_one(port, at, swap, &step,
                          FIELD_EX32(operation, AT, SWAP7_OFS), result);
    case OPCODE_ADD_PARALLEL:
        return add_parallel(port, at, &step, result);
    case OPCODE_AMO:
        return amo(port, at, &step, result);
    default:
        return "no such atomic operation";
    }
}
