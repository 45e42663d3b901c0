/*
 * Tiles of 32 x 32 from L1 through the coprocessor back to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *            TRISC0            TRISC1            TRISC2
 *   L1 ------ UNPACR ---> SrcA, SrcB ---> Dest ---- PACR ------> L1
 *
 * BRISC calls configure_tiles() and releases the TRISCs.  Each of them sets up
 * its part once, then does its step for each tile, in the same order.  Dest is
 * used in halves of 512 rows: while one is packed, the other is computed;
 * semaphore SEM_MATH_PACK counts those that are full.
 *
 * In L1 a tile is four faces of 16 x 16 numbers (0 1 over 2 3), one after the
 * other, each row by row.  In SrcA, SrcB and Dest it is 64 rows of 16: the
 * faces again.  (WH UNPACR_Regular.md, BH PACR.md, WH Packers pages)
 */

#ifndef BLACKHOLE_TILE_TILE_H
#define BLACKHOLE_TILE_TILE_H

#include "blackhole-tile/kernel.h"

enum {
    FACE_ROWS = 16,
    ROW_DATUMS = 16,
    FACE_DATUMS = 256,
    TILE_FACES = 4,
    TILE_ROWS = 64,                /* of SrcA, SrcB and Dest */
    TILE_DATUMS = 1024,
    L1_UNIT = 16,                  /* bytes of one unit of an L1 address */
    DEST_HALVES = 2,
    DEST_HALF_ROWS = 512,
    TILE_PACKS = TILE_ROWS / 4,    /* PACR of four rows each */
};

/* Formats (FORMAT_*) on the way; those not mentioned are 0 */
typedef struct TileFormats {
    uint32_t l1_in;                /* what the unpackers find in L1 */
    uint32_t src;                  /* what they make of it in SrcA and SrcB */
    uint32_t dest;                 /* what the packer reads from Dest */
    uint32_t l1_out;               /* what it makes of that in L1 */
    uint32_t exponent_bytes;       /* BFP: of a tile in l1_out, 64; else 0 */
    uint32_t throttle;             /* 0 to 2: unpackers read 16 to 64 bytes */
    bool dest_32b;                 /* Dest has 512 rows of 32 bits */
    bool integer;                  /* INT8 math */
    bool is_unsigned;              /* INT8 means UINT8 */
} TileFormats;

/* What a base address register holds: unpacker and packer skip a header. */
static inline uint32_t tile_base(uint32_t address)
{
    return address / L1_UNIT - 1;
}

/* Bytes of a datum in Dest or SrcA */
static inline uint32_t datum_bytes(uint32_t format)
{
    enum { SIZE_MASK = 3 };
    static const uint8_t bytes[] = { 4, 2, 1, 1 };

    return bytes[format & SIZE_MASK];
}

/* --- BRISC: configuration --- */

/* Formats of SrcA, SrcB and Dest */
static inline void configure_math(const TileFormats *f)
{
    CFG[CFG_ALU_FORMAT_SPEC_REG0_SrcA_WORD] =
        FIELD(ALU_FORMAT_SPEC_REG0_SrcA, f->src) |
        FIELD(ALU_FORMAT_SPEC_REG1_SrcB, f->src) |
        FIELD(ALU_FORMAT_SPEC_REG0_SrcAUnsigned, f->is_unsigned) |
        FIELD(ALU_FORMAT_SPEC_REG0_SrcBUnsigned, f->is_unsigned) |
        FIELD(ALU_FORMAT_SPEC_REG2_Dstacc, f->dest) |
        FIELD(ALU_ACC_CTRL_Fp32_enabled, f->dest_32b) |
        FIELD(ALU_ACC_CTRL_SFPU_Fp32_enabled, f->dest_32b) |
        FIELD(ALU_ACC_CTRL_INT8_math_enabled, f->integer);
    CFG[CFG_ALU_ACC_CTRL_Zero_Flag_disabled_src_WORD] = 0;
}

/* Context 0 of unpacker 0 (to SrcA) or 1 (to SrcB): a tile of four faces */
static inline void configure_unpacker(uint32_t unpacker, const TileFormats *f)
{
    enum {
        UNCOMPRESSED = 1 << 4,     /* of a tile descriptor */
        L1_LIMIT = 0x1FFFF,        /* no wrapping of L1 addresses */
        /* unpacker 1 has the same words so much further on */
        SECTION_WORDS = CFG_THCON_SEC1_REG0_TileDescriptor_WORD -
                        CFG_THCON_SEC0_REG0_TileDescriptor_WORD,
    };
    volatile uint32_t *section = CFG + unpacker * SECTION_WORDS;
    volatile uint32_t *tile =
        section + CFG_THCON_SEC0_REG0_TileDescriptor_WORD;

    tile[0] = f->l1_in | UNCOMPRESSED | FACE_DATUMS << 16;
    tile[1] = 1 | TILE_FACES << 16;
    tile[2] = 1;
    tile[3] = 0;
    section[CFG_THCON_SEC0_REG2_Out_data_format_WORD] =
        FIELD(THCON_SEC0_REG2_Out_data_format, f->src) |
        FIELD(THCON_SEC0_REG2_Throttle_mode, f->throttle);
    section[CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD] =
        FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    section[CFG_THCON_SEC0_REG2_Unpack_limit_address_WORD] = L1_LIMIT;
    section[CFG_THCON_SEC0_REG2_Unpack_fifo_size_WORD] = 0;
    section[CFG_THCON_SEC0_REG7_Offset_address_WORD] = 0;
}

