# Host tests: each test_X.c is a program, linked with what it tests. Built with the sanitizers.

FAKE := tests/unit/fake_hw.c
PMU  := $(wildcard pmu/*.c)
SIM  := $(wildcard sim/*.c)
CPUS := $(FAKE) tests/unit/fake_cpus.c kernel/cpuid.c
TEXT := $(wildcard report/text*.c)

UNIT_acpi     = kernel/acpi.c $(BOOTINFO) $(FAKE)
BOOTINFO      := kernel/bootinfo.c kernel/multiboot1.c kernel/multiboot2.c
UNIT_bootinfo := $(BOOTINFO) $(FAKE) tests/unit/fake_loader.c
BRACKET       := measure/serialize.c measure/bracket.S measure/slots.c measure/slot_code.S $(FAKE)
UNIT_apic     := kernel/apic.c
UNIT_bracket  := $(BRACKET) tests/unit/trap_rdpmc.c
UNIT_cache    := kernel/cache.c kernel/cache_tables.c $(CPUS)
UNIT_clock    := kernel/clock.c
UNIT_cmdline  := kernel/cmdline.c kernel/exit.c $(FAKE)
UNIT_controls := kernel/controls.c $(CPUS)
UNIT_core_clock = kernel/core_clock.c $(PMU) tests/unit/fake_pmu.c tests/unit/drive_pmu.c
UNIT_cpuid    := $(CPUS)
UNIT_crc32    := report/crc32.c
DECODE        := measure/decode.c measure/decode_access.c measure/decode_table.c
UNIT_decode   := $(DECODE)
UNIT_decode_32 := $(DECODE)
UNIT_decode_64 := $(DECODE)
UNIT_deduce   := measure/deduce.c measure/stats.c kernel/cache.c kernel/cache_tables.c $(CPUS)
UNIT_database = $(PMU) tests/unit/fake_pmu.c tests/unit/database_drive.c
UNIT_database_words = $(UNIT_database)
UNIT_database_damaged = $(UNIT_database)
UNIT_library_names = $(UNIT_database)
UNIT_event_names = $(UNIT_pmu_events)
UNIT_event_questions = $(PMU) $(SIM) kernel/cpuid.c tests/unit/sim_hw.c tests/unit/database_drive.c
UNIT_cache_words = $(UNIT_pmu_events)
UNIT_derive   = measure/derive.c $(PMU) $(SIM) kernel/cpuid.c tests/unit/sim_hw.c
UNIT_div64    :=
UNIT_format   := kernel/format.c kernel/decimal.c
UNIT_match    := measure/match.c
UNIT_memory   := kernel/memory.c
UNIT_mtrr     := kernel/mtrr.c $(CPUS)
OPTIONS       := measure/options.c measure/options_events.c measure/options_sampling.c measure/bench_word.c measure/plan.c $(PMU) measure/serialize.c \
                 measure/bracket.S kernel/cmdline.c kernel/exit.c kernel/uart.c $(FAKE)
UNIT_multiboot2 := $(BOOTINFO) $(FAKE) tests/unit/fake_loader.c
UNIT_options  := $(OPTIONS)
UNIT_pat      := kernel/pat.c $(FAKE)
PCI           := kernel/pci.c tests/unit/fake_pci.c $(FAKE)
UNIT_pci      := $(PCI)
UNIT_pmu_amd    = $(PMU) tests/unit/fake_pmu.c tests/unit/drive_pmu.c
UNIT_pmu_amd_program = $(UNIT_pmu_amd)
UNIT_pmu_arch   = $(PMU) tests/unit/fake_pmu.c tests/unit/drive_pmu.c
UNIT_pmu_arch_cpus := pmu/arch_cpus.c pmu/arch_names.c
UNIT_pmu_arch_constraints = $(UNIT_pmu_arch)
UNIT_pmu_arch_program = $(UNIT_pmu_arch)
UNIT_pmu_arch_tsx = $(UNIT_pmu_arch)
UNIT_pmu_events = $(PMU) tests/unit/fake_pmu.c
UNIT_pmu_p5_events = $(UNIT_pmu_events)
UNIT_pmu_p6_events = $(UNIT_pmu_events)
UNIT_pmu_p5   = $(PMU) tests/unit/fake_pmu.c tests/unit/drive_pmu.c
UNIT_pmu_p6   = $(PMU) tests/unit/fake_pmu.c tests/unit/drive_pmu.c
UNIT_pmu_sim  = $(PMU) $(SIM) kernel/cpuid.c tests/unit/sim_hw.c tests/unit/drive_pmu.c
UNIT_pmu_netburst       = $(PMU) tests/unit/fake_pmu.c
UNIT_pmu_netburst_words = $(UNIT_pmu_netburst)
UNIT_pmu_netburst_program = $(PMU) tests/unit/fake_pmu.c
UNIT_pmu_netburst_cascade = $(UNIT_pmu_netburst_program)
UNIT_pmu_netburst_sampling = $(UNIT_pmu_netburst_program)
UNIT_pmu_netburst_alloc = $(PMU) tests/unit/fake_pmu.c tests/unit/netburst_catalogue.c tests/unit/netburst_solver.c
UNIT_profile  = measure/profile.c measure/deduce.c measure/stats.c $(DECODE) kernel/cache.c kernel/cache_tables.c $(CPUS) \
                tests/unit/profile_samples.c
UNIT_emit_profile = $(UNIT_profile) measure/plan.c measure/serialize.c measure/bracket.S $(PMU) kernel/apic.c kernel/mtrr.c \
                kernel/platform.c report/emit.c kernel/controls.c report/emit_profile.c report/emit_experiment.c report/record.c tools/reccheck_fields.c report/schema.c \
                report/json.c report/session.c report/crc32.c $(TEXT)
UNIT_emit_experiment = $(UNIT_emit_profile)
UNIT_emit_article = $(UNIT_emit_profile) report/emit_article.c
UNIT_emit_events = $(UNIT_emit_profile) report/emit_events.c
UNIT_emit_error = $(UNIT_emit_profile) report/emit_error.c kernel/trap_text.c
UNIT_record   := report/record.c report/json.c report/session.c report/crc32.c $(TEXT)
UNIT_json     := $(UNIT_record)
UNIT_session  := $(UNIT_record)
UNIT_schema   := report/schema.c
UNIT_reduce   := measure/reduce.c measure/stats.c
REGION        := measure/region.c measure/region_cost.c measure/region_states.c measure/region_mark.S kernel/cache.c kernel/cache_tables.c
UNIT_region   := $(REGION) measure/region_within.c measure/stats.c $(BRACKET) tests/unit/trap_rdpmc.c
UNIT_region_result := $(UNIT_region)
UNIT_run      := measure/run.c kernel/model.c kernel/smi.c $(REGION) measure/stats.c $(BRACKET) tests/unit/trap_rdpmc.c
SAMPLING      = measure/sampling.c measure/sampling_choose.c measure/sampling_switch.c measure/sampling_period.c measure/sampling_window.c measure/sampling_handler.c measure/run.c kernel/model.c kernel/smi.c kernel/core_clock.c $(REGION) \
                measure/serialize.c measure/bracket.S measure/slots.c measure/slot_code.S measure/stats.c kernel/apic.c kernel/pic.c kernel/rtc.c $(PMU) $(SIM) \
                kernel/cpuid.c tests/unit/sim_hw.c
UNIT_sampling = $(SAMPLING) tests/unit/sampling_machine.c tests/unit/sampling_drive.c
UNIT_sampling_end = $(UNIT_sampling)
UNIT_sampling_outside = $(UNIT_sampling)
UNIT_sampling_pebs = $(UNIT_sampling)
UNIT_sampling_period = $(UNIT_sampling)
UNIT_sampling_repeat = $(UNIT_sampling)
UNIT_sampling_timer = $(UNIT_sampling)
UNIT_cascade  = measure/cascade.c $(SAMPLING) tests/unit/sampling_machine.c
UNIT_pebs    := pmu/pebs.c
UNIT_pmu_arm  = $(PMU) tests/unit/fake_pmu.c
UNIT_schedule := measure/schedule.c measure/match.c
UNIT_screen   := kernel/screen.c kernel/framebuffer.c kernel/ega.c kernel/font.S $(FAKE)
UNIT_sim_arch  := $(SIM)
UNIT_sim_arch_count := $(SIM)
UNIT_sim_arch_events := $(SIM)
UNIT_sim_arch_limits := $(SIM)
UNIT_sim_arch_memory := $(SIM)
UNIT_sim_arch_sizes := $(SIM)
UNIT_sim_batch := $(SIM)
UNIT_sim_core  := $(SIM)
UNIT_model     := kernel/model.c $(SIM) kernel/cpuid.c tests/unit/sim_hw.c
UNIT_sim_cache := $(SIM)
UNIT_sim_cache_op := $(SIM)
UNIT_sim_coverage := $(SIM) pmu/p5_events.c
UNIT_sim_amd   := $(SIM)
UNIT_sim_amd_events := $(SIM)
UNIT_sim_amd_lines := $(SIM)
UNIT_sim_amd_mem := $(SIM)
UNIT_sim_p5    := $(SIM)
UNIT_sim_p5_events := $(SIM)
UNIT_sim_p5_agreement := $(SIM)
UNIT_sim_p5_memory := $(SIM)
UNIT_sim_p6    := $(SIM)
UNIT_sim_p6_mem := $(SIM)
UNIT_sim_p6_bus := $(SIM)
UNIT_sim_p6_events := $(SIM)
UNIT_sim_netburst := $(SIM)
UNIT_sim_netburst_batch := $(SIM)
UNIT_sim_netburst_cascade := $(SIM)
UNIT_sim_netburst_count := $(SIM)
UNIT_sim_netburst_events := $(SIM)
UNIT_sim_netburst_pebs := $(SIM)
UNIT_sim_netburst_tags := $(SIM)
UNIT_sim_skid := $(SIM)
UNIT_stats    := measure/stats.c
UNIT_text     := report/record.c report/json.c report/session.c report/crc32.c $(TEXT)
UNIT_text_machine := $(UNIT_text)
UNIT_text_results := $(UNIT_text)
UNIT_text_grid := $(UNIT_text)
UNIT_text_sample := $(UNIT_text)
UNIT_truth    = measure/truth.c measure/schedule.c measure/match.c measure/reduce.c measure/stats.c kernel/cache.c \
                kernel/cache_tables.c $(wildcard bench/truth_*.c) $(PMU) $(SIM) kernel/cpuid.c tests/unit/sim_hw.c \
                tests/unit/truth_drive.c
UNIT_truth_tables = $(UNIT_truth)
UNIT_truth_amd = $(UNIT_truth) tests/unit/database_drive.c
UNIT_text_truth := $(UNIT_text)
UNIT_uart     := kernel/uart.c $(FAKE)
UNIT_usb      := kernel/usb.c $(PCI)

UNIT_LDFLAGS_memory := -no-pie -Wl,--defsym=kernel_start=0x100000 -Wl,--defsym=kernel_end=0x200000
UNIT_LDFLAGS_cascade := -Wl,--wrap=model_lacks
UNIT_LDFLAGS        := -lcmocka -ljansson -lm
SANITIZE            := -fsanitize=address,undefined -fno-sanitize-recover=all

UNIT_PROGRAMS := $(patsubst tests/unit/test_%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))
UNIT_SCRIPTS  := $(wildcard tests/unit/test_*.sh)

# A source is compiled once for all programs that it is linked into.
unit_objects = $(patsubst %,$(BUILD)/unit/obj/%.o,$(1))

.SECONDEXPANSION:
$(UNIT_PROGRAMS): $(BUILD)/unit/%: $(BUILD)/unit/obj/tests/unit/test_%.c.o $$(call unit_objects,$$(UNIT_$$*))
	$(HOSTCC) $(SANITIZE) -o $@ $^ $(UNIT_LDFLAGS_$*) $(UNIT_LDFLAGS)

$(BUILD)/unit/obj/%.o: %
	@mkdir -p $(@D)
	$(HOSTCC) -Wno-missing-field-initializers $(SANITIZE) -MMD -MP -I$(BUILD) -c -o $@ $<
$(BUILD)/unit/obj/kernel/font.S.o: $(BUILD)/font.psf
-include $(wildcard $(BUILD)/unit/obj/*/*.d $(BUILD)/unit/obj/*/*/*.d)

