#include "kernel/firmware.h"
#include "kernel/start_page.h"

void firmware_read(struct machine *m)
{
    acpi_probe(&m->boot, &m->acpi);
    processors_find(&m->boot, &m->found);
    m->start_page = start_page_find(&m->boot);
    smbios_probe(&m->boot, &m->smbios);
    board_probe(&m->boot, &m->smbios, &m->board);
    m->has_date = rtc_date(&m->date);
}