static inline void configure_unpackers(const TileFormats *f)
{
    enum { SKIPPED_DATUMS = 64 };  /* unpacker 0's output starts after them */

    configure_unpacker(UNPACK_SRCA, f);
    configure_unpacker(UNPACK_SRCB, f);
    CFG[CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD] = SKIPPED_DATUMS;
    CFG[CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD] = FACE_DATUMS;
    CFG[CFG_THCON_SEC1_REG5_Dest_cntx0_address_WORD] = 0;
    CFG[CFG_THCON_SEC1_REG5_Tile_x_dim_cntx0_WORD] = FACE_DATUMS;
    CFG[CFG_UNP0_ADDR_BASE_REG_1_Base_WORD] = 0;
    CFG[CFG_UNP1_ADDR_BASE_REG_1_Base_WORD] = 0;
    CFG[CFG_UNP0_FORCED_SHARED_EXP_shared_exp_WORD] = 0;
    CFG[CFG_UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_WORD] =
        FIELD(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1);
    CFG[CFG_UNP0_ADDR_CTRL_ZW_REG_1_Zstride_WORD] =
        FIELD(UNP0_ADDR_CTRL_ZW_REG_1_Zstride,
              FACE_DATUMS * datum_bytes(f->src));
}

/* From Dest: rows follow each other, faces follow each other. */
static inline void configure_packer_input(const TileFormats *f)
{
    enum { ALL_COLUMNS = 0xFFFF };
    uint32_t row = ROW_DATUMS * datum_bytes(f->dest);
    uint32_t face = FACE_ROWS * row;

    CFG[CFG_PCK0_ADDR_CTRL_XY_REG_0_Ystride_WORD] =
        FIELD(PCK0_ADDR_CTRL_XY_REG_0_Ystride, row);
    CFG[CFG_PCK0_ADDR_CTRL_ZW_REG_0_Zstride_WORD] =
        FIELD(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, face) |
        FIELD(PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 2 * face);
    CFG[CFG_PCK0_ADDR_BASE_REG_0_Base_WORD] = 0;
    CFG[CFG_PCK_DEST_RD_CTRL_Read_32b_data_WORD] =
        FIELD(PCK_DEST_RD_CTRL_Read_32b_data, f->dest_32b) |
        FIELD(PCK_DEST_RD_CTRL_Read_unsigned, f->is_unsigned);
    CFG[CFG_TILE_ROW_SET_MAPPING_0_row_set_mapping_0_WORD] = 0;
    CFG[CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD] =
        FIELD(PCK_EDGE_OFFSET_SEC0_mask, ALL_COLUMNS);
    CFG[CFG_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_WORD] =
        FIELD(PACK_COUNTERS_SEC0_pack_per_xy_plane, 1) |
        FIELD(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS);
    CFG[CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD] = 0;
}

/* To L1: one row after the other, no ReLU */
static inline void configure_packer_output(const TileFormats *f)
{
    enum { L1_LIMIT = 0x1FFFF };

    CFG[CFG_PCK0_ADDR_CTRL_XY_REG_1_Ystride_WORD] = 0;
    CFG[CFG_PCK0_ADDR_CTRL_ZW_REG_1_Zstride_WORD] = 0;
    CFG[CFG_PCK0_ADDR_BASE_REG_1_Base_WORD] = 0;
    CFG[CFG_STACC_RELU_ApplyRelu_WORD] = 0;
    CFG[CFG_THCON_SEC0_REG1_Exp_section_size_WORD] =
        FIELD(THCON_SEC0_REG1_Exp_section_size, f->exponent_bytes / L1_UNIT);
    CFG[CFG_THCON_SEC0_REG1_Out_data_format_WORD] =
        FIELD(THCON_SEC0_REG1_Disable_zero_compress, 1) |
        FIELD(THCON_SEC0_REG1_Out_data_format, f->l1_out) |
        FIELD(THCON_SEC0_REG1_In_data_format, f->dest);
    CFG[CFG_THCON_SEC0_REG1_Downsample_mask_WORD] = 0;
    CFG[CFG_THCON_SEC0_REG9_Pack_0_2_limit_address_WORD] = L1_LIMIT;
    CFG[CFG_THCON_SEC0_REG9_Pack_0_2_fifo_size_WORD] = 0;
}

