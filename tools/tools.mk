# Programs that the build runs, and the event database that they make.

HOSTCC  := $(CC) -std=gnu11 -O2 -g -fno-strict-aliasing $(WARN) -I. -DHOST

# Programs of several sources at once: GCC would write the dependencies of the last one only.
HEADERS := $(wildcard */*.h */*/*.h */*.def)
PROGRAM  = $(HOSTCC) -o $@ $< $(SRC_$(@F)) $(LIBS_$(@F))

$(BUILD)/tools/%: tools/%.c $(HEADERS)
	$(call step,CC)
	$(PROGRAM)

# What tools/bench-host.sh compares with.
LIBS_bench-json := -ljansson

# ---- the event database ----

events: $(BUILD)/events.db
LIBS_pfmdump := -lpfm
SRC_mkevents := $(addprefix tools/mkevents_,event.c model.c pool.c) $(addprefix pmu/,arch_cpus.c arch_constraints.c arch_names.c)
$(BUILD)/tools/mkevents: $(SRC_mkevents)
PFM_VERSION  = $(shell dpkg-query -W -f '$${Version}' libpfm4-dev 2>/dev/null)

.PHONY: events libpfm
libpfm:
	@test -e /usr/include/perfmon/pfmlib.h || { \
		echo "the event database needs libpfm4: apt-get install --no-install-recommends libpfm4-dev" >&2; exit 1; }
$(BUILD)/tools/pfmdump: | libpfm

# Asked every time: a system that was upgraded has other events.
$(BUILD)/events/version: FORCE
	@mkdir -p $(@D)
	@[ '$(PFM_VERSION)' = "$$(cat $@ 2>/dev/null)" ] || echo '$(PFM_VERSION)' >$@

$(BUILD)/events/amd64.txt: $(BUILD)/tools/pfmdump $(BUILD)/events/version
	$(call step,GEN)
	$< '$(PFM_VERSION)' >$@

# Without the i386 library the file is empty; removing it tries again.
$(BUILD)/events/i386.txt: tools/pfmdump.c tools/pfmdump-i386.sh $(BUILD)/events/amd64.txt
	$(call step,GEN)
	tools/pfmdump-i386.sh '$(PFM_VERSION)' $@ || { \
		echo "the event database lacks Core Duo, Pentium M and P6: libpfm4's i386 library is not available" >&2; \
		: >$@; }

$(BUILD)/events.db: $(BUILD)/tools/mkevents $(BUILD)/events/amd64.txt $(BUILD)/events/i386.txt
	$(call step,GEN)
	$< $@ $(BUILD)/events/amd64.txt amd64 $$(test ! -s $(BUILD)/events/i386.txt || echo $(BUILD)/events/i386.txt i386)

# ---- a debugger ----

GDB     ?= gdb
FLAVOUR ?= x86_64
WORDS   ?=
gdb: $(patsubst %,$(BUILD)/%/anechoic.elf,$(filter $(FLAVOUR),$(FLAVOURS))) $(BUILD)/events.db
	@BUILD=$(BUILD) GDB='$(GDB)' tools/gdb.sh '$(FLAVOUR)' '$(WORDS)'
.PHONY: gdb
