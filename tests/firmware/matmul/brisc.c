/*
 * Matrix multiplication, BRISC: fetches tiles of A and B, sends tiles of C.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Work goes out through the PCBufs; TRISC0 and TRISC2 send a word back when a
 * chunk has been unpacked and a tile packed.  (BH NoC pages, PCBufs.md)
 */

#include "../console.h"
#include "matmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "brisc";

/* NoC 0, request initiator 0 */
#define NIU                 0xFFB20000u
#define NOC_TARGET          REG32(NIU + 0x00)
#define NOC_TARGET_MIDDLE   REG32(NIU + 0x04)
#define NOC_TARGET_TILE     REG32(NIU + 0x08)
#define NOC_RETURN          REG32(NIU + 0x0C)
#define NOC_RETURN_MIDDLE   REG32(NIU + 0x10)
#define NOC_RETURN_TILE     REG32(NIU + 0x14)
#define NOC_CONTROL         REG32(NIU + 0x1C)
#define NOC_LENGTH          REG32(NIU + 0x20)
#define NOC_START           REG32(NIU + 0x40)
#define NOC_NODE_ID         REG32(NIU + 0x44)
#define NOC_WRITES_ACKED    REG32(NIU + 0x204)
#define NOC_READS_DONE      REG32(NIU + 0x208)

enum {
    NODE_COORDINATES = 0xFFF,
    NOC_READ = 0x2090,             /* marked for a response, static channel */
    NOC_WRITE = 0x2092,
    NOC_PACKET = 16384,
    BENCH_RUNS = 40,
    BENCH_TILES = 64,              /* at most, in a batch */
};

static uint32_t chunks_sent, chunks_back, tiles_sent, tiles_back;
static uint32_t reads_wanted, writes_wanted;

/* --- configuration --- */

static void configure_math(void)
{
    CFG[CFG_ALU_ACC_CTRL_Fp32_enabled_WORD] =
        FIELD(ALU_FORMAT_SPEC_REG0_SrcA, SHARED->src_format) |
        FIELD(ALU_FORMAT_SPEC_REG1_SrcB, SHARED->src_format) |
        FIELD(ALU_FORMAT_SPEC_REG2_Dstacc, SHARED->pack_format) |
        FIELD(ALU_ACC_CTRL_Fp32_enabled, SHARED->dest_32b) |
        FIELD(ALU_ACC_CTRL_SFPU_Fp32_enabled, SHARED->dest_32b) |
        FIELD(ALU_ACC_CTRL_INT8_math_enabled, SHARED->integer);
    CFG[CFG_ALU_ACC_CTRL_Zero_Flag_disabled_src_WORD] = 0;
}

/* Both unpackers, word for word; section: words between them. */
static void configure_unpacker(unsigned section)
{
    volatile uint32_t *cfg = CFG + section;
    unsigned descriptor = CFG_THCON_SEC0_REG0_TileDescriptor_WORD;

    /* x_dim, not compressed; z_dim and y_dim; w_dim */
    cfg[descriptor] = FACE_DATUMS << 16 | 1 << 4 | SHARED->in_format;
    cfg[descriptor + 1] = TILE_FACES << 16 | 1;
    cfg[descriptor + 2] = 1;
    cfg[descriptor + 3] = 0;
    cfg[CFG_THCON_SEC0_REG2_Out_data_format_WORD] = SHARED->src_format;
    cfg[CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD] =
        FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    cfg[CFG_THCON_SEC0_REG2_Unpack_limit_address_WORD] = 0x1FFFF;
    cfg[CFG_THCON_SEC0_REG2_Unpack_fifo_size_WORD] = 0;
    /* unpacker 0 starts four rows before SrcA */
    cfg[CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD] = section ? 0 : 64;
    cfg[CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD] = FACE_DATUMS;
    cfg[CFG_THCON_SEC0_REG7_Offset_address_WORD] = 0;
}

