/*
 * Instruction and configuration tables.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Everything that knows instructions by name or number - execution, the
 * assembler macros, the disassembler, traces, docs, tests - is made from
 * insn_table.h.inc and insn_fields.h.inc.
 */

#include "tensix_internal.h"

#define FIELD_DEF(m, field, low, width) { #field, low, width },
#define FIELD_ARRAY(m) \
    static const TensixFieldDef fields_##m[] = { \
        TENSIX_FIELDS_##m(FIELD_DEF) { NULL, 0, 0 } \
    };
#define INSN(op, mnemonic, ...) FIELD_ARRAY(mnemonic)
#define UNIMP(op, mnemonic, ...) FIELD_ARRAY(mnemonic)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

/* Block-mask bits of BH STALLWAIT.md. */
enum {
    B0 = 1 << 0, B1 = 1 << 1, B2 = 1 << 2, B3 = 1 << 3, B4 = 1 << 4,
    B5 = 1 << 5, B6 = 1 << 6, B7 = 1 << 7, B8 = 1 << 8,
    BALL = 0x1ff,
    BNOP = 0,                      /* held_by_all */
    TTSYNC_NONE = TENSIX_TTSYNC_CLASSES,
};

#define ROW(op, name, u, b, class, pg, impl) \
    [op] = { \
        .mnemonic = #name, .fields = fields_##name, .page = pg, \
        .block = b, .nfields = sizeof(fields_##name) / sizeof(TensixFieldDef) - 1, \
        .unit = TENSIX_UNIT_##u, .ttsync_class = class, .implemented = impl \
    },
#define INSN(op, mnemonic, unit, block, class, page, ...) \
    ROW(op, mnemonic, unit, block, class, page, true)
#define UNIMP(op, mnemonic, unit, block, class, page, ...) \
    ROW(op, mnemonic, unit, block, class, page, false)

const TensixInsnDef tensix_insns[256] = {
#include "decode/insn_table.h.inc"
};

#undef INSN
#undef UNIMP

const char *const tensix_unit_names[TENSIX_UNITS] = {
    [TENSIX_UNIT_NONE] = "none",
    [TENSIX_UNIT_FRONTEND] = "front end",
    [TENSIX_UNIT_SYNC] = "sync",
    [TENSIX_UNIT_CFG] = "config",
    [TENSIX_UNIT_THCON] = "scalar",
    [TENSIX_UNIT_MISC] = "misc",
    [TENSIX_UNIT_XMOV] = "mover",
    [TENSIX_UNIT_UNPACK] = "unpack",
    [TENSIX_UNIT_PACK] = "pack",
    [TENSIX_UNIT_MATRIX] = "matrix",
    [TENSIX_UNIT_VECTOR] = "vector",
};

const char *const tensix_hart_names[] = {
    [TENSIX_HART_BRISC] = "brisc",
    [TENSIX_HART_NCRISC] = "ncrisc",
    [TENSIX_HART_TRISC0] = "trisc0",
    [TENSIX_HART_TRISC1] = "trisc1",
    [TENSIX_HART_TRISC2] = "trisc2",
    [TENSIX_HART_NONE] = "none",
};
