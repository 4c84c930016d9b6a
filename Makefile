# Anechoic. `make help` lists the targets.
# Third-party code (newlib) is built once into a cache outside the checkout: tools/newlib.sh.

BUILD    ?= build
FLAVOURS := i586 x86_64
CC       := gcc
OBJCOPY  := objcopy

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
FORCE:
.PHONY: FORCE all help kernels events iso unit fuzz bench silicon check clean

all: kernels events

help:
	@echo "make            both kernels: $(FLAVOURS:%=$(BUILD)/%/anechoic.elf),"
	@echo "                and the event database: $(BUILD)/events.db"
	@echo "make iso        $(BUILD)/anechoic.iso: CD and USB stick, BIOS and UEFI, both kernels"
	@echo "make unit       host unit tests          (./run-tests.sh runs everything)"
	@echo "make fuzz       every parser under libFuzzer, FUZZ_SECONDS=240 for all of them together"
	@echo "make bench      the project's own figures: start time, sizes, exactness"
	@echo "make coverage   the table of docs/pmu-model.md: which events are modelled, and why not the others"
	@echo "make records    the tables of docs/records.md, from report/schema.def"
	@echo "make silicon    the payloads in ring 3 on this machine, in core cycles"
	@echo "make check      formatting and static analysis"
	@echo "make clean      removes $(BUILD)"

# ---- the kernels ----

# The compiler's own headers and newlib's, nothing of the host's.
GCC_INCLUDE := $(shell $(CC) -print-file-name=include)
WARN   := -Wall -Wextra -Werror
FREE   := -std=gnu11 -g -ffreestanding -fno-pic -fno-pie -fno-stack-protector -fcf-protection=none \
          -fno-asynchronous-unwind-tables -fno-strict-aliasing -fno-delete-null-pointer-checks \
          -fno-isolate-erroneous-paths-dereference -nostdinc -isystem $(GCC_INCLUDE) \
          -ffunction-sections -fdata-sections -malign-data=abi -fno-tree-loop-distribute-patterns -MMD -MP -I. $(WARN)
ARCH_i586   := -m32 -march=i586 -mno-sse -mno-mmx -mfpmath=387 -mpreferred-stack-boundary=2
ARCH_x86_64 := -m64 -mno-red-zone -mcmodel=small
LD_i586     := -m elf_i386
LD_x86_64   := -m elf_x86_64 -z max-page-size=4096

