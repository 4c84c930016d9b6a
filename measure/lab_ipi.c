/* Interprocessor interrupts of experiments. The handler runs with general registers only. */
#include "kernel/apic.h"
#include "kernel/trap.h"
#include "measure/lab.h"

static INTERRUPT_FN void arrived(void *to, const struct trap_frame *f)
{
    const uint64_t now = hw_rdtsc();
    struct lab_ipi *ipi = to;
    if (f->vector != VECTOR_SAMPLE) {
        trap_stray(f);
        return;
    }
    ipi->at = now;
    ipi->n = ipi->n + 1;
    apic_eoi(ipi->apic);
}

static const struct cpu *processor(const struct lab *lab, unsigned cpu)
{
    const struct lab_work *w = (const struct lab_work *)(const void *)lab;
    return w->cpu->machine->cpu[w->processor[cpu]];
}

bool lab_ipi_open(const struct lab *lab, unsigned cpu, struct lab_ipi *ipi)
{
    ipi->apic = &processor(lab, cpu)->apic;
    ipi->n = 0;
    return ipi->apic->mode >= APIC_XAPIC && processor(lab, 0)->machine->cpu[0]->apic.mode >= APIC_XAPIC;
}

void lab_ipi_let(struct lab_ipi *ipi)
{
    if (ipi) {
        trap_interrupts(arrived, ipi);
        hw_interrupts_on();
        return;
    }
    hw_interrupts_off();
    trap_interrupts(NULL, NULL);
}

/* One that comes between the comparison and HLT is taken behind HLT, since STI takes effect after the next
 * instruction, and ends it at once. */
void lab_ipi_rest(const struct lab_ipi *ipi, uint32_t n)
{
    for (;;) {
        __asm__ volatile("cli" ::: "memory");
        if (ipi->n != n) break;
        __asm__ volatile("sti\n\thlt" ::: "memory");
    }
    __asm__ volatile("sti" ::: "memory");
}

bool lab_ipi_send(const struct lab *lab, unsigned cpu)
{
    const struct cpu *to = processor(lab, cpu);
    return apic_ipi(&to->machine->cpu[0]->apic, to->apic.id, IPI_FIXED | VECTOR_SAMPLE);
}
