/*
 * Which bits of Config change from tile to tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "config/config.h"
#include "tensix_internal.h"

/* Halves of words that hold two fields of 16 bits. */
enum { LOW_HALF = 0xffff };

#define WHOLE UINT32_MAX

#define SECTION_TILE_BITS(section) \
    [CFG_THCON_##section##_REG1_L1_Dest_addr_WORD] = WHOLE, \
    [CFG_THCON_##section##_REG3_Base_address_WORD ... \
     CFG_THCON_##section##_REG3_Base_address_WORD + 7] = WHOLE, \
    [CFG_THCON_##section##_REG5_Dest_cntx0_address_WORD ... \
     CFG_THCON_##section##_REG5_Dest_cntx0_address_WORD + 1] = WHOLE, \
    [CFG_THCON_##section##_REG6_Source_address_WORD ... \
     CFG_THCON_##section##_REG6_Metadata_misc_WORD] = WHOLE, \
    [CFG_THCON_##section##_REG7_Offset_address_WORD ... \
     CFG_THCON_##section##_REG7_Offset_address_WORD + 3] = LOW_HALF, \
    [CFG_THCON_##section##_REG8_L1_Dest_addr_WORD] = WHOLE

static const uint32_t tile_bits[TENSIX_CFG_WORDS] = {
    [CFG_PCK0_ADDR_BASE_REG_1_Base_WORD] = WHOLE,
    SECTION_TILE_BITS(SEC0),
    SECTION_TILE_BITS(SEC1),
    [CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD ...
     CFG_DEST_TARGET_REG_CFG_PACK_SEC3_Offset_WORD] = WHOLE,
    [CFG_PRNG_SEED_Seed_Val_WORD] = WHOLE,
    [CFG_SCRATCH_SEC0_val_WORD ... CFG_SCRATCH_SEC2_val_WORD] = WHOLE,
};

uint32_t tensix_cfg_tile_bits(uint32_t word)
{
    return tile_bits[word];
}
