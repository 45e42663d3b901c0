/*
 * Address counters of the unpackers and the packer: SETADC and its relatives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH ADCs.md (Blackhole's paragraph), SETADC.md, SETADCXY.md, SETADCZW.md,
 * INCADCXY.md, INCADCZW.md, ADDRCRXY.md, ADDRCRZW.md, SETADCXX.md.
 *
 * Each of the three ADCs of a thread has two channels of four counters, and
 * each counter has a checkpoint, its "Cr" copy.  The XY and the ZW forms of an
 * instruction differ only in which two dimensions they name.
 */

#include "regs/counter.h"
#include "tensix_internal.h"

typedef enum AdcDimension { ADC_X, ADC_Y, ADC_Z, ADC_W } AdcDimension;

/* A counter, its checkpoint and their width. */
typedef struct Counter {
    uint32_t *value;
    uint32_t *cr;
    uint32_t mask;
} Counter;

static Counter find_counter(TensixAdc *adc, uint32_t channel,
                            AdcDimension dimension)
{
    TensixAdcChannel *ch = &adc->channel[channel];
    uint32_t *const value[] = { &ch->X, &ch->Y, &ch->Z, &ch->W };
    uint32_t *const cr[] = { &ch->X_Cr, &ch->Y_Cr, &ch->Z_Cr, &ch->W_Cr };

    return (Counter){ value[dimension], cr[dimension],
                      dimension == ADC_X ? ADC_X_MASK : ADC_YZW_MASK };
}

/* Sets the counter and its checkpoint. */
static void counter_set(Counter c, uint32_t value)
{
    tensix_counter_set(c.value, c.cr, value, c.mask);
}

/* Advances the counter alone. */
static void counter_add(Counter c, uint32_t increment)
{
    tensix_counter_add(c.value, increment, c.mask);
}

/* Advances the checkpoint, and the counter starts from it. */
static void counter_add_cr(Counter c, uint32_t increment)
{
    tensix_counter_add_cr(c.value, c.cr, increment, c.mask);
}

/*
 * The four-counter forms, all of one layout: BitMask [3:0], four 3-bit values
 * from bit 6 on (channel 0 first, X or Z before Y or W), ThreadOverride and
 * CntSetMask.
 */
enum { QUAD_COUNTERS = 4, QUAD_VALUE_LOW = 6, QUAD_VALUE_WIDTH = 3 };

static uint32_t quad_value(uint32_t word, unsigned n)
{
    return (word >> (QUAD_VALUE_LOW + QUAD_VALUE_WIDTH * n)) &
           ((1u << QUAD_VALUE_WIDTH) - 1);
}

/*
 * ThreadOverride n > 0 selects thread n - 1.  The pages give that meaning, and
 * call its use unsupported and their description weak.
 */
static uint32_t target_thread(TensixCore *c, const TensixInsn *i,
                              uint32_t thread_override)
{
    if (thread_override == 0) {
        return i->thread;
    }
    tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                     "ThreadOverride %u has no contractual meaning",
                     (unsigned)thread_override);
    return thread_override - 1;
}

typedef void CounterOp(Counter c, uint32_t value);

/* Does op on the counters in bit_mask of every selected ADC. */
static TensixResult quad(TensixCore *c, const TensixInsn *i, AdcDimension first,
                         uint32_t bit_mask, CounterOp *op)
{
    uint32_t select = OPERAND(i, SETADCXY, CntSetMask);
    uint32_t thread = target_thread(c, i, OPERAND(i, SETADCXY, ThreadOverride));

    for (unsigned a = 0; a < TENSIX_ADCS; a++) {
        if (!(select & (1u << a))) {
            continue;
        }
        for (unsigned n = 0; n < QUAD_COUNTERS; n++) {
            if (bit_mask & (1u << n)) {
                op(find_counter(&c->s.adc[thread][a], n >> 1, first + (n & 1)),
                   quad_value(i->word, n));
            }
        }
    }
    return TENSIX_DONE;
}

/* INCADCXY and INCADCZW have no mask: all four counters move. */
enum { ALL_COUNTERS = (1 << QUAD_COUNTERS) - 1 };

/* SETADCXY: X and Y counters and checkpoints := 3-bit values. */
TensixResult tensix_exec_SETADCXY(TensixCore *c, const TensixInsn *i)
{
    return quad(c, i, ADC_X, OPERAND(i, SETADCXY, BitMask), counter_set);
}

/* SETADCZW: Z and W counters and checkpoints := 3-bit values. */
TensixResult tensix_exec_SETADCZW(TensixCore *c, const TensixInsn *i)
{
    return quad(c, i, ADC_Z, OPERAND(i, SETADCZW, BitMask), counter_set);
}

/* INCADCXY: X and Y counters += 3-bit values; checkpoints stay. */
TensixResult tensix_exec_INCADCXY(TensixCore *c, const TensixInsn *i)
{
    return quad(c, i, ADC_X, ALL_COUNTERS, counter_add);
}

/* INCADCZW: Z and W counters += 3-bit values; checkpoints stay. */
TensixResult tensix_exec_INCADCZW(TensixCore *c, const TensixInsn *i)
{
    return quad(c, i, ADC_Z, ALL_COUNTERS, counter_add);
}

/* ADDRCRXY: X and Y checkpoints += 3-bit values, counters := checkpoints. */
TensixResult tensix_exec_ADDRCRXY(TensixCore *c, const TensixInsn *i)
{
    return quad(c, i, ADC_X, OPERAND(i, ADDRCRXY, BitMask), counter_add_cr);
}

/* ADDRCRZW: Z and W checkpoints += 3-bit values, counters := checkpoints. */
TensixResult tensix_exec_ADDRCRZW(TensixCore *c, const TensixInsn *i)
{
    return quad(c, i, ADC_Z, OPERAND(i, ADDRCRZW, BitMask), counter_add_cr);
}

/*
 * SETADC: one counter and its checkpoint := 18-bit value, cut to the counter's
 * width.  Bits 17:16 of the value are the thread override as well (SETADC.md).
 */
TensixResult tensix_exec_SETADC(TensixCore *c, const TensixInsn *i)
{
    uint32_t value = OPERAND(i, SETADC, Value);
    uint32_t select = OPERAND(i, SETADC, CntSetMask);
    uint32_t channel = OPERAND(i, SETADC, ChannelIndex);
    AdcDimension dimension = OPERAND(i, SETADC, DimensionIndex);
    uint32_t thread = target_thread(c, i, value >> 16);

    for (unsigned a = 0; a < TENSIX_ADCS; a++) {
        if (select & (1u << a)) {
            counter_set(find_counter(&c->s.adc[thread][a], channel, dimension),
                        value);
        }
    }
    return TENSIX_DONE;
}

/* SETADCXX: X of channel 0 and of channel 1, the first and the last datum. */
TensixResult tensix_exec_SETADCXX(TensixCore *c, const TensixInsn *i)
{
    uint32_t select = OPERAND(i, SETADCXX, CntSetMask);

    for (unsigned a = 0; a < TENSIX_ADCS; a++) {
        TensixAdc *adc = &c->s.adc[i->thread][a];

        if (select & (1u << a)) {
            counter_set(find_counter(adc, 0, ADC_X),
                        OPERAND(i, SETADCXX, x_start));
            counter_set(find_counter(adc, 1, ADC_X),
                        OPERAND(i, SETADCXX, x_end2));
        }
    }
    return TENSIX_DONE;
}
