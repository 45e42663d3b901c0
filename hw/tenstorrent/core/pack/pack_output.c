/*
 * Packer: the streams of data and exponents to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/OutputAddressGenerator.md.  The hardware gathers 16 bytes before
 * it writes; here bytes reach L1 with the PACR that made them, and Last or
 * Flush fill up the last 16 with zeroes.
 */

#include <string.h>

#include "num/num_formats.h"
#include "pack/pack.h"

/* --- addresses --- */

/* Where the stream starts in L1, in units of 16 bytes. */
static uint32_t output_address(const uint32_t *cfg, const TensixAdc *adc)
{
    const TensixAdcChannel *ch = &adc->channel[1];
    uint32_t yzw = PACK_FIELD(cfg, PCK0_ADDR_BASE_REG_1_Base) +
                   ch->Y * PACK_FIELD(cfg, PCK0_ADDR_CTRL_XY_REG_1_Ystride) +
                   ch->Z * PACK_FIELD(cfg, PCK0_ADDR_CTRL_ZW_REG_1_Zstride) +
                   ch->W * PACK_FIELD(cfg, PCK0_ADDR_CTRL_ZW_REG_1_Wstride);
    bool header = !PACK_FIELD(cfg, THCON_SEC0_REG1_Sub_l1_tile_header_size);
    uint32_t address = PACK_FIELD(cfg, THCON_SEC0_REG1_L1_Dest_addr) + header +
                       yzw / PACK_L1_UNIT;

    if (address >
        PACK_FIELD(cfg, THCON_SEC0_REG9_Pack_0_2_limit_address) * 2 + 1) {
        address -= PACK_FIELD(cfg, THCON_SEC0_REG9_Pack_0_2_fifo_size) * 2;
    }
    return address;
}

/*
 * LLK sets the register's highest bit; of the others, those above the units
 * that L1_Dest_addr can reach are an address in bytes, most likely.
 */
static void check_base(TensixCore *c, const TensixInsn *i, const uint32_t *cfg)
{
    uint32_t base = PACK_FIELD(cfg, THCON_SEC0_REG1_L1_Dest_addr) & INT32_MAX;

    if (base >= PACK_L1_UNITS) {
        tensix_violation(c, i, TENSIX_BAD_ACCESS,
                         "L1_Dest_addr is 0x%x units of %u bytes, outside L1: "
                         "the packer uses unit 0x%x", (unsigned)base,
                         (unsigned)PACK_L1_UNIT,
                         (unsigned)(base % PACK_L1_UNITS));
    }
}

void tensix_pack_open(TensixCore *c, const TensixInsn *i,
                      const TensixPackPlan *plan, const uint32_t *cfg,
                      const TensixAdc *adc)
{
    TensixPacker *p = &c->s.packer;
    uint32_t address = output_address(cfg, adc);

    check_base(c, i, cfg);
    p->exp_byte = address % PACK_L1_UNITS * PACK_L1_UNIT;
    if (plan->bits < 16) {
        address += PACK_FIELD(cfg, THCON_SEC0_REG1_Exp_section_size);
    }
    p->data_bit = address % PACK_L1_UNITS * PACK_L1_UNIT * 8;
    p->open = 1;
}

/* --- bursts --- */

void tensix_pack_outside_l1(TensixCore *c, const TensixInsn *i,
                            uint32_t address, uint32_t size)
{
    tensix_violation(c, i, TENSIX_BAD_ACCESS, "%u bytes to 0x%x, outside L1",
                     (unsigned)size, (unsigned)address);
}

static uint8_t l1_byte(const TensixCore *c, uint32_t address)
{
    return address < c->host.l1_size ? c->host.l1[address] : 0;
}

/* Pack_L1_Acc, if the format has it: d += L1. */
static void accumulate(TensixCore *c, const TensixInsn *i,
                       const TensixPackPlan *plan, PackDatums *d, unsigned n)
{
    uint32_t address = tensix_pack_next_byte(&c->s.packer);
    uint32_t size = n * plan->bits / 8;

    if (!tensix_formats[plan->format].accumulates) {
        tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                         "accumulation in L1 of %s",
                         tensix_format_name(plan->format));
    } else if (address <= c->host.l1_size &&
               size <= c->host.l1_size - address) {
        TENSIX_READS_L1(c, address, size);
        tensix_pack_accumulate(plan->format, d, c->host.l1 + address, n);
    }
}

/*
 * Several datums a byte, first datum lowest; `used` bits of out[0] are kept.
 * v: one datum a byte.
 */
static void squeeze(uint8_t *restrict out, const uint8_t *restrict v,
                    unsigned n, unsigned bits, unsigned used)
{
    uint32_t byte = out[0] & ((1u << used) - 1);
    unsigned at = 0;

    for (unsigned j = 0; j < n; j++) {
        byte |= (uint32_t)v[j] << used;
        used += bits;
        if (used >= 8) {
            out[at++] = byte;
            byte >>= 8;
            used -= 8;
        }
    }
    out[at] = byte;
}

