/*
 * UNPACR against an oracle: random configurations, exhaustive conversions, and
 * what is undefined or must wait.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "tap.h"
#include "unpack-oracle.h"

enum {
    RANDOM_CASES = 4000,
    FUZZ_CASES = 20000,
    MOST_TILE_BYTES = 30000,
    DATUMS = 1024,
    THREAD = 1,
};

static CoreFixture f;
static TensixState want;

static uint32_t pick(uint32_t n)
{
    return fixture_random(&f) % n;
}

static bool one_in(uint32_t n)
{
    return pick(n) == 0;
}

static const uint8_t formats[] = {
    O_FP32, O_FP16, O_BFP8A, O_BFP4A, O_TF32, O_BF16, O_BFP8, O_BFP4, O_INT32,
    O_INT16, O_FP8, O_BFP2A, O_INT8, O_BFP2,
};

static void start(TensixIsa isa)
{
    fixture_init(&f);
    tensix_set_isa(&f.core, isa);
    for (unsigned n = 0; n < FIXTURE_L1_SIZE; n++) {
        f.l1[n] = fixture_random(&f);
    }
}

/* --- random cases --- */

static void pick_formats(UnpackCase *k)
{
    k->in = formats[pick(sizeof(formats))];
    k->out = k->in;
    k->is_unsigned = one_in(2);
    k->e4m3 = one_in(2);
    k->to_dst = k->unpacker == 0 && one_in(3);
    if (k->in == O_FP32) {
        static const uint8_t out[] = { O_TF32, O_FP16, O_BF16, O_FP32 };

        k->out = out[pick(k->to_dst ? 4 : 3)];
    } else if (!k->to_dst && oracle_datum_bits(k->in) == 32) {
        k->in = k->out = O_BF16;
    } else if ((k->in == O_BFP4 || k->in == O_BFP2) && one_in(2)) {
        k->out = O_BFP8;
    }
    k->forced = oracle_is_block_float(k->in) && one_in(3);
    k->exponent = pick(256);
    k->no_exponents = oracle_datum_bits(k->in) < 8 && one_in(8);
}

static void pick_context(UnpackCase *k)
{
    k->multi = one_in(2);
    if (!k->multi) {
        return;
    }
    k->override_format = one_in(2);
    k->context_adc = pick(3);
    k->use_counter = one_in(3);
    k->context = k->unpacker ? pick(2) : pick(8);
    k->context_offset = k->unpacker ? 0 : pick(16);
}

static void pick_tile(UnpackCase *k)
{
    static const uint16_t x_dims[] = { 16, 32, 64, 128, 256, 1024 };
    uint32_t datums;

    do {
        k->x_dim = one_in(3) ? 1 + pick(100) : x_dims[pick(6)];
        k->y_dim = 1 + pick(4);
        k->z_dim = pick(4);
        k->w_dim = pick(3);
        datums = k->x_dim * k->y_dim * (k->z_dim + !k->z_dim) *
                 (k->w_dim + !k->w_dim);
    } while (datums * oracle_datum_bits(k->in) / 8 > MOST_TILE_BYTES);
    k->base = pick(0x100);
    k->offset = pick(0x80);
    k->digest = one_in(4) ? pick(8) : 0;
}

static void pick_modes(UnpackCase *k)
{
    k->compressed = oracle_datum_bits(k->in) > 2 && one_in(4);
    k->tilize = !k->compressed && one_in(4);
    k->transpose = k->unpacker == 0 && !k->to_dst && !k->compressed && one_in(3);
    k->zero = one_in(10);
    k->stride = 1 + pick(16);
    if (k->tilize || k->transpose) {
        k->x_dim = k->x_dim > 32 ? 128 : 64;
    }
    if (!k->tilize) {
        k->upsample_rate = one_in(5) ? 1 + pick(3) : 0;
        k->interleave = one_in(2);
        k->column_shift =
            k->unpacker == 0 && !k->to_dst && one_in(6) ? pick(16) : 0;
    }
}

