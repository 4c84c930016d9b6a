#include "kernel/power_off.h"
#include "kernel/hw.h"

/* ACPI 6.5, table 4.14: PM1 control registers */
#define SCI_EN    0x0001u
#define SLP_TYP   0x1c00u
#define SLP_SHIFT 10
#define SLP_EN    0x2000u

#define DELAY_PORT 0x80     /* a read takes about a microsecond */
#define ENABLE_US  3000000u /* the firmware's SMI handler may take that long (ACPICA waits as long) */
#define OFF_US     2000000u

static void enter_acpi_mode(const struct acpi_s5 *s5)
{
    if (!s5->smi_port || hw_inw(s5->pm1a) & SCI_EN) return;
    hw_outb(s5->smi_port, s5->enable);
    for (unsigned us = 0; us < ENABLE_US && !(hw_inw(s5->pm1a) & SCI_EN); us++) hw_inb(DELAY_PORT);
}

/* The type first, then the same with SLP_EN: some chip sets need both writes (ACPICA does so). */
static void write_control(const struct acpi_s5 *s5, uint16_t enable)
{
    const uint16_t port[] = {s5->pm1a, s5->pm1b};
    for (unsigned i = 0; i < 2; i++) {
        if (!port[i]) continue;
        const unsigned kept = hw_inw(port[i]) & ~(SLP_TYP | SLP_EN);
        hw_outw(port[i], (uint16_t)(kept | (unsigned)s5->type[i] << SLP_SHIFT | enable));
    }
}

void power_off(const struct acpi_s5 *s5)
{
    enter_acpi_mode(s5);
    write_control(s5, 0);
    write_control(s5, SLP_EN);
    for (unsigned us = 0; us < OFF_US; us++) hw_inb(DELAY_PORT);
}
