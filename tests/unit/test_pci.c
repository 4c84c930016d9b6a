/* PCI by mechanism 1: machines without it are not touched, and all that is there is found once. */
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_pci.h"
#include "tests/unit/unit.h"
#include <pthread.h>
#include <string.h>

#define CLASS(c) [10] = (c)&0xff, [11] = (c) >> 8
#define ID(v)    [0] = (v)&0xff, [1] = (v) >> 8, [2] = 0x34, [3] = 0x12
#define MULTI    [14] = 0x80

static struct fake_function bridge = {{0, 0, 0}, {ID(0x1022), CLASS(0x0600)}, NULL, NULL, NULL};
static struct fake_function old_bridge = {{0, 5, 0}, {ID(0x8086), CLASS(0)}, NULL, NULL, NULL};
static struct fake_function card = {{0, 9, 0}, {ID(0x10ec), CLASS(0x0200)}, NULL, NULL, NULL};
static const struct bootinfo bios = {.protocol = 1}, uefi = {.protocol = 2, .efi = true};

TEST(test_silent_machine)
{
    fake_reset();
    assert_false(pci_probe(&bios, false));
    assert_int_equal(fake_accesses(), 0); /* nothing in its firmware speaks of PCI */
    assert_false(pci_probe(&bios, true)); /* it does, and the port floats */
    assert_true(fake_accesses() <= 4);
}