static void pick_output(UnpackCase *k)
{
    uint32_t bytes = oracle_datum_bits(k->out) < 8 ? 1
                                                   : oracle_datum_bits(k->out) / 8;
    uint32_t unit = one_in(6) ? 1 : 16;

    k->y_stride = pick(3) * unit * bytes;
    k->z_stride = pick(3) * unit * bytes;
    k->w_stride = pick(3) * unit * bytes;
    k->out_base = (k->unpacker ? 0 : 64 - (one_in(5) ? pick(5) * unit : 0)) * bytes;
    k->context_out = (k->unpacker ? 0 : 4 + pick(4)) * unit;
    k->add_context_out = one_in(2);
    k->ovrd_address = k->unpacker == 0 && !k->to_dst && !one_in(3);
    k->set_base = pick(4);
    k->src_row = k->ovrd_address ? pick(2) * 16 : pick(4) * 16;
    k->row_update = one_in(2);
    k->flip = one_in(2);
    k->increments = pick(256);
    k->state_id = pick(2);
}

static void pick_adcs(const UnpackCase *k)
{
    TensixState *s = &f.core.s;
    bool aligned = k->tilize || k->transpose;

    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        TensixAdcChannel *ch = s->adc[t][k->unpacker].channel;

        ch[0].X = aligned || one_in(2) ? 0 : pick(k->x_dim);
        ch[1].X = one_in(2) ? k->x_dim - 1
                            : ch[0].X + pick(k->x_dim - ch[0].X);
        ch[0].Y = pick(k->y_dim) + 256 * pick(8);
        ch[0].Z = pick(k->z_dim + !k->z_dim) + 256 * pick(8);
        ch[0].W = pick(k->w_dim + !k->w_dim) + 256 * pick(8);
        ch[1].Y = pick(3);
        ch[1].Z = pick(3);
        ch[1].W = pick(3);
    }
}

/* Row start indices that rise slowly; the table is right after the header. */
static void write_row_starts(const UnpackCase *k)
{
    uint32_t at = (k->base + k->offset + 1 + k->digest) * 16, start = 0;
    uint32_t rows = k->y_dim * (k->z_dim + !k->z_dim) * (k->w_dim + !k->w_dim);

    for (uint32_t n = 0; n <= rows; n++, start += 1 + pick(40)) {
        f.l1[at + 2 * n] = start;
        f.l1[at + 2 * n + 1] = start >> 8;
    }
}

static bool a_format(const UnpackCase *k)
{
    return k->in == O_BFP8A || k->in == O_BFP4A || k->in == O_BFP2A;
}

/* What is there for reports alone. */
static void clear_counts(TensixState *s)
{
    memset(s->executed, 0, sizeof(s->executed));
    memset(s->src_given, 0, sizeof(s->src_given));
    s->src_read = 0;
}

/* One case; 1 if core and oracle agree, 0 if not, -1 if it is undefined. */
static int run_case(const UnpackCase *k)
{
    uint32_t word = oracle_setup(&f, k);
    unsigned excess;

    pick_adcs(k);
    if (k->compressed) {
        write_row_starts(k);
    }
    memset(f.core.s.src_client, 0, sizeof(f.core.s.src_client));
    want = f.core.s;
    if (!oracle_unpack(&want, f.l1, k)) {
        return -1;
    }
    fixture_clear_violations(&f);
    if (fixture_exec(&f, k->thread, word) != TENSIX_DONE) {
        return 0;
    }
    excess = a_format(k) ? f.violations[TENSIX_UNDEFINED_BEHAVIOUR] : 0;
    excess += k->tilize && oracle_datum_bits(k->in) < 8;
    clear_counts(&want);
    clear_counts(&f.core.s);
    return f.violation_count == excess &&
           memcmp(&f.core.s, &want, sizeof(want)) == 0;
}

static void show_case(const UnpackCase *k)
{
    diag("unpacker %u thread %u multi %d context %u in %u out %u dst %d "
         "compressed %d forced %d tilize %d transpose %d upsample %u zero %d "
         "shift %u: %s", k->unpacker, k->thread, k->multi, k->context, k->in,
         k->out, k->to_dst, k->compressed, k->forced, k->tilize, k->transpose,
         k->upsample_rate, k->zero, k->column_shift, f.violation_text);
}

