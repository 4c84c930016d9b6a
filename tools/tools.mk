# Host programs: what the build runs, what people run, and the event database that is made by them.

HOSTCC  := $(CC) -std=gnu11 -O2 -g -fno-strict-aliasing $(WARN) -I. -DHOST

# Programs of several sources at once: GCC would write the dependencies of the last one only.
HEADERS := $(wildcard */*.h */*/*.h */*.def)

$(BUILD)/tools/%: tools/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) -o $@ $< $(SRC_$*) $(LIBS_$*)

LIBS_reccheck := -ljansson
SRC_reccheck  := tools/reccheck_fields.c report/crc32.c report/schema.c
$(BUILD)/tools/reccheck: $(SRC_reccheck)

# The kernel's own objects, in a Linux program.
SILICON := $(patsubst %,$(BUILD)/x86_64/%.o,$(basename $(wildcard bench/*.c bench/*.S)) kernel/cpuid kernel/cache \
           kernel/cache_tables measure/plan measure/bracket)
$(BUILD)/tools/silicon: tools/silicon.c tools/silicon.ld $(SILICON)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) -I. -no-pie -o $@ $< $(SILICON) -Wl,-T,tools/silicon.ld
silicon: $(BUILD)/tools/silicon
	$<

# ---- the event database ----

events: $(BUILD)/events.db
LIBS_pfmdump := -lpfm
SRC_mkevents := $(addprefix tools/mkevents_,event.c model.c pool.c) $(addprefix pmu/,arch_cpus.c arch_constraints.c arch_names.c)
$(BUILD)/tools/mkevents: $(SRC_mkevents)
PFM_VERSION  = $(shell dpkg-query -W -f '$${Version}' libpfm4-dev 2>/dev/null)

.PHONY: events silicon libpfm
libpfm:
	@test -e /usr/include/perfmon/pfmlib.h || { \
		echo "the event database needs libpfm4: apt-get install --no-install-recommends libpfm4-dev" >&2; exit 1; }
$(BUILD)/tools/pfmdump: | libpfm

$(BUILD)/events/amd64.txt: $(BUILD)/tools/pfmdump
	@mkdir -p $(@D)
	$< '$(PFM_VERSION)' >$@

# Without the i386 library the file is empty; removing it tries again.
$(BUILD)/events/i386.txt: tools/pfmdump.c tools/pfmdump-i386.sh $(BUILD)/events/amd64.txt
	tools/pfmdump-i386.sh '$(PFM_VERSION)' $@ || { \
		echo "the event database lacks Core Duo, Pentium M and P6: libpfm4's i386 library is not available" >&2; \
		: >$@; }

$(BUILD)/events.db: $(BUILD)/tools/mkevents $(BUILD)/events/amd64.txt $(BUILD)/events/i386.txt
	$< $@ $(BUILD)/events/amd64.txt amd64 $$(test ! -s $(BUILD)/events/i386.txt || echo $(BUILD)/events/i386.txt i386)
