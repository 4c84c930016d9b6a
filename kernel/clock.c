#include "kernel/clock.h"
#include "kernel/hw.h"
#include "kernel/pic.h"

/* Frequencies and ports: Intel 8254 data sheet; ACPI 6.5, 4.8.3.3. */
#define PIT_CH2        0x42
#define PIT_COMMAND    0x43
#define PIT_CH2_MODE0  0xb0 /* channel 2, low then high byte, mode 0: output rises at terminal count */
#define PORT_B         0x61 /* bit 0 gate of channel 2, bit 1 speaker, bit 5 output of channel 2 */
#define PORT_B_GATE    0x01
#define PORT_B_SPEAKER 0x02
#define PORT_B_OUT2    0x20
#define PM_TIMER_HZ    3579545u

#define TRIES     5
#define GOOD_PPM  100.0  /* a calibration this precise ends the tries */
#define PIT_TICKS 23864u /* 20 ms */
#define PM_TICKS  71591u /* 20 ms */
/* Waiting for a timer ends after many reads (a port read takes half a microsecond or more on real machines)
 * and many ticks (port reads are quick in emulators): 0.1 s, or seconds at 60 MHz. */
#define MAX_POLLS 200000u
#define MAX_TICKS 400000000u

/* A PC's crystal is specified to some 50 ppm, ageing and load included. No manual promises that for the CPU's
 * or the timers', so each may be off by twice as much. */
#define CRYSTAL_PPM 100.0

/* Crystals that Intel uses, Hz. Where leaf 15h gives the ratio but not the crystal, leaf 16h's nominal
 * frequency is precise enough to choose one of these, but not to be the rate: a Skylake-X of nominal 3500 MHz
 * runs its TSC at 24 MHz x 146 = 3504 MHz. */
static const uint32_t crystals[] = {19200000, 24000000, 25000000, 38400000};
#define CRYSTAL_TOLERANCE 0.015

/* The largest known error of a nominal frequency or crystal: Skylake servers slow theirs by 0.25 % against
 * interference (Linux' commit b51120309348, "Fix erroneous TSC rate on Skylake Xeon"). */
#define NOMINAL_PPM 3000.0

static uint64_t snap_to_crystal(uint32_t nominal_mhz, const struct cpuid_regs *ratio)
{
    double guess = nominal_mhz * 1e6 * ratio->eax / ratio->ebx;
    for (unsigned i = 0; i < sizeof crystals / sizeof crystals[0]; i++) {
        double off = guess / crystals[i] - 1;
        if (off < CRYSTAL_TOLERANCE && off > -CRYSTAL_TOLERANCE)
            return (uint64_t)crystals[i] * ratio->ebx / ratio->eax;
    }
    return 0;
}

/* SDM vol. 2A, CPUID leaf 15h: TSC = crystal (ECX) * EBX / EAX; leaf 16h: the nominal frequency, in MHz. */
static struct clock_rate stated_rate(const struct cpu_id *id)
{
    struct cpuid_regs ratio = {0};
    uint32_t mhz = 0;
    uint64_t snapped;
    if (id->max_leaf >= 0x15) ratio = hw_cpuid(0x15, 0);
    if (id->max_leaf >= 0x16) mhz = hw_cpuid(0x16, 0).eax & 0xffff;
    if (ratio.eax && ratio.ebx) {
        if (ratio.ecx)
            return (struct clock_rate){(uint64_t)ratio.ecx * ratio.ebx / ratio.eax, "cpuid.15h", CRYSTAL_PPM};
        if ((snapped = snap_to_crystal(mhz, &ratio)))
            return (struct clock_rate){snapped, "cpuid.15h", NOMINAL_PPM};
    }
    return (struct clock_rate){(uint64_t)mhz * 1000000u, "cpuid.16h", NOMINAL_PPM};
}

/* One calibration: the interval began between begin[0] and begin[1] of the TSC and ended between end[0] and
 * end[1]. Every device access lies between two readings. So a pause anywhere (an SMI, a hypervisor) widens
 * the window and cannot shift it unnoticed. */
struct window {
    uint64_t begin[2], end[2];
};

static bool wait_on(unsigned polls, uint64_t ticks)
{
    return polls < MAX_POLLS || (ticks < MAX_TICKS && polls < 100 * MAX_POLLS);
}

