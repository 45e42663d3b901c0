# SPDX-License-Identifier: GPL-2.0-or-later
#
# The harts, for kernels and for our firmware: how they are compiled and linked,
# where their images are, and how much private data RAM they have.
# BLACKHOLE_TILE is where this tree is, or what was installed of it.

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

RUNTIME = $(BLACKHOLE_TILE)/runtime
# tables of instructions and configuration fields: the core's, or installed
TABLES = $(firstword $(wildcard $(BLACKHOLE_TILE)/hw/tenstorrent/core \
	$(BLACKHOLE_TILE)/include/blackhole-tile/core))
START_FILES = $(RUNTIME)/crt0.S $(RUNTIME)/console.c $(RUNTIME)/string.c \
	$(DEBUG_FILES)
DEPENDS = $(START_FILES) $(RUNTIME)/hart.ld \
	$(wildcard $(BLACKHOLE_TILE)/include/blackhole-tile/*.h \
	$(BLACKHOLE_TILE)/include/blackhole-tile/sfpi/*.hpp \
	$(BLACKHOLE_TILE)/include/blackhole-tile/std/* \
	$(TABLES)/decode/*.h $(TABLES)/decode/*.inc \
	$(TABLES)/config/*.inc)

# Those of the environment are for this machine, not for the harts
ifeq ($(origin CFLAGS),environment)
CFLAGS :=
endif
ifeq ($(origin LDFLAGS),environment)
LDFLAGS :=
endif
CFLAGS += -march=$(MARCH) -mabi=ilp32 -mno-relax -msmall-data-limit=0 \
	-std=gnu11 -Os -g -Wall -Wextra -ffreestanding -fno-builtin \
	-fno-common -ffunction-sections -fdata-sections \
	-fno-tree-loop-distribute-patterns \
	-I. -I$(BLACKHOLE_TILE)/include -I$(TABLES)
# DEBUG=1: operands that are known at run time only are checked
ifeq ($(DEBUG),1)
CFLAGS += -DBLACKHOLE_TILE_DEBUG
DEBUG_FILES = $(RUNTIME)/operand.c
endif
LDFLAGS += -nostdlib -static -Wl,-T,$(RUNTIME)/hart.ld \
	-Wl,--build-id=none -Wl,--no-warn-rwx-segments -Wl,--gc-sections

# C++ with sfpi.h: vectors are in fa0 to fa7, and the hart has no other floating
# point.  The objects are assembled as if there were none, so that they link
# with all else.  Functions are inlined whatever their size: a call would leave
# no register for vectors of the caller.
VECTOR_REGISTERS = $(foreach r,0 1 2 3 4 5 6 7 8 9 10 11,\
	-ffixed-ft$(r) -ffixed-fs$(r))
CXXFLAGS = $(filter-out -std=% -march=% -mabi=%,$(CFLAGS)) -std=gnu++20 \
	-march=rv32imf_zicsr_zifencei -mabi=ilp32f $(VECTOR_REGISTERS) \
	-I$(BLACKHOLE_TILE)/include/blackhole-tile/std \
	--param=max-inline-insns-size=10000 --param=early-inlining-insns=10000 \
	-mno-riscv-attribute -fno-exceptions -fno-rtti -Werror=return-type \
	-Wno-missing-field-initializers -Wno-deprecated-enum-enum-conversion

# $(call compile_cpp,OUTPUT,SOURCE)
compile_cpp = $(CROSS)g++ $(CXXFLAGS) -dA -S -o $(1).s $(2) && \
	awk -f $(RUNTIME)/sfpi.awk $(1).s >$(1).lines.s && \
	$(CROSS)gcc -march=$(MARCH) -mabi=ilp32 -c -o $(1) $(1).lines.s

# Floating point, 64-bit division and the like. It is asked for by rv32im: of a
# longer name gcc 12 does not know that the same library fits, and takes RV64's.
LIBGCC := $(shell $(CROSS)gcc -march=rv32im -mabi=ilp32 -print-libgcc-file-name)

# $(call link_hart,HART,OUTPUT,SOURCES)
link_hart = $(CROSS)gcc $(CFLAGS) $(LDFLAGS) \
	-Wl,--defsym=TEXT_BASE=$(TEXT_$(1)) \
	-Wl,--defsym=LOCAL_RAM_SIZE=$(RAM_$(1)) -o $(2) \
	$(START_FILES) $(3) $(LIBGCC)
