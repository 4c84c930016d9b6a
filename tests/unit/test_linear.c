/* Linear addresses for windows: none of what the kernel uses is in the range that is found. */
#include "kernel/linear.h"
#include "kernel/serial.h"
#include "tests/unit/unit.h"

static uint64_t port; /* a serial port in memory; 0: none */
bool serial_uses(uint64_t start, uint64_t end) { return port >= start && port < end && port; }

static struct machine machine;
static struct cpu cpu;

static void plug(void)
{
    machine = (struct machine){.cpu = {&cpu}};
    cpu.apic.base = 0xfee00000;
    machine.memory.pool = (uint8_t *)(uintptr_t)0x400000;
    machine.memory.pool_bytes = 0x1000000;
    port = 0;
}

/* Each of them moves the range on, and no further than needed. */
TEST(used)
{
    plug();
    const uint32_t first = linear_find(&machine), second = first + LINEAR_RANGE;
    assert_int_equal(first, LINEAR_RANGE);
    port = first + 0x1000;
    assert_int_equal(linear_find(&machine), second);
    plug();
    machine.memory.pool_bytes = first;
    assert_int_equal(linear_find(&machine), second);
    plug();
    machine.stacks.from = first + LINEAR_RANGE - 1;
    machine.stacks.end = second + 1;
    assert_int_equal(linear_find(&machine), second + LINEAR_RANGE);
    plug();
    cpu.apic.base = first + 0x1000;
    assert_int_equal(linear_find(&machine), second);
    plug();
    machine.boot.fb = (struct boot_fb){.addr = first - 0x1000, .pitch = 0x1000, .height = 2};
    assert_int_equal(linear_find(&machine), second);
    machine.boot.fb.height = 1; /* it ends where the range begins */
    assert_int_equal(linear_find(&machine), first);
    plug();
    machine.boot.n_modules = 1;
    machine.boot.module[0] = (struct boot_module){.start = second - 1, .end = second};
    assert_int_equal(linear_find(&machine), second);
}

/* Of the loader's map only the memory around the pool counts; nothing is free where that is all of it. */
TEST(memory)
{
    plug();
    machine.boot.n_map = 2;
    machine.boot.map[0] = (struct mem_range){0x100000, LINEAR_RANGE, 1};
    machine.boot.map[1] = (struct mem_range){2ull * LINEAR_RANGE, LINEAR_RANGE, 1};
    assert_int_equal(linear_find(&machine), 2 * LINEAR_RANGE);
    machine.boot.map[0].len = 0xfff00000;
    assert_int_equal(linear_find(&machine), 0);
}