static UnpackCase random_case(void)
{
    UnpackCase k = { .thread = pick(3), .unpacker = pick(2) };

    pick_formats(&k);
    pick_context(&k);
    pick_tile(&k);
    pick_modes(&k);
    pick_output(&k);
    return k;
}

static void test_random(TensixIsa isa)
{
    unsigned agreed = 0, wrong = 0;

    start(isa);
    for (unsigned n = 0; n < RANDOM_CASES; n++) {
        UnpackCase k = random_case();
        int result = run_case(&k);

        agreed += result == 1;
        if (result == 0 && wrong++ == 0) {
            show_case(&k);
        }
        if (result == 0) {
            start(isa);
            f.random_state += n;
        }
    }
    ok(wrong == 0, "%s: %u random unpacks as the oracle has them",
       tensix_isa_names[isa], agreed);
    ok(agreed > RANDOM_CASES / 2, "%s: most cases were defined",
       tensix_isa_names[isa]);
}

/* --- every value of every format --- */

typedef enum Target { TO_SRCA, TO_DEST, TO_SRCB, TARGETS } Target;

static const char *const target_names[] = { "SrcA", "Dest", "SrcB" };

static UnpackCase srcb_case(uint32_t in, uint32_t out)
{
    return (UnpackCase) {
        .thread = THREAD, .unpacker = 1, .in = in, .out = out,
        .x_dim = DATUMS, .y_dim = 1, .base = 0x20,
    };
}

static UnpackCase plain_case(uint32_t in, uint32_t out, bool to_dst)
{
    return (UnpackCase) {
        .thread = THREAD, .in = in, .out = out, .x_dim = DATUMS, .y_dim = 1,
        .to_dst = to_dst, .ovrd_address = !to_dst, .base = 0x20,
        .out_base = 64 * (oracle_datum_bits(out) < 8
                          ? 1 : oracle_datum_bits(out) / 8),
    };
}

static UnpackCase case_to(Target target, uint32_t in, uint32_t out)
{
    return target == TO_SRCB ? srcb_case(in, out)
                             : plain_case(in, out, target == TO_DEST);
}

/* Runs a whole tile of DATUMS; false if core and oracle differ. */
static bool run_tile(const UnpackCase *k)
{
    uint32_t word = oracle_setup(&f, k);
    TensixAdc *adc = &f.core.s.adc[THREAD][k->unpacker];

    memset(adc, 0, sizeof(*adc));
    adc->channel[1].X = DATUMS - 1;
    want = f.core.s;
    if (!oracle_unpack(&want, f.l1, k)) {
        return false;
    }
    fixture_clear_violations(&f);
    fixture_exec(&f, THREAD, word);
    return !memcmp(f.core.s.src, want.src, sizeof(want.src)) &&
           !memcmp(f.core.s.dst, want.dst, sizeof(want.dst));
}

enum { TILE = (0x20 + 1) * 16 };   /* where plain_case()'s datums begin */

/* 2^16 or 2^19 patterns in the upper bits, random ones below. */
static void test_values(TensixIsa isa, uint32_t in, uint32_t out, Target target,
                        bool is_unsigned, bool e4m3)
{
    UnpackCase k = case_to(target, in, out);
    uint32_t bytes = oracle_datum_bits(in) / 8;
    uint32_t patterns = bytes == 4 ? 1 << 19 : bytes == 2 ? 1 << 16 : DATUMS;
    unsigned wrong = 0;

    k.is_unsigned = is_unsigned;
    k.e4m3 = e4m3;
    for (uint32_t x = 0; x < patterns; x += DATUMS) {
        for (uint32_t n = 0; n < DATUMS; n++) {
            uint32_t value = bytes == 4 ? (x + n) << 13 | pick(1 << 13) : x + n;

            memcpy(&f.l1[TILE + n * bytes], &value, bytes);
        }
        wrong += !run_tile(&k) || f.violation_count;
    }
    ok(wrong == 0, "%s: all values, format %u to %u, %s%s%s",
       tensix_isa_names[isa], in, out, target_names[target],
       is_unsigned ? ", unsigned" : "", e4m3 ? ", e4m3" : "");
}

