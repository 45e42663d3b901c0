# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What setup, demo, check and bench share. Sourced, never run; a script finds it
# beside itself even when it was started through a symbolic link.

SCRIPT=$(readlink -f "$0")
PROGRAM=$(basename "$SCRIPT")
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# A tool is called scripts/NAME in a tree, blackhole-tile-NAME where installed
COMMANDS=scripts/
SETUP_HINT=": scripts/setup installs it"
[ -e "$ROOT/scripts/setup" ] || {
    COMMANDS=blackhole-tile-
    PROGRAM=$COMMANDS$PROGRAM
    SETUP_HINT=
}
# Everything that is built or downloaded: nothing is written outside
BUILD=$(realpath -m -- "${BUILD:-${TENSIX_BUILD:-$ROOT/build}}")
export TENSIX_BUILD=$BUILD
# The same for the reader
SHOWN=${BUILD#"$ROOT"/}
LOG=$BUILD/log
TREE=$BUILD/qemu-src
PRISTINE=$BUILD/qemu-src.orig
OBJ=$BUILD/qemu
LOCK=$BUILD/.qemu.lock
JOBS=$(nproc)
# A line of progress after so many seconds without one: with what a line takes,
# below 10
PERIOD=8
SPOKEN=$SECONDS
# Exit status of what SIGINT has ended
INTERRUPTED=130

# What scripts/install has installed, below the prefix
# shellcheck disable=SC2034
MANIFEST=share/blackhole-tile/manifest

say() {
    printf '%s: %s\n' "$PROGRAM" "$*"
    SPOKEN=$SECONDS
}

die() {
    printf '%s: error: %s\n' "$PROGRAM" "$*" >&2
    exit 1
}

# The comment at the head of the script that was started
help_text() {
    awk -v commands="$COMMANDS" \
        'NR > 3 { if (!/^#/) exit; sub(/^# ?/, ""); gsub("scripts/", commands)
                  print }' "$SCRIPT"
}

# help_wanted ARGUMENT...: prints the help and ends if one asks for it
help_wanted() {
    local word
    for word; do
        case $word in
        -h | --help) help_text; exit 0 ;;
        esac
    done
}

# end_job SIGNAL PID: of a job that leads a group (setsid) the whole group, which
# may end after it; some there may ignore SIGINT
end_job() {
    local tries=30
    kill -TERM -- "-$2" 2>/dev/null || {
        kill "-$1" "$2" 2>/dev/null || true
        return 0
    }
    while [ $tries -gt 0 ] && kill -0 -- "-$2" 2>/dev/null; do
        tries=$((tries - 1))
        sleep 0.1
    done
}

# end_interrupted SIGNAL: what runs gets it too, and is waited for. A script
# inside another leaves the last word to that.
end_interrupted() {
    trap '' INT TERM
    local job
    for job in $(jobs -p); do
        end_job "$1" "$job"
    done
    wait
    [ -n "${TENSIX_INSIDE:-}" ] ||
        printf '%s: interrupted, run again to continue\n' "$PROGRAM" >&2
    exit $INTERRUPTED
}

# To be called once, by scripts that take their time
catch_interrupts() {
    trap 'end_interrupted INT' INT
    trap 'end_interrupted TERM' TERM
}

# background COMMAND...: bash would have it ignore Ctrl-C and take its input
background() {
    (trap - INT QUIT TERM; exec "$@") <&0 &
}

# log_state LOG: how far the command that writes it has got. That is ninja's
# [N/M], apt's percentage (Status-Fd), or else the last line.
log_state() {
    tail -c 4000 "$1" | tr '\r' '\n' | awk '
    match($0, /^ *\[?[0-9]+\/[0-9]+\]?/) {
        state = substr($0, RSTART, RLENGTH)
        gsub(/[][ ]/, "", state); sub("/", " of ", state)
    }
    /^(dl|pm)status:/ {
        split($0, field, ":")
        state = sprintf("%s %d %%", /^dl/ ? "downloading" : "installing",
                        field[3])
    }
    NF { line = $0 }
    END { print state ? state : substr(line, 1, 60) }'
}

