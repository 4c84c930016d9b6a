/* Regions in a program: the second has two instructions each time, and the first has four more for each turn
 * of its loop. */
#include <anechoic/region.h>

ANECHOIC_REGIONS("all of it", "two");

void payload(long n)
{
    struct region_table *table = region_table();
    region_begin(table, 0);
    __asm__ volatile("1:\n\t" REGION_ASM(TABLE_BEGIN, "%1", "$1") "nop\n\tnop\n\t" REGION_ASM(
                         TABLE_END, "%1", "$1") "dec %0\n\tjnz 1b"
                     : "+r"(n)
                     : "r"(table)
                     : REGION_AX, "edx", "cc", "memory");
    region_end(table, 0);
}