/* Does a datum of seven bits of magnitude need more than five bits? */
static bool excess(uint32_t magnitude, uint32_t exponent)
{
    uint32_t shift = 0;

    while (magnitude && magnitude << shift < 64) {
        shift++;
    }
    return magnitude && ((exponent - shift) & 0xe0);
}

/* All mantissas under all exponents: one exponent a tile, 1024 datums. */
static void test_block_float(TensixIsa isa, uint32_t in, uint32_t out, Target target)
{
    UnpackCase k = case_to(target, in, out);
    uint32_t bits = oracle_datum_bits(in), wrong = 0;
    bool narrow = a_format(&k);

    for (uint32_t n = 0; n < DATUMS * bits / 8; n++) {
        f.l1[TILE + DATUMS / 16 + n] = n % 256;
    }
    for (uint32_t e = 0; e < 256; e++) {
        bool bad = false;

        memset(&f.l1[TILE], e, DATUMS / 16);
        for (uint32_t m = 0; m < 1u << (bits - 1); m++) {
            bad |= narrow && excess(m << (8 - bits), e);
        }
        wrong += !run_tile(&k) || f.violation_count != bad;
    }
    ok(wrong == 0, "%s: all mantissas and exponents, format %u to %u, %s",
       tensix_isa_names[isa], in, out, target_names[target]);
}

static void test_exhaustive(TensixIsa isa)
{
    static const uint8_t blocks[] = {
        O_BFP8, O_BFP4, O_BFP2, O_BFP8A, O_BFP4A, O_BFP2A,
    };

    start(isa);
    for (Target to = 0; to < TARGETS; to++) {
        test_values(isa, O_FP32, O_TF32, to, false, false);
        test_values(isa, O_FP32, O_BF16, to, false, false);
        test_values(isa, O_FP32, O_FP16, to, false, false);
        test_values(isa, O_BF16, O_BF16, to, false, false);
        test_values(isa, O_FP16, O_FP16, to, false, false);
        test_values(isa, O_INT16, O_INT16, to, false, false);
        test_values(isa, O_FP8, O_FP8, to, false, false);
        test_values(isa, O_FP8, O_FP8, to, false, true);
        test_values(isa, O_INT8, O_INT8, to, false, false);
        test_values(isa, O_INT8, O_INT8, to, true, false);
        for (unsigned n = 0; n < sizeof(blocks); n++) {
            test_block_float(isa, blocks[n], blocks[n], to);
        }
        test_block_float(isa, O_BFP4, O_BFP8, to);
        test_block_float(isa, O_BFP2, O_BFP8, to);
    }
    test_values(isa, O_FP32, O_FP32, TO_DEST, false, false);
    test_values(isa, O_TF32, O_TF32, TO_DEST, false, false);
    test_values(isa, O_INT32, O_INT32, TO_DEST, false, false);
}

/* --- formats that do not go together --- */

static bool defined(uint32_t in, uint32_t out, bool to_dst)
{
    bool wide_only = out == O_FP32 || out == O_INT32;

    if (in == 12 || in == 13) {
        return false;
    }
    if (in == O_FP32) {
        return out == O_TF32 || out == O_BF16 || out == O_FP16 ||
               (out == O_FP32 && to_dst);
    }
    if (out == O_BFP8 && (in == O_BFP4 || in == O_BFP2)) {
        return true;
    }
    return in == out && (to_dst || !(wide_only || in == O_TF32));
}

static void test_format_pairs(void)
{
    unsigned wrong = 0;

    start(TENSIX_ISA_PORTABLE);
    for (uint32_t n = 0; n < 512; n++) {
        uint32_t in = n & 15, out = n >> 4 & 15;
        UnpackCase k = plain_case(in, out, n >> 8);
        uint32_t word;

        k.exponent = 16;
        k.forced = true;
        word = oracle_setup(&f, &k);
        f.core.s.adc[THREAD][0].channel[1].X = 0;
        f.core.s.adc[THREAD][0].channel[1].Y = 0;
        want = f.core.s;
        fixture_clear_violations(&f);
        fixture_exec(&f, THREAD, word);
        clear_counts(&want);
        clear_counts(&f.core.s);
        if (defined(in, out, n >> 8)) {
            wrong += f.violation_count != 0;
        } else {
            wrong += f.violations[TENSIX_UNDEFINED_BEHAVIOUR] != 1 ||
                     memcmp(&f.core.s, &want, sizeof(want));
        }
    }
    ok_eq(wrong, 0, "512 pairs of formats: converted or refused");
}

