/* The PCI bus of fake_pci.h. */
#include "tests/unit/fake_pci.h"
#include "tests/unit/fake_hw.h"
#include <stdlib.h>
#include <string.h>

static struct fake_function *const *functions;
static unsigned n_functions;
static uint32_t address;
static bool (*extended)(void);

uint32_t fake_config(const struct fake_function *f, unsigned reg)
{
    uint32_t v;
    memcpy(&v, f->config + reg, sizeof v);
    return v;
}

void fake_config_set(struct fake_function *f, unsigned reg, unsigned width, uint32_t value)
{
    memcpy(f->config + reg, &value, width);
}

static struct fake_function *at(unsigned bus, unsigned device, unsigned function)
{
    for (unsigned i = 0; i < n_functions; i++) {
        const struct pci_function *f = &functions[i]->at;
        if (f->bus == bus && f->device == device && f->function == function) return functions[i];
    }
    return NULL;
}

static struct fake_function *selected(void)
{
    if (!(address >> 31)) return NULL;
    const unsigned bus = address >> 16 & 255, device = address >> 11 & 31, function = address >> 8 & 7;
    struct fake_function *first = at(bus, device, 0);
    if (first && !(first->config[14] & 0x80))
        return first; /* one function, which does not look at the number */
    return at(bus, device, function);
}

static uint32_t port_read(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx;
    uint32_t v = UINT32_MAX;
    if (offset < 4) return offset == 0 && width == 4 ? address : UINT32_MAX;
    struct fake_function *f = selected();
    if (!f) return UINT32_MAX;
    const unsigned reg = (address & 0xfc) + offset - 4, page = address >> 16 & 0xf00;
    if (page && !f->more) return UINT32_MAX;
    if (f->read && !page) f->read(f, reg);
    memcpy(&v, page ? f->more + page - 0x100 + reg : f->config + reg, width);
    return v;
}

static void port_write(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx;
    if (offset < 4) {
        if (value & 0x70000003) abort(); /* reserved, and the byte's place: PCI Local Bus 3.0, 3.2.2.3.2 */
        if (value & 0x0f000000 && !(extended && extended())) abort();
        if (offset == 0 && width == 4) address = value;
        return;
    }
    struct fake_function *f = selected();
    if (!f) return;
    const unsigned reg = (address & 0xfc) + offset - 4, page = address >> 16 & 0xf00;
    if (page) {
        if (!f->more) return;
        memcpy(f->more + page - 0x100 + reg, &value, width);
        if (f->wrote) f->wrote(page + reg, value);
    } else if (f->write)
        f->write(f, reg, width, value);
    else
        fake_config_set(f, reg, width, value);
}

void fake_pci(struct fake_function *const *function, unsigned n)
{
    static const struct fake_device ports = {0xcf8, 8, port_read, port_write, NULL};
    functions = function;
    n_functions = n;
    extended = NULL;
    address = 0x12345678 & 0x80fffffc;
    fake_port(&ports);
}

void fake_pci_extended(bool (*allowed)(void)) { extended = allowed; }
uint32_t fake_pci_address(void) { return address; }
