/*
 * Programs of three T harts like LLK's kernels: datacopy, matmul, a chain by
 * way of L1, and the Vector Unit after the Matrix Unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values are small integers, exact in BF16 and in all sums here, so that plain
 * C computes the expected result.
 */

#include <string.h>

#include "num/num.h"
#include "sync-program.h"
#include "config/config.h"

enum {
    HALF = 512, MATH_OFFSET = 1,   /* rows; thread configuration index */
    CONTEXT_OFFSETS = 41,
    FACE_DATUMS = SYNC_FACE_ROWS * TENSIX_COLUMNS,
    FACE_UNITS = SYNC_FACE_BYTES / 16,
    SLOT_UNITS = SYNC_SLOT_BYTES / 16,
    SLOTS = 8,
    STORE_UNIT = 0xc00,            /* what the mover brings */
    UNCOMPRESSED = 1 << 4,         /* of the tile descriptor */
    ROW_BYTES = 32,
    CLEAR_SRC = 1,                 /* Unpack_Pop of UNPACR_NOP */
    NEXT_Z = 1,                    /* AddrMode of UNPACR */
    MOVE_8_ROWS = 2,               /* instr_mod of MOVA2D */
    TO_SRCB = 1,                   /* Unpack_block_selection */
    VALID_A = 1, VALID_B = 2,      /* clear_ab_vld, clear_dvalid */
    COUNTERS_UNP0 = 1, COUNTERS_UNP1 = 2, COUNTERS_PACK = 4,
    CHANNEL0_Z = 1, CHANNEL0_W = 2,
    ALL_INTERFACES = 0xf,
    NEXT_ROWS = 0, FIRST_ROW = 1,  /* AddrMods of PACR */
    /* AddrMods of the Matrix Unit */
    NEXT_8 = 0, REWIND = 1, NEXT_8_OF_B = 2, STAY = 3,
    RWC_A = 1, RWC_B = 2, RWC_D = 4,
    ZEROACC_HALF = 2,
    GPR_OUT = 8, GPR_SOURCE = 12,
    SFPU_BF16 = 2, BF16_TWO = 0x4000,
    L1_TO_L1 = TENSIX_MOVE_L1_TO_L1,
};

#define NO_WORD TT(NOP)

/* --- data --- */

static uint16_t bf16(unsigned value)
{
    float real = value;
    uint32_t bits;

    memcpy(&bits, &real, sizeof(bits));
    return bits >> 16;
}

/* Datum n of a face: 1 to 3; no two faces are alike. */
static unsigned datum(unsigned face, unsigned n)
{
    uint32_t x = face * 0x9e3779b9u + n * 0x85ebca6bu + 1;

    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return 1 + (x ^ x >> 13) % 3;
}

static void put_face(uint8_t *to, unsigned face)
{
    for (unsigned n = 0; n < FACE_DATUMS; n++) {
        uint16_t value = bf16(datum(face, n));

        memcpy(to + n * sizeof(value), &value, sizeof(value));
    }
}

/* Unpacked and packed alike: after a header of one unit. */
static uint8_t *l1_at(SyncRun *r, unsigned unit)
{
    return &r->f.l1[(unit + 1) * 16];
}

static void fill_slots(SyncRun *r)
{
    for (unsigned face = 0; face < 2 * SLOTS; face++) {
        put_face(l1_at(r, SYNC_SLOTS_UNIT + face * FACE_UNITS), face);
    }
}

/* --- configuration --- */

static void configure_unpacker(SyncRun *r, uint32_t unpacker)
{
    enum { SECTION = CFG_THCON_SEC1_REG0_TileDescriptor_WORD -
                     CFG_THCON_SEC0_REG0_TileDescriptor_WORD };
    uint32_t *words = r->f.core.s.cfg[0] + unpacker * SECTION;

    words[CFG_THCON_SEC0_REG0_TileDescriptor_WORD] =
        TENSIX_FMT_BF16 | UNCOMPRESSED | FACE_DATUMS << 16;
    words[CFG_THCON_SEC0_REG0_TileDescriptor_WORD + 1] = 1 | 2 << 16;
    words[CFG_THCON_SEC0_REG0_TileDescriptor_WORD + 2] = SLOTS;
    words[CFG_THCON_SEC0_REG2_Out_data_format_WORD] |= TENSIX_FMT_BF16;
    words[CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD] |= 3;
    words[CFG_THCON_SEC0_REG3_Base_address_WORD] = SYNC_SLOTS_UNIT;
    words[CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD] = FACE_DATUMS * 0x10001;
    r->f.core.s.adc[SYNC_UNPACK][unpacker].channel[1].X = FACE_DATUMS - 1;
}