unit-programs: $(BUILD)/events.db $(UNIT_PROGRAMS) $(BUILD)/tools/reccheck

# Counted by tests/unit/run.sh: cmocka's own lines and the scripts' "ok" and "not ok".
unit: unit-programs kernels
	BUILD=$(BUILD) tests/unit/run.sh $(UNIT_PROGRAMS) $(UNIT_SCRIPTS)

# The table of docs/pmu-model.md that says how many events are modelled, and why not the others.
coverage: $(BUILD)/unit/sim_coverage events
	BUILD=$(BUILD) $< --write

# The tables of fields of docs/records.md.
records: $(BUILD)/unit/schema
	$< --write
.PHONY: coverage records

# ---- fuzzing: libFuzzer, FUZZ_SECONDS for all of them together ----

FUZZ_SECONDS  ?= 240
FUZZ_bootinfo := kernel/acpi.c $(BOOTINFO)
FUZZ_cmdline  := $(OPTIONS)
FUZZ_decode   := $(DECODE)
FUZZ_database := $(PMU) $(FAKE)
FUZZERS       := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

$(BUILD)/fuzz/%: tests/fuzz/fuzz_%.c $$(FUZZ_$$*) tests/fuzz/unguided.txt
	@mkdir -p $(@D)
	clang -std=gnu11 -g -O1 $(WARN) -Wno-missing-field-initializers -I. -DHOST -fsanitize=fuzzer,address,undefined \
		-fsanitize-coverage-ignorelist=tests/fuzz/unguided.txt \
		-fno-sanitize-recover=all -o $@ $< $(FUZZ_$*)

