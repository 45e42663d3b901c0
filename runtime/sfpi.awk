# SPDX-License-Identifier: GPL-2.0-or-later
#
# Between compiler and assembler, for C++ with sfpi.h: every instruction has the
# line of the kernel that it is for, not that of the header, in debugging
# information and in the assembler's messages.  After a label it is not known
# which instruction came before it (emit.hpp).

BEGIN {
    header = "/blackhole-tile/(sfpi/[a-z]*[.]hpp|sfpi[.]h)\""
    print "\t.set sfpi.words,0"
    # MOP, REPLAY; SFPLUT, MULI, ADDI, MAD, ADD, MUL, LUTFP32, MUL24
    split("1 4 115 116 117 132 133 134 149 152", opcodes)
    for (n in opcodes) {
        is_late[opcodes[n]] = 1
    }
}

$1 == ".file" && $2 ~ /^[0-9]+$/ {
    name = $0
    sub(/^[^"]*"/, "\"", name)
    while (match(name, /^"[^"]*" "/)) {
        sub(/" "/, "/", name)
    }
    sub(/" md5.*/, "\"", name)
    is_header[$2] = name ~ header
    files[$2] = name
}

$1 == ".loc" && $2 ~ /^[0-9]+$/ {
    if (is_header[$2]) {
        next
    }
    place = "# " $3 " " files[$2]
}

# The place for messages
$1 ~ /^(f|sfp)/ && place { print place }

$1 == "flw" || $1 == "fsw" {
    print "\t.error \"a ninth vector is live here, or one across a call: " \
        "declare what is called sfpi_inline\""
    next
}

$1 ~ /^f[a-z]+[.]/ && $1 !~ /^(fmv[.]s|fence[.]i)$/ {
    print "\t.error \"a number of the hart in floating point, at run time" \
        ": use vectors, or constants\""
    next
}

# A variable in fa0 to fa7 gets the value 0 to 7, the number of its LReg, which is
# no register of the hart (python/blackhole_tile/ingdb/vectors.py).  -dA names
# operations; of one for a caller's value the register is an operand.
/# DW_OP_(GNU_)?entry_value$/ { operand = NR + 2 }
/# DW_OP_regx$/ && NR != operand {
    getline
    place = index("2a2b2c2d2e2f3031", substr($2, 3))
    printf "\t.byte\t0x%x\t# DW_OP_lit\n", 48 + (place - 1) / 2
    print "\t.byte\t0x9f\t# DW_OP_stack_value"
    next
}

{ print }

# TTINSN()'s: words that load_replay_buf() counts (replay.hpp), rotated by two; a
# store may be one that it cannot know, and a function may push some
$1 == ".word" {
    word = $2 < 0 ? $2 + 4294967296 : $2
    opcode = word % 4 * 64 + int(word / 67108864)
    print "\t.set sfpi.words,sfpi.words+1"
    print "\t.set sfpi.late," (opcode in is_late ? 8 : -1)
}
$1 ~ /^(sw|call|jal|jalr)$/ { print "\t.set sfpi.straight,0\n\t.set sfpi.late,8" }

/^([A-Za-z_]|[.]L[0-9]+:)/ && $1 ~ /:$/ {
    print "\t.set sfpi.late,8\n\t.set sfpi.straight,0"
}