/* SrcA's rows count from four on; contexts say so in cells. */
static void configure_unpackers(SyncRun *r)
{
    configure_unpacker(r, 0);
    configure_unpacker(r, 1);
    SYNC_PUT(r, UNP0_ADDR_BASE_REG_1_Base, 64 * 2);
    SYNC_PUT(r, THCON_SEC0_REG5_Dest_cntx0_address, 64 * 0x10001);
}

/* BF16 as it is in Dest; Y counts rows, Z halves. */
static void configure_packer(SyncRun *r)
{
    TensixState *s = &r->f.core.s;

    SYNC_PUT(r, ALU_FORMAT_SPEC_REG2_Dstacc, TENSIX_FMT_BF16);
    SYNC_PUT(r, THCON_SEC0_REG1_In_data_format, TENSIX_FMT_BF16);
    SYNC_PUT(r, THCON_SEC0_REG1_Out_data_format, TENSIX_FMT_BF16);
    SYNC_PUT(r, THCON_SEC0_REG1_Disable_zero_compress, 1);
    SYNC_PUT(r, PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    SYNC_PUT(r, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    SYNC_PUT(r, PCK0_ADDR_CTRL_XY_REG_0_Ystride, ROW_BYTES);
    SYNC_PUT(r, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, HALF * ROW_BYTES);
    s->adc[SYNC_PACK][TENSIX_ADC_PACK].channel[1].X = TENSIX_COLUMNS - 1;
    s->thread_cfg[SYNC_PACK][THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_INDEX] =
        4 << THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_LOW;
    s->thread_cfg[SYNC_PACK][THREAD_CFG_ADDR_MOD_PACK_SEC1_YsrcIncr_INDEX] =
        1 << THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcClear_LOW;
}

static void configure_math(SyncRun *r)
{
    uint16_t *cfg = r->f.core.s.thread_cfg[SYNC_MATH];

    cfg[THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX + NEXT_8] =
        8 << THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_LOW |
        8 << THREAD_CFG_ADDR_MOD_AB_SEC0_SrcBIncr_LOW;
    cfg[THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX + NEXT_8] = 8;
    cfg[THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX + REWIND] =
        1 << THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAClear_LOW |
        1 << THREAD_CFG_ADDR_MOD_AB_SEC0_SrcBClear_LOW;
    cfg[THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX + REWIND] =
        1 << THREAD_CFG_ADDR_MOD_DST_SEC0_DestClear_LOW;
    cfg[THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX + NEXT_8_OF_B] =
        8 << THREAD_CFG_ADDR_MOD_AB_SEC0_SrcBIncr_LOW;
    cfg[THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX + NEXT_8_OF_B] = 8;
    memset(r->f.core.s.dst_row_valid, 0, sizeof(r->f.core.s.dst_row_valid));
}

static void set_max(SyncRun *r, unsigned semaphore, uint32_t max)
{
    r->f.core.s.semaphore[semaphore].max = max;
}

static void configure(SyncRun *r)
{
    configure_unpackers(r);
    configure_math(r);
    configure_packer(r);
    set_max(r, SYNC_MATH_PACK, 2);
    r->f.core.s.vu.use_lane_flags = 0;
    fill_slots(r);
}

/* --- words --- */

static uint32_t sem_wait(uint32_t semaphore, uint32_t condition, uint32_t block)
{
    return TT(SEMWAIT, .sem_sel = 1u << semaphore, .wait_sem_cond = condition,
              .stall_res = block);
}

static uint32_t sem_post(uint32_t semaphore)
{
    return TT(SEMPOST, .sem_sel = 1u << semaphore);
}

static uint32_t sem_get(uint32_t semaphore)
{
    return TT(SEMGET, .sem_sel = 1u << semaphore);
}

static uint32_t stall(uint32_t block, uint32_t wait)
{
    return TT(STALLWAIT, .stall_res = block, .wait_res = wait);
}

/* --- what all have in common: Dest between threads 1 and 2 --- */

/* The first sites of each program. */
enum {
    MATH_SEMWAIT, MATH_STALL_POST, MATH_SEMPOST, MATH_STALL_FLIP,
    PACK_STALL_ADDRESS, PACK_SEMWAIT, PACK_STALL_ZEROACC, PACK_SEMGET,
    COMMON_SITES
};

static const SyncSite common_group[] = {
    [MATH_SEMWAIT] = { "T1 SEMWAIT: room in Dest" },
    [MATH_STALL_POST] = { "T1 STALLWAIT before SEMPOST" },
    [MATH_SEMPOST] = { "T1 SEMPOST: Dest is full" },
    [MATH_STALL_FLIP] = { "T1 STALLWAIT before the other half",
        "the wait before SEMPOST was for the same units" },
    [PACK_STALL_ADDRESS] = { "T2 STALLWAIT THCON before WRCFG",
        "SETDMAREG holds its thread until it is over (WH ScalarUnit.md)" },
    [PACK_SEMWAIT] = { "T2 SEMWAIT: something in Dest" },
    [PACK_STALL_ZEROACC] = { "T2 STALLWAIT before ZEROACC" },
    [PACK_SEMGET] = { "T2 SEMGET: Dest is free" },
};

/* LLK's math_dest_wait(). */
static void math_begin(SyncRun *r)
{
    sync_site(r, SYNC_MATH, MATH_SEMWAIT,
              sem_wait(SYNC_MATH_PACK, SYNC_ON_MAX,
                       SYNC_BLOCK_MATH | SYNC_BLOCK_SFPU | SYNC_BLOCK_SYNC));
    sync_add(r, SYNC_MATH, TT(SETRWC, .BitMask = RWC_A | RWC_B | RWC_D));
}

/* Its section_done() and dest_section_flip(). */
static void math_end(SyncRun *r, unsigned section)
{
    sync_site(r, SYNC_MATH, MATH_STALL_POST,
              stall(SYNC_BLOCK_SYNC, SYNC_WAIT_MATH | SYNC_WAIT_SFPU));
    sync_site(r, SYNC_MATH, MATH_SEMPOST, sem_post(SYNC_MATH_PACK));
    sync_site(r, SYNC_MATH, MATH_STALL_FLIP,
              stall(SYNC_BLOCK_CFG, SYNC_WAIT_MATH | SYNC_WAIT_SFPU));
    sync_add(r, SYNC_MATH, TT(SETC16, .setc16_reg = MATH_OFFSET,
                              .setc16_value = (section + 1) % 2 * HALF));
}

/* GPR := an address, and from there to configuration. */
static void set_address(SyncRun *r, int site, uint32_t gpr, uint32_t address,
                        uint32_t word)
{
    sync_add(r, SYNC_PACK, TT(SETDMAREG, .RegIndex16b = gpr * 2,
                              .Payload_SigSel = address));
    sync_add(r, SYNC_PACK, TT(SETDMAREG, .RegIndex16b = gpr * 2 + 1));
    sync_site(r, SYNC_PACK, site, stall(SYNC_BLOCK_CFG, SYNC_WAIT_THCON));
    sync_add(r, SYNC_PACK, TT(WRCFG, .GprAddress = gpr, .CfgReg = word));
    sync_add(r, SYNC_PACK, TT(DMANOP));
}

/* A tile of `faces` from the half to L1. */
static void set_pack_mop(SyncRun *r, unsigned faces)
{
    uint32_t next = TT(PACR, .ReadIntfSel = ALL_INTERFACES,
                       .AddrMode = NEXT_ROWS);
    uint32_t last = TT(PACR, .ReadIntfSel = ALL_INTERFACES,
                       .AddrMode = FIRST_ROW, .Last = 1);

    sync_mop(r, SYNC_PACK, (uint32_t[]) {
        1, faces * SYNC_FACE_ROWS / 4, NO_WORD, NO_WORD, NO_WORD, next,
        NO_WORD, last, last,
    });
}

static void pack_begin(SyncRun *r, unsigned section, unsigned unit)
{
    set_address(r, PACK_STALL_ADDRESS, GPR_OUT, unit,
                CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD);
    sync_site(r, SYNC_PACK, PACK_SEMWAIT,
              sem_wait(SYNC_MATH_PACK, SYNC_ON_ZERO, SYNC_BLOCK_TDMA));
    sync_add(r, SYNC_PACK, TT(SETADCZW, .CntSetMask = COUNTERS_PACK,
                              .BitMask = CHANNEL0_Z, .Ch0_X = section % 2));
    sync_add(r, SYNC_PACK, TT(MOP, .mop_type = 1));
}

/* LLK's _llk_pack_dest_section_done_(). */
static void pack_end(SyncRun *r, unsigned section)
{
    sync_site(r, SYNC_PACK, PACK_STALL_ZEROACC,
              stall(SYNC_BLOCK_MATH, SYNC_WAIT_PACK));
    sync_add(r, SYNC_PACK, TT(ZEROACC, .clear_mode = ZEROACC_HALF,
                              .where = section % 2));
    sync_site(r, SYNC_PACK, PACK_SEMGET, sem_get(SYNC_MATH_PACK));
}

static void pack_out(SyncRun *r, unsigned section, unsigned unit)
{
    pack_begin(r, section, unit);
    pack_end(r, section);
}

/* --- copying: SrcA alone, but SrcB goes back and forth with it --- */

enum {
    COPY_VALID_A = COMMON_SITES, COPY_VALID_B, COPY_CLEAR_A, COPY_CLEAR_B,
    COPY_SITES
};

static const SyncSite copy_group[] = {
    [COPY_VALID_A - COMMON_SITES] = { "T0 UNPACR's dvalid" },
    [COPY_VALID_B - COMMON_SITES] = { "T0 UNPACR_NOP's dvalid" },
    [COPY_CLEAR_A - COMMON_SITES] = { "T1 SETRWC's clear of SrcA" },
    [COPY_CLEAR_B - COMMON_SITES] = { "T1 SETRWC's clear of SrcB" },
};

static void set_copy_mops(SyncRun *r, unsigned faces)
{
    uint32_t unpack = TT(UNPACR, .AddrMode = NEXT_Z,
                         .SetDatValid = sync_bits(r, COPY_VALID_A, 1));
    uint32_t mark = TT(UNPACR_NOP, .Unpacker_Select = 1,
                       .Unpack_Pop = CLEAR_SRC,
                       .Set_Dvalid = sync_bits(r, COPY_VALID_B, 1));
    uint32_t move = TT(MOVA2D, .instr_mod = MOVE_8_ROWS, .addr_mode = NEXT_8);
    uint32_t clear = TT(SETRWC, .BitMask = RWC_A | RWC_B,
                        .clear_ab_vld = sync_bits(r, COPY_CLEAR_A, VALID_A) |
                                        sync_bits(r, COPY_CLEAR_B, VALID_B));

    sync_mop(r, SYNC_UNPACK, (uint32_t[]) {
        faces, 1, NO_WORD, mark, NO_WORD, unpack, NO_WORD, unpack, unpack,
    });
    sync_mop(r, SYNC_MATH, (uint32_t[]) {
        faces, 2, NO_WORD, clear, NO_WORD, move, NO_WORD, move, move,
    });
    set_pack_mop(r, faces);
}

static void select_slot(SyncRun *r, uint32_t counters, unsigned slot)
{
    sync_add(r, SYNC_UNPACK, TT(SETADCZW, .CntSetMask = counters,
                                .BitMask = CHANNEL0_Z | CHANNEL0_W,
                                .Ch0_Y = slot));
}

static void math_section(SyncRun *r, unsigned section)
{
    math_begin(r);
    sync_add(r, SYNC_MATH, TT(MOP, .mop_type = 1));
    math_end(r, section);
}

/* --- (a) datacopy --- */

enum { A_TILES = 9, A_FACES = 3, A_RING = 4 };

_Static_assert(A_FACES == 3 && A_TILES % 2,
               "an odd number of banks, so that one left behind shows");

/* Slots hold two faces; the third one is the next slot's first. */
static void build_datacopy(SyncRun *r)
{
    configure(r);
    set_copy_mops(r, A_FACES);
    for (unsigned tile = 0; tile < A_TILES; tile++) {
        select_slot(r, COUNTERS_UNP0, tile % A_RING);
        sync_add(r, SYNC_UNPACK, TT(MOP, .mop_type = 1));
        math_section(r, tile);
        pack_out(r, tile, SYNC_OUT_UNIT + tile * A_FACES * FACE_UNITS);
    }
}

static unsigned datacopy_oracle(uint8_t *out)
{
    for (unsigned tile = 0; tile < A_TILES; tile++) {
        for (unsigned face = 0; face < A_FACES; face++) {
            put_face(out, tile % A_RING * 2 + face);
            out += SYNC_FACE_BYTES;
        }
    }
    return A_TILES * A_FACES * SYNC_FACE_BYTES;
}

/* --- (b) matmul: two k steps a tile, addresses by contexts --- */

enum {
    B_POLL = COMMON_SITES, B_POST, B_STALL_CFG, B_SEMGET,
    B_VALID_A, B_VALID_B, B_CLEAR_A, B_CLEAR_B,
    B_TILES = 7, B_STEPS = 2,
    CONTEXTS = 2,
};

static const SyncSite matmul_group[] = {
    [B_POLL - COMMON_SITES] = { "T0 hart's poll: a context is free" },
    [B_POST - COMMON_SITES] = { "T0 hart's post: a context is in use" },
    /* no seed finds it: a hart's store to configuration is over at once */
    [B_STALL_CFG - COMMON_SITES] = { "T0 STALLWAIT TRISC_CFG before UNPACR" },
    [B_SEMGET - COMMON_SITES] = { "T0 SEMGET: a context is free" },
    [B_VALID_A - COMMON_SITES] = { "T0 UNPACR to SrcA's dvalid" },
    [B_VALID_B - COMMON_SITES] = { "T0 UNPACR to SrcB's dvalid" },
    [B_CLEAR_A - COMMON_SITES] = { "T1 MVMUL's clear of SrcA" },
    [B_CLEAR_B - COMMON_SITES] = { "T1 MVMUL's clear of SrcB" },
};

/* Faces that a step multiplies. */
static unsigned face_a(unsigned step)
{
    return step * 5 % (2 * SLOTS);
}

static unsigned face_b(unsigned step)
{
    return (step * 3 + 1) % (2 * SLOTS);
}

static void set_matmul_mops(SyncRun *r)
{
    uint32_t a = TT(UNPACR, .OvrdThreadId = 1,
                    .SetDatValid = sync_bits(r, B_VALID_A, 1));
    uint32_t b = TT(UNPACR, .OvrdThreadId = 1,
                    .Unpack_block_selection = TO_SRCB,
                    .SetDatValid = sync_bits(r, B_VALID_B, 1));
    uint32_t first = TT(MVMUL, .addr_mode = NEXT_8_OF_B);
    uint32_t last = TT(MVMUL, .addr_mode = REWIND,
                       .clear_dvalid = sync_bits(r, B_CLEAR_A, VALID_A) |
                                       sync_bits(r, B_CLEAR_B, VALID_B));

    sync_mop(r, SYNC_UNPACK, (uint32_t[]) {
        1, 1, NO_WORD, a, NO_WORD, b, NO_WORD, b, b,
    });
    sync_mop(r, SYNC_MATH, (uint32_t[]) {
        B_STEPS, 2, NO_WORD, NO_WORD, NO_WORD, first, NO_WORD, last, last,
    });
    set_pack_mop(r, 1);
}

/* LLK's wait_for_next_context() and what follows it. */
static void unpack_step(SyncRun *r, unsigned step)
{
    unsigned context = step % CONTEXTS, other = (step + 1) % CONTEXTS;

    sync_hart_site(r, SYNC_UNPACK, B_POLL, SYNC_POLL_BELOW, SYNC_UNPACK_SYNC,
                   CONTEXTS);
    sync_configure(r, SYNC_UNPACK,
                   CFG_THCON_SEC0_REG3_Base_address_WORD + context,
                   SYNC_SLOTS_UNIT + face_a(step) * FACE_UNITS);
    sync_configure(r, SYNC_UNPACK,
                   CFG_THCON_SEC1_REG3_Base_address_WORD + context,
                   SYNC_SLOTS_UNIT + face_b(step) * FACE_UNITS);
    sync_hart_site(r, SYNC_UNPACK, B_POST, SYNC_POST, SYNC_UNPACK_SYNC, 0);
    sync_site(r, SYNC_UNPACK, B_STALL_CFG,
              stall(SYNC_BLOCK_UNPACK, SYNC_WAIT_TRISC_CFG));
    sync_add(r, SYNC_UNPACK, TT(MOP, .mop_type = 1));
    sync_site(r, SYNC_UNPACK, B_SEMGET, sem_get(SYNC_UNPACK_SYNC));
    sync_add(r, SYNC_UNPACK, TT(SETC16, .setc16_reg = CONTEXT_OFFSETS,
                                .setc16_value = other | other << 8));
}

static void build_matmul(SyncRun *r)
{
    configure(r);
    set_matmul_mops(r);
    for (unsigned tile = 0; tile < B_TILES; tile++) {
        for (unsigned step = 0; step < B_STEPS; step++) {
            unpack_step(r, tile * B_STEPS + step);
        }
        math_section(r, tile);
        pack_out(r, tile, SYNC_OUT_UNIT + tile * FACE_UNITS);
    }
}

static uint16_t product(unsigned tile, unsigned row, unsigned column)
{
    unsigned sum = 0;

    for (unsigned step = tile * B_STEPS; step < (tile + 1) * B_STEPS; step++) {
        for (unsigned k = 0; k < TENSIX_COLUMNS; k++) {
            sum += datum(face_b(step), row * TENSIX_COLUMNS + k) *
                   datum(face_a(step), k * TENSIX_COLUMNS + column);
        }
    }
    return bf16(sum);
}

static unsigned matmul_oracle(uint8_t *out)
{
    for (unsigned n = 0; n < B_TILES * FACE_DATUMS; n++) {
        uint16_t value = product(n / FACE_DATUMS,
                                 n % FACE_DATUMS / TENSIX_COLUMNS,
                                 n % TENSIX_COLUMNS);

        memcpy(out + n * sizeof(value), &value, sizeof(value));
    }
    return B_TILES * SYNC_FACE_BYTES;
}

/* --- sums of SrcA and SrcB --- */

enum {
    ADD_VALID_A = COMMON_SITES, ADD_VALID_B, ADD_CLEAR_A, ADD_CLEAR_B,
    ADD_SITES
};

static const SyncSite add_group[] = {
    [ADD_VALID_A - COMMON_SITES] = { "T0 UNPACR to SrcA's dvalid" },
    [ADD_VALID_B - COMMON_SITES] = { "T0 UNPACR to SrcB's dvalid" },
    [ADD_CLEAR_A - COMMON_SITES] = { "T1 ELWADD's clear of SrcA" },
    [ADD_CLEAR_B - COMMON_SITES] = { "T1 ELWADD's clear of SrcB" },
};

static void set_add_mops(SyncRun *r)
{
    uint32_t a = TT(UNPACR, .SetDatValid = sync_bits(r, ADD_VALID_A, 1));
    uint32_t b = TT(UNPACR, .Unpack_block_selection = TO_SRCB,
                    .SetDatValid = sync_bits(r, ADD_VALID_B, 1));
    uint32_t first = TT(ELWADD, .addr_mode = NEXT_8);
    uint32_t last = TT(ELWADD, .addr_mode = REWIND,
                       .clear_dvalid = sync_bits(r, ADD_CLEAR_A, VALID_A) |
                                       sync_bits(r, ADD_CLEAR_B, VALID_B));

    sync_mop(r, SYNC_UNPACK, (uint32_t[]) {
        1, 1, NO_WORD, b, NO_WORD, a, NO_WORD, a, a,
    });
    sync_mop(r, SYNC_MATH, (uint32_t[]) {
        1, 2, NO_WORD, NO_WORD, NO_WORD, first, NO_WORD, last, last,
    });
    set_pack_mop(r, 1);
}

/* --- (c) a chain: mover, sum to L1, unpack that, sum again --- */

enum {
    C_IN_SEMWAIT = ADD_SITES, C_IN_STALL, C_IN_SEMGET,
    C_MID_SEMWAIT, C_MID_STALL, C_MID_SEMGET,
    C_MOVE_STALL_ADDRESS, C_MOVE_SEMWAIT, C_MOVE_STALL, C_MOVE_SEMPOST,
    C_PACK_SEMWAIT, C_PACK_STALL, C_PACK_SEMPOST,
    C_TILES = 7, IN_SLOT = 0, BIAS_SLOT = 2, MID_SLOT = 4,
    FIRST_STORED_FACE = 50,
};

static const SyncSite chain_group[] = {
    [C_IN_SEMWAIT - ADD_SITES] = { "T0 SEMWAIT: moved to L1" },
    [C_IN_STALL - ADD_SITES] = { "T0 STALLWAIT before SEMGET: input" },
    [C_IN_SEMGET - ADD_SITES] = { "T0 SEMGET: the input's buffer is free" },
    [C_MID_SEMWAIT - ADD_SITES] = { "T0 SEMWAIT: packed to L1" },
    [C_MID_STALL - ADD_SITES] = { "T0 STALLWAIT before SEMGET: result" },
    [C_MID_SEMGET - ADD_SITES] = { "T0 SEMGET: the result's buffer is free" },
    [C_MOVE_STALL_ADDRESS - ADD_SITES] = {
        "T2 STALLWAIT THCON before the mover's WRCFG",
        "SETDMAREG holds its thread until it is over (WH ScalarUnit.md)" },
    [C_MOVE_SEMWAIT - ADD_SITES] = { "T2 SEMWAIT: room for the mover" },
    [C_MOVE_STALL - ADD_SITES] = { "T2 STALLWAIT XMOV before SEMPOST" },
    [C_MOVE_SEMPOST - ADD_SITES] = { "T2 SEMPOST: moved to L1" },
    [C_PACK_SEMWAIT - ADD_SITES] = { "T2 SEMWAIT: room for the packer" },
    [C_PACK_STALL - ADD_SITES] = { "T2 STALLWAIT PACK before SEMPOST" },
    [C_PACK_SEMPOST - ADD_SITES] = { "T2 SEMPOST: packed to L1" },
};

static void take(SyncRun *r, unsigned slot, uint32_t semaphore, int first_site)
{
    select_slot(r, COUNTERS_UNP0, slot);
    sync_site(r, SYNC_UNPACK, first_site,
              sem_wait(semaphore, SYNC_ON_ZERO, SYNC_BLOCK_UNPACK));
    sync_add(r, SYNC_UNPACK, TT(MOP, .mop_type = 1));
    sync_site(r, SYNC_UNPACK, first_site + 1,
              stall(SYNC_BLOCK_SYNC, SYNC_WAIT_UNPACK0));
    sync_site(r, SYNC_UNPACK, first_site + 2, sem_get(semaphore));
}

static void move_in(SyncRun *r, unsigned tile)
{
    set_address(r, C_MOVE_STALL_ADDRESS, GPR_SOURCE,
                STORE_UNIT + tile * FACE_UNITS,
                CFG_THCON_SEC0_REG6_Source_address_WORD);
    sync_site(r, SYNC_PACK, C_MOVE_SEMWAIT,
              sem_wait(SYNC_FILLED, SYNC_ON_MAX, SYNC_BLOCK_XMOV));
    sync_add(r, SYNC_PACK, TT(XMOV));
    sync_site(r, SYNC_PACK, C_MOVE_STALL,
              stall(SYNC_BLOCK_SYNC, SYNC_WAIT_XMOV));
    sync_site(r, SYNC_PACK, C_MOVE_SEMPOST, sem_post(SYNC_FILLED));
}

static void pack_mid(SyncRun *r, unsigned section)
{
    sync_site(r, SYNC_PACK, C_PACK_SEMWAIT,
              sem_wait(SYNC_PACK_DONE, SYNC_ON_MAX, SYNC_BLOCK_PACK));
    pack_begin(r, section, SYNC_SLOTS_UNIT + MID_SLOT * SLOT_UNITS);
    sync_site(r, SYNC_PACK, C_PACK_STALL,
              stall(SYNC_BLOCK_SYNC, SYNC_WAIT_PACK));
    sync_site(r, SYNC_PACK, C_PACK_SEMPOST, sem_post(SYNC_PACK_DONE));
    pack_end(r, section);
}

static void configure_chain(SyncRun *r)
{
    configure(r);
    set_add_mops(r);
    r->f.core.s.adc[SYNC_UNPACK][1].channel[0].W = BIAS_SLOT;
    set_max(r, SYNC_FILLED, 1);
    set_max(r, SYNC_PACK_DONE, 1);
    SYNC_PUT(r, THCON_SEC0_REG6_Destination_address,
             SYNC_SLOTS_UNIT + IN_SLOT * SLOT_UNITS + 1);
    SYNC_PUT(r, THCON_SEC0_REG6_Buffer_size, FACE_UNITS);
    SYNC_PUT(r, THCON_SEC0_REG6_Transfer_direction, L1_TO_L1);
    for (unsigned tile = 0; tile <= C_TILES; tile++) {
        put_face(&r->f.l1[(STORE_UNIT + tile * FACE_UNITS) * 16],
                 FIRST_STORED_FACE + tile);
    }
}

/*
 * A tile goes in while the one before it is on its second way.  The last one
 * goes once: an odd number of banks, so that one left behind shows.
 */
static void build_chain(SyncRun *r)
{
    unsigned section = 0;

    configure_chain(r);
    move_in(r, 0);
    for (unsigned n = 0; n <= C_TILES; n++) {
        if (n < C_TILES) {
            take(r, IN_SLOT, SYNC_FILLED, C_IN_SEMWAIT);
            math_section(r, section);
            move_in(r, n + 1);
            pack_mid(r, section++);
        }
        if (n > 0) {
            take(r, MID_SLOT, SYNC_PACK_DONE, C_MID_SEMWAIT);
            math_section(r, section);
            pack_out(r, section++, SYNC_OUT_UNIT + (n - 1) * FACE_UNITS);
        }
    }
    take(r, IN_SLOT, SYNC_FILLED, C_IN_SEMWAIT);
    math_section(r, section);
    pack_out(r, section, SYNC_OUT_UNIT + C_TILES * FACE_UNITS);
}

static unsigned chain_oracle(uint8_t *out)
{
    for (unsigned n = 0; n < (C_TILES + 1) * FACE_DATUMS; n++) {
        unsigned tile = n / FACE_DATUMS, at = n % FACE_DATUMS;
        unsigned ways = tile < C_TILES ? 2 : 1;
        uint16_t value = bf16(datum(FIRST_STORED_FACE + tile, at) +
                              ways * datum(BIAS_SLOT * 2, at));

        memcpy(out + n * sizeof(value), &value, sizeof(value));
    }
    return (C_TILES + 1) * SYNC_FACE_BYTES;
}

/* --- (d) the Vector Unit after the Matrix Unit --- */

enum {
    D_STALL_SFPU = ADD_SITES,
    D_TILES = 9, D_FIRST_ROW = 8, SFPU_WORDS = 5, SFPU_STEPS = 4,
};

static const SyncSite sfpu_group[] = {
    [D_STALL_SFPU - ADD_SITES] = { "T1 STALLWAIT MATH before SFPLOAD" },
};

/* Four rows' even or odd columns times two. */
static void record_sfpu(SyncRun *r)
{
    const uint32_t words[SFPU_WORDS] = {
        TT(SFPLOAD, .instr_mod0 = SFPU_BF16, .sfpu_addr_mode = STAY,
           .dest_reg_addr = D_FIRST_ROW),
        TT(SFPMULI, .imm16_math = BF16_TWO),
        TT(SFPNOP),
        TT(SFPSTORE, .instr_mod0 = SFPU_BF16, .sfpu_addr_mode = STAY,
           .dest_reg_addr = D_FIRST_ROW),
        TT(INCRWC, .rwc_d = 2),
    };

    sync_add(r, SYNC_MATH, TT(REPLAY, .load_mode = 1, .len = SFPU_WORDS));
    for (unsigned n = 0; n < SFPU_WORDS; n++) {
        sync_add(r, SYNC_MATH, words[n]);
    }
}

static void build_sfpu(SyncRun *r)
{
    configure(r);
    set_add_mops(r);
    record_sfpu(r);
    for (unsigned tile = 0; tile < D_TILES; tile++) {
        select_slot(r, COUNTERS_UNP0, tile % SLOTS);
        select_slot(r, COUNTERS_UNP1, (tile + 3) % SLOTS);
        sync_add(r, SYNC_UNPACK, TT(MOP, .mop_type = 1));
        math_begin(r);
        sync_add(r, SYNC_MATH, TT(MOP, .mop_type = 1));
        sync_site(r, SYNC_MATH, D_STALL_SFPU,
                  stall(SYNC_BLOCK_SFPU, SYNC_WAIT_MATH));
        for (unsigned n = 0; n < SFPU_STEPS; n++) {
            sync_add(r, SYNC_MATH, TT(REPLAY, .len = SFPU_WORDS));
        }
        math_end(r, tile);
        pack_out(r, tile, SYNC_OUT_UNIT + tile * FACE_UNITS);
    }
}

static unsigned sfpu_oracle(uint8_t *out)
{
    for (unsigned n = 0; n < D_TILES * FACE_DATUMS; n++) {
        unsigned tile = n / FACE_DATUMS, at = n % FACE_DATUMS;
        unsigned sum = datum(tile % SLOTS * 2, at) +
                       datum((tile + 3) % SLOTS * 2, at);
        uint16_t value =
            bf16(at / TENSIX_COLUMNS < D_FIRST_ROW ? sum : 2 * sum);

        memcpy(out + n * sizeof(value), &value, sizeof(value));
    }
    return D_TILES * SYNC_FACE_BYTES;
}

/* --- all of them --- */

#define GROUP(name) { name##_group, sizeof(name##_group) / sizeof(SyncSite) }

const SyncKernel sync_kernels[] = {
    { "datacopy", { GROUP(common), GROUP(copy) },
      build_datacopy, datacopy_oracle },
    { "matmul", { GROUP(common), GROUP(matmul) },
      build_matmul, matmul_oracle },
    { "chain", { GROUP(common), GROUP(add), GROUP(chain) },
      build_chain, chain_oracle },
    { "sfpu", { GROUP(common), GROUP(add), GROUP(sfpu) },
      build_sfpu, sfpu_oracle },
};

const unsigned sync_kernel_count = sizeof(sync_kernels) /
                                   sizeof(sync_kernels[0]);

const SyncSite *sync_site_of(const SyncKernel *k, unsigned n)
{
    for (unsigned group = 0; group < SYNC_GROUPS; group++) {
        if (n < k->sites[group].count) {
            return &k->sites[group].site[n];
        }
        n -= k->sites[group].count;
    }
    return NULL;
}
