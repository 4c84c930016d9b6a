/* A 16550 with its registers in memory, which no PC of Bochs or QEMU has: for the boots of
 * tests/boot/cases/consoles.sh.
 *
 *   ANECHOIC_UART        ADDRESS:BYTES:FILE[:LIMIT]: registers at ADDRESS, so many BYTES apart and as wide
 * (1, 2 or 4); what is sent goes to FILE. After LIMIT bytes it takes no more.
 *
 * It receives nothing, and other widths of access read all ones. A wrong value ends Bochs with status 2. */
#include "sim/bochs/glue.h"

#include "memory/memory-bochs.h" /* needs the one above */

static struct {
    uint8_t reg[8], latch[2];
    unsigned bytes, sent, limit;
    bx_phy_address base;
    FILE *file;
} uart;

/* National Semiconductor PC16550D data sheet, section 8. */
enum { LATCH_OR_DATA = 0, LATCH_OR_IER = 1, IIR = 2, LCR = 3, LSR = 5 };
enum { LCR_DLAB = 0x80, IIR_FIFO = 0xc1, LSR_EMPTY = 0x60 };

static bool latched(unsigned reg) { return reg <= LATCH_OR_IER && uart.reg[LCR] & LCR_DLAB; }

static bool full() { return uart.limit && uart.sent >= uart.limit; }

static bool read_uart(bx_phy_address addr, unsigned len, void *data, void *)
{
    const unsigned offset = (unsigned)(addr - uart.base), reg = offset / uart.bytes;
    Bit32u v = 0;
    if (len != uart.bytes || offset % uart.bytes) {
        memset(data, 0xff, len);
        return true;
    }
    if (latched(reg))
        v = uart.latch[reg];
    else if (reg == LSR)
        v = full() ? 0 : Bit32u(LSR_EMPTY);
    else if (reg != LATCH_OR_DATA)
        v = reg == IIR ? Bit32u(IIR_FIFO) : uart.reg[reg];
    memcpy(data, &v, len);
    return true;
}

static bool write_uart(bx_phy_address addr, unsigned len, void *data, void *)
{
    const unsigned offset = (unsigned)(addr - uart.base), reg = offset / uart.bytes;
    const uint8_t v = *(const uint8_t *)data;
    if (len != uart.bytes || offset % uart.bytes) return true;
    if (latched(reg)) {
        uart.latch[reg] = v;
    } else if (reg == LATCH_OR_DATA) {
        if (full()) return true;
        uart.sent++;
        fputc(v, uart.file);
        fflush(uart.file); /* Bochs may be killed */
    } else {
        uart.reg[reg] = reg == LATCH_OR_IER ? v & 0x0f : v;
    }
    return true;
}

void uart_plug_in(void)
{
    const char *spec = getenv("ANECHOIC_UART");
    char path[512];
    unsigned long long base;
    if (!spec || !*spec) return;
    const int n = sscanf(spec, "%llx:%u:%511[^:]:%u", &base, &uart.bytes, path, &uart.limit);
    const bool good = n >= 3 && (uart.bytes == 1 || uart.bytes == 2 || uart.bytes == 4);
    if (good) uart.file = fopen(path, "wb");
    if (!uart.file) {
        fprintf(stderr, "anechoic: ANECHOIC_UART=%s: needs ADDRESS:1, 2 or 4:FILE[:LIMIT]\n", spec);
        exit(2);
    }
    uart.base = base;
    BX_MEM(0)->registerMemoryHandlers(NULL, read_uart, write_uart, base, base + 8 * uart.bytes - 1);
}