SRC_C := $(wildcard kernel/*.c pmu/*.c measure/*.c report/*.c bench/*.c) $(addprefix boot/,main.c notes.c work.c)
SRC_S := $(wildcard kernel/*.S measure/*.S bench/*.S) boot/multiboot.S boot/entry.S
SRC_C_x86_64 := $(filter-out kernel/div64.c,$(SRC_C))
SRC_C_i586   := $(SRC_C)
EXTRA_x86_64 := $(BUILD)/x86_64/refuse.o

# The functions of .text.repeated share a Pentium's sets with what is measured, so their size and place must not hang on the
# compiler's mood: the files that hold one are compiled for size, the way linker.ld's ASSERT has judged them.
REPEATED := $(shell grep -l '^REPEATED' kernel/*.c measure/*.c)
OPT       = $(if $(filter $(REPEATED),$<),-Os,-O2)

# What handlers call runs on top of whatever the payload has in its registers.
CFLAGS_kernel/trap.c := -mgeneral-regs-only
CFLAGS_kernel/timer.c := -mgeneral-regs-only
CFLAGS_kernel/apic.c := -mgeneral-regs-only
CFLAGS_kernel/pic.c  := -mgeneral-regs-only
CFLAGS_kernel/rtc.c  := -mgeneral-regs-only
CFLAGS_pmu/p5.c      := -mgeneral-regs-only
CFLAGS_pmu/p6.c      := -mgeneral-regs-only
CFLAGS_pmu/pebs.c    := -mgeneral-regs-only
CFLAGS_pmu/netburst_sampling.c := -mgeneral-regs-only
CFLAGS_measure/sampling_handler.c := -mgeneral-regs-only
CFLAGS_pmu/perfmon.c  := -mgeneral-regs-only

define KERNEL
OBJ_$(1) := $$(SRC_C_$(1):%.c=$(BUILD)/$(1)/%.o) $$(SRC_S:%.S=$(BUILD)/$(1)/%.o)
NEWLIB_$(1) = $$(shell cat $(BUILD)/$(1)/newlib 2>/dev/null)

# Asked every time (it answers at once), since the cache may have been emptied; a new answer rebuilds.
$(BUILD)/$(1)/newlib: FORCE
	@mkdir -p $$(@D)
	@new=$$$$(tools/newlib.sh $(1)) || exit; [ "$$$$new" = "$$$$(cat $$@ 2>/dev/null)" ] || echo "$$$$new" >$$@

$(BUILD)/$(1)/%.o: %.c $(BUILD)/$(1)/newlib
	@mkdir -p $$(@D)
	$(CC) $(FREE) $(ARCH_$(1)) $$(OPT) -isystem $$(NEWLIB_$(1))/include $$(CFLAGS_$$<) -c -o $$@ $$<

$(BUILD)/$(1)/%.o: %.S
	@mkdir -p $$(@D)
	$(CC) $(ARCH_$(1)) -MMD -MP -I. -I$(BUILD) -c -o $$@ $$<

# Flags stand above: after a change there, all are compiled again.
$$(OBJ_$(1)): Makefile
$(BUILD)/$(1)/kernel/font.o: $(BUILD)/font.psf

$(BUILD)/$(1)/kernel.elf: $$(OBJ_$(1)) $$(EXTRA_$(1)) linker.ld
	ld $(LD_$(1)) -z noexecstack -static -nostdlib --gc-sections -T linker.ld -Map $$(@:.elf=.map) -o $$@ \
		$$(filter %.o,$$^) $$(NEWLIB_$(1))/lib/libc.a

-include $$(OBJ_$(1):.o=.d)
endef
$(foreach f,$(FLAVOURS),$(eval $(call KERNEL,$(f))))

$(BUILD)/i586/anechoic.elf: $(BUILD)/i586/kernel.elf tools/isacheck.sh tools/formatcheck.sh
	tools/isacheck.sh $<
	tools/formatcheck.sh $<
	cp $< $@

# QEMU's and other multiboot 1 loaders take ELF32 only; the code inside is the same.
# No store goes around the caches (kernel/libc.c); a Pentium has none such.
$(BUILD)/x86_64/anechoic.elf: $(BUILD)/x86_64/kernel.elf tools/formatcheck.sh
	tools/formatcheck.sh $<
	! objdump -d --no-show-raw-insn $< | grep -m 3 movnt
	$(OBJCOPY) -O elf32-i386 $< $@

kernels: $(FLAVOURS:%=$(BUILD)/%/anechoic.elf)

# PSF 1: 36 04, mode, bytes a glyph. This font's first glyphs are in the order of ASCII (tests/unit/test_screen.c).
$(BUILD)/font.psf: /usr/share/consolefonts/Unifont-APL8x16.psf.gz
	@mkdir -p $(@D)
	zcat $< >$@
	@[ "$$(head -c 4 $@ | od -An -tx1)" = " 36 04 03 10" ] || { echo "$<: not a PSF 1 font of 8 x 16" >&2; exit 1; }

# 32-bit code in the 64-bit kernel: compiled as such, assembled into 64-bit objects, symbols kept apart.
REFUSE := $(patsubst %,$(BUILD)/x86_64/refuse/%.o,boot/refuse kernel/uart kernel/cmdline kernel/exit report/crc32)
$(BUILD)/x86_64/refuse/%.o: %.c $(BUILD)/x86_64/newlib
	@mkdir -p $(@D)
	$(CC) $(filter-out -g,$(FREE)) $(ARCH_i586) -O2 -isystem $(NEWLIB_x86_64)/include -include boot/code32.h -Wa,--64 -c -o $@ $<
$(BUILD)/x86_64/refuse.o: $(REFUSE)
	ld -m elf_x86_64 -r -o $@ $^
	$(OBJCOPY) --prefix-symbols=boot32_ $@
-include $(REFUSE:.o=.d)

# ---- host tools ----

HOSTCC     := $(CC) -std=gnu11 -O2 -g -fno-strict-aliasing $(WARN) -I. -DHOST

# Programs of several sources at once: GCC would write the dependencies of the last one only.
HEADERS    := $(wildcard */*.h */*/*.h */*.def)