fuzz-programs: $(FUZZERS) $(BUILD)/events.db
fuzz: fuzz-programs
	tests/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZERS)

# ---- boots ----

# Linked well above the kernel, which the loader puts at 1 MiB.
BOOT_PROGRAMS := $(patsubst %,$(BUILD)/boot/%.elf,loader boundary)
$(BOOT_PROGRAMS): $(BUILD)/boot/%.elf: tests/boot/%.c
	@mkdir -p $(@D)
	$(CC) $(FREE) $(ARCH_i586) -Os -MF $@.d -nostdlib -static -Wl,--build-id=none,-z,noexecstack,-Ttext=0x2000000,--section-start=.multiboot=0x1fff000,-e,entry -o $@ $<

# A kernel that ends at once, against which `make bench` measures.
$(BUILD)/boot/exit.elf: tests/boot/exit.S
	@mkdir -p $(@D)
	$(CC) -m32 -nostdlib -static -Wl,--build-id=none,-z,noexecstack,-Ttext=0x100000,--section-start=.multiboot=0xff000,-e,entry -o $@ $<

# Linux' init of tools/linux-perf.sh: Linux' headers of this machine, newlib's functions.
LINUX_OBJ := $(patsubst tests/boot/linux/%,$(BUILD)/boot/linux/%.o,$(wildcard tests/boot/linux/*.c) tests/boot/linux/loops.S)
$(BUILD)/boot/linux/%.o: tests/boot/linux/% $(BUILD)/i586/newlib
	@mkdir -p $(@D)
	$(CC) $(FREE) $(ARCH_i586) -Os -isystem $(NEWLIB_i586)/include -idirafter /usr/include \
		-idirafter /usr/include/$(shell $(CC) -print-multiarch) -c -o $@ $<
$(BUILD)/boot/linux-init: $(LINUX_OBJ) $(patsubst %,$(BUILD)/i586/kernel/%.o,libc format decimal div64)
	ld -m elf_i386 -static -nostdlib --gc-sections -z noexecstack -o $@ $^ $(NEWLIB_i586)/lib/libc.a
-include $(LINUX_OBJ:.o=.d)

boot-programs: kernels events iso $(BUILD)/bochs/bochs $(BUILD)/tools/silicon $(BUILD)/tools/reccheck $(BOOT_PROGRAMS) $(BUILD)/boot/linux-init
boot: boot-programs
	tests/boot/run.sh $(LONG)

# ---- mutants: do the unit tests see a change? ----

mutants: $(BUILD)/events.db
	tests/mutants/run.sh
.PHONY: unit fuzz mutants boot boot-programs unit-programs fuzz-programs
