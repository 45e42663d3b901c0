# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Whether there is a place to build in: asked before anything is downloaded.
# Needs lib.sh.

# Megabytes in build/ after scripts/setup: QEMU's source twice, what is made of
# it, lists and packages of apt
SETUP_MB=1400
# and after scripts/check
CHECK_MB=4300
# What a shell, make, ninja, QEMU's configure or its options take for their own
UNFIT='[[:space:]]|[]["'\''\\$`#%&*?(){};:,|<>!]'

# plain_path WHAT FOLDER: dies if the tools could not work there
plain_path() {
    if [[ $2 =~ $UNFIT ]]; then
        die "$1 is $2: QEMU cannot be built in a folder with" \
            "\"${BASH_REMATCH[0]}\" in its path${3:-}"
    fi
}

# free_mb FOLDER: of the file system that it is on, or would be
free_mb() {
    local folder=$1
    until [ -e "$folder" ]; do
        folder=$(dirname "$folder")
    done
    df -Pm "$folder" | awk 'NR == 2 { print $4 }'
}

# need_space FOLDER MB WHAT [ADVICE]
need_space() {
    local free
    free=$(free_mb "$1")
    [ "$free" -ge "$2" ] ||
        die "too little disk: $3 needs $2 MB in $1, $free MB are free${4:-}"
}

# need_build_space MB WHAT: what is in build/ already counts
need_build_space() {
    local have=0
    [ ! -e "$BUILD" ] || have=$(du -sm "$BUILD" 2>/dev/null | cut -f 1)
    [ "$1" -le "$have" ] ||
        need_space "$BUILD" $(($1 - have)) "$2" \
            "; with BUILD=DIR the build goes to another folder"
}

# Dies unless build/ can be made and used
need_build() {
    plain_path "this repository" "$ROOT" ": move it"
    plain_path "BUILD" "$BUILD"
    mkdir -p "$LOG" 2>/dev/null && [ -w "$LOG" ] && [ -w "$BUILD" ] ||
        die "$BUILD cannot be written: BUILD=DIR scripts/$PROGRAM builds in" \
            "another folder"
}
