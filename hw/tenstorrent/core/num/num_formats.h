/*
 * Data formats: what packer and unpackers make of each (format_table.h.inc).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_NUM_FORMATS_H
#define TENSIX_NUM_FORMATS_H

#include "num/num_pack.h"
#include "num/num_unpack.h"

enum { FORMAT_RAW = 2 };           /* rounded, and with Read_raw */

typedef struct TensixFormat {
    const char *name;
    uint8_t bits;                  /* of a datum in L1; 0: no such format */
    bool shared_exponent;
    bool accumulates;              /* Pack_L1_Acc can add to it */
    bool no_threshold;             /* none on the exponent as In_data_format */
    uint8_t pack_bits;             /* where bits is 0 */

    PackEarlyChoice from_32b[FORMAT_RAW], from_16b[FORMAT_RAW];
    /* instead of these, if given: with Round_10b_mant, or to unsigned ones */
    PackEarlyChoice from_32b_10b[FORMAT_RAW], from_16b_10b[FORMAT_RAW];
    PackEarlyChoice from_32b_unsigned[FORMAT_RAW];
    uint8_t to_late[PACK_FLOATS];  /* PackLate, by family; with Pac_LF8_4b_exp: */
    uint8_t to_late_e4m3[PACK_FLOATS];
    uint8_t integers;              /* PackFamily that is it already, a bit each */

    uint8_t unpack;                /* UNPACK_*: in and out; in two modes: */
    uint8_t unpack_e4m3, unpack_unsigned;
    uint8_t unpack_fp32;           /* from FP32 in L1 */
    bool is_word;                  /* all 32 bits can go to Dst */
    bool expands_to_bfp8;
} TensixFormat;

/* By number. */
extern const TensixFormat tensix_formats[TENSIX_FORMATS];

#endif