/* Rows of 16 datums of the packer's format follow each other in Dest. */
static void configure_packer_input(void)
{
    static const uint8_t datum_bytes[] = { 4, 2, 1, 1 };
    uint32_t row = 16 * datum_bytes[SHARED->pack_format & 3];

    CFG[CFG_PCK0_ADDR_CTRL_XY_REG_0_Ystride_WORD] =
        FIELD(PCK0_ADDR_CTRL_XY_REG_0_Ystride, row);
    CFG[CFG_PCK0_ADDR_CTRL_ZW_REG_0_Zstride_WORD] =
        FIELD(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, row * 16);
    CFG[CFG_PCK0_ADDR_BASE_REG_0_Base_WORD] = 0;
    CFG[CFG_PCK_DEST_RD_CTRL_Read_32b_data_WORD] =
        FIELD(PCK_DEST_RD_CTRL_Read_32b_data, SHARED->dest_32b);
    CFG[CFG_TILE_ROW_SET_MAPPING_0_row_set_mapping_0_WORD] = 0;
    CFG[CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD] = 0xFFFF;
    CFG[CFG_PACK_COUNTERS_SEC0_pack_per_xy_plane_WORD] =
        FIELD(PACK_COUNTERS_SEC0_pack_per_xy_plane, 1) |
        FIELD(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    CFG[CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD] = 0;
}

static void configure_packer_output(void)
{
    CFG[CFG_PCK0_ADDR_CTRL_XY_REG_1_Ystride_WORD] = 0;
    CFG[CFG_PCK0_ADDR_CTRL_ZW_REG_1_Zstride_WORD] = 0;
    CFG[CFG_PCK0_ADDR_BASE_REG_1_Base_WORD] = 0;
    CFG[CFG_STACC_RELU_ApplyRelu_WORD] = 0;
    CFG[CFG_THCON_SEC0_REG1_Exp_section_size_WORD] =
        FIELD(THCON_SEC0_REG1_Exp_section_size,
              SHARED->out_exponents / L1_UNIT);
    CFG[CFG_THCON_SEC0_REG1_Out_data_format_WORD] =
        FIELD(THCON_SEC0_REG1_Disable_zero_compress, 1) |
        FIELD(THCON_SEC0_REG1_Out_data_format, SHARED->out_format) |
        FIELD(THCON_SEC0_REG1_In_data_format, SHARED->pack_format);
    CFG[CFG_THCON_SEC0_REG1_Downsample_mask_WORD] = 0;
    CFG[CFG_THCON_SEC0_REG9_Pack_0_2_limit_address_WORD] = 0x1FFFF;
    CFG[CFG_THCON_SEC0_REG9_Pack_0_2_fifo_size_WORD] = 0;
}

static void configure(void)
{
    configure_math();
    configure_unpacker(0);
    configure_unpacker(CFG_THCON_SEC1_REG0_TileDescriptor_WORD -
                       CFG_THCON_SEC0_REG0_TileDescriptor_WORD);
    CFG[CFG_UNP0_ADDR_BASE_REG_1_Base_WORD] = 0;
    CFG[CFG_UNP1_ADDR_BASE_REG_1_Base_WORD] = 0;
    CFG[CFG_UNP0_FORCED_SHARED_EXP_shared_exp_WORD] = 0;
    configure_packer_input();
    configure_packer_output();
    PUSH_THREAD(0) = TT(SEMINIT, .max_value = DEST_HALVES,
                        .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

/* --- the NoC --- */

/* One request of at most NOC_PACKET bytes; tile: whose `remote` is. */
static void request(uint32_t control, uint32_t remote, uint32_t local,
                    uint32_t size)
{
    uint32_t own = NOC_NODE_ID & NODE_COORDINATES;
    uint32_t memory = SHARED->memory;
    bool read = control == NOC_READ;

    while (NOC_START) {
        fence();
    }
    NOC_TARGET = read ? remote : local;
    NOC_TARGET_MIDDLE = 0;
    NOC_TARGET_TILE = read ? memory : own;
    NOC_RETURN = read ? local : remote;
    NOC_RETURN_MIDDLE = 0;
    NOC_RETURN_TILE = read ? own : memory;
    NOC_CONTROL = control;
    NOC_LENGTH = size;
    NOC_START = 1;
}

/* Starts what wait_for_noc() waits for. */
static void transfer(uint32_t control, uint32_t remote, uint32_t local,
                     uint32_t size)
{
    while (size) {
        uint32_t part = size < NOC_PACKET ? size : NOC_PACKET;

        request(control, remote, local, part);
        *(control == NOC_READ ? &reads_wanted : &writes_wanted) += 1;
        remote += part;
        local += part;
        size -= part;
    }
}

static void wait_for_noc(void)
{
    while ((int32_t)(NOC_READS_DONE - reads_wanted) < 0 ||
           (int32_t)(NOC_WRITES_ACKED - writes_wanted) < 0) {
        fence();
    }
}

/* --- work --- */

static uint32_t chunk_address(uint32_t n)
{
    return CHUNK_BASE + n % CHUNK_SLOTS * 2 * CHUNK_BYTES;
}

static uint32_t out_address(uint32_t n)
{
    return OUT_BASE + n % OUT_SLOTS * MAX_TILE_BYTES;
}

static void send_chunk(uint32_t a, uint32_t b, uint32_t count, uint32_t flags)
{
    PCBUF(0) = a;
    PCBUF(0) = b;
    PCBUF(0) = count;
    PCBUF(1) = count | flags | 1 << UNIT_REPEAT_LOW;
    chunks_sent++;
}

static void take_chunk_back(void)
{
    (void)MAILBOX(MAIL_TRISC0);
    chunks_back++;
}

/* A packed tile goes to its place in C. */
static void take_tile_back(void)
{
    uint32_t bytes = SHARED->out_bytes;

    (void)MAILBOX(MAIL_TRISC2);
    transfer(NOC_WRITE, SHARED->c + tiles_back * bytes,
             out_address(tiles_back), bytes);
    wait_for_noc();
    SHARED->tiles_done = ++tiles_back;
}

static void feed_chunk(uint32_t row, uint32_t column, uint32_t first)
{
    uint32_t inner = SHARED->inner, bytes = SHARED->in_bytes;
    uint32_t count = inner - first < CHUNK_TILES ? inner - first : CHUNK_TILES;
    uint32_t a = chunk_address(chunks_sent), b = a + CHUNK_BYTES;

    if (chunks_sent - chunks_back == CHUNK_SLOTS) {
        take_chunk_back();
    }
    transfer(NOC_READ, SHARED->a + (row * inner + first) * bytes, a,
             count * bytes);
    transfer(NOC_READ, SHARED->b + (column * inner + first) * bytes, b,
             count * bytes);
    wait_for_noc();
    send_chunk(a, b, count, (first ? 0 : UNIT_FIRST) |
                            (first + count == inner ? UNIT_LAST : 0));
}

static void feed_tile(uint32_t row, uint32_t column)
{
    if (tiles_sent - tiles_back == OUT_SLOTS) {
        take_tile_back();
    }
    PCBUF(2) = out_address(tiles_sent);
    PCBUF(2) = 1;
    tiles_sent++;
    for (uint32_t first = 0; first < SHARED->inner; first += CHUNK_TILES) {
        feed_chunk(row, column, first);
    }
}

static void multiply(void)
{
    for (uint32_t row = 0; row < SHARED->rows; row++) {
        for (uint32_t column = 0; column < SHARED->columns; column++) {
            feed_tile(row, column);
        }
    }
    while (tiles_back < tiles_sent) {
        take_tile_back();
    }
    while (chunks_back < chunks_sent) {
        take_chunk_back();
    }
}

/* --- measuring --- */

/* BF16 between 1 and 2, signs mixed; the last pair is the first one again. */
static void fill_operands(uint32_t batch)
{
    volatile uint16_t *a = (volatile uint16_t *)CHUNK_BASE;
    volatile uint16_t *b = a + BENCH_TILES * MAX_TILE_BYTES / sizeof(*a);
    uint32_t last = (batch - 1) * TILE_DATUMS, x = 1;

    for (uint32_t n = 0; n < batch * TILE_DATUMS; n++) {
        x = x * 1664525 + 1013904223;
        a[n] = 0x3F80 | (x >> 16 & 0x807F);
        b[n] = 0x3F80 | (x >> 8 & 0x807F);
    }
    for (uint32_t n = 0; n < TILE_DATUMS; n++) {
        a[last + n] = a[n];
        b[last + n] = b[n];
    }
}

/* Do the first and the last pair give the same, and something? */
static bool results_agree(uint32_t batch)
{
    volatile uint16_t *first = (volatile uint16_t *)OUT_BASE;
    volatile uint16_t *last =
        first + (batch - 1) * MAX_TILE_BYTES / sizeof(*first);
    uint32_t something = 0;

    for (uint32_t n = 0; n < TILE_DATUMS; n++) {
        if (first[n] != last[n]) {
            return false;
        }
        something |= first[n];
    }
    return something;
}

/* Each pair of tiles in L1 gives a tile in L1. */
static void run_batch(uint32_t batch)
{
    PCBUF(2) = OUT_BASE;
    PCBUF(2) = batch;
    PCBUF(0) = CHUNK_BASE;
    PCBUF(0) = CHUNK_BASE + BENCH_TILES * MAX_TILE_BYTES;
    PCBUF(0) = batch;
    PCBUF(1) = 1 | UNIT_FIRST | UNIT_LAST | batch << UNIT_REPEAT_LOW;
    (void)MAILBOX(MAIL_TRISC0);
    (void)MAILBOX(MAIL_TRISC2);
}

/* "bench KEY WORK CLOCKS", as tests/firmware/bench has it */
static void measure_batch(const char *key, uint32_t batch)
{
    uint32_t best = UINT32_MAX;

    for (unsigned i = 0; i < BENCH_RUNS; i++) {
        uint32_t start = WALL_CLOCK_LOW;
        uint32_t clocks;

        run_batch(batch);
        clocks = WALL_CLOCK_LOW - start;
        best = clocks < best ? clocks : best;
    }
    print("bench %s %u %u\n", key, batch, best);
}

static void measure(uint32_t batch)
{
    fill_operands(batch);
    measure_batch("matmul_hifi4", batch);
    if (!results_agree(batch)) {
        print("matmul_hifi4 is wrong\n");
        leave(1);
    }
    measure_batch("matmul_alone", 1);
    leave(0);
}

int main(void)
{
    reads_wanted = NOC_READS_DONE;
    writes_wanted = NOC_WRITES_ACKED;
    configure();
    release_harts(SOFT_RESET_TRISC(0) | SOFT_RESET_TRISC(1) |
                  SOFT_RESET_TRISC(2));
    if (SHARED->batch) {
        measure(SHARED->batch);
    }
    multiply();
    SHARED->finished = 1;
    return 0;
}
