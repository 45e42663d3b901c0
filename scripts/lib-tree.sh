# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# build/qemu-src.orig is QEMU as it came, build/qemu-src is QEMU as it is
# built: with patches/ applied and linked to this repository. Only files that
# a patch names are ever touched, and only when their contents change, so that
# a new patch rebuilds no more than it must. Needs lib.sh and lib-apt.sh.

# What the board needs of QEMU, and no more
# shellcheck disable=SC2034
CONFIGURE_ARGS="--target-list=riscv64-softmmu
    --with-devices-riscv64=tenstorrent --without-default-features
    --without-default-devices --enable-tcg --enable-system --disable-docs
    --disable-tools --disable-install-blobs --enable-fdt=system
    --disable-werror --disable-download"
STAGE=$BUILD/stage
SYNCED=$BUILD/.synced

# Dies unless $1 is a QEMU source tree of a release that the patches are for
need_version() {
    local version
    [ -e "$1/VERSION" ] && [ -e "$1/configure" ] ||
        die "$1 is no QEMU source tree"
    version=$(cat "$1/VERSION")
    case $version in
        10.0.* | 10.2.*) ;;
        *) die "$1 is QEMU $version; 10.0.x or 10.2.x is needed" ;;
    esac
    [[ $version == "${QEMU_RELEASE:-${version%.*}}".* ]] ||
        die "$1 is QEMU $version, not $QEMU_RELEASE.x"
}

# series TREE: the patches for its release, in their order: patches/RELEASE/NAME
# replaces patches/NAME, and is none if it has no hunks
series() {
    local p release own
    release=$(cut -d . -f 1-2 "$1/VERSION")
    for p in "$ROOT"/patches/*.patch; do
        own=$ROOT/patches/$release/${p##*/}
        [ ! -e "$own" ] || p=$own
        ! grep -q '^--- ' "$p" || echo "$p"
    done
}

copy_tree() {
    local from
    from=$(cd "$1" 2>/dev/null && pwd -P) || die "QEMU_SRC=$1: no such folder"
    need_version "$from"
    [ -e "$from/subprojects/keycodemapdb/meson.build" ] ||
        die "$from lacks its subprojects: take a release, not a git tree"
    # Debian's original tarball has lost the blobs that its patches leave out
    [ -e "$from/pc-bios/edk2-riscv-code.fd.bz2" ] ||
        ! grep -qx 'if unpack_edk2_blobs' "$from/pc-bios/meson.build" ||
        die "$from lacks pc-bios/edk2-riscv-code.fd.bz2: take QEMU's own" \
            "release, or what dpkg-source -x unpacks"
    say "source: copying QEMU $(cat "$from/VERSION") from $from"
    mkdir -p "$2"
    # No .git: with one, configure makes warnings errors
    # shellcheck disable=SC2016
    run_logged copy sh -c \
        'tar cf - -C "$1" --exclude=./.git --exclude=./build . |
         tar xf - -C "$2"' sh "$from" "$2" || die "$from could not be copied"
}

# Gets the pristine tree, once for each origin
fetch_tree() {
    local origin=apt new=$BUILD/qemu-src.new
    if [ -n "${QEMU_SRC:-}" ]; then
        origin="folder $QEMU_SRC"
    elif [ "${QEMU_RELEASE:-10.0}" != 10.0 ]; then
        origin="apt $QEMU_RELEASE"
    fi
    if [ -e "$PRISTINE/.origin" ] &&
       { [ -z "${QEMU_SRC:-}${QEMU_RELEASE:-}" ] ||
         [ "$(cat "$PRISTINE/.origin")" = "$origin" ]; }; then
        say "source: QEMU $(cat "$PRISTINE/VERSION")"
        need_version "$PRISTINE"
        return
    fi
    rm -rf "$new"
    if [ -n "${QEMU_SRC:-}" ]; then
        copy_tree "$QEMU_SRC" "$new"
    else
        apt_source "$new"
    fi
    need_version "$new"
    echo "$origin" >"$new/.origin"
    rm -rf "$PRISTINE" "$TREE" "$OBJ" "$SYNCED"
    mv "$new" "$PRISTINE"
}

# The files that the patches of stdin name
files_of() {
    xargs -d '\n' awk \
        '/^(---|\+\+\+) [ab]\// { sub(/^[ab]\//, "", $2); print $2 }' | sort -u
}

patched_files() {
    series "$PRISTINE" | files_of
}

# Applies every patch to copies of the files it names, below build/stage
make_stage() {
    local f p
    rm -rf "$STAGE"
    mkdir -p "$STAGE"
    while read -r f; do
        [ -e "$PRISTINE/$f" ] || continue
        mkdir -p "$STAGE/$(dirname "$f")"
        cp -p "$PRISTINE/$f" "$STAGE/$f"
    done < <(patched_files)
    for p in $(series "$PRISTINE"); do
        run_logged patch patch -d "$STAGE" -p1 -s -f --no-backup-if-mismatch \
            -i "$p" || die "$(basename "$p") does not apply to QEMU" \
                           "$(cat "$PRISTINE/VERSION")"
    done
}

same() {
    cmp -s "$1" "$2" || { [ ! -e "$1" ] && [ ! -e "$2" ]; }
}

sum_of() {
    sha256sum <"$1" | cut -c 1-64
}

# place_file FILE: stage (or pristine) to the tree, unless it was edited there
place_file() {
    local f=$1 want=$STAGE/$1 have=$TREE/$1
    [ -e "$want" ] || want=$PRISTINE/$f
    same "$want" "$have" && return
    if [ -e "$have" ] && ! same "$PRISTINE/$f" "$have" &&
       ! grep -qsxF "$(sum_of "$have") $f" "$SYNCED"; then
        say "patches: $TREE/$f was edited there: left alone"
        return
    fi
    if [ -e "$want" ]; then
        mkdir -p "$(dirname "$have")"
        cp "$want" "$have"
    else
        rm -f "$have"
    fi
    placed=$((placed + 1))
}

link_in() {
    [ "$(readlink "$TREE/$2" 2>/dev/null)" = "$ROOT/$1" ] ||
        ln -sfn "$ROOT/$1" "$TREE/$2"
}

sync_tree() {
    local f placed=0 files
    if [ ! -e "$TREE/VERSION" ]; then
        rm -rf "$TREE.new"
        run_logged copy cp -a "$PRISTINE" "$TREE.new" ||
            die "$PRISTINE could not be copied"
        mv "$TREE.new" "$TREE"
    fi
    make_stage
    files=$({ patched_files; [ ! -e "$SYNCED" ] || cut -c 66- "$SYNCED"; } |
            sort -u)
    for f in $files; do
        place_file "$f"
    done
    for f in $files; do
        [ ! -e "$STAGE/$f" ] || echo "$(sum_of "$STAGE/$f") $f"
    done >"$SYNCED"
    link_in hw/tenstorrent hw/tenstorrent
    for f in "$ROOT"/qapi/*.json; do
        link_in "qapi/${f##*/}" "qapi/${f##*/}"
    done
    link_in target/riscv/tensix target/riscv/tensix
    link_in include/hw/tenstorrent include/hw/tenstorrent
    link_in tests tests/tenstorrent
    link_in configs/devices/riscv64-softmmu/tenstorrent.mak \
        configs/devices/riscv64-softmmu/tenstorrent.mak
    say "patches: $(series "$PRISTINE" | wc -l) applied," \
        "$placed files changed"
}
