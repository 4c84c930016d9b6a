# Programs that users run on their own computer.

$(BUILD)/host/%: host/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(PROGRAM)

SRC_reccheck  := host/reccheck_fields.c report/crc32.c report/schema.c
LIBS_reccheck := -ljansson
$(BUILD)/host/reccheck: $(SRC_reccheck)

# The kernel's own objects, in a Linux program.
SILICON := $(patsubst %,$(BUILD)/x86_64/%.o,$(basename $(wildcard bench/*.c bench/*.S)) kernel/cpuid kernel/cache \
           kernel/cache_tables measure/plan measure/bracket)
$(BUILD)/host/silicon: host/silicon.c host/silicon.ld $(SILICON)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) -I. -no-pie -o $@ $< $(SILICON) -Wl,-T,host/silicon.ld
silicon: $(BUILD)/host/silicon
	$<
.PHONY: silicon
