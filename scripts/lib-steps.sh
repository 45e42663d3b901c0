# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Steps one after the other, each with its time; a table of them at the end.
# Needs lib.sh.

STEPS_DONE=''

# The machine that the times are of
machine_text() {
    (
        . /etc/os-release
        printf '%s, %d processors' "$PRETTY_NAME" "$(nproc)"
    )
}

# end_steps STATUS: the table, and PASS or FAIL
end_steps() {
    say "on $(machine_text):"
    printf '%s' "$STEPS_DONE"
    if [ "$1" = 0 ]; then
        say "PASS"
    else
        say "FAIL"
    fi
    exit "$1"
}

# step NAME COMMAND...: a step that fails is the last one
step() {
    local name=$1 start=$SECONDS status=0 seconds
    shift
    say "---- $name"
    run_inside "$@" || status=$?
    seconds=$((SECONDS - start))
    STEPS_DONE+=$(printf '%7d s  %s' $seconds "$name")
    [ "$status" = 0 ] || STEPS_DONE+=": ended with status $status"
    STEPS_DONE+=$'\n'
    [ "$status" = 0 ] || end_steps "$status"
}