# attend WHAT PID LOG: waits for the process, with a line now and then; its
# status
attend() {
    local start=$SECONDS sleeper state
    while kill -0 "$2" 2>/dev/null; do
        background sleep $((SECONDS - SPOKEN < PERIOD ?
                            SPOKEN + PERIOD - SECONDS : 1))
        sleeper=$!
        wait -n "$2" "$sleeper" || true
        if kill -0 "$2" 2>/dev/null; then
            state=$(log_state "$3")
            say "$1: $((SECONDS - start)) s${state:+, $state}"
        fi
        # By SIGKILL: before its exec it is a copy of this shell, which SIGTERM
        # would have run the trap of EXIT
        kill -KILL "$sleeper" 2>/dev/null || true
        wait "$sleeper" 2>/dev/null || true
    done
    wait "$2"
}

# run_long NAME COMMAND...: output to build/log/NAME.log, progress to the reader
run_long() {
    local name=$1 log=$LOG/$1.log
    shift
    background "$@" >"$log" 2>&1
    attend "$name" $! "$log"
}

# take_turns FD WHAT: waits for another script that holds the lock on FD
take_turns() {
    flock -n "$1" && return
    say "waiting for another $2 to end"
    run_long "waiting" flock "$1"
}

# read_sums: the SHA-256 of each file whose path is a line of the input, in
# sums[PATH]; none of a file that cannot be read
declare -A sums
read_sums() {
    local value path
    while read -r value path; do
        sums[$path]=$value
    done < <(xargs -r -d '\n' sha256sum -- 2>/dev/null)
}

# run_inside SCRIPT ARGUMENT...: another script as a part of this one
run_inside() {
    background env TENSIX_INSIDE=1 "$@"
    wait $!
}

# run_logged NAME COMMAND...: the same, with the log's end and name on failure
run_logged() {
    local log=$LOG/$1.log
    run_long "$@" && return 0
    tail -n 15 "$log" >&2
    printf '%s: the whole output is in %s\n' "$PROGRAM" "$log" >&2
    return 1
}

# The distribution's own python: a version manager's shim may lack modules
find_python() {
    local p
    for p in /usr/bin/python3 "$(command -v python3 || true)"; do
        if [ -x "$p" ]; then
            printf '%s' "$p"
            return 0
        fi
    done
    return 1
}

# The same, or that of PATH if only that has numpy: a virtual environment's
find_numpy_python() {
    local p
    for p in "$(find_python)" "$(command -v python3 || true)"; do
        if [ -x "$p" ] && "$p" -c 'import importlib.util as u, sys
sys.exit(u.find_spec("numpy") is None)'; then
            printf '%s' "$p"
            return 0
        fi
    done
    return 1
}

has_numpy() {
    find_numpy_python >/dev/null
}

# run_python NAME ARGUMENT...: becomes python with these arguments and the package
# blackhole_tile, for the script NAME. Where that cannot run yet, its help is what
# the script itself says.
run_python() {
    local python tool=$1
    shift
    python=$(find_numpy_python) || {
        help_wanted "$@"
        python=$(find_python) || die "no python3 (Debian: python3)$SETUP_HINT"
        die "$python has no numpy (Debian: python3-numpy)$SETUP_HINT"
    }
    export PYTHONPATH=$ROOT/python${PYTHONPATH:+:$PYTHONPATH}
    export TENSIX_TOOL=$tool
    exec "$python" -B "$@"
}

# run_module NAME ARGUMENT...: becomes a program of python/blackhole_tile
run_module() {
    run_python "$1" -m "blackhole_tile.$1" "${@:2}"
}

# One of: the packages are there, we are root, or sudo is there
SUDO=()
[ "$(id -u)" = 0 ] || SUDO=(sudo)

# The folder of $1 that exists already may be written
may_write() {
    local folder=$1
    while [ ! -d "$folder" ]; do
        folder=$(dirname "$folder")
    done
    [ -w "$folder" ]
}
