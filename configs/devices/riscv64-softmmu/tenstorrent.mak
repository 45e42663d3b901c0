# SPDX-License-Identifier: GPL-2.0-or-later
# Configuration for a qemu-system-riscv64 with the Blackhole tile only.
CONFIG_TENSTORRENT_BLACKHOLE=y
