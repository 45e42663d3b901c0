# SPDX-License-Identifier: GPL-2.0-or-later
#
# Between compiler and assembler, for C++ with sfpi.h: every instruction has the
# line of the kernel that it is for, not that of the header, in debugging
# information and in the assembler's messages.  After a label it is not known
# which instruction came before it (emit.hpp).

BEGIN {
    header = "/blackhole-tile/(sfpi/[a-z]*[.]hpp|sfpi[.]h)\""
    print "\t.set sfpi.words,0"
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

{ print }

# TTINSN()'s: words that load_replay_buf() counts (replay.hpp); a store may be
# one that it cannot know
$1 == ".word" { print "\t.set sfpi.words,sfpi.words+1" }
$1 == "sw" { print "\t.set sfpi.straight,0" }

/^([A-Za-z_]|[.]L[0-9]+:)/ && $1 ~ /:$/ {
    print "\t.set sfpi.late,8\n\t.set sfpi.straight,0"
}