/* All of it, and the semaphore; before the TRISCs start */
static inline void configure_tiles(const TileFormats *f)
{
    configure_math(f);
    configure_unpackers(f);
    configure_packer_input(f);
    configure_packer_output(f);
    PUSH_THREAD(0) = TT(SEMINIT, .max_value = DEST_HALVES,
                        .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

/* --- TRISC0: unpacking --- */

/* Whole tiles, from the first datum; SrcA's rows count from 0. */
static inline void set_up_unpackers(void)
{
    TTINSN(SETADCXX, .CntSetMask = ADC_UNPACKER0 | ADC_UNPACKER1,
           .x_end2 = TILE_DATUMS - 1);
    TTINSN(SETADCXY, .CntSetMask = ADC_UNPACKER0 | ADC_UNPACKER1,
           .BitMask = CH0_Y | CH1_Y);
    TTINSN(SETADCZW, .CntSetMask = ADC_UNPACKER0 | ADC_UNPACKER1,
           .BitMask = CH_ALL);
    ttinsn(TT_SET_THREAD_CFG(SRCA_SET_SetOvrdWithAddr, 1));
}

/* Where the next tiles are in L1; one that is not unpacked may be 0. */
static inline void point_unpackers(uint32_t a, uint32_t b)
{
    /* UNPACRs under way still use the addresses */
    wait_coprocessor();
    CFG[CFG_THCON_SEC0_REG3_Base_address_WORD] = tile_base(a);
    CFG[CFG_THCON_SEC1_REG3_Base_address_WORD] = tile_base(b);
    TTINSN(STALLWAIT, .stall_res = BLOCK_UNPACK, .wait_res = UNTIL_CFG_STORED);
}

/* A whole tile (UNPACK_SRCA or UNPACK_SRCB); then the bank is TRISC1's. */
#define TT_UNPACK_TILE(to) \
    TT(UNPACR, .Unpack_block_selection = (to), .OvrdThreadId = 1, \
       .SetDatValid = 1, .Last = 1)

/* --- TRISC1: computing --- */

/* An empty Dest, counters at 0, address modifier 0: stay in place */
static inline void set_up_math(void)
{
    SET_ADDR_MOD(0, .srca = { 0 });
    TTINSN(ZEROACC, .clear_mode = ZEROACC_ALL);
    TTINSN(SETRWC, .BitMask = RWC_ALL);
}

/* Waits for a half of Dest that is packed; rows count from there. */
static inline void begin_dest_half(uint32_t half)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_MATH | BLOCK_SFPU,
           .wait_sem_cond = WHILE_FULL, .sem_sel = SEM_MASK(SEM_MATH_PACK));
    PUSH_OWN = TT_SET_THREAD_CFG(DEST_TARGET_REG_CFG_MATH_Offset,
                                 half * DEST_HALF_ROWS);
}

/* The half is TRISC2's, once it is written. */
static inline void end_dest_half(void)
{
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC,
           .wait_res = UNTIL_MATH_DONE | UNTIL_SFPU_DONE);
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

/* --- TRISC2: packing --- */

/* The packer's address modifiers */
enum { PACK_FOUR_ROWS_ON, PACK_FIRST_ROW };

/* A MOP packs a tile: PACR of four rows each, the last one ends it. */
static inline void set_up_packer(void)
{
    SET_ADDR_MOD_PACK(PACK_FOUR_ROWS_ON, .y_src = { .incr = 4 });
    SET_ADDR_MOD_PACK(PACK_FIRST_ROW, .y_src = { .clr = 1 },
                      .z_src = { .clr = 1 });
    TTINSN(SETADCXX, .CntSetMask = ADC_PACKER, .x_end2 = ROW_DATUMS - 1);
    TTINSN(SETADCXY, .CntSetMask = ADC_PACKER, .BitMask = CH0_Y | CH1_Y);
    TTINSN(SETADCZW, .CntSetMask = ADC_PACKER, .BitMask = CH_ALL);
    SET_MOP_LOOP(.outer = 1, .inner = TILE_PACKS,
                 .op0 = TT(PACR, .AddrMode = PACK_FOUR_ROWS_ON),
                 .last_of_all = TT(PACR, .AddrMode = PACK_FIRST_ROW,
                                   .Last = 1));
}

/* Where in L1 the next tile goes, and from which half of Dest. */
static inline void point_packer(uint32_t address, uint32_t half)
{
    wait_coprocessor();
    CFG[CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD] = tile_base(address);
    CFG[CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD] = half * DEST_HALF_ROWS;
    TTINSN(STALLWAIT, .stall_res = BLOCK_PACK, .wait_res = UNTIL_CFG_STORED);
}

/* Waits for a full half. */
static inline void begin_pack_half(void)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_PACK, .wait_sem_cond = WHILE_ZERO,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

/*
 * The half is zero again before TRISC1 may have it back.  Exponents that a BFP
 * format shares are read for longer than UNTIL_PACKED says (tt-metal PR 54157).
 */
static inline void end_pack_half(uint32_t half)
{
    TTINSN(STALLWAIT, .stall_res = BLOCK_MATH | BLOCK_SYNC,
           .wait_res = UNTIL_PACKED | UNTIL_SCALAR_DONE);
    PUSH_OWN = TT(ZEROACC, .clear_mode = ZEROACC_HALF, .where = half);
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

/* All of that for one tile; returns when it is in L1. */
static inline void pack_tile(uint32_t address, uint32_t half)
{
    point_packer(address, half);
    begin_pack_half();
    RUN_MOP_LOOP();
    end_pack_half(half);
    wait_coprocessor();
}

#endif