/* The same for 64 datums of four bits, from the start of a byte on. */
static void squeeze_nibbles(uint8_t *restrict out, const uint8_t *restrict v)
{
    for (unsigned j = 0; j < PACK_DATUMS / 2; j++) {
        out[j] = v[2 * j] | v[2 * j + 1] << 4;
    }
}

static void write_squeezed(TensixCore *c, const TensixInsn *i,
                           const uint8_t *v, unsigned n, unsigned bits)
{
    TensixPacker *p = &c->s.packer;
    uint32_t address = p->data_bit / 8, used = p->data_bit % 8;
    uint8_t out[PACK_DATUMS];

    if (bits == 4 && used == 0 && n == PACK_DATUMS) {
        squeeze_nibbles(out, v);
    } else {
        TENSIX_READS_L1(c, address, used != 0);
        out[0] = l1_byte(c, address);
        squeeze(out, v, n, bits, used);
    }
    tensix_pack_burst(c, i, address, out, (used + n * bits + 7) / 8);
    p->data_bit = (p->data_bit + n * bits) % PACK_STREAM_BITS;
}

/* --- formats --- */

static inline void write_blocks(TensixCore *c, const TensixInsn *i,
                                unsigned bits, const uint8_t *exponents,
                                const uint8_t *datums, unsigned rows,
                                unsigned per_row)
{
    TensixPacker *p = &c->s.packer;

    tensix_pack_burst(c, i, p->exp_byte, exponents, rows);
    p->exp_byte = (p->exp_byte + rows) % PACK_STREAM_BYTES;
    if (bits == 8) {
        tensix_pack_write_bytes(c, i, datums, rows * per_row);
    } else {
        write_squeezed(c, i, datums, rows * per_row, bits);
    }
}

static void write_shared(TensixCore *c, const TensixInsn *i, unsigned bits,
                         const uint16_t *halves, unsigned rows,
                         unsigned per_row)
{
    uint8_t exponents[PACK_ROWS], datums[PACK_DATUMS];

    tensix_pack_share_exponents(datums, exponents, halves, per_row, bits);
    write_blocks(c, i, bits, exponents, datums, rows, per_row);
}

/* 8-bit formats without a shared exponent. */
static void write_narrowed(TensixCore *c, const TensixInsn *i,
                           const uint16_t *halves, unsigned n)
{
    uint8_t out[PACK_DATUMS];

    for (unsigned j = 0; j < PACK_DATUMS; j++) {
        out[j] = halves[j];
    }
    tensix_pack_write_bytes(c, i, out, n);
}

void tensix_pack_write(TensixCore *c, const TensixInsn *i,
                       const TensixPackPlan *plan, PackDatums *d,
                       unsigned rows, unsigned per_row)
{
    unsigned n = rows * per_row;

    if (plan->accumulates) {
        accumulate(c, i, plan, d, n);
    }
    if (plan->shared_exponent) {
        write_shared(c, i, plan->bits, d->half, rows, per_row);
    } else if (plan->bits == 8) {
        write_narrowed(c, i, d->half, n);
    } else {
        tensix_pack_write_bytes(c, i, d, n * plan->bits / 8);
    }
}

/* --- four whole rows --- */

TensixResult tensix_pack_group_any(TensixCore *c, const TensixInsn *i,
                                   const TensixPackPlan *plan, uint32_t at,
                                   uint32_t address, uint32_t exponents)
{
    const uint16_t *cells = c->s.dst[at];
    PackDatums early, late, *d = &early;
    uint8_t shared[PACK_ROWS], datums[PACK_DATUMS];

    if (plan->from_cells) {
        tensix_pack_share_cells(datums, shared, cells, plan->early == EARLY_BF16,
                                plan->bits);
        write_blocks(c, i, plan->bits, shared, datums, PACK_ROWS, PACK_COLUMNS);
        return TENSIX_DONE;
    }
    tensix_pack_early[plan->early](&early, cells, tensix_pack_low_rows(cells), 0);
    if (plan->late != LATE_AS_IS) {
        tensix_pack_late[plan->late](&late, &early);
        d = &late;
    }
    tensix_pack_write(c, i, plan, d, PACK_ROWS, PACK_COLUMNS);
    return TENSIX_DONE;
}

/* --- ends --- */

/* Fills the last 16 bytes of a stream with zeroes; returns its new end. */
static uint32_t pad(TensixCore *c, const TensixInsn *i, uint32_t end)
{
    static const uint8_t zeroes[PACK_L1_UNIT];
    uint32_t missing = -end % PACK_L1_UNIT;

    if (missing) {
        tensix_pack_burst(c, i, end, zeroes, missing);
    }
    return (end + missing) % PACK_STREAM_BYTES;
}

void tensix_pack_flush(TensixCore *c, const TensixInsn *i)
{
    TensixPacker *p = &c->s.packer;

    if (p->open) {
        p->data_bit = pad(c, i, tensix_pack_next_byte(p)) * 8;
        p->exp_byte = pad(c, i, p->exp_byte);
    }
}

void tensix_pack_close(TensixCore *c, const TensixInsn *i)
{
    tensix_pack_flush(c, i);
    memset(&c->s.packer, 0, sizeof(c->s.packer));
}
