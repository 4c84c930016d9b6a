# Anechoic. `make help` lists the targets. This file builds the kernels and the image; at its end others are included.
# Third-party code comes from Debian's sources, into a cache outside the checkout: newlib is built there (tools/newlib.sh);
# what makes QR codes (tools/codes.sh) is compiled here.

BUILD    ?= build
FLAVOURS := i586 x86_64
CC       := gcc
OBJCOPY  := objcopy

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
FORCE:
.PHONY: FORCE all help kernels iso floppy bench check clean

# A recipe's first line: it makes the target's folder and prints the target. V=1 prints the commands instead; make -s nothing.
QUIET := $(findstring s,$(firstword -$(MAKEFLAGS)))
step   = @mkdir -p $(@D)$(if $(V)$(QUIET),,; printf '%-3s %s\n' $(1) '$(or $(2),$@)')
ifeq ($(V),)
.SILENT:
endif

all: kernels events

help:
	@echo "make            both kernels: $(FLAVOURS:%=$(BUILD)/%/anechoic.elf),"
	@echo "                and the event database: $(BUILD)/events.db"
	@echo "make iso        $(BUILD)/anechoic.iso: CD and USB stick, BIOS and UEFI, both kernels"
	@echo "make floppy     $(BUILD)/anechoic.fd: a floppy of 1.44 MB, BIOS, the i586 kernel"
	@echo "make unit       host unit tests          (./run-tests.sh runs everything)"
	@echo "make fuzz       every parser under libFuzzer, FUZZ_SECONDS=120 for all of them together"
	@echo "make host       $(BUILD)/host/anechoic: works with captures on this computer"
	@echo "make payload    the C library that programs of your own are linked with (docs/payload.md)"
	@echo "make install    that, and what it runs and boots: PREFIX=/usr/local DESTDIR="
	@echo "                (before sudo: make installable; install-tool: the program only; uninstall)"
	@echo "make release    dist/: image, sources, SHA256SUMS; the same bytes each time"
	@echo "make bench      the project's own figures: start time, sizes, exactness, the host tool's speed"
	@echo "make coverage   the table of docs/pmu-model.md: which events are modelled, and why not the others"
	@echo "make records    the tables of docs/records.md, from report/schema.def"
	@echo "make gdb        a kernel in QEMU under gdb, stopped in kernel_main: FLAVOUR=x86_64 WORDS="
	@echo "make check      formatting and static analysis: $(CHECKS:check-%=%), by themselves check-format ..."
	@echo "make check-changed  the same of the files that differ from the main branch, or from SINCE=REVISION"
	@echo "make clean      removes $(BUILD) and dist"
	@echo
	@echo "Each prints a line a step: V=1 prints the commands, -s nothing. -j2 uses two CPUs."

# ---- the kernels ----

# The compiler's own headers and newlib's, nothing of the host's.
GCC_INCLUDE := $(shell $(CC) -print-file-name=include)
WARN   := -Wall -Wextra -Werror
FREE   := -std=gnu11 -g -ffreestanding -fno-pic -fno-pie -fno-stack-protector -fcf-protection=none \
          -fno-asynchronous-unwind-tables -fno-strict-aliasing -fno-delete-null-pointer-checks \
          -fno-isolate-erroneous-paths-dereference -nostdinc -isystem $(GCC_INCLUDE) \
          -ffunction-sections -fdata-sections -malign-data=abi -fno-tree-loop-distribute-patterns -MMD -MP -I. -Iinclude $(WARN)
ARCH_i586   := -m32 -march=i586 -mno-sse -mno-mmx -mfpmath=387 -mpreferred-stack-boundary=2
ARCH_x86_64 := -m64 -mno-red-zone -mcmodel=small
LD_i586     := -m elf_i386
LD_x86_64   := -m elf_x86_64 -z max-page-size=4096

