# SPDX-License-Identifier: GPL-2.0-or-later
#
# How an example's folder is made: one ELF per hart that has a source
# (brisc.c, ncrisc.c, trisc0.c, trisc1.c, trisc2.c), and what DATA makes.
# A folder anywhere includes this with
#
#   BLACKHOLE_TILE ?= where this tree is
#   include $(BLACKHOLE_TILE)/examples/example.mk
#
# O is where everything goes; scripts/run sets both.

O ?= build
CROSS ?= riscv64-unknown-elf-
# no compressed instructions: their words are Tensix instructions here
MARCH ?= rv32im_zicsr_zifencei
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

FIRMWARE = $(BLACKHOLE_TILE)/tests/firmware
CORE = $(BLACKHOLE_TILE)/hw/tenstorrent/core

# 16 KiB of L1 for each image, and the harts' private data RAM
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

CFLAGS += -march=$(MARCH) -mabi=ilp32 -mno-relax -msmall-data-limit=0 \
	-std=gnu11 -Os -g -Wall -Wextra -ffreestanding -fno-builtin \
	-fno-common -ffunction-sections -I. -I$(FIRMWARE) -I$(CORE)
LDFLAGS += -nostdlib -static -Wl,-T,$(FIRMWARE)/hart.ld \
	-Wl,--build-id=none -Wl,--no-warn-rwx-segments -Wl,--gc-sections

HARTS = brisc ncrisc trisc0 trisc1 trisc2
ELFS = $(foreach h,$(HARTS),$(if $(wildcard $(h).c),$(O)/$(h).elf))

all: $(ELFS) $(DATA:%=$(O)/%)

$(O):
	mkdir -p $@

$(O)/%.elf: %.c $(wildcard *.h) $(wildcard $(FIRMWARE)/*.*) | $(O)
	@echo "  ELF $@"
	@$(CROSS)gcc $(CFLAGS) $(LDFLAGS) -Wl,--defsym=TEXT_BASE=$(TEXT_$*) \
	    -Wl,--defsym=LOCAL_RAM_SIZE=$(RAM_$*) -o $@ \
	    $(FIRMWARE)/crt0.S $< $(FIRMWARE)/console.c -lgcc

# data.py writes all files of DATA into the folder that it is given
$(DATA:%=$(O)/%) &: data.py | $(O)
	@PYTHONPATH=$(BLACKHOLE_TILE)/python $(PYTHON) -B data.py $(O)

clean:
	rm -f $(ELFS) $(DATA:%=$(O)/%)

.PHONY: all clean
