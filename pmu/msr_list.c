#include "pmu/msr_list.h"
#include "kernel/hw.h"
#include "kernel/repeated.h"

REPEATED_BEHIND void msr_list_write(const struct msr_list *list)
{
    for (const struct msr_write *w = list->at; w < list->at + list->n; w++)
        hw_wrmsr_halves(w->msr, w->low, w->high);
}
