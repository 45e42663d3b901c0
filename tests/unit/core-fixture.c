/*
 * A Tensix core with an environment that unit tests can inspect.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "frontend/frontend.h"

static void l1_write(void *opaque, uint32_t offset, const void *data,
                     uint32_t size)
{
    CoreFixture *f = opaque;

    TensixObserver *o = f->core.observer;

    if (offset > FIXTURE_L1_SIZE || size > FIXTURE_L1_SIZE - offset) {
        ok(false, "%u bytes at 0x%x are written, outside L1", size, offset);
        return;
    }
    if (o) {
        tensix_observe_l1(o, &(const TensixL1Access) {
            .by = &o->by, .accesses = TENSIX_WATCH_WRITE, .address = offset,
            .size = size, .old = &f->l1[offset], .new = data,
        });
    }
    if (o && o->unwritten) {
        tensix_unwritten_l1_written(o->unwritten, offset, size);
    }
    memcpy(&f->l1[offset], data, size);
}

static uint32_t stream_read(void *opaque, uint32_t stream, uint32_t offset)
{
    CoreFixture *f = opaque;

    return f->stream[stream][offset / sizeof(uint32_t)];
}

static void violation(void *opaque, const TensixViolation *v)
{
    CoreFixture *f = opaque;

    f->violations[v->category]++;
    f->violation_count++;
    snprintf(f->violation_text, sizeof(f->violation_text), "%s", v->text);
    snprintf(f->violation_mnemonic, sizeof(f->violation_mnemonic), "%s",
             v->mnemonic);
}

bool fixture_has_isa(TensixIsa isa)
{
    if (!tensix_isa_available(isa)) {
        skip(tensix_isa_names[isa], "not on this host or in this build");
        return false;
    }
    return true;
}

void fixture_give_src(CoreFixture *f, uint32_t format)
{
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        f->core.s.src_client[src][0] = TENSIX_CLIENT_MATRIX_UNIT;
        f->core.s.src_format[src][0] = format;
        f->core.s.unpack_bank[src] = 1;
    }
}

void fixture_init(CoreFixture *f)
{
    memset(f, 0, sizeof(*f));
    f->random_state = 0x9e3779b97f4a7c15;
    f->core.host = (TensixHost) {
        .l1 = f->l1, .l1_size = FIXTURE_L1_SIZE, .l1_write = l1_write,
        .stream_read = stream_read, .violation = violation, .opaque = f,
    };
    tensix_reset(&f->core);
    f->core.signals.changed = 0;
}

void fixture_clear_violations(CoreFixture *f)
{
    memset(f->violations, 0, sizeof(f->violations));
    f->violation_count = 0;
    f->violation_text[0] = '\0';
    f->violation_mnemonic[0] = '\0';
}

void fixture_trace(CoreFixture *f)
{
    static const uint16_t enabled = 1;

    f->core.host.trace_enabled = &enabled;
}

TensixResult fixture_exec(CoreFixture *f, uint32_t thread, uint32_t word)
{
    TensixInsn insn = {
        .valid = 1,
        .word = word,
        .thread = thread,
        .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION,
        .origin = { 0x1000, TENSIX_HART_BRISC },
    };

    tensix_state_loaded(&f->core);  /* a test may have poked its state */
    return tensix_execute(&f->core, &insn);
}

void fixture_run(CoreFixture *f, uint32_t thread, uint32_t word,
                 const char *name)
{
    fixture_clear_violations(f);
    ok(fixture_exec(f, thread, word) == TENSIX_DONE, "%s: completes", name);
    if (!ok(f->violation_count == 0, "%s: no violation", name)) {
        diag("%s", f->violation_text);
    }
}

void fixture_save_or_load(CoreFixture *f, TensixState *saved, bool load)
{
    if (load) {
        f->core.s = *saved;
        tensix_state_loaded(&f->core);
    } else {
        *saved = f->core.s;
    }
}

bool fixture_push(CoreFixture *f, uint32_t thread, uint32_t word)
{
    TensixOrigin origin = { 0x1000, TENSIX_HART_BRISC };

    return tensix_push(&f->core, thread, word, origin);
}

void fixture_mop_cfg(CoreFixture *f, uint32_t thread, uint32_t index,
                     uint32_t value)
{
    TensixOrigin origin = { .hart = TENSIX_HART_NONE };

    tensix_mop_cfg_write(&f->core, thread, index, value, origin);
}

