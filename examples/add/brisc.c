/*
 * C = A + B, BRISC: configuration, and the start of the three TRISCs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields: WH UNPACR_Regular.md, BH PACR.md, WH Packers pages.
 */

#include "console.h"
#include "add.h"

enum {
    L1_LIMIT = 0x1FFFF,            /* no wrapping of L1 addresses */
    SKIPPED_DATUMS = 64,           /* unpacker 0's output starts behind them */
    UNCOMPRESSED = 1 << 4,         /* of a tile descriptor */
    ALL_COLUMNS = 0xFFFF,
    /* unpacker 1 has the same words so much further on */
    SECTION_WORDS = CFG_THCON_SEC1_REG0_TileDescriptor_WORD -
                    CFG_THCON_SEC0_REG0_TileDescriptor_WORD,
};

/* SrcA, SrcB and Dest hold bf16. */
static void configure_math(void)
{
    CFG[CFG_ALU_FORMAT_SPEC_REG0_SrcA_WORD] =
        FIELD(ALU_FORMAT_SPEC_REG0_SrcA, BF16) |
        FIELD(ALU_FORMAT_SPEC_REG1_SrcB, BF16) |
        FIELD(ALU_FORMAT_SPEC_REG2_Dstacc, BF16);
}

/* From L1 to SrcA (unpacker 0) or SrcB (1): a tile of four faces. */
static void configure_unpacker(uint32_t unpacker)
{
    volatile uint32_t *section = CFG + unpacker * SECTION_WORDS;
    volatile uint32_t *tile =
        section + CFG_THCON_SEC0_REG0_TileDescriptor_WORD;

    tile[0] = BF16 | UNCOMPRESSED | FACE_DATUMS << 16;
    tile[1] = 1 | TILE_FACES << 16;
    tile[2] = 1;
    tile[3] = 0;
    section[CFG_THCON_SEC0_REG2_Out_data_format_WORD] =
        FIELD(THCON_SEC0_REG2_Out_data_format, BF16);
    section[CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD] =
        FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    section[CFG_THCON_SEC0_REG2_Unpack_limit_address_WORD] = L1_LIMIT;
}

static void configure_unpackers(void)
{
    configure_unpacker(0);
    configure_unpacker(1);
    CFG[CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD] = SKIPPED_DATUMS;
    CFG[CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD] = FACE_DATUMS;
    CFG[CFG_UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_WORD] =
        FIELD(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1);
    CFG[CFG_UNP0_ADDR_CTRL_ZW_REG_1_Zstride_WORD] =
        FIELD(UNP0_ADDR_CTRL_ZW_REG_1_Zstride, FACE_DATUMS * DATUM_BYTES);
}

/* From Dest to L1. */
static void configure_packer(void)
{
    CFG[CFG_PCK0_ADDR_CTRL_XY_REG_0_Ystride_WORD] =
        FIELD(PCK0_ADDR_CTRL_XY_REG_0_Ystride, ROW_DATUMS * DATUM_BYTES);
    CFG[CFG_PCK0_ADDR_CTRL_ZW_REG_0_Zstride_WORD] =
        FIELD(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, FACE_DATUMS * DATUM_BYTES);
    CFG[CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD] =
        FIELD(PCK_EDGE_OFFSET_SEC0_mask, ALL_COLUMNS);
    CFG[CFG_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_WORD] =
        FIELD(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS);
    CFG[CFG_THCON_SEC0_REG1_Out_data_format_WORD] =
        FIELD(THCON_SEC0_REG1_Disable_zero_compress, 1) |
        FIELD(THCON_SEC0_REG1_Out_data_format, BF16) |
        FIELD(THCON_SEC0_REG1_In_data_format, BF16);
    CFG[CFG_THCON_SEC0_REG9_Pack_0_2_limit_address_WORD] = L1_LIMIT;
}

int main(void)
{
    configure_math();
    configure_unpackers();
    configure_packer();
    PUSH_THREAD(0) = TT(SEMINIT, .max_value = DEST_HALVES,
                        .sem_sel = SEM_MASK(SEM_MATH_PACK));
    print("brisc: adding %u tiles\n", SHARED->tiles);
    release_harts(SOFT_RESET_TRISC(0) | SOFT_RESET_TRISC(1) |
                  SOFT_RESET_TRISC(2));
    return 0;
}
