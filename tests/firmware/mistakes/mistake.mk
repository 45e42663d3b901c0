# SPDX-License-Identifier: GPL-2.0-or-later
#
# An example with a mistake in it: a folder here has its own source for
# the hart that is wrong, and takes the rest from examples/$(BASE).

BLACKHOLE_TILE ?= ../../../..
EXAMPLE = $(BLACKHOLE_TILE)/examples/$(BASE)
O ?= build
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

all:

include $(BLACKHOLE_TILE)/runtime/harts.mk

CFLAGS += -I$(EXAMPLE)
VPATH = $(EXAMPLE)
SOURCES = $(notdir $(wildcard $(HARTS:%=%.c) $(HARTS:%=$(EXAMPLE)/%.c)))

all: $(patsubst %.c,$(O)/%.elf,$(sort $(SOURCES))) $(DATA:%=$(O)/%)

$(O):
	mkdir -p $@

$(O)/%.elf: %.c $(wildcard $(EXAMPLE)/*.h) $(DEPENDS) | $(O)
	@$(call link_hart,$*,$@,$<)

$(DATA:%=$(O)/%) &: data.py | $(O)
	@PYTHONPATH=$(BLACKHOLE_TILE)/python $(PYTHON) -B $< $(O)

.PHONY: all
