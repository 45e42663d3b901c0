# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Packages and QEMU's source through apt. The machine's own configuration is
# read, never written: the suites that are missing there (backports, the
# release that has QEMU 10.0) are added in a private list below build/apt.
# Needs lib.sh.

APT_DIR=$BUILD/apt
APT_OPTS=(
    -o "Dir::Etc::SourceList=/dev/null"
    -o "Dir::Etc::SourceParts=$APT_DIR/sources.list.d"
    -o "Dir::State::Lists=$APT_DIR/lists"
    -o "Dir::Cache::pkgcache="
    -o "Dir::Cache::srcpkgcache="
    -o "APT::Sandbox::User=root"
    -o "Acquire::Languages=none"
    -o "Acquire::Retries=2"
)

PACKAGES="dpkg-dev xz-utils patch perl gcc libc6-dev make pkgconf ninja-build
    meson python3 python3-venv python3-pycotap python3-numpy
    python3-matplotlib libglib2.0-dev zlib1g-dev libdw-dev libelf-dev
    libfdt-dev gcc-riscv64-unknown-elf binutils-riscv64-unknown-elf
    gdb-multiarch python3-sphinx python3-pytest"
# QEMU 10.0 wants a newer meson than Debian 12 has
NEWER="meson python3-pycotap"
MESON_MIN=1.5.0
TOOLS="xz patch perl gcc make pkg-config ninja meson python3
    riscv64-unknown-elf-gcc gdb-multiarch"

# Prints what is not installed
missing_packages() {
    local p
    # shellcheck disable=SC2086
    local have
    have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null |
           awk '$2 == "installed" { print $1 }')
    for p in $PACKAGES; do
        grep -qx "$p" <<<"$have" || printf '%s ' "$p"
    done
}

meson_is_new() {
    local v
    v=$({ /usr/bin/meson --version || meson --version; } 2>/dev/null) ||
        return 1
    [ "$(printf '%s\n' "$MESON_MIN" "$v" | sort -V | head -n 1)" = \
      "$MESON_MIN" ]
}

# Prints "URI KEYRING" of the main archive of the machine's configuration. apt
# leaves a field that is not set as it stands in the format.
find_mirror() {
    local fields='$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED_BY)'
    apt-get indextargets --format "$fields" 2>/dev/null |
    awk '$3 == "main" && $1 !~ /security/ && $2 !~ /-/ {
             print $1, $4 ~ "^/" ? $4 : ""
             exit
         }'
}

# A private list: the machine's sources and the suites added to them
apt_prepare() {
    local uri key opt f codename mirror
    [ "$(. /etc/os-release && echo "$ID")" = debian ] ||
        die "no Debian: install by hand what is missing of: $TOOLS, and" \
            "give an unpacked QEMU 10.0 tree as QEMU_SRC=DIR"
    mirror=$(find_mirror)
    [ -n "$mirror" ] || die "apt has no mirror configured in /etc/apt"
    read -r uri key <<<"$mirror"
    opt=${key:+[signed-by=$key] }
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p "$APT_DIR/sources.list.d" "$APT_DIR/lists/partial"
    rm -f "$APT_DIR"/sources.list.d/*
    for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
             /etc/apt/sources.list.d/*.sources; do
        [ -f "$f" ] && cp -L "$f" "$APT_DIR/sources.list.d/"
    done
    [ -e "$APT_DIR/sources.list.d/sources.list" ] &&
        mv "$APT_DIR/sources.list.d/sources.list" \
           "$APT_DIR/sources.list.d/machine.list"
    {
        echo "deb-src $opt$uri trixie main"
        if [ "$codename" = bookworm ]; then
            echo "deb $opt$uri bookworm-backports main"
            echo "deb-src $opt$uri bookworm-backports main"
        fi
    } >"$APT_DIR/sources.list.d/tensix.list"
    say "apt: reading the package lists of $uri"
    # One source that fails need not be one that is wanted: what counts is
    # whether the packages are found afterwards
    apt-get "${APT_OPTS[@]}" update >"$LOG/apt-update.log" 2>&1 || true
    compgen -G "$APT_DIR/lists/*Release" >/dev/null || {
        grep -E '^[EW]:' "$LOG/apt-update.log" | head -n 3 >&2
        die "cannot read the package lists of $uri: is there a network?"
    }
}

apt_prepare_once() {
    [ -n "${APT_READY:-}" ] || apt_prepare
    APT_READY=1
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get "${APT_OPTS[@]}" \
        -y --no-install-recommends install "$@"
}

# Installs what is missing
install_packages() {
    local missing
    missing=$(missing_packages)
    meson_is_new || [[ " $missing" = *" meson "* ]] || missing="$missing meson"
    if [ -z "$missing" ]; then
        say "packages: all there"
        return
    fi
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        die "not root and no sudo; to be installed: $missing"
    fi
    apt_prepare_once
    say "packages: installing $missing"
    local newer='' p
    if [ "$(. /etc/os-release && echo "$VERSION_CODENAME")" = bookworm ]; then
        for p in $NEWER; do
            newer="$newer $p/bookworm-backports"
        done
        missing=$(for p in $missing; do
                      grep -qw -- "$p" <<<"$NEWER" || printf '%s ' "$p"
                  done)
    fi
    # shellcheck disable=SC2086
    run_logged apt-install apt_install $missing $newer ||
        die "the packages could not be installed"
}

# Without apt there must at least be the tools
need_tools() {
    local t missing=''
    for t in $TOOLS; do
        command -v "$t" >/dev/null || missing="$missing $t"
    done
    [ -z "$missing" ] || die "missing tools:$missing"
    meson_is_new || die "meson $MESON_MIN or newer is needed"
}

# Prints the newest 10.0.x source package that apt knows
newest_source() {
    { apt-cache "${APT_OPTS[@]}" showsrc qemu 2>/dev/null || true; } |
        awk '/^Version: ([0-9]+:)?10\.0\./ { print $2 }' | sort -V | tail -n 1
}

# Downloads and unpacks QEMU's source package to the folder $1
apt_source() {
    local version
    apt_prepare_once
    version=$(newest_source)
    [ -n "$version" ] ||
        die "apt finds no source package of QEMU 10.0.x (see" \
            "$LOG/apt-update.log); give an unpacked tree as QEMU_SRC=DIR"
    say "source: downloading QEMU $version"
    rm -rf "$BUILD/src"
    mkdir -p "$BUILD/src"
    run_logged apt-source apt_get_source "$version" ||
        die "the source package could not be downloaded"
    run_logged unpack dpkg-source --no-check -x "$BUILD"/src/qemu_*.dsc "$1" ||
        die "the source package could not be unpacked"
    rm -f "$BUILD"/qemu_*.orig.tar.*
}

apt_get_source() {
    cd "$BUILD/src" &&
        apt-get "${APT_OPTS[@]}" source --download-only "qemu=$1"
}
