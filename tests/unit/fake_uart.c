/* The UARTs of fake_uart.h. */
#include "tests/unit/fake_uart.h"
#include "kernel/paging.h"
#include <stdlib.h>

uint64_t fake_reach = 1ull << 32;

bool paging_map_device(uint64_t addr, uint64_t len) { return len && addr + len <= fake_reach; }

static bool latch(const struct fake_uart *u) { return u->lcr & 0x80; }

static uint8_t chip_in(const struct fake_uart *u, unsigned reg)
{
    if (u->unplugged && u->n >= u->unplugged) return 0xff;
    switch (reg) {
    case 0:
        return latch(u) ? u->divisor & 0xff : 0;
    case 1:
        return latch(u) ? u->divisor >> 8 & 0xff : u->ier & 0x0f;
    case 2:
        return u->fcr & 1 ? 0xc1 : 0x01;
    case 3:
        return u->lcr;
    case 5:
        return u->silent || (u->dies_after && u->n >= u->dies_after) ? 0 : 0x60;
    default:
        return 0;
    }
}

static void chip_out(struct fake_uart *u, unsigned reg, uint8_t v)
{
    u->writes++;
    if (reg == 0 && latch(u))
        u->divisor = (u->divisor & 0xff00) | v;
    else if (reg == 1 && latch(u))
        u->divisor = (u->divisor & 0xff) | (unsigned)v << 8;
    else if (reg == 0 && u->n < sizeof u->sent - 1)
        u->sent[u->n++] = (char)v;
    else if (reg <= 4 && reg)
        *(reg == 1 ? &u->ier : reg == 2 ? &u->fcr : reg == 3 ? &u->lcr : &u->mcr) = v;
}

static uint32_t port_in(void *ctx, uint16_t offset, unsigned width)
{
    return width == 1 ? chip_in(ctx, offset) : UINT32_MAX;
}

static void port_out(void *ctx, uint16_t offset, uint32_t v, unsigned width)
{
    if (width == 1) chip_out(ctx, offset, (uint8_t)v);
}

static uint32_t memory_in(void *ctx, uint32_t offset)
{
    const struct fake_uart *u = ctx;
    if (u->ram) return u->bytes[offset];
    if (fake_mmio_width() != u->width || offset % u->stride) return UINT32_MAX;
    return chip_in(u, offset / u->stride);
}

static void memory_out(void *ctx, uint32_t offset, uint32_t v)
{
    struct fake_uart *u = ctx;
    if (u->ram) {
        u->writes++;
        u->bytes[offset] = (uint8_t)v;
    } else if (fake_mmio_width() == u->width && offset % u->stride == 0)
        chip_out(u, offset / u->stride, (uint8_t)v);
    else
        abort(); /* another device's register */
}

void fake_uart_port(struct fake_uart *u, uint16_t port)
{
    u->device = (struct fake_device){port, 8, port_in, port_out, u};
    fake_port(&u->device);
}

void fake_uart_memory(struct fake_uart *u, uint64_t base, unsigned stride, unsigned width)
{
    u->stride = stride;
    u->width = width;
    u->registers = (struct fake_registers){base, 8 * stride, memory_in, memory_out, u};
    fake_registers(&u->registers);
}
