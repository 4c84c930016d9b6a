#include "tests/unit/fake_serial.h"

uint8_t tables[0x400], low[0x500];
struct bootinfo bi;
struct fake_uart chip[4];

void put(uint8_t *p, uint64_t value, unsigned bytes) { memcpy(p, &value, bytes); }

void machine(void)
{
    memset(tables, 0, sizeof tables);
    memset(low, 0, sizeof low);
    memset(chip, 0, sizeof chip);
    memset(&bi, 0, sizeof bi);
    fake_reset();
    fake_reach = 1ull << 32;
    fake_memory(0, low, sizeof low);
    fake_memory(TABLES, tables, sizeof tables);
    memcpy(bi.rsdp, "RSD PTR ", 8);
    put(bi.rsdp + 16, TABLES + RSDT, 4);
    for (unsigned i = 0; i < 20; i++) bi.rsdp[8] -= i == 8 ? 0 : bi.rsdp[i];
    bi.rsdp_len = 20;
    memcpy(tables + RSDT, "RSDT", 4);
    set_length(tables + RSDT, 44);
    put(tables + RSDT + 36, TABLES + SPCR, 4);
    put(tables + RSDT + 40, TABLES + DBG2, 4);
    seal_table(tables + RSDT);
    bi.map_source = MAP_MMAP;
    bi.map[0] = (struct mem_range){0x100000, 127 << 20, MEM_AVAILABLE};
    bi.n_map = 1;
}

void spcr(unsigned kind, uint8_t space, uint8_t width, uint64_t address, unsigned rate)
{
    const struct gas at = {space, width, 0, 0, address};
    make_spcr(tables + SPCR, kind, &at, rate);
}

void dbg2(uint8_t space, uint8_t width, uint64_t address)
{
    const struct gas at = {space, width, 0, 0, address};
    make_dbg2(tables + DBG2);
    add_dbg2(tables + DBG2, 0x8000, 0, &at);
}

const char *console(const char *word)
{
    static char name[SERIAL_NAME];
    const struct uart *u = serial_find(&bi, word);
    strcpy(name, "none");
    if (u) serial_name(u, name);
    return name;
}

const struct serial_port *port(unsigned i)
{
    assert_true(i < serial_list()->n);
    return &serial_list()->port[i];
}

void expect_note(unsigned i, const char *part)
{
    const char *note = serial_note(i);
    if (!part && note) fail_msg("a note too many: %s", note);
    if (part && (!note || !strstr(note, part)))
        fail_msg("\"%s\" is not in: %s", part, note ? note : "(none)");
}
