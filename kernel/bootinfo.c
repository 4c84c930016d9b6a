/* Boot information: chooses the parser by the protocol. */
#include "kernel/bootinfo.h"
#include "kernel/multiboot.h"
#include <string.h>

void bootinfo_parse(uint32_t magic, uint32_t info, struct bootinfo *out)
{
    memset(out, 0, sizeof *out);
    if (magic == MULTIBOOT1_MAGIC) {
        out->protocol = 1;
        multiboot1_parse(info, out);
    } else if (magic == MULTIBOOT2_MAGIC) {
        out->protocol = 2;
        multiboot2_parse(info, out);
    }
}
