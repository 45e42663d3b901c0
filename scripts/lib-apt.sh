# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Packages and QEMU's source through apt. The machine's own configuration is
# read, never written: apt works on copies of its lists below build/apt. A second
# set of lists is for the release of Debian that has QEMU 10.0; from there files
# are downloaded and unpacked below build/, and nothing is ever installed.
# Needs lib.sh and lib-place.sh.

APT_DIR=$BUILD/apt
APT_COMMON=(
    -o "Dir::Etc::SourceList=/dev/null"
    -o "Dir::Cache::pkgcache="
    -o "Dir::Cache::srcpkgcache="
    -o "APT::Sandbox::User=root"
    -o "Acquire::Languages=none"
    -o "Acquire::Retries=2"
)
APT_OPTS=(
    "${APT_COMMON[@]}"
    -o "Dir::Etc::SourceParts=$APT_DIR/sources.list.d"
    -o "Dir::State::Lists=$APT_DIR/lists"
)
SOURCE_OPTS=(
    "${APT_COMMON[@]}"
    -o "Dir::Etc::SourceParts=$APT_DIR/source/sources.list.d"
    -o "Dir::State::Lists=$APT_DIR/source/lists"
)
# Progress for log_state
APT_STATUS=(-o "APT::Status-Fd=1")

PACKAGES="dpkg-dev xz-utils patch perl gcc libc6-dev make pkgconf ninja-build
    meson python3 python3-venv python3-numpy python3-matplotlib
    libglib2.0-dev zlib1g-dev libdw-dev libelf-dev libfdt-dev
    gcc-riscv64-unknown-elf binutils-riscv64-unknown-elf gdb-multiarch
    python3-sphinx python3-pytest python3-setuptools python3-wheel
    python3-distributed python3-cryptography"
TOOLS="xz patch perl gcc make pkg-config ninja meson python3
    riscv64-unknown-elf-gcc gdb-multiarch"

# The release of Debian that has QEMU 10.0 and a new meson (QEMU 10.2: unstable);
# where it is (the user says so) and what signs it, on a machine that is no Debian
SOURCE_RELEASE=trixie
DEBIAN_MIRROR=${DEBIAN_MIRROR:-}
DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints debian, or what else the machine is (Ubuntu and its children are
# ubuntu); nothing if its packages are not Debian's kind
distribution() {
    (
        . "${OS_RELEASE:-/etc/os-release}"
        case " $ID ${ID_LIKE:-} " in
        " debian "*) echo debian ;;
        *" ubuntu "*) echo ubuntu ;;
        *" debian "*) echo "$ID" ;;
        esac
    )
}

# Prints what is not installed of the arguments
missing_packages() {
    local p have
    have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null |
           awk '$2 == "installed" { print $1 }')
    for p; do
        grep -qx "$p" <<<"$have" || printf '%s ' "$p"
    done
}

# Prints "URI KEYRING" of the main archive of the machine's configuration: that of
# its own release if it is named there (it may be called stable). apt leaves a
# field that is not set as the format has it.
find_mirror() {
    local fields='$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED_BY)' codename
    codename=$(. "${OS_RELEASE:-/etc/os-release}"
               echo "${UBUNTU_CODENAME:-${VERSION_CODENAME:-}}")
    apt-get indextargets --format "$fields" 2>/dev/null |
    awk -v codename="$codename" '
        $3 == "main" && $1 !~ /security/ && $2 !~ /-/ {
            rank = $2 == codename ? 2 : 1
            if (rank > best) {
                best = rank
                mirror = $1 " " ($4 ~ "^/" ? $4 : "")
            }
        }
        END { if (best) { print mirror } }'
}

# main_mirror: sets MIRROR and KEYRING
main_mirror() {
    read -r MIRROR KEYRING < <(find_mirror) ||
        die "apt has no mirror configured in /etc/apt"
}

# read_lists NAME OPTION...: apt-get update. One list that fails need not be one
# that is wanted: what counts is whether the packages are found afterwards.
read_lists() {
    local name=$1
    shift
    run_long "$name" apt-get "$@" "${APT_STATUS[@]}" update || true
}

