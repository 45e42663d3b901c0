/*
 * Which units use which configuration.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH BackendConfiguration.md, PACR.md; WH UNPACR_Regular.md, Unpackers/,
 * Packers/, MOVA2D.md and their kin.  Words of units that Blackhole does not
 * have (packers 1 to 3, unpacker 1's contexts beyond 1) have no user.
 *
 * Latched is what a page says so of: all that an unpacker reads but SrcAUnsigned
 * and SrcBUnsigned (WH Unpackers/FormatConversion.md), the packer's address
 * generators (WH Packers/InputAddressGenerator.md, OutputAddressGenerator.md),
 * the mover's operands (WH XMOV.md).  An instruction starts when it issues: its
 * thread issues nothing while UNPACR computes its address (WH UNPACR_Regular.md,
 * "Performance"), and PACR's work starts with that (PACR.md).
 */

#include "config/cfg_names.h"
#include "config/config_users.h"
#include "num/num_formats.h"
#include "tensix_internal.h"

typedef struct Use {
    uint16_t first, last;          /* words */
    uint32_t bits;                 /* of each */
    uint32_t users;                /* TENSIX_USES_* */
    bool latched;                  /* when an instruction starts; else sampled */
} Use;

#define FIELD_BITS(low, width) (((1u << (width)) - 1) << (low))

#define ALL UINT32_MAX
#define LATCHED true

/* By their first words, in order. */
static const Use uses[] = {
    { 0, 0, FIELD_BITS(0, 10), TENSIX_USES_MATRIX },  /* ALU_FORMAT_SPEC_REG */
    { 0, 0, FIELD_BITS(5, 5), TENSIX_USES_VECTOR },   /* its SrcB */
    { 0, 0, FIELD_BITS(10, 5), TENSIX_USES_PACK },    /* its Dstacc */
    { 1, 1, FIELD_BITS(0, 1) | FIELD_BITS(13, 2) | FIELD_BITS(17, 8),
      TENSIX_USES_MATRIX },                           /* Fpu_srnd_en, SrcA, B */
    { 1, 1, FIELD_BITS(29, 1) | 1u << 31, TENSIX_USES_MATRIX },
    { 1, 1, FIELD_BITS(1, 2) | FIELD_BITS(25, 4), TENSIX_USES_PACK },
    { 1, 1, FIELD_BITS(15, 1), TENSIX_USES_UNPACK0 }, /* SrcAUnsigned */
    { 1, 1, FIELD_BITS(16, 1), TENSIX_USES_UNPACK1 },
    { 1, 1, FIELD_BITS(21, 4) | FIELD_BITS(30, 1), TENSIX_USES_VECTOR },
    { 2, 2, FIELD_BITS(0, 2), TENSIX_USES_MATRIX },   /* Zero_Flag_disabled */
    { 2, 2, FIELD_BITS(2, 20), TENSIX_USES_PACK },    /* STACC_RELU */
    { 6, 6, ALL, TENSIX_USES_MATRIX | TENSIX_USES_VECTOR },  /* DEST_REGW */
    { 7, 7, ALL, TENSIX_USES_VECTOR },                /* DEST_SP_BASE */
    { 8, 8, ALL, TENSIX_USES_PACK },                  /* INT_DESCALE */
    { 12, 17, ALL, TENSIX_USES_PACK, LATCHED },       /* PCK0_ADDR */
    { 18, 28, ALL, TENSIX_USES_PACK },                /* PCK, PACK_SEC0 */
    { 36, 39, ALL, TENSIX_USES_PACK },                /* TILE_FACE_SET */
    { 49, 57, ALL, TENSIX_USES_UNPACK0, LATCHED },    /* UNP0 */
    { 58, 63, ALL, TENSIX_USES_UNPACK1, LATCHED },    /* UNP1 */
    { 64, 67, ALL, TENSIX_USES_UNPACK0, LATCHED },    /* THCON_SEC0_REG0 */
    { 68, 69, ALL, TENSIX_USES_PACK, LATCHED },       /* REG1's L1_Dest_addr */
    { 70, 70, ALL, TENSIX_USES_PACK },                /* REG1, but for */
    { 71, 71, ~FIELD_BITS(22, 1), TENSIX_USES_PACK },
    { 71, 71, FIELD_BITS(22, 1), TENSIX_USES_UNPACK0 }, /* Unp_LF8_4b_exp */
    { 72, 87, ALL, TENSIX_USES_UNPACK0, LATCHED },    /* REG2 to REG5 */
    { 88, 90, ALL, TENSIX_USES_MOVER, LATCHED },      /* REG6 */
    { 92, 95, ALL, TENSIX_USES_UNPACK0, LATCHED },    /* REG7 */
    { 100, 101, ALL, TENSIX_USES_PACK, LATCHED },     /* REG9 */
    { 112, 115, ALL, TENSIX_USES_UNPACK1, LATCHED },  /* THCON_SEC1_REG0 */
    { 119, 119, FIELD_BITS(22, 1), TENSIX_USES_UNPACK1 },
    { 120, 127, ALL, TENSIX_USES_UNPACK1, LATCHED },  /* REG2, REG3 */
    { 140, 143, ALL, TENSIX_USES_UNPACK1, LATCHED },  /* REG7 */
    { 180, 180, FIELD_BITS(0, 12), TENSIX_USES_PACK, LATCHED }, /* Offset, */
    { 180, 180, ~FIELD_BITS(0, 12), TENSIX_USES_PACK },   /* ZOffset */
    { 187, 202, ALL, TENSIX_USES_PACK },              /* INT_DESCALE_VALUES */
    { 220, 220, FIELD_BITS(0, 2), TENSIX_USES_MATRIX | TENSIX_USES_VECTOR |
                                  TENSIX_USES_PACK | TENSIX_USES_UNPACK0 },
    { 220, 220, FIELD_BITS(2, 2), TENSIX_USES_MATRIX },  /* ZEROACC's */
};

