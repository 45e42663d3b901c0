/*
 * Tiles, BRISC: configuration, and the start of the three threads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields: WH UNPACR_Regular.md, BH PACR.md, WH Packers pages.
 */

#include "tiles.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "brisc";

enum {
    L1_LIMIT = 0x1FFFF,            /* no wrapping of L1 addresses */
    SKIPPED_DATUMS = 64,           /* unpacker 0's output starts behind them */
    UNCOMPRESSED = 1 << 4,         /* of a tile descriptor */
    ALL_COLUMNS = 0xFFFF,
    SECTION_WORDS = CFG_THCON_SEC1_REG0_TileDescriptor_WORD -
                    CFG_THCON_SEC0_REG0_TileDescriptor_WORD,
};

static void configure_math(void)
{
    CFG[CFG_ALU_FORMAT_SPEC_REG0_SrcA_WORD] =
        FIELD(ALU_FORMAT_SPEC_REG0_SrcA, SHARED->src_format) |
        FIELD(ALU_FORMAT_SPEC_REG1_SrcB, SHARED->src_format) |
        FIELD(ALU_FORMAT_SPEC_REG0_SrcAUnsigned, SHARED->is_unsigned) |
        FIELD(ALU_FORMAT_SPEC_REG0_SrcBUnsigned, SHARED->is_unsigned) |
        FIELD(ALU_FORMAT_SPEC_REG2_Dstacc, SHARED->pack_format) |
        FIELD(ALU_ACC_CTRL_Fp32_enabled, SHARED->dest_32b) |
        FIELD(ALU_ACC_CTRL_SFPU_Fp32_enabled, SHARED->dest_32b) |
        FIELD(ALU_ACC_CTRL_INT8_math_enabled, SHARED->integer);
}

/* Shift_amount_cntx0 to 2 are the row stride's nibbles when tilizing. */
static uint32_t unpack_modes(uint32_t unpacker)
{
    uint32_t job = SHARED->job;
    uint32_t units = SHARED->row_bytes / L1_UNIT;
    uint32_t modes = FIELD(THCON_SEC0_REG2_Out_data_format,
                           SHARED->src_format);

    if (unpacker == 0 && job == JOB_TRANSPOSE) {
        modes |= FIELD(THCON_SEC0_REG2_Haloize_mode, 1);
    } else if (unpacker == 0 && job == JOB_TILIZE) {
        modes |= FIELD(THCON_SEC0_REG2_Tileize_mode, 1) |
                 FIELD(THCON_SEC0_REG2_Shift_amount_cntx0, units);
    }
    return modes;
}

/* Context 0 of one unpacker: planes of a face, four to a tile. */
static void configure_unpacker(uint32_t unpacker)
{
    volatile uint32_t *section = CFG + unpacker * SECTION_WORDS;
    volatile uint32_t *tile =
        section + CFG_THCON_SEC0_REG0_TileDescriptor_WORD;

    tile[0] = SHARED->in_format | UNCOMPRESSED | FACE_DATUMS << 16;
    tile[1] = 1 | TILE_FACES << 16;
    tile[2] = 1;
    tile[3] = 0;
    section[CFG_THCON_SEC0_REG2_Out_data_format_WORD] = unpack_modes(unpacker);
    section[CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD] =
        FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1) |
        FIELD(THCON_SEC0_REG2_Unpack_if_sel_cntx0,
              unpacker == 0 && SHARED->job == JOB_TO_DEST);
    section[CFG_THCON_SEC0_REG1_Unp_LF8_4b_exp_WORD] =
        FIELD(THCON_SEC0_REG1_Unp_LF8_4b_exp, SHARED->fp8_e4m3) |
        FIELD(THCON_SEC0_REG1_Pac_LF8_4b_exp, SHARED->fp8_e4m3);
    section[CFG_THCON_SEC0_REG2_Unpack_limit_address_WORD] = L1_LIMIT;
    section[CFG_THCON_SEC0_REG2_Unpack_fifo_size_WORD] = 0;
    section[CFG_THCON_SEC0_REG7_Offset_address_WORD] = 0;
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
        FIELD(UNP0_ADDR_CTRL_ZW_REG_1_Zstride,
              FACE_DATUMS * SHARED->src_bytes);
}

static void configure_packer(void)
{
    uint32_t face = FACE_DATUMS * SHARED->pack_bytes;

    CFG[CFG_PCK0_ADDR_CTRL_XY_REG_0_Ystride_WORD] =
        FIELD(PCK0_ADDR_CTRL_XY_REG_0_Ystride,
              ROW_DATUMS * SHARED->pack_bytes);
    CFG[CFG_PCK0_ADDR_CTRL_ZW_REG_0_Zstride_WORD] =
        FIELD(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, face) |
        FIELD(PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 2 * face);
    CFG[CFG_PCK_DEST_RD_CTRL_Read_32b_data_WORD] =
        FIELD(PCK_DEST_RD_CTRL_Read_32b_data, SHARED->dest_32b) |
        FIELD(PCK_DEST_RD_CTRL_Read_unsigned, SHARED->is_unsigned);
    CFG[CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD] =
        FIELD(PCK_EDGE_OFFSET_SEC0_mask, ALL_COLUMNS);
    CFG[CFG_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_WORD] =
        FIELD(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS);
    CFG[CFG_THCON_SEC0_REG1_Exp_section_size_WORD] =
        FIELD(THCON_SEC0_REG1_Exp_section_size,
              SHARED->out_exponents / L1_UNIT);
    CFG[CFG_THCON_SEC0_REG1_Out_data_format_WORD] =
        FIELD(THCON_SEC0_REG1_Disable_zero_compress, 1) |
        FIELD(THCON_SEC0_REG1_Out_data_format, SHARED->out_format) |
        FIELD(THCON_SEC0_REG1_In_data_format, SHARED->pack_format);
    CFG[CFG_THCON_SEC0_REG9_Pack_0_2_limit_address_WORD] = L1_LIMIT;
    CFG[CFG_STACC_RELU_ApplyRelu_WORD] =
        FIELD(STACC_RELU_ApplyRelu, SHARED->relu) |
        FIELD(STACC_RELU_ReluThreshold, SHARED->relu_threshold);
}

int main(void)
{
    configure_math();
    configure_unpackers();
    configure_packer();
    PUSH_THREAD(0) = TT(SEMINIT, .max_value = DEST_HALVES,
                        .sem_sel = SEM_MASK(SEM_MATH_PACK));
    release_harts(SOFT_RESET_TRISC(0) | SOFT_RESET_TRISC(1) |
                  SOFT_RESET_TRISC(2));
    return 0;
}
