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
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

FIRMWARE = $(BLACKHOLE_TILE)/tests/firmware
CORE = $(BLACKHOLE_TILE)/hw/tenstorrent/core
include $(FIRMWARE)/harts.mk

CFLAGS += -march=$(MARCH) -mabi=ilp32 -mno-relax -msmall-data-limit=0 \
	-std=gnu11 -Os -g -Wall -Wextra -ffreestanding -fno-builtin \
	-fno-common -ffunction-sections -I. -I$(FIRMWARE) -I$(CORE)
LDFLAGS += -nostdlib -static -Wl,-T,$(FIRMWARE)/hart.ld \
	-Wl,--build-id=none -Wl,--no-warn-rwx-segments -Wl,--gc-sections

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