/* --- waiting --- */

static void test_waiting(uint32_t unpacker, bool to_dst)
{
    UnpackCase k = plain_case(O_FP32, to_dst ? O_FP32 : O_TF32, to_dst);
    uint32_t word;

    start(TENSIX_ISA_PORTABLE);
    k.unpacker = unpacker;
    k.flip = true;
    if (unpacker) {
        k.out_base = 0;
        k.ovrd_address = false;
    }
    word = oracle_setup(&f, &k);
    f.core.s.adc[THREAD][unpacker].channel[1].X = 15;
    f.core.s.src_client[unpacker][0] = TENSIX_CLIENT_MATRIX_UNIT;
    want = f.core.s;
    ok(fixture_exec(&f, THREAD, word) == TENSIX_RETRY, "unpacker %u waits%s",
       unpacker, to_dst ? ", for Dest too" : "");
    fixture_ok_state(&f, &want, "while it waits");
    f.core.s.src_client[unpacker][0] = TENSIX_CLIENT_UNPACKERS;
    fixture_run(&f, THREAD, word, "the bank given back");
    ok_eq(f.core.s.src_client[unpacker][0], TENSIX_CLIENT_MATRIX_UNIT,
          "bank handed over");
    ok_eq(f.core.s.unpack_bank[unpacker], 1, "next bank");
    ok_eq(f.core.s.src_format[unpacker][0], k.out, "implied format");
}

/* --- L1: its end, the wrap address --- */

/* A row of 16 BF16 at the address, in units of 16 bytes. */
static void row_at(uint32_t unit, unsigned violations, const char *name)
{
    UnpackCase k = plain_case(O_BF16, O_BF16, false);
    uint32_t word;

    k.base = unit - 1;
    word = oracle_setup(&f, &k);
    memset(f.core.s.adc, 0, sizeof(f.core.s.adc));
    f.core.s.adc[THREAD][0].channel[1].X = 15;
    fixture_clear_violations(&f);
    ok(fixture_exec(&f, THREAD, word) == TENSIX_DONE, "%s: completes", name);
    ok_eq(f.violations[TENSIX_BAD_ACCESS], violations, "%s: reports", name);
    ok_eq(f.violation_count, violations, "%s: nothing else", name);
}

static void test_l1_end(void)
{
    enum { UNITS = FIXTURE_L1_SIZE / 16 };

    start(TENSIX_ISA_PORTABLE);
    row_at(UNITS - 2, 0, "last row of L1");
    row_at(UNITS - 1, 1, "half a row");
    row_at(UNITS, 1, "after L1");
    row_at(0xfffffff, 1, "far after L1");
    ok_str(f.violation_text, "datum 0 is not in L1: Base_address is 0xffffffe "
           "units of 16 bytes", "the address is reported");
    row_at(0, 0, "first row of L1");
}

static uint32_t bf16_cell(uint32_t x)
{
    return x >> 15 << 18 | x % 128 << 11 | (x >> 7 & 255);
}

/* Rows of 32 datums, 64 bytes: the third is beyond the limit. */
static void test_wrap(void)
{
    enum { ROW = 64, WORD_LIMIT = 64 + 10, WORD_FIFO = 64 + 11 };
    UnpackCase k = plain_case(O_BF16, O_BF16, false);
    uint32_t word, wrong = 0;

    start(TENSIX_ISA_PORTABLE);
    word = oracle_setup(&f, &k);
    f.core.s.cfg[0][WORD_LIMIT] = (TILE + ROW) / 16;
    f.core.s.cfg[0][WORD_FIFO] = 2 * ROW / 16;
    memset(f.core.s.adc, 0, sizeof(f.core.s.adc));
    f.core.s.adc[THREAD][0].channel[1].X = 6 * 32 - 1;
    fixture_run(&f, THREAD, word, "wrapping");
    for (uint32_t n = 0; n < 6 * 32; n++) {
        const uint8_t *at = &f.l1[TILE + n / 32 % 2 * ROW + n % 32 * 2];

        wrong += f.core.s.src[0][0][n / 16][n % 16] !=
                 bf16_cell(at[0] | at[1] << 8);
    }
    ok_eq(wrong, 0, "rows beyond the limit come from the FIFO's start");
}

