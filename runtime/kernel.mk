# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a kernel's folder is made: one ELF per hart that has a source
# (brisc.c, ncrisc.c, trisc0.c, trisc1.c, trisc2.c), and what DATA makes.
# A folder anywhere includes this with
#
#   BLACKHOLE_TILE ?= where this tree is
#   include $(BLACKHOLE_TILE)/runtime/kernel.mk
#
# O is where everything goes; scripts/run sets both.  SOURCES: more C files, for
# all harts, in front of that line; behind it CFLAGS and LDFLAGS are added to.

O ?= build
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

all:

include $(BLACKHOLE_TILE)/runtime/harts.mk

ELFS = $(foreach h,$(HARTS),$(if $(wildcard $(h).c),$(O)/$(h).elf))

all: $(ELFS) $(DATA:%=$(O)/%)

$(O):
	mkdir -p $@

$(foreach h,$(HARTS),$(eval $(O)/$(h).elf: $(SOURCES_$(h))))

# Other options make new ELFs.
$(O)/.options: FORCE | $(O)
	@echo '$(CFLAGS) $(LDFLAGS)' | cmp -s - $@ || \
		echo '$(CFLAGS) $(LDFLAGS)' >$@

$(O)/%.elf: %.c $(SOURCES) $(wildcard *.h) $(DEPENDS) $(O)/.options | $(O)
	@echo "  ELF $@"
	@$(call link_hart,$*,$@,$< $(SOURCES) $(SOURCES_$*))

# data.py writes all files of DATA into the folder that it is given
$(DATA:%=$(O)/%) &: data.py | $(O)
	@PYTHONPATH=$(BLACKHOLE_TILE)/python $(PYTHON) -B data.py $(O)

clean:
	rm -f $(ELFS) $(DATA:%=$(O)/%) $(O)/.options

.PHONY: all clean FORCE
