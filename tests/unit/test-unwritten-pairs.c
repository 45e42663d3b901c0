/*
 * Lanes, banks and rows that are used too early, twice or in another width, and banks
 * that are released without having been given: sequences with an error, and without.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <string.h>

#include "core-fixture.h"
#include "config/config.h"
#include "num/num.h"
#include "observe/observe.h"
#include "tap.h"

static CoreFixture f;
static TensixObserver observer;
static TensixUnwritten unwritten;
static char text[2 * TENSIX_UNWRITTEN_TEXT];   /* of the latest report */

static void take_violation(void *opaque, const TensixViolation *v)
{
    if (v->category == TENSIX_UNWRITTEN) {
        snprintf(text, sizeof(text), "%s", v->text);
    }
}

static void no_hit(void *opaque, const TensixHit *hit)
{
}

static void observe(void)
{
    memset(&observer, 0, sizeof(observer));
    observer.hit = no_hit;
    observer.unwritten = &unwritten;
    f.core.host.violation = take_violation;
    tensix_set_observer(&f.core, &observer);
    tensix_unwritten_reset(&unwritten);
}

enum { SEQUENCE = 8 };

typedef struct Sequence {
    const char *name;
    uint32_t word[SEQUENCE];       /* up to the first 0 */
    const char *text;              /* of the last word's report; NULL: none */
    bool arrives_later;            /* bank 0 of SrcB is on its way */
} Sequence;

#define FILL TT(UNPACR, .SetDatValid = 1, .OvrdThreadId = 1)
#define GIVE TT(SETDVALID, .setvalid = 1)
#define RELEASE TT(SETRWC, .clear_ab_vld = 1)
#define RELEASE_BOTH TT(SETRWC, .clear_ab_vld = 3)
#define CLEAR TT(ZEROACC, .clear_mode = 3)
#define VALUE TT(SFPLOADI, .lreg_ind = 3)
#define STORE16(row) TT(SFPSTORE, .lreg_ind = 3, .instr_mod0 = 2, \
                        .dest_reg_addr = row)
#define STORE32(row) TT(SFPSTORE, .lreg_ind = 3, .instr_mod0 = 3, \
                        .dest_reg_addr = row)
#define CLEAR16 TT(ZEROACC, .clear_mode = 1)
#define CLEAR32 TT(ZEROACC, .clear_mode = 1, .use_32_bit_mode = 1)

/* Unpacker 0: a face from L1 to rows 0 to 15, which it counts from row 4 on. */
static void set_up_unpacker(void)
{
    enum { UNCOMPRESSED = 1 << 4, DATUMS = 256, SKIPPED_DATUMS = 64 };
    uint32_t *cfg = f.core.s.cfg[0];

    f.core.s.adc[1][0].channel[1].X = DATUMS - 1;
    cfg[CFG_THCON_SEC0_REG0_TileDescriptor_WORD] =
        TENSIX_FMT_BF16 | UNCOMPRESSED | DATUMS << 16;
    cfg[CFG_THCON_SEC0_REG0_TileDescriptor_WORD + 1] = 1;
    cfg[CFG_THCON_SEC0_REG2_Out_data_format_WORD] = TENSIX_FMT_BF16;
    cfg[CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD] |=
        1 << CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_LOW;
    cfg[CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD] = DATUMS;
    cfg[CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD] = SKIPPED_DATUMS;
}

static void try_sequence(const Sequence *s)
{
    fixture_init(&f);
    observe();
    text[0] = '\0';
    f.core.s.vu.use_lane_flags = 0xff;
    f.core.s.vu.lane_flags = 0xffffff0f;
    set_up_unpacker();
    memset(f.core.s.src_client, TENSIX_CLIENT_UNPACKERS,
           sizeof(f.core.s.src_client));
    f.core.s.order.hand_over_at[TENSIX_SRCB][0] = s->arrives_later;
    tensix_state_loaded(&f.core);
    for (unsigned n = 0; n < SEQUENCE && s->word[n]; n++) {
        text[0] = '\0';
        fixture_exec(&f, 1, s->word[n]);
    }
    ok(s->text ? strstr(text, s->text) != NULL : !text[0], "%s: %s", s->name,
       text);
}

int main(void)
{
    const uint32_t all_lanes = TT(SFPENCC);
    const Sequence sequences[] = {
        { "lanes that were disabled", { VALUE, all_lanes, STORE16(0) },
          "reads LReg[3] in 4 lanes, the first 4, " },
        { "all lanes written later", { VALUE, all_lanes, VALUE, STORE16(0) },
          NULL },
        { "lanes that are still disabled", { VALUE, STORE16(0) }, NULL },
        { "a bank given again", { FILL, RELEASE, GIVE, RELEASE, GIVE,
                                  TT(MOVA2D) },
          "reads row 0 of SrcA bank 0, which the Matrix Unit has released" },
        { "a bank filled again", { FILL, RELEASE, GIVE, RELEASE, FILL,
                                   TT(MOVA2D) }, NULL },
        { "a bank used twice", { FILL, TT(MOVA2D), TT(MOVA2D) }, NULL },
        { "zeroes that stay", { TT(ZEROSRC, .src_mask = 3), GIVE, RELEASE, GIVE,
                                RELEASE, GIVE, TT(MOVA2D) }, NULL },
        { "a tile packed that was only cleared", { CLEAR, TT(PACR) },
          "packs row 0 of Dest to row 3 of Dest: no instruction has computed 4" },
        { "another tile computed", { CLEAR, all_lanes, VALUE, STORE16(64),
                                     TT(PACR) }, "packs row 0 of Dest" },
        { "other rows of the tile computed", { CLEAR, all_lanes, VALUE,
                                               STORE16(32), TT(PACR) }, NULL },
        { "32 bits cleared as 16", { CLEAR, all_lanes, VALUE, STORE32(0),
                                     CLEAR16 },
          "clears, as rows of 16 bits, row 0 of Dest to row 11 of Dest: an "
          "instruction has written 8 of them with 32 bits" },
        { "32 bits cleared as such", { CLEAR, all_lanes, VALUE, STORE32(0),
                                       CLEAR32 }, NULL },
        { "16 bits cleared as 32", { CLEAR, all_lanes, VALUE, STORE16(0),
                                     CLEAR32 },
          "clears, as rows of 32 bits, row 0 of Dest to row 3 of Dest: an "
          "instruction has written 4 of them with 16 bits" },
        { "16 bits cleared as such", { CLEAR, all_lanes, VALUE, STORE16(0),
                                       CLEAR16 }, NULL },
        { "banks released", { FILL, RELEASE }, NULL },
        { "a bank released that was not given", { FILL, RELEASE_BOTH },
          "releases SrcB bank 0, which no unpacker has given to the Matrix Unit" },
        { "a bank released twice", { FILL, RELEASE, RELEASE },
          "releases SrcA bank 1, which no unpacker has given to the Matrix Unit" },
        { "a bank that arrives later", { FILL, RELEASE_BOTH }, NULL, true },
        { "a bank cleared that was not given", { FILL, RELEASE,
              TT(CLEARDVALID, .cleardvalid = 1) }, "releases SrcA bank 1, " },
        { "a bank cleared", { FILL, TT(CLEARDVALID, .cleardvalid = 1) }, NULL },
        { "all of Dest cleared", { CLEAR, all_lanes, VALUE, STORE32(0), CLEAR },
          NULL },
    };

    for (size_t n = 0; n < sizeof(sequences) / sizeof(sequences[0]); n++) {
        try_sequence(&sequences[n]);
    }
    return done_testing();
}
