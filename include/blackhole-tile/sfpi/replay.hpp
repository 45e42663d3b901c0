/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The REPLAY buffer of 32 words, by the names of LLK's lltt.h and ckernel.h.
 *
 * Words are counted as they are in the stream, with copies and SFPNOP that
 * sfpi.h adds.  load_replay_buf() knows how many there are, if there is no
 * branch and no store of the hart among them, and takes no other length.
 * (BH REPLAY.md)
 */

#ifndef BLACKHOLE_TILE_SFPI_REPLAY_HPP
#define BLACKHOLE_TILE_SFPI_REPLAY_HPP

#include "blackhole-tile/sfpi/emit.hpp"

__asm__(
    ".macro sfpi.recorded number:req\n"
    ".error \"load_replay_buf(): \\number words are recorded: not the length "
    "that is given\"\n"
    ".endm\n");

namespace lltt {

enum ExecBool : bool { NoExec, Exec };

constexpr uint32_t replay_insn(unsigned start, unsigned length)
{
    return TT(REPLAY, .len = length, .start_idx = start);
}

/* What precedes the next word when it is executed is not known. */
sfpi_inline void execute(uint32_t word)
{
    if (__builtin_constant_p(word)) {
        __asm__ volatile("sfp %0,late=8" : : "i"(word));
    } else {
        PUSH_OWN = word;
    }
}

/* The next words go into the buffer; they are executed, too, if E is Exec. */
template <ExecBool E = NoExec>
sfpi_inline void record(unsigned start, unsigned length)
{
    execute(TT(REPLAY, .load_mode = 1, .execute_while_loading = E,
               .len = length, .start_idx = start));
}

sfpi_inline void replay(unsigned start, unsigned length)
{
    execute(replay_insn(start, length));
}

}

namespace ckernel {

using lltt::Exec;
using lltt::ExecBool;
using lltt::NoExec;

/* What this function emits goes into the buffer. */
template <ExecBool E = NoExec, typename Function, typename... Arguments>
[[gnu::always_inline, gnu::flatten]]
inline void load_replay_buf(unsigned start, unsigned length, Function &&emit,
                            Arguments &&...arguments)
{
    lltt::record<E>(start, length);
    __asm__ volatile(".set sfpi.from,sfpi.words\n"
                     ".set sfpi.straight,1");
    emit(static_cast<Arguments &&>(arguments)...);
    __asm__ volatile(".if (sfpi.straight!=0)&&(sfpi.words-sfpi.from!=%0)\n"
                     ".altmacro\n"
                     "sfpi.recorded %%(sfpi.words-sfpi.from)\n"
                     ".noaltmacro\n"
                     ".endif" : : "i"(length));
}

}

#endif
