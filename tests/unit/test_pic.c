/* The 8259s, the 8254 and the real-time clock as their data sheets have them, and the SMI counter's CPUs. */
#include "kernel/pic.h"
#include "kernel/rtc.h"
#include "kernel/smi.h"
#include "kernel/vectors.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

/* An 8259A: ICW1 to ICW4, then the mask at the odd port; at the even one EOIs and what is read there. */
static struct controller {
    unsigned step, bytes;
    uint8_t icw[5], mask, in_service, requested;
    bool reads_service, polled;
    enum { DATA_SHEET, KVM, BOCHS } poll; /* how it answers the poll command */
    unsigned ends;
} master, slave;

/* The read behind a poll command: 80h + IRQ, or bit 7 clear without a request. KVM's acknowledges without bit
 * 7 and sets nothing in service, Bochs's does nothing. */
static uint32_t poll(struct controller *c)
{
    const uint8_t unmasked = c->requested & (uint8_t)~c->mask;
    c->polled = false;
    if (!unmasked || c->poll == BOCHS) return 0;
    const unsigned irq = (unsigned)__builtin_ctz(unmasked);
    c->requested &= (uint8_t) ~(1 << irq);
    if (c->poll == KVM) return irq;
    c->in_service |= (uint8_t)(1 << irq);
    return 0x80 | irq;
}

static uint32_t controller_in(void *ctx, uint16_t offset, unsigned width)
{
    struct controller *c = ctx;
    (void)width;
    if (c->polled) return poll(c);
    return offset ? c->mask : c->reads_service ? c->in_service : c->requested;
}

static void controller_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    struct controller *c = ctx;
    assert_int_equal(width, 1);
    c->bytes++;
    if (!offset && value & 0x10) {
        c->icw[c->step = 1] = (uint8_t)value;
        c->mask = 0;
    } else if (offset && c->step && c->step < 4) {
        c->icw[++c->step] = (uint8_t)value;
    } else if (offset) {
        c->mask = (uint8_t)value;
    } else if (value == 0x20) {
        c->ends++;
        c->in_service &= (uint8_t)(c->in_service - 1);
    } else if (value == 0x0c) {
        c->polled = true;
    } else if (value == 0x0a || value == 0x0b) {
        c->reads_service = value & 1;
    }
}

static uint8_t timer[8], cmos[128];
static unsigned timer_bytes, cmos_index, requests_read;
static bool no_clock;

static void timer_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)width;
    assert_int_equal(offset, timer_bytes == 0 ? 3 : 0);
    timer[timer_bytes++] = (uint8_t)value;
}

static uint32_t cmos_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)width;
    if (no_clock || offset != 1) return 0xff;
    if (cmos_index == 0x0c) requests_read++;
    return cmos_index == 0x0a ? cmos[0x0a] | 0x80u : cmos[cmos_index]; /* an update is in progress */
}

static void cmos_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)width;
    if (offset == 0) {
        assert_false(value & 0x80); /* NMIs stay enabled */
        cmos_index = value & 0x7f;
    } else {
        cmos[cmos_index] = (uint8_t)value & (cmos_index == 0x0a ? 0x7f : 0xff);
    }
}

static void plug(void)
{
    static const struct fake_device devices[] = {{0x20, 2, controller_in, controller_out, &master},
                                                 {0xa0, 2, controller_in, controller_out, &slave},
                                                 {0x40, 4, NULL, timer_out, NULL},
                                                 {0x70, 2, cmos_in, cmos_out, NULL}};
    fake_reset();
    for (unsigned i = 0; i < 4; i++) fake_port(&devices[i]);
    memset(&master, 0, sizeof master);
    memset(&slave, 0, sizeof slave);
    memset(cmos, 0, sizeof cmos);
    timer_bytes = requests_read = 0;
    no_clock = false;
}

static void expect_masked(void)
{
    static const uint8_t first[] = {0x11, VECTOR_PIC, 1 << 2, 0x01},
                         second[] = {0x11, VECTOR_PIC + 8, 2, 0x01};
    assert_memory_equal(master.icw + 1, first, 4);
    assert_memory_equal(slave.icw + 1, second, 4);
    assert_int_equal(master.mask & slave.mask, 0xff);
    assert_int_equal(master.bytes, 5);
    assert_int_equal(slave.bytes, 5);
}

TEST(test_masks)
{
    plug();
    pic_mask_all();
    expect_masked();
    assert_int_equal(fake_accesses(), 20); /* a pause behind each byte */
    for (unsigned irq = 0; irq < 16; irq++) {
        pic_unmask(1u << irq);
        assert_int_equal(master.mask | slave.mask << 8, 0xffff & ~(1u << irq));
    }
}

TEST(test_ends)
{
    for (unsigned irq = 0; irq < 16; irq++)
        for (unsigned real = 0; real < 2; real++) {
            plug();
            struct controller *c = irq < 8 ? &master : &slave;
            c->in_service = (uint8_t)(real ? 1 << (irq & 7) : ~(1 << (irq & 7)));
            assert_int_equal(pic_acknowledge(irq), real);
            assert_true(c->reads_service);
            assert_int_equal(master.ends, real || irq >= 8);
            assert_int_equal(slave.ends, real && irq >= 8);
        }
    plug();
    pic_eoi();
    assert_true(master.ends == 1 && slave.ends == 0);
    pic_eoi_slave();
    assert_true(master.ends == 2 && slave.ends == 1);
}

