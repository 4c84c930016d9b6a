# The PMU model and its glue, linked with Bochs. BUILD, WARN and FORCE are the Makefile's.

BOCHS_CC    := $(patsubst sim/bochs/%.cc,$(BUILD)/bochs/%.o,$(wildcard sim/bochs/*.cc))
BOCHS_C     := $(patsubst sim/%.c,$(BUILD)/bochs/sim/%.o,$(wildcard sim/*.c))
BOCHS_TREE   = $(shell cat $(BUILD)/bochs/tree 2>/dev/null)
# Bochs's own functions that extended.cc stands in front of.
BOCHS_WRAP  := -Wl,--wrap=_ZN15bx_local_apic_c4readEmPvj,--wrap=_ZN15bx_local_apic_c5writeEmPvj
BOCHS_FLAGS := -O3 -flto=auto -fno-pie $(WARN) -MMD -MP -I.

# As with newlib: asked every time, since the cache may have been emptied; a new answer builds all of this again.
$(BUILD)/bochs/tree: FORCE
	@mkdir -p $(@D)
	@new=$$(tools/bochs.sh) || exit; [ "$$new" = "$$(cat $@ 2>/dev/null)" ] || echo "$$new" >$@

$(BUILD)/bochs/%.o: sim/bochs/%.cc $(BUILD)/bochs/tree
	$(call step,CC)
	g++ -std=gnu++17 $(BOCHS_FLAGS) -D_FILE_OFFSET_BITS=64 -isystem $(BOCHS_TREE) -isystem $(BOCHS_TREE)/cpu \
		-isystem $(BOCHS_TREE)/instrument/anechoic -c -o $@ $<

$(BUILD)/bochs/sim/%.o: sim/%.c
	$(call step,CC)
	gcc -std=gnu11 $(BOCHS_FLAGS) -c -o $@ $<

$(BUILD)/bochs/bochs: $(BOCHS_CC) $(BOCHS_C) $(BUILD)/bochs/tree
	$(call step,LD)
	@rm -f $(@D)/libinstrument.a
	gcc-ar cr $(@D)/libinstrument.a $(filter %.o,$^)
	g++ -no-pie -O3 -flto=auto $(BOCHS_WRAP) -o $@ $(BOCHS_TREE)/*.o -Wl,--start-group $(@D)/libinstrument.a \
		$$(find $(BOCHS_TREE) -name '*.a') -Wl,--end-group

# The option ROM that starts a kernel: the bytes of one add up to 0.
$(BUILD)/bochs/rom/%.o: sim/rom/%.c
	$(call step,CC)
	$(CC) $(FREE) $(ARCH_i586) -Os -c -o $@ $<

$(BUILD)/bochs/rom/%.o: sim/rom/%.S
	$(call step,AS)
	$(CC) -m32 -MMD -MP -c -o $@ $<

$(BUILD)/bochs/start.rom: $(BUILD)/bochs/rom/start.o $(BUILD)/bochs/rom/load.o sim/rom/rom.ld
	$(call step,LD)
	$(LD) -m elf_i386 --build-id=none -z noexecstack -T sim/rom/rom.ld -o $(BUILD)/bochs/rom/rom.elf $(filter %.o,$^)
	$(OBJCOPY) -O binary $(BUILD)/bochs/rom/rom.elf $(BUILD)/bochs/rom/rom
	truncate -s -1 $(BUILD)/bochs/rom/rom
	sum=$$(od -An -v -tu1 $(BUILD)/bochs/rom/rom | awk '{ for (i = 1; i <= NF; i++) sum += $$i } END { printf "%o", (256 - sum % 256) % 256 }') && \
		printf "\\$$sum" | cat $(BUILD)/bochs/rom/rom - >$@

-include $(BUILD)/bochs/rom/start.d $(BUILD)/bochs/rom/load.d
-include $(BOCHS_CC:.o=.d) $(BOCHS_C:.o=.d)