static void clear_bookkeeping(TensixState *s)
{
    tensix_vector_summarise(&s->vu);   /* a test may have poked its registers */
    memset(s->executed, 0, sizeof(s->executed));
    memset(s->src_given, 0, sizeof(s->src_given));
    s->src_read = 0;
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        s->thread[t].gate.wait_reason = 0;
        s->thread[t].gate.wait_detail = 0;
    }
}

static size_t first_difference(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    size_t n = 0;

    while (n < size && x[n] == y[n]) {
        n++;
    }
    return n;
}

bool fixture_ok_state(CoreFixture *f, const TensixState *want, const char *name)
{
    static TensixState a, b;
    size_t at;

    a = f->core.s;
    b = *want;
    clear_bookkeeping(&a);
    clear_bookkeeping(&b);
    at = first_difference(&a, &b, sizeof(a));
    if (!ok(at == sizeof(a), "%s: state", name)) {
        diag("byte %zu of the state differs", at);
    }
    return at == sizeof(a);
}

/* splitmix64 */
uint32_t fixture_random_from(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (x ^ (x >> 31)) >> 16;
}

uint32_t fixture_random(CoreFixture *f)
{
    return fixture_random_from(&f->random_state);
}

uint32_t fixture_random_word(CoreFixture *f)
{
    uint32_t opcode;

    do {
        opcode = fixture_random(f) & 0xff;
    } while (!tensix_insns[opcode].mnemonic || opcode == TENSIX_OP_ATGETM ||
             opcode == TENSIX_OP_STALLWAIT || opcode == TENSIX_OP_SEMWAIT ||
             opcode == TENSIX_OP_STREAMWAIT || opcode == TENSIX_OP_REPLAY ||
             opcode == TENSIX_OP_MOP);
    return opcode << 24 | (fixture_random(f) & 0xffffff);
}

void fixture_execute(CoreFixture *f, TensixOrigin origin, uint32_t thread,
                     uint32_t word)
{
    TensixInsn i = {
        .valid = 1, .word = word, .thread = thread,
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
        .origin = origin,
    };

    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        TensixSrcClient client = word & 1 ? TENSIX_CLIENT_UNPACKERS
                                          : TENSIX_CLIENT_MATRIX_UNIT;

        f->core.s.src_client[src][0] = client;
        f->core.s.src_client[src][1] = client;
    }
    tensix_execute(&f->core, &i);
}

static void fill(CoreFixture *f, void *words, size_t size)
{
    uint32_t *w = words;

    for (size_t n = 0; n < size / sizeof(*w); n++) {
        w[n] = fixture_random(f);
    }
}

static void fill_adcs(CoreFixture *f)
{
    for (unsigned n = 0; n < TENSIX_THREADS * TENSIX_ADCS * 2; n++) {
        TensixAdc *adc =
            &f->core.s.adc[n / (TENSIX_ADCS * 2)][n / 2 % TENSIX_ADCS];
        TensixAdcChannel *ch = &adc->channel[n % 2];

        fill(f, ch, sizeof(*ch));
        ch->X &= 0x3ffff;
        ch->X_Cr &= 0x3ffff;
        ch->Y &= 0x1fff;
        ch->Y_Cr &= 0x1fff;
        ch->Z &= 0x1fff;
        ch->Z_Cr &= 0x1fff;
        ch->W &= 0x1fff;
        ch->W_Cr &= 0x1fff;
    }
}

void fixture_randomise(CoreFixture *f)
{
    TensixState *s = &f->core.s;

    fill(f, s->gpr, sizeof(s->gpr));
    fill(f, s->cfg, sizeof(s->cfg));
    memcpy(&s->cfg[1][TENSIX_CFG_GLOBAL_BASE],
           &s->cfg[0][TENSIX_CFG_GLOBAL_BASE],
           (TENSIX_CFG_WORDS - TENSIX_CFG_GLOBAL_BASE) * sizeof(uint32_t));
    fill(f, s->thread_cfg, sizeof(s->thread_cfg));
    fill(f, s->vu.prng, sizeof(s->vu.prng));
    fill_adcs(f);
}

bool fixture_same_events(const CoreFixture *f, const CoreFixture *other)
{
    const TensixRecorder *a = &f->core.record, *b = &other->core.record;
    uint64_t count = tensix_record_count(a);

    if (tensix_record_count(b) != count) {
        return false;
    }
    /* the oldest one's place may hold one that was undone since */
    for (uint64_t n = tensix_record_first(a) + 1; n < count; n++) {
        const TensixEvent *x = tensix_record_get(a, n);
        const TensixEvent *y = tensix_record_get(b, n);

        if (memcmp(&x->insn, &y->insn, offsetof(TensixInsn, extra))) {
            return false;
        }
    }
    return true;
}
