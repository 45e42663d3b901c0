/*
 * Instruction words: operand fields by name, and building words from them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Header-only and free of the rest of the core, so that firmware uses it too:
 *
 *   uint32_t word = TT(SETC16, .setc16_reg = 1, .setc16_value = 512);
 *   uint32_t reg = TENSIX_FIELD(word, SETC16, setc16_reg);
 */

#ifndef TENSIX_FIELDS_H
#define TENSIX_FIELDS_H

#include <stdint.h>

#include "decode/insn_fields.h.inc"

/* TENSIX_OP_<mnemonic>: the opcode, bits 31:24 of the word. */
enum {
#define INSN(op, mnemonic, ...) TENSIX_OP_##mnemonic = op,
#define UNIMP(op, mnemonic, ...) TENSIX_OP_##mnemonic = op,
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP
};

/*
 * A value that its field cannot hold.  If the compiler knows the value, it
 * reports an error that names field and width; this needs optimisation.  Other
 * values are checked at run time if BLACKHOLE_TILE_DEBUG is defined: the caller
 * provides tensix_operand_cut(), as runtime/operand.c does for harts.
 *
 * Immediates and increments (names with "imm" or "Incr") may be negative.
 */
#ifdef __OPTIMIZE__
#define TENSIX_IS_CONSTANT(value) __builtin_constant_p(value)
#else
#define TENSIX_IS_CONSTANT(value) 0
#endif
#define TENSIX_FITS(value, width, name) \
    ((value) <= UINT32_MAX >> (32 - (width)) || \
     ((value) >= UINT32_MAX << ((width) - 1) && \
      (__builtin_strstr(name, "imm") || __builtin_strstr(name, "Incr"))))

/* error: a function whose call is an error */
#ifdef BLACKHOLE_TILE_DEBUG
#define TENSIX_PLACE_TEXT(line) __FILE__ ":" #line
#define TENSIX_PLACE_OF(line) TENSIX_PLACE_TEXT(line)
#define TENSIX_PLACE TENSIX_PLACE_OF(__LINE__)
#define TENSIX_CHECK(owner, name, value, width, error, place) \
    if (!TENSIX_FITS(value, width, name)) { \
        if (TENSIX_IS_CONSTANT(value)) { \
            error(); \
        } \
        tensix_operand_cut(place, owner name, width, value); \
    }
#else
#define TENSIX_PLACE ""
#define TENSIX_CHECK(owner, name, value, width, error, place) \
    if (TENSIX_IS_CONSTANT(value) && !TENSIX_FITS(value, width, name)) { \
        error(); \
    }
#endif

#ifdef __cplusplus
extern "C"
#endif
void tensix_operand_cut(const char *place, const char *name, uint32_t width,
                        uint32_t value);

/* struct tt_<mnemonic> for every row: its operands */
#define TENSIX_FIELD_ENUM(m, field, low, width) \
    TENSIX_##m##_##field##_LOW = low, TENSIX_##m##_##field##_WIDTH = width,
#define TENSIX_FIELD_MEMBER(m, field, low, width) uint32_t field;
#define TENSIX_FIELD_CUT(m, field, low, width) \
    void tensix_cut_##m##_##field(void) \
        __attribute__((error(#m "." #field " has " #width " bits")));

#define TENSIX_INSN_TYPES(m) \
    enum { TENSIX_FIELDS_##m(TENSIX_FIELD_ENUM) TENSIX_##m##_END }; \
    struct tt_##m { TENSIX_FIELDS_##m(TENSIX_FIELD_MEMBER) char none; }; \
    TENSIX_FIELDS_##m(TENSIX_FIELD_CUT)
#define INSN(op, mnemonic, ...) \
    TENSIX_INSN_TYPES(mnemonic)
#define UNIMP(op, mnemonic, ...) \
    TENSIX_INSN_TYPES(mnemonic)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

#define TENSIX_FIELD(word, m, field) \
    (((word) >> TENSIX_##m##_##field##_LOW) & \
     ((1u << TENSIX_##m##_##field##_WIDTH) - 1u))

/*
 * The word of an instruction; operands not named are 0.  No function: its code
 * would have a line of this header, which debuggers show instead of the caller's.
 */
#ifndef __cplusplus
#define TT(m, ...) \
    __extension__({ \
        const struct tt_##m tensix_operands_ = { __VA_ARGS__ }; \
        (void)tensix_operands_; \
        TENSIX_FIELDS_##m(TENSIX_FIELD_CHECK) \
        ((uint32_t)TENSIX_OP_##m << 24) TENSIX_FIELDS_##m(TENSIX_FIELD_PLACE); \
    })
#else
/* Designated initialisers have to be in the order of the members there. */
#define TT(m, ...) \
    __extension__({ \
        struct tt_##m tensix_operands_ = {}; \
        __VA_OPT__(TENSIX_SET_1(__VA_ARGS__)) \
        (void)tensix_operands_; \
        TENSIX_FIELDS_##m(TENSIX_FIELD_CHECK) \
        ((uint32_t)TENSIX_OP_##m << 24) TENSIX_FIELDS_##m(TENSIX_FIELD_PLACE); \
    })
#define TENSIX_SET_1(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_2(__VA_ARGS__))
#define TENSIX_SET_2(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_3(__VA_ARGS__))
#define TENSIX_SET_3(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_4(__VA_ARGS__))
#define TENSIX_SET_4(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_5(__VA_ARGS__))
#define TENSIX_SET_5(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_6(__VA_ARGS__))
#define TENSIX_SET_6(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_7(__VA_ARGS__))
#define TENSIX_SET_7(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_8(__VA_ARGS__))
#define TENSIX_SET_8(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_9(__VA_ARGS__))
#define TENSIX_SET_9(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_10(__VA_ARGS__))
#define TENSIX_SET_10(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_11(__VA_ARGS__))
#define TENSIX_SET_11(operand, ...) \
    tensix_operands_ operand; __VA_OPT__(TENSIX_SET_12(__VA_ARGS__))
#define TENSIX_SET_12(operand) tensix_operands_ operand;
#endif
#define TENSIX_FIELD_CHECK(m, field, low, width) \
    TENSIX_CHECK(#m ".", #field, tensix_operands_.field, width, \
                 tensix_cut_##m##_##field, TENSIX_PLACE)
#define TENSIX_FIELD_PLACE(m, field, low, width) \
    | ((tensix_operands_.field & (UINT32_MAX >> (32 - (width)))) << (low))

#endif