uint32_t tensix_config_users(uint32_t word, uint32_t bits)
{
    uint32_t users = 0;

    for (unsigned n = 0; n < sizeof(uses) / sizeof(uses[0]) &&
                         word >= uses[n].first; n++) {
        if (word <= uses[n].last && bits & uses[n].bits) {
            users |= uses[n].users;
        }
    }
    return users;
}

bool tensix_config_latched(uint32_t word, uint32_t bits, uint32_t user)
{
    bool latched = true;

    for (unsigned n = 0; n < sizeof(uses) / sizeof(uses[0]); n++) {
        if (word >= uses[n].first && word <= uses[n].last &&
            bits & uses[n].bits && user & uses[n].users) {
            latched = latched && uses[n].latched;
        }
    }
    return latched;
}

uint32_t tensix_config_user(uint32_t insn)
{
    static const uint8_t of_port[TENSIX_PORTS] = {
        [TENSIX_UNIT_MATRIX] = TENSIX_USES_MATRIX,
        [TENSIX_UNIT_PACK] = TENSIX_USES_PACK,
        [TENSIX_UNIT_XMOV] = TENSIX_USES_MOVER,
        [TENSIX_UNIT_UNPACK] = TENSIX_USES_UNPACK0,
        [TENSIX_PORT_UNPACK1] = TENSIX_USES_UNPACK1,
        [TENSIX_UNIT_VECTOR] = TENSIX_USES_VECTOR,
    };
    const TensixTraits *t = tensix_traits_of(insn);
    uint32_t user = of_port[tensix_port(insn)];
    bool meets_dst = t->dst_read || t->dst_written;

    return t->uses_no_config || (user == TENSIX_USES_VECTOR && !meets_dst)
           ? 0 : user;
}

bool tensix_packs_exponents(const TensixState *s, uint32_t thread)
{
    uint32_t bank = s->thread_cfg[thread]
                                 [THREAD_CFG_CFG_STATE_ID_StateID_INDEX];
    const uint32_t *cfg = s->cfg[bank % TENSIX_CFG_BANKS];
    uint32_t format = cfg[CFG_THCON_SEC0_REG1_Out_data_format_WORD] >>
                      CFG_THCON_SEC0_REG1_Out_data_format_LOW &
                      CFG_THCON_SEC0_REG1_Out_data_format_MASK;
    uint32_t wide = cfg[CFG_PCK_DEST_RD_CTRL_Read_32b_data_WORD] >>
                    CFG_PCK_DEST_RD_CTRL_Read_32b_data_LOW & 1;

    return tensix_formats[format].shared_exponent && !wide;
}
