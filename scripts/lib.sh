# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What setup, demo and check share. Sourced, never run.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$ROOT/build
LOG=$BUILD/log
TREE=$BUILD/qemu-src
PRISTINE=$BUILD/qemu-src.orig
OBJ=$BUILD/qemu
LOCK=$BUILD/.qemu.lock
PROGRAM=$(basename "$0")
JOBS=$(nproc)

say() {
    printf '%s: %s\n' "$PROGRAM" "$*"
}

die() {
    printf '%s: error: %s\n' "$PROGRAM" "$*" >&2
    exit 1
}

# run_logged NAME COMMAND...: output to build/log/NAME.log, its end on failure
run_logged() {
    local log=$LOG/$1.log
    shift
    "$@" >"$log" 2>&1 && return 0
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

has_numpy() {
    local python
    python=$(find_python) && "$python" -c 'import importlib.util as u, sys
sys.exit(u.find_spec("numpy") is None)'
}

# run_module NAME ARGUMENT...: becomes a program of python/blackhole_tile
run_module() {
    local python
    python=$(find_python) || die "no python3: scripts/setup installs it"
    has_numpy || die "$python has no numpy (Debian: python3-numpy):" \
                     "scripts/setup installs it"
    export PYTHONPATH=$ROOT/python${PYTHONPATH:+:$PYTHONPATH}
    exec "$python" -B -m "blackhole_tile.$1" "${@:2}"
}

# One of: the packages are there, we are root, or sudo is there
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}