/*
 * A tile of block floats in a FIFO of L1, of which the part from byte `from` of
 * its exponents on lies a FIFO's size earlier; the same without a FIFO.
 */
static void exponents_wrap(uint32_t from, const char *name)
{
    enum { BASE = 0x800, FIFO = 0x600, EXPONENTS = (BASE + 1) * 16,
           SIZE = DATUMS / 16 + DATUMS, WORD_LIMIT = 64 + 10,
           WORD_FIFO = 64 + 11 };
    static uint32_t linear[TENSIX_SRC_ROWS][TENSIX_COLUMNS];
    UnpackCase k = plain_case(O_BFP8, O_BFP8, false);
    uint32_t first = EXPONENTS + from, word;

    start(TENSIX_ISA_PORTABLE);
    k.base = BASE;
    ok(run_tile(&k), "%s: without a FIFO", name);
    memcpy(linear, f.core.s.src[0][0], sizeof(linear));
    memset(f.core.s.src, 0, sizeof(f.core.s.src));
    memcpy(&f.l1[first - FIFO * 16], &f.l1[first], SIZE - from);
    memset(&f.l1[first], 0x55, SIZE - from);
    word = oracle_setup(&f, &k);
    f.core.s.cfg[0][WORD_LIMIT] = first / 16 - 1;
    f.core.s.cfg[0][WORD_FIFO] = FIFO;
    memset(&f.core.s.adc[THREAD][0], 0, sizeof(f.core.s.adc[THREAD][0]));
    f.core.s.adc[THREAD][0].channel[1].X = DATUMS - 1;
    fixture_run(&f, THREAD, word, name);
    ok(!memcmp(linear, f.core.s.src[0][0], sizeof(linear)), "%s", name);
}

static void test_exponents_wrap(void)
{
    exponents_wrap(32, "exponents continue at the FIFO's start");
    exponents_wrap(0, "exponents begin there, as all of the tile");
}

/* --- row search, counters, cache --- */

/* Uncompressed: X counts from 0 up to, not including, channel 1's X. */
static void test_row_search(void)
{
    UnpackCase k = plain_case(O_BF16, O_BF16, false);
    uint32_t word, wrong = 0;

    start(TENSIX_ISA_PORTABLE);
    k.x_dim = 32;
    k.y_dim = 4;
    word = oracle_setup(&f, &k) | TT(UNPACR, .RowSearch = 1);
    memset(f.core.s.adc, 0, sizeof(f.core.s.adc));
    f.core.s.adc[THREAD][0].channel[0].X = 5;
    f.core.s.adc[THREAD][0].channel[0].Y = 2;
    f.core.s.adc[THREAD][0].channel[1].X = 20;
    memset(f.core.s.src, 0, sizeof(f.core.s.src));
    fixture_run(&f, THREAD, word, "row search");
    for (uint32_t n = 0; n < 32; n++) {
        const uint8_t *at = &f.l1[TILE + (2 * 32 + n) * 2];
        uint32_t cell = n < 20 ? bf16_cell(at[0] | at[1] << 8) : 0;

        wrong += f.core.s.src[0][0][n / 16][n % 16] != cell;
    }
    ok_eq(wrong, 0, "row search reads a row from its start");
}

