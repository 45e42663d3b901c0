# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a kernel's folder is made: one ELF per hart that has a source
# (brisc.c, ncrisc.c, trisc0.c, trisc1.c, trisc2.c, or .cpp), and what DATA
# makes.
# A folder anywhere includes this with
#
#   BLACKHOLE_TILE ?= where this tree is
#   include $(BLACKHOLE_TILE)/runtime/kernel.mk
#
# O is where everything goes; scripts/run sets both.  Before that line: SOURCES,
# more C files, for all harts; LIKE, a folder whose sources and data.py are taken
# where this one has none.  After it CFLAGS and LDFLAGS are added to.

O ?= build
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

all:

include $(BLACKHOLE_TILE)/runtime/harts.mk

$(foreach like,$(LIKE),$(if $(wildcard $(like)/.),,\
	$(error LIKE: $(like): no such folder)))

# What the folder is called, for print()
CFLAGS += -DKERNEL='"$(notdir $(CURDIR))"' $(LIKE:%=-I%)

# ACCURACY=1: TRISC1 alone, between L1 and Dest (python/blackhole_tile/accuracy.py)
ifeq ($(ACCURACY),1)
HARTS = trisc1
override DATA =
CXXFLAGS += -include $(RUNTIME)/accuracy.hpp
endif

# The source of a hart
source = $(firstword $(foreach file,$(1).c $(1).cpp $(LIKE:%=%/$(1).c) \
	$(LIKE:%=%/$(1).cpp),$(wildcard $(file))))
# What is linked of a list of sources: C as it is, objects of C++
linked = $(patsubst %.cpp,$(O)/%.cpp.o,$(patsubst $(LIKE)/%.cpp,%.cpp,$(1)))
parts = $(call linked,$(call source,$(1)) $(SOURCES_$(1)))

ELFS = $(foreach h,$(HARTS),$(if $(call source,$(h)),$(O)/$(h).elf))

all: $(ELFS) $(DATA:%=$(O)/%)

$(O):
	mkdir -p $@

$(foreach h,$(HARTS),$(eval $(O)/$(h).elf: $(call parts,$(h))))

# Other options make new ELFs.
$(O)/.options: FORCE | $(O)
	@echo '$(CFLAGS) $(LDFLAGS)' | cmp -s - $@ || \
		echo '$(CFLAGS) $(LDFLAGS)' >$@

MADE_OF = $(wildcard *.h $(LIKE:%=%/*.h)) $(DEPENDS) $(O)/.options

$(ELFS): $(O)/%.elf: $(SOURCES) $(MADE_OF) | $(O)
	@echo "  ELF $@"
	@$(call link_hart,$*,$@,$(call parts,$*) $(SOURCES))

vpath %.cpp $(LIKE)
vpath data.py $(LIKE)

$(O)/%.cpp.o: %.cpp $(RUNTIME)/sfpi.awk $(MADE_OF) | $(O)
	@$(call compile_cpp,$@,$<)

.SECONDARY:

# data.py writes all files of DATA into the folder that it is given
$(DATA:%=$(O)/%) &: data.py | $(O)
	@PYTHONPATH=$(BLACKHOLE_TILE)/python $(PYTHON) -B $< $(O)

clean:
	rm -f $(ELFS) $(O)/*.cpp.o* $(DATA:%=$(O)/%) $(O)/.options

.PHONY: all clean FORCE
