# The kernel as a Linux process: its own objects, in its own layout, with hosted/ in the machine's place.

# What hosted/ stands for. All else of the x86_64 kernel is linked as it is; parts that nothing calls go.
HOSTED_FOR := $(addprefix kernel/,ap_sequence ap_start apic bootinfo breakpoint clock console core_clock cpu_state firmware fpu_init \
                graphics idt keyboard linux_timer machine_exit madt memory msr multiboot multiboot1 multiboot2 paging pci percpu phys pic permits platform_detect \
                power_off processors_start ring0 rtc stacks strays timer trap user vectors window) \
              $(addprefix boot/,entry multiboot) $(addprefix measure/,watchdog_rtc watchdog_pit)
HOSTED_OBJ := $(patsubst %,$(BUILD)/x86_64/%.o,$(basename $(wildcard hosted/*.[cS])))
# Headers of Linux' own, for numbers and structures; none of a C library's.
LINUX_INCLUDE := -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
$(HOSTED_OBJ): LINUX := $(LINUX_INCLUDE)

$(BUILD)/here: $(HOSTED_OBJ) $(OBJ_x86_64) linker.ld
	$(call step,LD)
	ld $(LD_x86_64) -z noexecstack -static -nostdlib --gc-sections -T linker.ld -e hosted_start -Map $(BUILD)/x86_64/here.map -o $@ \
		$(filter-out $(HOSTED_FOR:%=$(BUILD)/x86_64/%.o),$(filter %.o,$^)) $(NEWLIB_x86_64)/lib/libc.a

# [1] = "write", from the header.
$(BUILD)/hosted/call_names.inc: /usr/include/x86_64-linux-gnu/asm/unistd_64.h
	$(call step,GEN)
	@mkdir -p $(@D)
	sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$$/[\2] = "\1",/p' $< >$@
$(BUILD)/x86_64/hosted/permits.o: LINUX += -I$(BUILD)
$(BUILD)/x86_64/hosted/permits.o: $(BUILD)/hosted/call_names.inc

-include $(HOSTED_OBJ:.o=.d)