/* An NMI by IRQ 0: acknowledged, and nothing stays in service; another's leaves the 8259 alone. */
TEST(test_poll)
{
    for (unsigned kind = DATA_SHEET; kind <= BOCHS; kind++) {
        plug();
        pic_unmask(1 << 0);
        master.poll = kind;
        master.reads_service = true; /* what was read last does not matter */
        assert_false(pic_poll_timer());
        assert_true(master.ends == 0 && !master.polled);
        master.requested = 0xfe; /* masked ones */
        assert_false(pic_poll_timer());
        assert_true(master.requested == 0xfe && master.ends == 0);
        master.requested = 0xff;
        assert_true(pic_poll_timer());
        assert_int_equal(master.requested, kind == BOCHS ? 0xff : 0xfe);
        assert_int_equal(master.ends, kind == DATA_SHEET);
        assert_true(master.in_service == 0 && master.mask == 0xfe && !master.polled && slave.ends == 0);
    }
}

/* Control word 30h: a one-shot; masks stay. */
TEST(test_shot)
{
    static const uint8_t want[] = {0x30, 0xff, 0x12};
    plug();
    pic_unmask(1 << 0);
    const unsigned bytes = master.bytes + slave.bytes;
    pit_shot(0x12ff);
    assert_memory_equal(timer, want, 3);
    assert_int_equal(timer_bytes, 3);
    assert_int_equal(master.bytes + slave.bytes, bytes);
}

TEST(test_timer)
{
    static const uint8_t want[] = {0x34, 0xa9, 0x04};
    plug();
    pic_mask_all();
    assert_true(pit_interrupts(1193)); /* a millisecond */
    assert_int_equal(timer_bytes, 3);
    assert_memory_equal(timer, want, 3);
    assert_int_equal(master.mask, 0xfe);
    assert_int_equal(slave.mask, 0xff);
    timer_bytes = 0;
    master.bytes = slave.bytes = 0;
    assert_true(pit_interrupts(0));
    expect_masked();
}

/* MC146818A: rate select n of register A interrupts every 2^(n-1) clocks of 32,768 Hz. */
TEST(test_clock)
{
    for (unsigned n = 3; n <= 15; n++) {
        plug();
        cmos[0x0a] = 0x26;
        cmos[0x0b] = 0x32; /* 24 hours; the alarm's and the update's interrupts */
        pic_mask_all();
        assert_true(rtc_interrupts(1u << (n - 1)));
        assert_int_equal(cmos[0x0a], 0x20 | n);
        assert_int_equal(cmos[0x0b], 0x42);
        assert_int_equal(requests_read, 1);
        assert_int_equal(master.mask | slave.mask << 8, 0xfefb);
        rtc_acknowledge();
        assert_int_equal(requests_read, 2);
        assert_true(master.ends == 1 && slave.ends == 1);
        master.bytes = slave.bytes = 0;
        assert_true(rtc_interrupts(0));
        assert_int_equal(cmos[0x0a], 0x26);
        assert_int_equal(cmos[0x0b], 0x32);
        assert_int_equal(requests_read, 3);
        expect_masked();
    }
    plug();
    no_clock = true;
    assert_false(rtc_interrupts(1024));
    assert_int_equal(requests_read, 0);
    assert_int_equal(master.bytes + slave.bytes, 0);
}

/* SDM vol. 4, MSR_SMI_COUNT: from Nehalem and Silvermont on. */
TEST(test_smi_counter)
{
    static const struct {
        unsigned family, model;
        bool present;
    } cpus[] = {{6, 0x0f, false}, {6, 0x17, false}, {6, 0x19, false},  {6, 0x1a, true},  {6, 0x1c, false},
                {6, 0x1d, false}, {6, 0x1e, true},  {6, 0x25, true},   {6, 0x26, false}, {6, 0x27, false},
                {6, 0x2a, true},  {6, 0x35, false}, {6, 0x36, false},  {6, 0x37, true},  {6, 0x28, true},
                {6, 0xb7, true},  {5, 0x20, false}, {15, 0x20, false}, {15, 6, false},   {18, 1, true}};
    for (unsigned i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        struct cpu_id id = {.vendor = "GenuineIntel", .family = cpus[i].family, .model = cpus[i].model};
        fake_reset();
        assert_false(smi_counter_present(&id)); /* reading it raises #GP */
        assert_int_equal(smi_counter_read(), 0);
        fake_msr(0x34, 0x100000007);
        if (smi_counter_present(&id) != cpus[i].present) fail_msg("%u %x", id.family, id.model);
        assert_int_equal(smi_counter_read(), 7);
        id.has_hypervisor = true;
        assert_false(smi_counter_present(&id));
        id.has_hypervisor = false;
        strcpy(id.vendor, "AuthenticAMD");
        assert_false(smi_counter_present(&id));
    }
}
