/* console= and records=: the words, without touching a port. */
#include "kernel/serial.h"
#include <stdio.h>

static bool ends(const char *s) { return *s == '\0' || *s == ' ' || *s == '\t'; }

/* A number of so many digits at most, then the separator if there is one. */
static const char *number(const char *s, unsigned digits, unsigned most, char separator, uint8_t *value)
{
    uint64_t v;
    const char *rest = s ? uart_parse_hex(s, digits, &v) : NULL;
    if (!rest || rest == s || v > most || (separator && *rest != separator)) return NULL;
    *value = (uint8_t)v;
    return separator ? rest + 1 : rest;
}

static bool parse_pci(const char *s, struct serial_word *w)
{
    s = number(s, 2, 255, ':', &w->at.bus);
    s = number(s, 2, 31, '.', &w->at.device);
    s = number(s, 1, 7, '\0', &w->at.function);
    return s && uart_parse_rate(s, &w->uart.baud);
}

bool serial_parse(const char *spec, struct serial_word *w)
{
    struct serial_word word = {.kind = SERIAL_AUTO};
    const char *rest;
    bool good = (rest = uart_parse_name(spec, "auto")) && ends(rest);
    if (!good && (rest = uart_parse_name(spec, "spcr")) && ends(rest)) {
        word.kind = SERIAL_SPCR;
        good = true;
    } else if (!good && (rest = uart_parse_name(spec, "pci:"))) {
        word.kind = SERIAL_PCI;
        good = parse_pci(rest, &word);
    } else if (!good) {
        word.kind = SERIAL_ADDRESS;
        good = uart_parse(spec, &word.uart);
    }
    if (good) *w = word;
    return good;
}

void serial_name(const struct uart *u, char name[SERIAL_NAME])
{
    const char *const kind[] = {"", "mmio:", "mmio16:", "", "mmio32:"};
    const char *prefix = u->bus == &uart_memory && u->stride <= 4 ? kind[u->stride] : "";
    int n = snprintf(name, SERIAL_NAME, "%s0x%llx", prefix, (unsigned long long)u->base);
    if (u->baud) snprintf(name + n, SERIAL_NAME - (size_t)n, ",%u", (unsigned)u->baud);
}

const char *serial_by_name(enum serial_by by)
{
    static const char *const name[] = {[BY_WORD] = "word", [BY_SPCR] = "spcr", [BY_COM1] = "com1",
                                       [BY_BDA] = "bda",   [BY_DBG2] = "dbg2", [BY_PCI] = "pci"};
    return name[by];
}