$(BUILD)/tools/%: tools/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) -o $@ $< $(SRC_$*) $(LIBS_$*)
LIBS_reccheck := -ljansson
SRC_reccheck  := tools/reccheck_fields.c report/crc32.c report/schema.c
$(BUILD)/tools/reccheck: $(SRC_reccheck)

# ---- the event database ----

events: $(BUILD)/events.db
LIBS_pfmdump := -lpfm
SRC_mkevents := $(addprefix tools/mkevents_,event.c model.c pool.c) $(addprefix pmu/,arch_cpus.c arch_constraints.c arch_names.c)
$(BUILD)/tools/mkevents: $(SRC_mkevents)
PFM_VERSION  = $(shell dpkg-query -W -f '$${Version}' libpfm4-dev 2>/dev/null)

.PHONY: libpfm
libpfm:
	@test -e /usr/include/perfmon/pfmlib.h || { \
		echo "the event database wants libpfm4: apt-get install --no-install-recommends libpfm4-dev" >&2; exit 1; }
$(BUILD)/tools/pfmdump: | libpfm

$(BUILD)/events/amd64.txt: $(BUILD)/tools/pfmdump
	@mkdir -p $(@D)
	$< '$(PFM_VERSION)' >$@

# Without the i386 library the file is empty; removing it tries again.
$(BUILD)/events/i386.txt: tools/pfmdump.c tools/pfmdump-i386.sh $(BUILD)/events/amd64.txt
	tools/pfmdump-i386.sh '$(PFM_VERSION)' $@ || { \
		echo "the event database is made without Core Duo, Pentium M and P6: libpfm4's i386 library is not to be had" >&2; \
		: >$@; }

$(BUILD)/events.db: $(BUILD)/tools/mkevents $(BUILD)/events/amd64.txt $(BUILD)/events/i386.txt
	$< $@ $(BUILD)/events/amd64.txt amd64 $$(test ! -s $(BUILD)/events/i386.txt || echo $(BUILD)/events/i386.txt i386)

# ---- the image ----

iso: $(BUILD)/anechoic.iso
BENCHES := $(filter-out selftest regions_% truth_%,$(basename $(notdir $(wildcard bench/*.c))))
$(BUILD)/anechoic.iso: $(FLAVOURS:%=$(BUILD)/%/anechoic.elf) $(BUILD)/events.db boot/grub.cfg.in tools/mkiso.sh
	BENCHES="$(BENCHES)" tools/mkiso.sh $@

# ---- figures ----

$(BUILD)/boot/exit.elf: tests/boot/exit.S
	@mkdir -p $(@D)
	$(CC) -m32 -nostdlib -static -Wl,--build-id=none,-z,noexecstack,-Ttext=0x100000,--section-start=.multiboot=0xff000,-e,entry -o $@ $<

bench: kernels iso $(BUILD)/boot/exit.elf $(BUILD)/bochs/bochs
	BUILD=$(BUILD) tools/bench.sh
	tools/bench-sim.sh $(BUILD)/bochs/bochs

# The kernel's own objects, in a Linux program.
SILICON := $(patsubst %,$(BUILD)/x86_64/%.o,$(basename $(wildcard bench/*.c bench/*.S)) kernel/cpuid kernel/cache \
           kernel/cache_tables measure/plan measure/bracket)
$(BUILD)/tools/silicon: tools/silicon.c tools/silicon.ld $(SILICON)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) -I. -no-pie -o $@ $< $(SILICON) -Wl,-T,tools/silicon.ld
silicon: $(BUILD)/tools/silicon
	$<

# ---- formatting and static analysis ----

# comparePointers: the bounds of the lists that the linker gathers are two symbols.

C_FILES = $(shell git ls-files '*.c' '*.h' '*.cc')
check: $(BUILD)/i586/newlib
	clang-format --dry-run -Werror $(C_FILES)
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr --suppress=comparePointers -DHOST -I. \
		kernel measure report bench tools tests/unit
	$(MAKE) --no-print-directory BUILD=$(BUILD)/analyze WARN="$(WARN) -fanalyzer" kernels
	shellcheck -x -S warning run-qemu.sh run-bochs.sh run-tests.sh tools/*.sh tests/*/*.sh

clean:
	rm -rf $(BUILD)

include tests/tests.mk
include sim/bochs/rules.mk