# The machine's sources, in a folder of our own
apt_prepare() {
    local f
    main_mirror
    mkdir -p "$APT_DIR/sources.list.d" "$APT_DIR/lists/partial"
    rm -f "$APT_DIR"/sources.list.d/*
    for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
             /etc/apt/sources.list.d/*.sources; do
        [ -f "$f" ] && cp -L "$f" "$APT_DIR/sources.list.d/"
    done
    [ -e "$APT_DIR/sources.list.d/sources.list" ] &&
        mv "$APT_DIR/sources.list.d/sources.list" \
           "$APT_DIR/sources.list.d/machine.list"
    say "apt: reading the package lists of $MIRROR"
    read_lists apt-update "${APT_OPTS[@]}"
    compgen -G "$APT_DIR/lists/*Release" >/dev/null || {
        grep -E '^[EW]:' "$LOG/apt-update.log" | head -n 3 >&2
        die "cannot read the package lists of $MIRROR: is there a network?" \
            "(see $LOG/apt-update.log)"
    }
}

apt_prepare_once() {
    [ -n "${APT_READY:-}" ] || apt_prepare
    APT_READY=1
}

# Prints which of the arguments no list has
unknown_packages() {
    local p known
    known=$({ apt-cache "${APT_OPTS[@]}" --no-all-versions show "$@" \
                  2>/dev/null || true; } | sed -n 's/^Package: //p')
    for p; do
        grep -qx "$p" <<<"$known" || printf '%s ' "$p"
    done
}

# Megabytes that installing the arguments takes, archives included
packages_mb() {
    { LC_ALL=C apt-get "${APT_OPTS[@]}" -o Debug::NoLocking=1 --assume-no \
          --no-install-recommends install "$@" 2>/dev/null || true; } |
    awk 'BEGIN { mb["B"] = 0; mb["kB"] = 0.001; mb["MB"] = 1; mb["GB"] = 1000 }
         /^Need to get|^After this operation/ {
             sub("/.*", "")
             for (n = 2; n <= NF; n++) {
                 if ($n in mb) {
                     number = $(n - 1)
                     gsub(",", "", number)
                     sum += number * mb[$n]
                     break
                 }
             }
         }
         END { printf "%d", sum + 1 }'
}

# Installs the arguments, which are not there
apt_install() {
    local unknown
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        die "not root and no sudo; to be installed: $*"
    fi
    apt_prepare_once
    unknown=$(unknown_packages "$@")
    [ -z "$unknown" ] ||
        die "apt finds no package ${unknown% }: is a component (Ubuntu:" \
            "universe) or a release missing in /etc/apt? Otherwise see" \
            "$LOG/apt-update.log"
    need_space /usr "$(packages_mb "$@")" "installing $*"
    say "packages: installing $*"
    # A dpkg that was interrupted has to end first
    if [ -n "$(dpkg --audit)" ]; then
        run_logged dpkg-configure "${SUDO[@]}" dpkg --configure -a ||
            die "dpkg was interrupted, and cannot continue"
    fi
    run_logged packages "${SUDO[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get "${APT_OPTS[@]}" "${APT_STATUS[@]}" -y \
        --no-install-recommends install "$@" ||
        die "the packages could not be installed"
}

# Installs what is missing
install_packages() {
    local missing
    [ -n "${QEMU_SRC:-}" ] || [ -e "$PRISTINE/.origin" ] || need_mirror
    # shellcheck disable=SC2086
    missing=$(missing_packages $PACKAGES)
    if [ -z "$missing" ]; then
        say "packages: all there"
    elif [ -z "$(distribution)" ]; then
        need_tools
    else
        # shellcheck disable=SC2086
        apt_install $missing
    fi
}

# Without apt there must at least be the tools
need_tools() {
    local t missing=''
    for t in $TOOLS; do
        command -v "$t" >/dev/null || missing="$missing $t"
    done
    for t in numpy matplotlib; do
        "$(find_python)" -c "import $t" 2>/dev/null ||
            missing="$missing python3-$t"
    done
    [ -z "$missing" ] ||
        die "neither Debian nor Ubuntu: install by hand what is missing" \
            "here:$missing"
    [ -n "${QEMU_SRC:-}" ] || [ -e "$PRISTINE/.origin" ] ||
        die "neither Debian nor Ubuntu: give an unpacked QEMU 10.0.x as" \
            "QEMU_SRC=DIR"
}

# Where Debian's source comes from is in Debian's own configuration only
need_mirror() {
    case $(distribution) in
    ""|debian) ;;
    *)
        [ -n "$DEBIAN_MIRROR" ] ||
            die "no Debian: name a mirror of Debian's archive as" \
                "DEBIAN_MIRROR=URL, or give an unpacked QEMU 10.0.x as" \
                "QEMU_SRC=DIR"
        ;;
    esac
}

# source_line TYPE: the line of sources.list (deb or deb-src) for SOURCE_RELEASE:
# on Debian from the machine's mirror, elsewhere from DEBIAN_MIRROR
source_line() {
    local uri=$DEBIAN_MIRROR key=$DEBIAN_KEYRING
    if [ "$(distribution)" = debian ]; then
        main_mirror
        uri=$MIRROR key=$KEYRING
    fi
    echo "$1 ${key:+[signed-by=$key] }$uri $SOURCE_RELEASE main"
}

# source_prepare TYPE: the lists of SOURCE_RELEASE; its key is a package
source_prepare() {
    local folder=$APT_DIR/source
    [ -n "$(distribution)" ] ||
        die "no Debian: give an unpacked QEMU 10.0.x as QEMU_SRC=DIR"
    need_mirror
    [ "$(distribution)" = debian ] || [ -e "$DEBIAN_KEYRING" ] ||
        apt_install debian-archive-keyring
    mkdir -p "$folder/sources.list.d" "$folder/lists/partial"
    source_line "$1" >"$folder/sources.list.d/tensix.list"
    say "apt: reading the lists of Debian $SOURCE_RELEASE ($1)"
    read_lists source-update "${SOURCE_OPTS[@]}"
}

# newest VERSION_PATTERN: of the versions in apt-cache's output that begin so
newest() {
    awk -v pattern="^([0-9]+:)?$1" \
        '/^Version: / && $2 ~ pattern { print $2 }' | sort -V | tail -n 1
}

# Downloads QEMU's source package and unpacks it to the folder $1
apt_source() {
    local version release=${QEMU_RELEASE:-10.0}
    [ "$release" = 10.0 ] || local SOURCE_RELEASE=unstable
    source_prepare deb-src
    version=$({ apt-cache "${SOURCE_OPTS[@]}" showsrc qemu 2>/dev/null ||
                    true; } | newest "${release/./[.]}[.]")
    [ -n "$version" ] ||
        die "apt finds no source package of QEMU $release.x (see" \
            "$LOG/source-update.log); give an unpacked tree as QEMU_SRC=DIR"
    say "source: downloading QEMU $version"
    rm -rf "$BUILD/src"
    mkdir -p "$BUILD/src"
    cd "$BUILD/src"
    run_logged source apt-get "${SOURCE_OPTS[@]}" "${APT_STATUS[@]}" source \
        --download-only "qemu=$version" ||
        die "the source package could not be downloaded"
    cd "$ROOT"
    run_logged unpack dpkg-source --no-check -x "$BUILD"/src/qemu_*.dsc "$1" ||
        die "the source package could not be unpacked"
    rm -rf "$BUILD/src" "$BUILD"/qemu_*.orig.tar.*
}

# apt_unpack PACKAGE FOLDER: the files of a package of SOURCE_RELEASE, which is
# not installed
apt_unpack() {
    source_prepare deb
    say "$1: downloading that of Debian $SOURCE_RELEASE"
    rm -rf "$2"
    mkdir -p "$2"
    cd "$2"
    run_logged "$1" apt-get "${SOURCE_OPTS[@]}" "${APT_STATUS[@]}" \
        download "$1" || die "the package $1 could not be downloaded"
    cd "$ROOT"
    run_logged "$1" dpkg-deb -x "$2/$1"_*.deb "$2" ||
        die "the package $1 could not be unpacked"
}
