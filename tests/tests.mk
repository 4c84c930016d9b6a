# Host tests: each test_X.c is a program, linked with what it tests. Built with the sanitizers.

FAKE := tests/unit/fake_hw.c
PMU  := $(wildcard pmu/*.c)
SIM  := $(wildcard sim/*.c)
CPUS := $(FAKE) tests/unit/fake_cpus.c kernel/cpuid.c
TEXT := $(wildcard report/text*.c)

UNIT_acpi     = kernel/acpi.c $(BOOTINFO) $(FAKE)
BOOTINFO      := kernel/bootinfo.c kernel/multiboot1.c kernel/multiboot2.c
UNIT_bootinfo := $(BOOTINFO) $(FAKE) tests/unit/fake_loader.c
UNIT_cache    := kernel/cache.c kernel/cache_tables.c $(CPUS)
UNIT_clock    := kernel/clock.c
UNIT_cmdline  := kernel/cmdline.c kernel/exit.c $(FAKE)
UNIT_cpuid    := $(CPUS)
UNIT_crc32    := report/crc32.c
UNIT_derive   = measure/derive.c $(PMU) $(SIM) kernel/cpuid.c tests/unit/sim_hw.c
UNIT_div64    :=
UNIT_match    := measure/match.c
UNIT_memory   := kernel/memory.c
UNIT_mtrr     := kernel/mtrr.c $(CPUS)
OPTIONS       := measure/options.c measure/bench_word.c measure/plan.c $(PMU) measure/serialize.c \
                 measure/bracket.S kernel/cmdline.c kernel/exit.c kernel/uart.c $(FAKE)
UNIT_multiboot2 := $(BOOTINFO) $(FAKE) tests/unit/fake_loader.c
UNIT_options  := $(OPTIONS)
UNIT_pmu_events = $(PMU) tests/unit/fake_pmu.c
UNIT_pmu_p5   = $(PMU) tests/unit/fake_pmu.c
UNIT_pmu_p6   = $(PMU) tests/unit/fake_pmu.c
UNIT_pmu_sim  = $(PMU) $(SIM) kernel/cpuid.c tests/unit/sim_hw.c
UNIT_record   := report/record.c report/json.c report/session.c report/crc32.c $(TEXT)
UNIT_reduce   := measure/reduce.c measure/stats.c
UNIT_region   := measure/region.c measure/region_mark.S measure/serialize.c measure/bracket.S measure/stats.c $(FAKE)
UNIT_schedule := measure/schedule.c measure/match.c
UNIT_sim_core  := $(SIM)
UNIT_sim_cache := $(SIM)
UNIT_sim_p5    := $(SIM)
UNIT_sim_p5_events := $(SIM)
UNIT_sim_p5_memory := $(SIM)
UNIT_sim_p6    := $(SIM)
UNIT_sim_p6_mem := $(SIM)
UNIT_stats    := measure/stats.c
UNIT_text     := report/record.c report/json.c report/session.c report/crc32.c $(TEXT)
UNIT_truth    = measure/truth.c measure/schedule.c measure/match.c measure/reduce.c measure/stats.c kernel/cache.c \
                kernel/cache_tables.c $(wildcard bench/truth_*.c) report/record.c report/json.c report/session.c \
                report/crc32.c $(TEXT) $(PMU) $(SIM) kernel/cpuid.c tests/unit/sim_hw.c
UNIT_uart     := kernel/uart.c $(FAKE)

UNIT_LDFLAGS_memory := -no-pie -Wl,--defsym=kernel_start=0x100000 -Wl,--defsym=kernel_end=0x200000
UNIT_LDFLAGS        := -lcmocka -ljansson -lm
SANITIZE            := -fsanitize=address,undefined -fno-sanitize-recover=all

UNIT_PROGRAMS := $(patsubst tests/unit/test_%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))
UNIT_SCRIPTS  := $(wildcard tests/unit/test_*.sh)

.SECONDEXPANSION:
$(BUILD)/unit/%: tests/unit/test_%.c $$(UNIT_$$*)
	@mkdir -p $(@D)
	$(HOSTCC) -Wno-missing-field-initializers $(SANITIZE) -MMD -MP -MF $@.d -o $@ $< $(UNIT_$*) $(UNIT_LDFLAGS_$*) $(UNIT_LDFLAGS)
-include $(UNIT_PROGRAMS:=.d)

unit-programs: $(UNIT_PROGRAMS) $(BUILD)/tools/reccheck

# Counted by tests/unit/run.sh: cmocka's own lines and the scripts' "ok" and "not ok".
unit: unit-programs
	tests/unit/run.sh $(UNIT_PROGRAMS) $(UNIT_SCRIPTS)

# ---- fuzzing: libFuzzer, FUZZ_SECONDS each ----

FUZZ_SECONDS  ?= 60
FUZZ_bootinfo := kernel/acpi.c $(BOOTINFO)
FUZZ_cmdline  := $(OPTIONS)
FUZZERS       := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

$(BUILD)/fuzz/%: tests/fuzz/fuzz_%.c $$(FUZZ_$$*)
	@mkdir -p $(@D)
	clang -std=gnu11 -g -O1 $(WARN) -Wno-missing-field-initializers -I. -DHOST -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -o $@ $< $(FUZZ_$*)

fuzz-programs: $(FUZZERS)
fuzz: $(FUZZERS)
	tests/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZERS)

# ---- boots ----

# Linked well above the kernel, which it puts at 1 MiB.
$(BUILD)/boot/loader.elf: tests/boot/loader.c
	@mkdir -p $(@D)
	$(CC) $(FREE) $(ARCH_i586) -Os -MF $@.d -nostdlib -static -Wl,--build-id=none,-z,noexecstack,-Ttext=0x2000000,--section-start=.multiboot=0x1fff000,-e,entry -o $@ $<

boot-programs: kernels iso $(BUILD)/bochs/bochs $(BUILD)/tools/silicon $(BUILD)/tools/reccheck $(BUILD)/boot/loader.elf
boot: boot-programs
	tests/boot/run.sh
.PHONY: boot boot-programs unit-programs fuzz-programs
