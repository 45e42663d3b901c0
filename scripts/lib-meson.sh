# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# QEMU 10.0 wants a newer meson than some releases have (Debian 12, Ubuntu
# 24.04). Meson is Python alone, so a newer release's package needs only to be
# unpacked: in a separate environment, build/python, that QEMU's configure
# uses. Needs lib.sh and lib-apt.sh.

MESON_MIN=1.5.0
# also for another build, which must not download (scripts/deb)
OWN_PYTHON=${TENSIX_OWN_PYTHON:-$BUILD/python}

meson_is_new() {
    local v
    v=$({ /usr/bin/meson --version || meson --version; } 2>/dev/null) ||
        return 1
    [ "$(printf '%s\n' "$MESON_MIN" "$v" | sort -V | head -n 1)" = \
      "$MESON_MIN" ]
}

make_own_python() {
    local files=$BUILD/meson site
    apt_unpack meson "$files"
    rm -rf "$OWN_PYTHON"
    "$PYTHON" -m venv --system-site-packages --without-pip "$OWN_PYTHON" ||
        die "python3 makes no environment: is python3-venv there?"
    site=$("$OWN_PYTHON/bin/python3" -c \
           'import sysconfig; print(sysconfig.get_path("purelib"))')
    cp -r "$files"/usr/lib/python3/dist-packages/meson* "$site"
    "$OWN_PYTHON/bin/python3" -c 'import mesonbuild.mesonmain' ||
        die "Debian's meson does not run here: install meson $MESON_MIN"
    rm -rf "$files"
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