/* Blobs: X and Y choose entries of BlobsYStart, in sixteens of datums. */
static void test_blobs(void)
{
    UnpackCase k = plain_case(O_BF16, O_BF16, false);
    uint32_t word, wrong = 0;

    start(TENSIX_ISA_PORTABLE);
    k.x_dim = 128;
    word = oracle_setup(&f, &k) | TT(UNPACR, .RowSearch = 1);
    f.core.s.cfg[0][64] |= 3 << 8;           /* three blobs */
    f.core.s.cfg[0][66] = 0x5210 << 16;      /* starting at rows 0, 1, 2 */
    memset(f.core.s.adc, 0, sizeof(f.core.s.adc));
    f.core.s.adc[THREAD][0].channel[0].X = 1;
    f.core.s.adc[THREAD][0].channel[0].Y = 1;
    memset(f.core.s.src, 0, sizeof(f.core.s.src));
    fixture_run(&f, THREAD, word, "second blob");
    for (uint32_t n = 0; n < 32; n++) {
        const uint8_t *at = &f.l1[TILE + (16 + n) * 2];
        uint32_t cell = n < 16 ? bf16_cell(at[0] | at[1] << 8) : 0;

        wrong += f.core.s.src[0][0][n / 16][n % 16] != cell;
    }
    ok_eq(wrong, 0, "a blob's rows");
    f.core.s.adc[THREAD][0].channel[0].X = 2;
    f.core.s.adc[THREAD][0].channel[0].Y = 2;
    memset(f.core.s.src, 0, sizeof(f.core.s.src));
    fixture_run(&f, THREAD, word, "last blob");
    ok(f.core.s.src[0][0][5][15] != 0 && f.core.s.src[0][0][6][0] == 0,
       "the last blob ends with the row");
}

static void test_context_counter(void)
{
    uint32_t word = TT(UNPACR, .CfgContextCntInc = 1, .Unpack_block_selection = 1);

    start(TENSIX_ISA_PORTABLE);
    f.core.s.cfg[0][64 + 48 + 8] = 1 << 6;   /* two contexts */
    fixture_run(&f, THREAD, word, "next context");
    ok_eq(f.core.s.unpack_context[THREAD][1], 1, "counter");
    fixture_run(&f, THREAD, word, "next context");
    ok_eq(f.core.s.unpack_context[THREAD][1], 0, "counter starts again");
    want = f.core.s;
    fixture_run(&f, THREAD, TT(UNPACR, .SearchCacheFlush = 1), "cache flush");
    fixture_ok_state(&f, &want, "cache flush");
    fixture_clear_violations(&f);
    fixture_exec(&f, THREAD, TT(UNPACR, .srcb_bcast = 1));
    ok_eq(f.violations[TENSIX_UNIMPLEMENTED], 1, "broadcast is reported");
}

/* --- what is undefined --- */

typedef struct Undefined {
    const char *name;
    UnpackCase k;                  /* differences from plain_case(BF16) */
    uint32_t last;                 /* X of channel 1 */
} Undefined;

static UnpackCase changed(const UnpackCase *d)
{
    UnpackCase k = plain_case(O_BF16, O_BF16, d->to_dst);

    k.unpacker = d->unpacker;
    k.multi = d->multi;
    k.context = d->context;
    k.context_adc = d->context_adc;
    k.transpose = d->transpose;
    k.tilize = d->tilize;
    k.upsample_rate = d->upsample_rate;
    k.compressed = d->compressed;
    k.column_shift = d->column_shift;
    k.out_base = d->out_base ? d->out_base : k.out_base;
    k.context_out = d->context_out;
    k.add_context_out = true;
    k.stride = d->tilize ? 4 : 0;
    k.ovrd_address = d->ovrd_address || (!d->to_dst && !d->src_row);
    return k;
}