SOURCES        := $(wildcard $(addsuffix /*.[cS],kernel pmu measure report bench experiments monitor)) \
                  $(addprefix boot/,bring_up.c calls.c every_event.c items.c main.c modules.c notes.c pairs.c request.c suites.c together.c where.c work.c multiboot.S entry.S)
SOURCES_i586   := $(filter-out kernel/string.c,$(SOURCES))
SOURCES_x86_64 := $(filter-out kernel/div64.c,$(SOURCES))
EXTRA_x86_64   := $(BUILD)/x86_64/refuse.o

# What handlers call runs on top of whatever the payload has in its registers. Of the drivers that is overflowed(), wherever
# it is: all of pmu/ but the file that computes.
IN_HANDLERS := $(addprefix kernel/,apic.c pic.c rtc.c timer.c trap.c) measure/sampler_interrupt.c measure/trace_interrupt.c measure/lab_ipi.c $(wildcard measure/watchdog*.c) \
               $(filter-out pmu/core_clock.c,$(wildcard pmu/*.c))
ifneq ($(filter-out $(wildcard $(IN_HANDLERS)),$(IN_HANDLERS)),)
$(error IN_HANDLERS of the Makefile names what is not there: $(filter-out $(wildcard $(IN_HANDLERS)),$(IN_HANDLERS)))
endif
# Optimised for time: payloads, and what runs while something is measured: handlers, drivers that start, stop and read counters,
# what samples, and what keeps other processors busy. All else is compiled for size. So is what runs between two repetitions:
# .text.repeated must fit into the sets that brackets leave free (linker.ld), whatever the compiler's version.
TIMED    := bench/% experiments/% $(filter-out pmu/%,$(IN_HANDLERS)) $(addprefix kernel/,barrier.c processors.c string.c watch.c) \
            $(addprefix measure/,cascade.c elsewhere.c lab_counters.c lab_ipi.c lab_measure.c lab_processors.c rates.c sampler.c together.c trace.c) \
            $(addprefix pmu/,netburst.c netburst_sampling.c p5.c p6.c pebs% perfmon.c)
CODE      = $(if $(filter $(TIMED),$<),-O2,-Os) $(if $(filter $(IN_HANDLERS),$<),-mgeneral-regs-only)

# Asked every time, as newlib is below.
$(BUILD)/codes: FORCE
	@mkdir -p $(@D)
	@new=$$(tools/codes.sh) || exit; [ "$$new" = "$$(cat $@ 2>/dev/null)" ] || echo "$$new" >$@
CODES       = $(shell cat $(BUILD)/codes 2>/dev/null)
CODES_FILES := adler32 deflate trees zutil qrcodegen/qrcodegen
# No file, no gzip header, no heap of its own; assertions would need a stream to print to.
CODES_FLAGS := -w -Os -DZ_SOLO -DNO_GZIP -DNDEBUG

define KERNEL
CODES_$(1)  := $$(CODES_FILES:%=$(BUILD)/$(1)/codes/%.o)
OBJ_$(1)    := $$(patsubst %,$(BUILD)/$(1)/%.o,$$(basename $$(SOURCES_$(1)))) $$(CODES_$(1))
NEWLIB_$(1)  = $$(shell cat $(BUILD)/$(1)/newlib 2>/dev/null)

# Asked every time (it answers at once), since the cache may have been emptied; a new answer rebuilds.
$(BUILD)/$(1)/newlib: FORCE
	@mkdir -p $$(@D)
	@new=$$$$(tools/newlib.sh $(1)) || exit; [ "$$$$new" = "$$$$(cat $$@ 2>/dev/null)" ] || echo "$$$$new" >$$@

$(BUILD)/$(1)/%.o: %.c $(BUILD)/$(1)/newlib $(BUILD)/codes
	$$(call step,CC)
	$(CC) $(FREE) $(ARCH_$(1)) $$(CODE) -isystem $$(NEWLIB_$(1))/include -isystem $$(CODES) $$(LINUX) -c -o $$@ $$<

$$(CODES_$(1)): $(BUILD)/$(1)/codes/%.o: $(BUILD)/$(1)/newlib $(BUILD)/codes
	$$(call step,CC)
	$(CC) $(FREE) $(ARCH_$(1)) $(CODES_FLAGS) -isystem $$(NEWLIB_$(1))/include -I$$(CODES) -c -o $$@ $$(CODES)/$$*.c

$(BUILD)/$(1)/%.o: %.S
	$$(call step,AS)
	$(CC) $(ARCH_$(1)) -MMD -MP -I. -I$(BUILD) $$(LINUX) -c -o $$@ $$<

# Flags stand above: after a change there, all are compiled again.
$$(OBJ_$(1)): Makefile
$(BUILD)/$(1)/kernel/font.o: $(BUILD)/font.psf

# What is linked: without a source that went, no object is newer than the kernel.
$(BUILD)/$(1)/linked: FORCE
	@mkdir -p $$(@D)
	@[ "$$(OBJ_$(1))" = "$$$$(cat $$@ 2>/dev/null)" ] || echo "$$(OBJ_$(1))" >$$@

$(BUILD)/$(1)/kernel.elf: $$(OBJ_$(1)) $$(EXTRA_$(1)) $(BUILD)/$(1)/linked linker.ld
	$$(call step,LD)
	ld $(LD_$(1)) -z noexecstack -static -nostdlib --gc-sections -T linker.ld -Map $$(@:.elf=.map) -o $$@ \
		$$(filter %.o,$$^) $$(NEWLIB_$(1))/lib/libc.a

-include $$(OBJ_$(1):.o=.d)
endef
$(foreach f,$(FLAVOURS),$(eval $(call KERNEL,$(f))))

$(BUILD)/i586/anechoic.elf: $(BUILD)/i586/kernel.elf tools/isacheck.sh tools/formatcheck.sh
	$(call step,GEN)
	tools/isacheck.sh $<
	tools/formatcheck.sh $<
	cp $< $@

# QEMU's and other multiboot 1 loaders take ELF32 only; the code inside is the same.
# No store goes around the caches (kernel/string.c); a Pentium has none such.
$(BUILD)/x86_64/anechoic.elf: $(BUILD)/x86_64/kernel.elf tools/formatcheck.sh
	$(call step,GEN)
	tools/formatcheck.sh $<
	! objdump -d --no-show-raw-insn $< | grep -m 3 movnt
	$(OBJCOPY) -O elf32-i386 $< $@

kernels: $(FLAVOURS:%=$(BUILD)/%/anechoic.elf)

# 32-bit code in the 64-bit kernel: compiled as such, assembled into 64-bit objects, symbols kept apart.
REFUSE := $(patsubst %,$(BUILD)/x86_64/refuse/%.o,boot/refuse kernel/uart kernel/cmdline kernel/exit kernel/machine_exit kernel/crc32)
$(BUILD)/x86_64/refuse/%.o: %.c $(BUILD)/x86_64/newlib
	$(call step,CC)
	$(CC) $(filter-out -g,$(FREE)) $(ARCH_i586) -O2 -isystem $(NEWLIB_x86_64)/include -include boot/code32.h -Wa,--64 -c -o $@ $<
$(REFUSE): Makefile boot/code32.h
$(BUILD)/x86_64/refuse.o: $(REFUSE)
	$(call step,LD)
	ld -m elf_x86_64 -r -o $@ $^
	$(OBJCOPY) --prefix-symbols=boot32_ $@
-include $(REFUSE:.o=.d)

# PSF 1: 36 04, mode, bytes a glyph. This font's first glyphs are in the order of ASCII (tests/unit/test_screen.c).
$(BUILD)/font.psf: /usr/share/consolefonts/Unifont-APL8x16.psf.gz
	$(call step,GEN)
	zcat $< >$@
	@[ "$$(head -c 4 $@ | od -An -tx1)" = " 36 04 03 10" ] || { echo "$<: not a PSF 1 font of 8 x 16" >&2; exit 1; }

# ---- for programs of the user's own: a position-independent newlib, and what it needs of a system ----

# The flags of a payload are host/program_build.c's.
PAYLOAD_FLAGS := $(filter-out -fno-pic -fno-pie,$(FREE)) -O2 -fPIE -fvisibility=hidden -Iinclude
PAYLOAD_SOURCES := $(wildcard lib/payload/*.[cS])

# What lib/payload/ has instead of newlib, whose members begin with lib_a- or, in newer ones, libc_a-.
PAYLOAD_OWN        := abort|assert|exit|_Exit
PAYLOAD_OWN_x86_64 := |memcpy|memset

define PAYLOAD
PAYLOAD_$(1) := $$(patsubst lib/payload/%,$(BUILD)/payload/$(1)/obj/%.o,$$(PAYLOAD_SOURCES))

# Asked every time, as that of the kernel.
$(BUILD)/payload/$(1)/newlib: FORCE
	@mkdir -p $$(@D)
	@new=$$$$(tools/newlib.sh $(1) payload) || exit; [ "$$$$new" = "$$$$(cat $$@ 2>/dev/null)" ] || echo "$$$$new" >$$@
$(BUILD)/payload/$(1)/lib/libc.a: $(BUILD)/payload/$(1)/newlib
	$$(call step,GEN)
	rm -rf $(BUILD)/payload/$(1)/include $(BUILD)/payload/$(1)/lib
	cp -R "$$$$(cat $$<)/include" "$$$$(cat $$<)/lib" $(BUILD)/payload/$(1)/
	ar d $$@ $$$$(ar t $$@ | grep -xE 'libc?_a-($(PAYLOAD_OWN)$(PAYLOAD_OWN_$(1)))\.o')
	@touch $$@
$(BUILD)/payload/$(1)/obj/%.o: lib/payload/% $(BUILD)/payload/$(1)/lib/libc.a Makefile
	$$(call step,CC)
	$(CC) $(PAYLOAD_FLAGS) $(ARCH_$(1)) -isystem $(BUILD)/payload/$(1)/include -c -o $$@ $$<
$(BUILD)/payload/$(1)/lib/libm.a: $(BUILD)/payload/$(1)/lib/libc.a
$(BUILD)/payload/$(1)/lib/libanechoic.a: $$(PAYLOAD_$(1)) $(BUILD)/payload/$(1)/lib/libc.a
	$$(call step,AR)
	@rm -f $$@
	ar qcs $$@ $$(PAYLOAD_$(1))
-include $$(PAYLOAD_$(1):.o=.d)
endef
$(foreach f,$(FLAVOURS),$(eval $(call PAYLOAD,$(f))))
payload: $(FLAVOURS:%=$(BUILD)/payload/%/lib/libanechoic.a)
.PHONY: payload

# ---- the image ----

iso: $(BUILD)/anechoic.iso
BENCHES := $(filter-out selftest regions_% truth_% code code_% descriptor% payload,$(basename $(notdir $(wildcard bench/*.c))))
$(BUILD)/anechoic.iso: $(FLAVOURS:%=$(BUILD)/%/anechoic.elf) $(BUILD)/events.db boot/grub.cfg.in tools/mkiso.sh tools/image-common.sh
	$(call step,GEN)
	BENCHES="$(BENCHES)" tools/mkiso.sh $@

floppy: $(BUILD)/anechoic.fd

$(BUILD)/anechoic.fd: $(BUILD)/i586/anechoic.elf $(BUILD)/events.db boot/grub.cfg.in tools/mkfloppy.sh tools/image-common.sh
	$(call step,GEN)
	BENCHES="$(BENCHES)" tools/mkfloppy.sh $@

# ---- figures ----

bench: kernels iso $(BUILD)/boot/exit.elf $(BUILD)/tests/mkmodule $(BUILD)/bochs/bochs $(BUILD)/bochs/start.rom $(BUILD)/host/anechoic $(BUILD)/tools/bench-json
	BUILD=$(BUILD) tools/bench.sh
	BUILD=$(BUILD) tools/bench-host.sh
	tools/bench-sim.sh $(BUILD)/bochs/bochs

# ---- formatting and static analysis ----

# Four checks; each has a target of its own and uses all CPUs. CHECKED: the files, by default all.
CHECKS   := check-format check-shell check-cppcheck check-analyzer
CHECKED   = $(wildcard $(shell git ls-files))
# What check-changed compares with: where this branch left the main branch, or the last commit.
SINCE     = $(or $(shell git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null),HEAD)
CPUS      = $(shell nproc)
ALL_CPUS  = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(CPUS))
# A header is checked together with the source of its name.
CHECKED_C = $(sort $(filter %.c,$(CHECKED)) $(wildcard $(patsubst %.h,%.c,$(filter %.h,$(CHECKED)))))

check:
	@$(MAKE) --no-print-directory -k $(CHECKS)

check-changed:
	@changed=$$(git diff --name-only --diff-filter=d '$(SINCE)' && git ls-files --others --exclude-standard) || exit; \
		echo "check-changed: $$(echo "$$changed" | grep -c .) files differ from $(SINCE)"; \
		$(MAKE) --no-print-directory check CHECKED="$$(echo $$changed)"

check-format:
	@echo $(filter %.c %.h %.cc,$(CHECKED)) | xargs -r -n 50 -P $(CPUS) clang-format --dry-run -Werror
	@echo "$@: passed"

check-shell:
	@echo $(filter %.sh,$(CHECKED)) | xargs -r -n 8 -P $(CPUS) shellcheck -x -S warning
	@echo "$@: passed"

# comparePointers: the bounds of the lists that the linker gathers are two symbols.
check-cppcheck:
	@echo $(filter $(addsuffix /%,kernel measure report bench monitor host tools tests/unit),$(CHECKED_C)) | xargs -r cppcheck -j $(CPUS) \
		--quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr --suppress=comparePointers -DHOST -I.
	@echo "$@: passed"

# GCC's analyzer, on both kernels. Nothing is linked; what was analyzed and has not changed is not analyzed again.
ANALYZED  = $(foreach f,$(FLAVOURS),$(patsubst %.c,$(BUILD)/analyze/$f/%.o,$(filter $(SOURCES_$f),$(CHECKED_C)))) \
            $(filter $(REFUSE:$(BUILD)/%=$(BUILD)/analyze/%),$(CHECKED_C:%.c=$(BUILD)/analyze/x86_64/refuse/%.o))
check-analyzer:
	@$(MAKE) -s -k $(ALL_CPUS) --no-print-directory BUILD=$(BUILD)/analyze WARN="$(WARN) -g0 -fanalyzer" analyzed $(ANALYZED)
	@echo "$@: passed"
analyzed: # a goal also where there is nothing to analyze
.PHONY: $(CHECKS) check-changed analyzed

clean:
	rm -rf $(BUILD) dist

include hosted/hosted.mk tools/tools.mk tools/install.mk host/host.mk tests/tests.mk sim/bochs/bochs.mk