static bool pit_window(struct window *w)
{
    uint8_t port_b = hw_inb(PORT_B);
    bool high = false;
    unsigned polls = 0;
    hw_outb(PORT_B, (port_b & ~PORT_B_SPEAKER) | PORT_B_GATE);
    hw_outb(PIT_COMMAND, PIT_CH2_MODE0);
    hw_outb(PIT_CH2, PIT_TICKS & 0xff);
    w->begin[0] = hw_rdtsc();
    hw_outb(PIT_CH2, PIT_TICKS >> 8);
    w->begin[1] = hw_rdtsc();
    uint64_t before_low = w->begin[1], after = w->begin[1]; /* around the last read that was low */
    for (; !high && wait_on(polls, after - w->begin[0]); polls++) {
        w->end[0] = before_low;
        before_low = after;
        high = hw_inb(PORT_B) & PORT_B_OUT2;
        after = hw_rdtsc();
    }
    w->end[1] = after;
    hw_outb(PORT_B, port_b);
    return high && polls > 1; /* high at once: no 8254, or its clock is gated */
}

/* One PM-timer edge: the TSC before the last read of the old value and after the first of the new. */
static bool pm_edge(uint16_t port, uint32_t *value, uint64_t tsc[2])
{
    tsc[0] = hw_rdtsc();
    uint32_t old = hw_inl(port) & 0xffffff;
    uint64_t before_read = hw_rdtsc();
    for (unsigned i = 0; i < MAX_POLLS; i++) {
        *value = hw_inl(port) & 0xffffff;
        tsc[1] = hw_rdtsc();
        if (*value != old) return true;
        tsc[0] = before_read;
        before_read = tsc[1];
    }
    return false;
}

static bool pm_window(uint16_t port, struct window *w, uint32_t *ticks)
{
    uint32_t start, now;
    if (!pm_edge(port, &start, w->begin)) return false;
    for (unsigned i = 0; i < MAX_POLLS; i++) {
        if (!pm_edge(port, &now, w->end)) return false;
        *ticks = (now - start) & 0xffffff; /* 24 bits, as the narrower timers have */
        if (*ticks >= PM_TICKS) return true;
        if (w->end[1] - w->begin[0] >= MAX_TICKS)
            return false; /* not the PM timer, but some other, slow register */
    }
    return false;
}

/* The best of several tries: the one whose beginning and end are known most precisely. Uses the PM timer at
 * this port, or the PIT if there is none. */
static struct clock_rate calibrate(uint16_t pm_port)
{
    struct clock_rate best = {0};
    for (unsigned i = 0; i < TRIES && (best.hz == 0 || best.ppm > GOOD_PPM + CRYSTAL_PPM); i++) {
        struct window w;
        uint32_t pm_ticks = 0;
        if (pm_port ? !pm_window(pm_port, &w, &pm_ticks) : !pit_window(&w)) break;
        double span = ((double)(w.end[0] - w.begin[0]) + (double)(w.end[1] - w.begin[1])) / 2;
        double slack = (double)(w.begin[1] - w.begin[0]) + (double)(w.end[1] - w.end[0]);
        if (span <= 0) break;
        /* Mode 0: the output rises with the (N+1)-th clock after the write, and the write may fall anywhere
         * between two clocks. Emulators count N. */
        double ticks = pm_port ? pm_ticks : PIT_TICKS + 0.5, half = pm_port ? 0 : 0.5;
        double ppm = (slack / 2 / span + half / ticks) * 1e6 + CRYSTAL_PPM;
        if (best.hz && ppm >= best.ppm) continue;
        best.hz = (uint64_t)(span * (pm_port ? PM_TIMER_HZ : PIT_HZ) / ticks + 0.5);
        best.ppm = ppm;
        best.source = pm_port ? "pm-timer" : "pit";
    }
    return best;
}

/* Do the two agree within their stated errors? */
static bool agree(const struct clock_rate *a, const struct clock_rate *b)
{
    double apart = ((double)a->hz / (double)b->hz - 1) * 1e6;
    return (apart < 0 ? -apart : apart) <= a->ppm + b->ppm;
}

void clock_init(const struct cpu_id *id, const struct acpi_info *acpi, struct clock *c)
{
    struct clock_rate stated = stated_rate(id), measured = calibrate(0), judge = {0};
    const bool by_pit = measured.hz;
    if (!by_pit && acpi->pm_timer) measured = calibrate(acpi->pm_timer);
    *c = (struct clock){.source = "unknown"};
    c->disagree = stated.hz && measured.hz && !agree(&stated, &measured);
    if (c->disagree && by_pit && acpi->pm_timer) judge = calibrate(acpi->pm_timer);
    bool by_cpuid = !measured.hz || (stated.hz && stated.ppm < measured.ppm);
    if (c->disagree) by_cpuid = judge.hz && agree(&stated, &judge) && !agree(&measured, &judge);
    const struct clock_rate *used = by_cpuid ? &stated : &measured;
    c->other = by_cpuid ? measured : stated;
    if (!used->hz) return;
    c->tsc_hz = used->hz;
    c->source = used->source;
    c->uncertainty_ppm = used->ppm;
}
