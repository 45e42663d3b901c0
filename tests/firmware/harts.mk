# SPDX-License-Identifier: GPL-2.0-or-later
#
# The harts, for our firmware and for examples: how they are compiled for, where
# their images are, and how much private data RAM they have.

HARTS = brisc ncrisc trisc0 trisc1 trisc2
CROSS ?= riscv64-unknown-elf-
# no compressed instructions: their words are Tensix instructions here
MARCH ?= rv32im_zicsr_zifencei

# 16 KiB of L1 for each image
TEXT_brisc = 0x0
TEXT_ncrisc = 0x4000
TEXT_trisc0 = 0x8000
TEXT_trisc1 = 0xc000
TEXT_trisc2 = 0x10000
RAM_brisc = 8192
RAM_ncrisc = 8192
RAM_trisc0 = 4096
RAM_trisc1 = 4096
RAM_trisc2 = 4096
