# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# QEMU 10.0 wants a newer meson than some releases have (Debian 12, Ubuntu
# 24.04). Meson is Python alone, so its source package is as good as installed:
# in an environment of its own, build/python, that only QEMU's configure uses.
# Needs lib.sh and lib-apt.sh.

MESON_MIN=1.5.0
OWN_PYTHON=$BUILD/python

meson_is_new() {
    local v
    v=$({ /usr/bin/meson --version || meson --version; } 2>/dev/null) ||
        return 1
    [ "$(printf '%s\n' "$MESON_MIN" "$v" | sort -V | head -n 1)" = \
      "$MESON_MIN" ]
}

# describe_meson FOLDER VERSION: what Python knows an installed program by
describe_meson() {
    mkdir -p "$1/meson-$2.dist-info"
    printf 'Metadata-Version: 2.1\nName: meson\nVersion: %s\n' "$2" \
        >"$1/meson-$2.dist-info/METADATA"
    printf '[console_scripts]\nmeson = mesonbuild.mesonmain:main\n' \
        >"$1/meson-$2.dist-info/entry_points.txt"
}

make_own_python() {
    local new=$OWN_PYTHON.new source=$BUILD/meson-src site version
    rm -rf "$new" "$source" "$OWN_PYTHON"
    apt_source meson '[1-9]' "$source"
    "$PYTHON" -m venv --system-site-packages --without-pip "$OWN_PYTHON" ||
        die "python3 makes no environment: is python3-venv there?"
    site=$("$OWN_PYTHON/bin/python3" -c \
           'import sysconfig; print(sysconfig.get_path("purelib"))')
    cp -r "$source/mesonbuild" "$site"
    version=$("$OWN_PYTHON/bin/python3" -c \
              'from mesonbuild import coredata; print(coredata.version)')
    describe_meson "$site" "$version"
    rm -rf "$source"
    touch "$OWN_PYTHON/.complete"
}

# Sets PYTHON to one that has a meson for QEMU
need_meson() {
    if meson_is_new; then
        return
    fi
    # a release of QEMU's own brings one along
    ! compgen -G "$TREE/python/wheels/meson-*.whl" >/dev/null || return 0
    [ -e "$OWN_PYTHON/.complete" ] || make_own_python
    PYTHON=$OWN_PYTHON/bin/python3
}