static void test_undefined(void)
{
    static const Undefined cases[] = {
        { "ContextADC 3", { .multi = true, .context_adc = 3 }, 15 },
        { "unpacker 1, context 2",
          { .unpacker = 1, .multi = true, .context = 2 }, 15 },
        { "odd output address", { .out_base = 129 }, 15 },
        { "tilize and upsample", { .tilize = true, .upsample_rate = 1 }, 15 },
        { "tilize compressed", { .tilize = true, .compressed = true }, 15 },
        { "transpose into Dest", { .to_dst = true, .transpose = true }, 15 },
        { "shift into Dest", { .to_dst = true, .column_shift = 1 }, 15 },
        { "Dest with address override",
          { .to_dst = true, .ovrd_address = true }, 15 },
        { "rows beyond a set", { .out_base = 19 * 32, .src_row = 16 }, 31 },
        { "rows beyond SrcA", { .out_base = 67 * 32 }, 31 },
    };

    for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
        UnpackCase k = changed(&cases[n].k);
        uint32_t word;

        start(TENSIX_ISA_PORTABLE);
        memset(f.l1, 0x12, FIXTURE_L1_SIZE);
        word = oracle_setup(&f, &k);
        f.core.s.adc[THREAD][k.unpacker].channel[1].X = cases[n].last;
        ok(fixture_exec(&f, THREAD, word) == TENSIX_DONE, "%s: completes",
           cases[n].name);
        ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1, "%s: reported",
              cases[n].name);
    }
    /* of the last case */
    ok(f.core.s.src[0][0][63][15] == f.core.s.src[0][0][0][0] &&
       f.core.s.src[0][0][0][0] && !f.core.s.src[0][0][1][0],
       "SrcA's rows wrap");
}

static void test_empty(void)
{
    UnpackCase k = plain_case(O_BF16, O_BF16, false);
    uint32_t word;

    start(TENSIX_ISA_PORTABLE);
    word = oracle_setup(&f, &k);
    f.core.s.adc[THREAD][0].channel[0].X = 16;
    f.core.s.adc[THREAD][0].channel[1].X = 15;
    want = f.core.s;
    fixture_run(&f, THREAD, word, "no datums");
    fixture_ok_state(&f, &want, "no datums");
    f.core.s.adc[THREAD][0].channel[0].X = 17;
    fixture_exec(&f, THREAD, word);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "less than no datums is reported");
}

/* Soft reset of SrcA's columns 4 to 7: their writes are discarded. */
static void test_held_columns(void)
{
    UnpackCase k = plain_case(O_BF16, O_BF16, false);
    uint32_t word;

    start(TENSIX_ISA_PORTABLE);
    memset(&f.l1[TILE], 0x55, 32);
    word = oracle_setup(&f, &k);
    f.core.s.adc[THREAD][0].channel[1].X = 15;
    tensix_soft_reset(&f.core, 1 << 20);
    fixture_run(&f, THREAD, word, "columns in reset");
    ok(f.core.s.src[0][0][0][3] != 0 && f.core.s.src[0][0][0][8] != 0,
       "other columns are written");
    ok(f.core.s.src[0][0][0][4] == 0 && f.core.s.src[0][0][0][7] == 0,
       "columns in reset stay zero");
}

/* --- anything at all: it ends, and stays inside its memory --- */

static void test_fuzz(TensixIsa isa)
{
    unsigned done = 0;

    start(isa);
    for (unsigned n = 0; n < FUZZ_CASES; n++) {
        uint32_t word = TT(UNPACR, 0) | (fixture_random(&f) & 0xffffff);

        if (n % 16 == 0) {
            fixture_randomise(&f);
        }
        for (unsigned t = 0; t < TENSIX_THREADS; t++) {
            f.core.s.cfg[n & 1][64] = fixture_random(&f);
            f.core.s.cfg[n & 1][112] = fixture_random(&f);
            f.core.s.cfg[n & 1][76] &= 0x1fff;
            f.core.s.cfg[n & 1][124] &= 0x1fff;
            f.core.s.src_row[n & 1][t] = fixture_random(&f);
        }
        memset(f.core.s.src_client, 0, sizeof(f.core.s.src_client));
        done += fixture_exec(&f, n % TENSIX_THREADS, word) == TENSIX_DONE;
    }
    ok_eq(done, FUZZ_CASES, "%s: random unpacks end", tensix_isa_names[isa]);
}

int main(void)
{
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (!fixture_has_isa(isa)) {
            continue;
        }
        test_random(isa);
        test_exhaustive(isa);
        test_fuzz(isa);
    }
    test_format_pairs();
    test_waiting(0, false);
    test_waiting(0, true);
    test_waiting(1, false);
    test_l1_end();
    test_wrap();
    test_exponents_wrap();
    test_row_search();
    test_blobs();
    test_context_counter();
    test_undefined();
    test_empty();
    test_held_columns();
    return done_testing();
}
