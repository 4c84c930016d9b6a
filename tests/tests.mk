# Unit tests, fuzzers, boots and mutants.

# ---- unit tests: each tests/unit/test_X.c is a program, built with the sanitizers ----

# The linker takes what a program calls from one archive of all that runs without the bare machine. In the machine's place
# stands fake_hw.c; a program that includes another stand-in's header (tests/unit/X.h, with an X.c) is linked with that
# first. A stand-in that needs another one includes it in its header.
BARE         := $(addprefix kernel/,ap_start.S at_cpl.S breakpoint.c cpu_state.c div64.c fpu.c fpu_init.c idt.c libc.c msr.S paging.c percpu.c phys.c processors.c processors_start.c ring0.c stack.S string.c timer.c trap.c user.S vectors.S) monitor/access.c
HOST_SOURCES := $(filter-out $(BARE),$(wildcard $(addsuffix /*.[cS],kernel pmu measure report sim monitor) bench/truth_*.c bench/code*.c bench/descriptor*.c bench/payload.c)) \
                $(addprefix host/,assemble.c assemble_lines.c assemble_object.c escape.c export_tables.c faults.c fields.c inflate.c label.c lava.c ledger.c lines.c machine.c module.c object.c parts.c \
                records.c records_fault.c records_find.c repeats.c snippets.c statistics.c to_record.c values.c) \
                $(wildcard host/compare_*.c host/report_*.c host/table*.c) tests/unit/fake_breakpoint.c tests/unit/fake_hw.c tests/unit/fake_processors.c

UNIT          := $(BUILD)/unit
UNIT_OBJ      := $(UNIT)/obj
UNIT_TESTS    := $(UNIT_OBJ)/tests/unit/test_
UNIT_PROGRAMS := $(patsubst tests/unit/test_%.c,$(UNIT)/%,$(wildcard tests/unit/test_*.c))
UNIT_SCRIPTS  := $(wildcard tests/unit/test_*.sh)
UNIT_ARCHIVE  := $(UNIT_OBJ)/host.a
UNIT_MEMBERS  := $(HOST_SOURCES:%=$(UNIT_OBJ)/%.o) $(UNIT_OBJ)/tests/unit/main.c.o
STAND_INS     := $(patsubst %,$(UNIT_OBJ)/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))
SANITIZE      := -fsanitize=address,undefined -fno-sanitize-recover=all
# -g1 has what the sanitizers' reports need: files, lines and functions. With variables, for a debugger:
# make BUILD=/tmp/debug WARN=-w UNIT_FLAGS='-Og -g' /tmp/debug/unit/X
UNIT_FLAGS    := -O1 -g1
UNITCC         = $(filter-out -O2 -g,$(HOSTCC)) -Wno-format-truncation $(UNIT_FLAGS) $(SANITIZE) # -O1 knows no ranges of values
UNIT_LIBS     := -lcmocka -ljansson -lqrcodegen -lz -lyaml -lm -pthread
UNIT_LDFLAGS_memory  := -no-pie -Wl,--defsym=kernel_start=0x100000 -Wl,--defsym=kernel_end=0x200000
UNIT_LDFLAGS_cascade := -Wl,--wrap=model_lacks
UNIT_LDFLAGS_sampling_branches := -Wl,--wrap=lbr_probe,--wrap=lbr_arm,--wrap=lbr_read,--wrap=wrmsr_safe
UNIT_LDFLAGS_sampling_ibs := -Wl,--wrap=rdmsr_safe -Wl,--wrap=wrmsr_safe
UNIT_LDFLAGS_sampling_pebs := -Wl,--wrap=rdmsr_safe -Wl,--wrap=wrmsr_safe
UNIT_CFLAGS_bogus    := -Iinclude # an experiment's own include

# What the programs are made with: a file and its package in Debian. Nothing is installed from here.
UNIT_NEEDS := $(addprefix /usr/include/,cmocka.h:libcmocka-dev jansson.h:libjansson-dev qrcodegen/qrcodegen.h:libqrcodegen-dev zlib.h:zlib1g-dev yaml.h:libyaml-dev) \
              /usr/share/consolefonts/Unifont-APL8x16.psf.gz:psf-unifont
unit-packages:
	@missing=; for need in $(UNIT_NEEDS); do [ -e "$${need%:*}" ] || missing="$$missing $${need#*:}"; done; [ -z "$$missing" ] || { \
		echo "unit tests need$$missing: apt-get install --no-install-recommends$$missing" >&2; exit 1; }
.PHONY: unit-packages

# An object gets its name when it is complete, because a link below may start a second make. The tests' own code is not optimised:
# that halves the time to compile it, and the tests take as long as before, because nearly all of it is in what they call.
$(UNIT_OBJ)/%.o: % | unit-packages
	$(call step,CC)
	$(UNITCC) $(if $(filter tests/unit/test_%,$<),-O0) -Wno-missing-field-initializers -MMD -MP -MF $(@:.o=.d) -MT $@ -I$(BUILD) $(UNIT_CFLAGS_$(patsubst test_%.c,%,$(notdir $<))) -c -o $@.$$$$ $< && mv $@.$$$$ $@
$(UNIT_OBJ)/kernel/font.S.o: $(BUILD)/font.psf
$(UNIT_TESTS)hosted_permits.c.o: $(BUILD)/hosted/call_names.inc
-include $(wildcard $(UNIT_OBJ)/*/*.d $(UNIT_OBJ)/*/*/*.d)

$(UNIT_ARCHIVE): $(UNIT_MEMBERS)
	$(call step,AR)
	@rm -f $@
	ar qcsT $@ $^

# Functions that a library has, too: without these objects a link would not fail, but take the library's. zlib has a crc32().
LIKE_LIBRARIES := $(UNIT_OBJ)/kernel/crc32.c.o

# Each link lists the objects that it took, UNIT_TOOK_X. The next time the test X depends on those alone and is linked from them,
# so that an edit is judged in seconds; if they do not suffice, everything is built. A list with an object that has no source any
# more is ignored.
include $(wildcard $(UNIT_TESTS)*.list)
LISTED := $(foreach x,$(patsubst $(UNIT_TESTS)%.list,%,$(wildcard $(UNIT_TESTS)*.list)),$(if $(filter-out $(UNIT_MEMBERS) $(STAND_INS),$(UNIT_TOOK_$x)),,$(UNIT)/$x))
$(foreach x,$(notdir $(LISTED)),$(eval $(UNIT)/$x: $(UNIT_TOOK_$x)))
$(filter-out $(LISTED),$(UNIT_PROGRAMS)): $(STAND_INS) $(UNIT_ARCHIVE)

# Read when the test has been compiled: the stand-ins among the headers that it depends on.
included  = $(filter $(STAND_INS),$(patsubst %.h,$(UNIT_OBJ)/%.c.o,$(shell cat $(1:.o=.d))))
unit_link = $(UNITCC) -Wl,--trace -o $@ $< $(call included,$<) $1 $(UNIT_LDFLAGS_$*) $(UNIT_LIBS) >$(UNIT_TESTS)$*.trace
$(UNIT_PROGRAMS): $(UNIT)/%: $(UNIT_TESTS)%.c.o $(LIKE_LIBRARIES)
	$(call step,LD)
	@rm -f $@ $(UNIT_OBJ)/$*.a
	@ar qcsT $(UNIT_OBJ)/$*.a $(filter $(UNIT_MEMBERS),$^)
	@[ -n '$(filter-out $^,$(call included,$<))' ] || $(call unit_link,$(or $(filter %.a,$^),$(UNIT_OBJ)/$*.a)) 2>/dev/null || rm -f $@
	@[ -e $@ ] || flock $(UNIT_OBJ) $(MAKE) -s $(UNIT_ARCHIVE) $(STAND_INS)
	@[ -e $@ ] || $(call unit_link,$(UNIT_ARCHIVE))
	@echo 'UNIT_TOOK_$* :=' $$(grep -xE '$(UNIT_OBJ)/.*\.o' $(UNIT_TESTS)$*.trace | grep -vxF $<) >$(UNIT_TESTS)$*.list

# A serial line with faults, for `anechoic capture`.
$(BUILD)/tests/wire: tests/wire/wire.c kernel/crc32.c kernel/decimal.c $(addprefix report/,json.c kept.c record.c session.c wait.c) $(HEADERS)
	$(call step,CC)
	$(HOSTCC) $(SANITIZE) -o $@ $(filter %.c,$^) -lm

# A machine at its prompt, for `anechoic code --on tty:`.
$(BUILD)/tests/prompt: tests/wire/prompt.c kernel/crc32.c kernel/decimal.c kernel/transfer.c monitor/receive.c $(addprefix report/,json.c kept.c record.c session.c) $(HEADERS)
	$(call step,CC)
	$(HOSTCC) $(SANITIZE) -o $@ $(filter %.c,$^) -lm

# QR codes as the kernel draws them, for `anechoic qr`.
$(BUILD)/tests/codes: tests/wire/codes.c kernel/crc32.c kernel/decimal.c kernel/font.S \
                      $(addprefix report/,base45.c codes.c codes_draw.c deflate.c frame.c json.c kept.c record.c session.c) $(BUILD)/font.psf $(HEADERS)
	$(call step,CC)
	$(HOSTCC) $(SANITIZE) -I$(BUILD) -o $@ $(filter %.c %.S,$^) -lqrcodegen -lz -lm

unit-programs: $(BUILD)/events.db $(UNIT_ARCHIVE) $(UNIT_PROGRAMS) $(BUILD)/host/anechoic $(BUILD)/tests/wire $(BUILD)/tests/prompt $(BUILD)/tests/codes

# Counted by tests/unit/run.sh: cmocka's own lines and the scripts' "ok" and "not ok".
unit: unit-programs kernels
	BUILD=$(BUILD) tests/unit/run.sh $(UNIT_SCRIPTS) $(UNIT_PROGRAMS)

# The table of docs/pmu-model.md that says how many events are modelled, and why not the others.
coverage: $(BUILD)/unit/sim_coverage events
	BUILD=$(BUILD) $< --write

# The tables of fields of docs/records.md.
records: $(BUILD)/unit/schema
	$< --write
.PHONY: coverage records

# ---- fuzzing: libFuzzer, FUZZ_SECONDS for all of them together ----

FUZZ_SECONDS  ?= 60
FUZZERS      := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
# Without what no parser calls: a fuzzer that calls it does not link.
FUZZ_SOURCES := $(filter-out sim/% bench/code% bench/truth_% $(addprefix host/,assemble% compare_% report_% table%) \
                $(addprefix measure/,lab% region% run% sampl% trace% watchdog%),$(HOST_SOURCES))
FUZZ_STAND_INS := $(patsubst %,$(BUILD)/fuzz/obj/tests/unit/%.c.o,fake_access fake_console fake_rates)
FUZZCC       := clang -std=gnu11 -g1 -O1 $(WARN) -Wno-missing-field-initializers -I. -I$(BUILD) -DHOST \
                -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all

$(BUILD)/fuzz/obj/%.o: % tests/fuzz/unguided.txt
	$(call step,CC)
	$(FUZZCC) -fsanitize-coverage-ignorelist=tests/fuzz/unguided.txt -MMD -MP -c -o $@ $<
$(BUILD)/fuzz/obj/kernel/font.S.o: $(BUILD)/font.psf
-include $(wildcard $(BUILD)/fuzz/obj/*/*.d $(BUILD)/fuzz/obj/*/*/*.d)

$(BUILD)/fuzz/obj/host.a: $(FUZZ_SOURCES:%=$(BUILD)/fuzz/obj/%.o)
	$(call step,AR)
	@rm -f $@
	ar qcsT $@ $^
# As for the unit tests: the stand-ins among the headers that it depends on.
fuzz_included = $(filter $(FUZZ_STAND_INS),$(patsubst %.h,$(BUILD)/fuzz/obj/%.c.o,$(shell cat $(1:.o=.d))))
$(FUZZERS): $(BUILD)/fuzz/%: $(BUILD)/fuzz/obj/tests/fuzz/fuzz_%.c.o $(FUZZ_STAND_INS) $(BUILD)/fuzz/obj/host.a
	$(call step,LD)
	$(FUZZCC) -o $@ $< $(call fuzz_included,$<) $(BUILD)/fuzz/obj/host.a -ljansson -lqrcodegen -lz -lyaml -lm

fuzz-programs: $(FUZZERS) $(BUILD)/events.db
fuzz: fuzz-programs
	tests/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZERS)

# ---- boots ----

# Linked well above the kernel, which the loader puts at 1 MiB.
BOOT_PROGRAMS := $(patsubst %,$(BUILD)/boot/%.elf,loader boundary branches extended ping_pong)
$(filter-out %/loader.elf,$(BOOT_PROGRAMS)): tests/boot/bare.c tests/boot/bare.h
$(BOOT_PROGRAMS): $(BUILD)/boot/%.elf: tests/boot/%.c
	$(call step,CC)
	$(CC) $(filter-out -M%,$(FREE)) $(ARCH_i586) -Os -nostdlib -static -Wl,--build-id=none,-z,noexecstack,-Ttext=0x2000000,--section-start=.multiboot=0x1fff000,-e,entry -o $@ $(filter %.c,$^)

# Writes modules for the boots.
$(BUILD)/tests/mkmodule: tests/boot/mkmodule.c tests/unit/module_builder.c kernel/crc32.c $(HEADERS)
	$(call step,CC)
	$(HOSTCC) -o $@ $(filter %.c,$^)

# A kernel that ends at once, against which `make bench` measures.
$(BUILD)/boot/exit.elf: tests/boot/exit.S
	$(call step,CC)
	$(CC) -m32 -nostdlib -static -Wl,--build-id=none,-z,noexecstack,-Ttext=0x100000,--section-start=.multiboot=0xff000,-e,entry -o $@ $<

# The same objects elsewhere: what is counted must not depend on it (linker.ld).
RELINKED := $(foreach kind,order pad both,$(FLAVOURS:%=$(BUILD)/relinked/$(kind)/%/anechoic.elf) $(BUILD)/relinked/$(kind)/events.db)
define RELINK
$(BUILD)/relinked/%/$(1)/kernel.elf: $(BUILD)/$(1)/kernel.elf tests/relink.sh
	$$(call step,LD)
	@mkdir -p $$(@D)
	tests/relink.sh $$* ld $(LD_$(1)) -z noexecstack -static -nostdlib --gc-sections -T linker.ld -o $$@ \
		$$(OBJ_$(1)) $$(EXTRA_$(1)) $$(NEWLIB_$(1))/lib/libc.a
endef
$(foreach f,$(FLAVOURS),$(eval $(call RELINK,$(f))))
$(BUILD)/relinked/%/anechoic.elf: $(BUILD)/relinked/%/kernel.elf
	$(OBJCOPY) -O elf32-i386 $< $@
$(BUILD)/relinked/%/events.db: $(BUILD)/events.db
	@mkdir -p $(@D)
	@ln -sf ../../events.db $@

# Linux' init of tools/linux-perf.sh: Linux' headers of this machine, newlib's functions.
LINUX_OBJ := $(patsubst tests/boot/linux/%,$(BUILD)/boot/linux/%.o,$(wildcard tests/boot/linux/*.c) tests/boot/linux/loops.S)
$(BUILD)/boot/linux/%.o: tests/boot/linux/% $(BUILD)/i586/newlib
	$(call step,CC)
	$(CC) $(FREE) $(ARCH_i586) -Os -isystem $(NEWLIB_i586)/include -idirafter /usr/include \
		-idirafter /usr/include/$(shell $(CC) -print-multiarch) -c -o $@ $<
$(BUILD)/boot/linux-init: $(LINUX_OBJ) $(patsubst %,$(BUILD)/i586/kernel/%.o,libc format decimal div64)
	$(call step,LD)
	ld -m elf_i386 -static -nostdlib --gc-sections -z noexecstack -o $@ $^ $(NEWLIB_i586)/lib/libc.a
-include $(LINUX_OBJ:.o=.d)

boot-programs: kernels events iso payload $(BUILD)/bochs/bochs $(BUILD)/bochs/start.rom $(BUILD)/here $(BUILD)/host/anechoic $(BUILD)/tests/wire $(BUILD)/tests/mkmodule $(BOOT_PROGRAMS) $(BUILD)/boot/linux-init $(RELINKED)
boot: boot-programs
	tests/boot/run.sh $(LONG)

# ---- mutants: do the unit tests see a change? ----

mutants: $(BUILD)/events.db
	tests/mutants/run.sh
.PHONY: unit fuzz mutants boot boot-programs unit-programs fuzz-programs