TEST(test_sane)
{
    static struct fake_function *const with_class[] = {&card, &bridge}, *const with_vendor[] = {&old_bridge},
                                       *const odd[] = {&card};
    fake_reset();
    fake_pci(with_class, 2);
    const uint32_t before = fake_pci_address();
    assert_true(pci_probe(&uefi, false));
    assert_true(pci_probe(&bios, true));
    assert_int_equal(fake_pci_address(), before);
    fake_reset();
    fake_pci(with_vendor, 1);
    assert_true(pci_probe(&bios, true));
    fake_reset();
    fake_pci(odd, 1);
    assert_false(pci_probe(&bios, true));
    assert_int_equal(fake_pci_address(), before);

    /* One device: which class, vendor and place make a machine one with PCI. */
    static const struct {
        struct pci_function at;
        uint16_t vendor, class;
        bool sane, multi;
    } cases[] = {
        {{0, 31, 0}, 0x1022, 0x0600, true, true},  {{0, 31, 0}, 0x1022, 0x0300, true, false},
        {{0, 31, 0}, 0x0e11, 0x0000, true, false}, {{0, 31, 0}, 0x8086, 0x0200, true, false},
        {{0, 31, 0}, 0x1022, 0x0601, false, true}, {{0, 31, 0}, 0x1022, 0x0301, false, false},
        {{1, 0, 0}, 0x8086, 0x0600, false, false}, {{0, 1, 1}, 0x8086, 0x0600, false, false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct fake_function one, *const only[] = {&one};
        one = (struct fake_function){.at = cases[i].at, .config = {ID(0), MULTI}};
        if (!cases[i].multi) one.config[14] = 0;
        fake_config_set(&one, 0, 2, cases[i].vendor);
        fake_config_set(&one, 10, 2, cases[i].class);
        fake_reset();
        fake_pci(only, 1);
        assert_int_equal(pci_probe(&bios, true), cases[i].sane);
    }
}

TEST(test_bios32)
{
    static struct fake_function *const all[] = {&bridge};
    static uint8_t directory[32] = {'_', '3', '2', '_', 0x12, 0x34, 0x0f, 0, 0, 1};
    static const struct {
        uint8_t length, sum;
        bool found;
    } cases[] = {{1, 0, true}, {1, 1, false}, {0, 0, false}, {2, 0, true}, {3, 0, false}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        directory[9] = cases[i].length;
        directory[10] = 0;
        uint8_t sum = 0;
        for (unsigned b = 0; b < sizeof directory; b++) sum += directory[b];
        directory[10] = (uint8_t)(cases[i].sum - sum);
        fake_reset();
        fake_pci(all, 1);
        fake_memory(0xfa350, directory, sizeof directory);
        assert_true(pci_probe(&bios, false) == cases[i].found);
        static const uint32_t at[] = {0xe0000, 0xfffe0, 0x100000, 0xdffe0};
        for (unsigned n = 0; n < 4; n++) { /* where it may be */
            fake_reset();
            fake_pci(all, 1);
            fake_memory(at[n], directory, sizeof directory);
            assert_true(pci_probe(&bios, false) == (cases[i].found && n < 2));
        }
    }
}

TEST(test_find)
{
    static struct fake_function alone = {{3, 31, 0}, {ID(0x1033), CLASS(0x0c03)}, NULL, NULL, NULL},
                                first = {{0, 29, 0}, {ID(0x8086), CLASS(0x0c03), MULTI}, NULL, NULL, NULL},
                                last = {{0, 29, 7}, {ID(0x8086), CLASS(0x0c03)}, NULL, NULL, NULL},
                                far = {{255, 0, 3}, {ID(0x8086), CLASS(0x0c03)}, NULL, NULL, NULL},
                                host = {{255, 0, 0}, {ID(0x8086), CLASS(0x0600), MULTI}, NULL, NULL, NULL},
                                orphan = {{7, 1, 2}, {ID(0x8086), CLASS(0x0c03)}, NULL, NULL, NULL};
    static struct fake_function *const all[] = {&bridge, &card, &alone, &first, &last, &far, &host, &orphan};
    struct pci_function found[8];
    fake_reset();
    fake_pci(all, 8);
    assert_int_equal(pci_find(0x0c03, found, 8), 4); /* a function without function 0 is none */
    assert_memory_equal(&found[0], &first.at, sizeof found[0]);
    assert_memory_equal(&found[1], &last.at, sizeof found[0]);
    assert_memory_equal(&found[2], &alone.at, sizeof found[0]);
    assert_memory_equal(&found[3], &far.at, sizeof found[0]);
    assert_true(fake_accesses() < 2 * 256 * 32 * 2);
    memset(found, 0xee, sizeof found);
    assert_int_equal(pci_find(0x0c03, found, 1), 4);
    assert_int_equal(found[1].bus, 0xee);
    assert_int_equal(pci_find(0x0101, found, 8), 0);
    assert_int_equal(pci_find_base(0x0c, found, 8), 4);
    assert_memory_equal(&found[3], &far.at, sizeof found[0]);
    assert_int_equal(pci_find_base(0x06, found, 8), 2);
    assert_int_equal(pci_find_base(0x00, found, 8), 0);
    assert_int_equal(pci_find(0x0600, found, 8), 2); /* the first and the last device */
    assert_memory_equal(&found[0], &bridge.at, sizeof found[0]);
    assert_memory_equal(&found[1], &host.at, sizeof found[0]);
}

TEST(test_access)
{
    static struct fake_function some = {{1, 2, 0}, {ID(0x1234), CLASS(0x0c03)}, NULL, NULL, NULL};
    static struct fake_function *const all[] = {&some};
    fake_reset();
    fake_pci(all, 1);
    pci_write32(&some.at, 0x68, 0x11223344);
    assert_int_equal(pci_read32(&some.at, 0x68), 0x11223344);
    pci_write8(&some.at, 0x6b, 0xff);
    assert_int_equal(pci_read32(&some.at, 0x68), 0xff223344);
    pci_write16(&some.at, 0x6a, 0xabcd);
    assert_int_equal(pci_read32(&some.at, 0x68), 0xabcd3344);
    assert_int_equal(pci_read32(&some.at, 0x6c), 0);
    pci_write8(&some.at, 0x69, 0x55); /* each finds its register, whichever was the last */
    assert_int_equal(pci_read32(&some.at, 0x6c), 0);
    pci_write16(&some.at, 0x68, 0x7788);
    assert_int_equal(pci_read32(&some.at, 0x6c), 0);
    pci_write32(&some.at, 0x70, 0x99);
    assert_int_equal(pci_read32(&some.at, 0x68), 0xabcd7788);
    assert_int_equal(pci_read32(&(struct pci_function){1, 3, 0}, 0), UINT32_MAX);
}

/* Two processors, which share the ports. The reader is the one that may get the other's register. */
#define READS 200000
static volatile bool reading;

static void *another(void *arg)
{
    (void)arg;
    while (reading) pci_read32(&card.at, 0);
    return NULL;
}

TEST(test_at_once)
{
    static struct fake_function *const both[] = {&bridge, &card};
    unsigned wrong = 0;
    pthread_t other;
    fake_reset();
    fake_pci(both, 2);
    reading = true;
    assert_int_equal(pthread_create(&other, NULL, another, NULL), 0);
    for (unsigned i = 0; i < READS; i++) wrong += (pci_read32(&bridge.at, 0) & 0xffff) != 0x1022;
    reading = false;
    pthread_join(other, NULL);
    assert_int_equal(wrong, 0);
}
