# Programs that users run on their own computer.

$(BUILD)/host/%: host/%.c $(HEADERS)
	$(call step,CC)
	$(PROGRAM)

# What "events" asks: the drivers of counters, on simulated registers (host/registers.c). Their handlers are
# left out, with what these would call.
KERNEL_anechoic := $(wildcard pmu/*.c) measure/schedule.c measure/match.c kernel/cpuid.c report/emit.c report/emit_events.c \
                   report/session.c
# The tool for results. It reads the catalogue of records, and prints the kernel's own tables.
SRC_anechoic := $(wildcard host/*.c) kernel/crc32.c kernel/decimal.c kernel/topology.c kernel/transfer.c report/schema.c \
                $(wildcard report/text*.c) report/base45.c report/frame.c report/record.c report/json.c report/deduction_text.c $(KERNEL_anechoic)
HOST_OBJ := $(SRC_anechoic:%.c=$(BUILD)/host/obj/%.o)
$(BUILD)/host/obj/%.o: %.c Makefile tools/tools.mk
	$(call step,CC)
	$(HOSTCC) -ffunction-sections -MMD -MP -c -o $@ $<
$(BUILD)/host/anechoic: $(HOST_OBJ)
	$(call step,LD)
	$(HOSTCC) -Wl,--gc-sections -o $@ $^ -ljansson -lsqlite3 -lz -lyaml -lm
-include $(HOST_OBJ:.o=.d)
host: $(BUILD)/host/anechoic

.PHONY: host
