/* What Linux tells of the machine, in the firmware's place: the CPUs that this process may use, the date. */
#include "kernel/firmware.h"
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/platform.h"

#define DAY 86400

/* From days since 1970-01-01 (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in
 * March). */
static struct rtc_date date_of(int64_t seconds)
{
    const unsigned second = (unsigned)(seconds % DAY);
    const int64_t days = seconds / DAY + 719468; /* from 0000-03-01 */
    const unsigned day = (unsigned)(days % 146097);
    const unsigned year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const unsigned of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    return (struct rtc_date){.year = (uint16_t)((unsigned)(days / 146097) * 400 + year + (month >= 10)),
                             .month = (uint8_t)(month < 10 ? month + 3 : month - 9),
                             .day = (uint8_t)(of_year - (153 * month + 2) / 5 + 1),
                             .hour = (uint8_t)(second / 3600),
                             .minute = (uint8_t)(second / 60 % 60),
                             .second = (uint8_t)(second % 60)};
}

void firmware_read(struct machine *m)
{
    m->acpi.s5.lacks = "a Linux process does not switch its machine off";
    m->smbios.source = "none";
    m->found = (struct processors_found){.source = "linux"};
    for (unsigned cpu = 0; cpu < HOSTED_CPUS; cpu++)
        if (hosted_usable[cpu / 64] >> cpu % 64 & 1) processors_add(&m->found, cpu, true);
    m->date = date_of(sys_call(__NR_time, 0L));
    m->has_date = true;
}

enum platform platform_detect(const struct cpu_id *id, const struct acpi_info *acpi)
{
    (void)id, (void)acpi;
    return PLATFORM_LINUX;
}
