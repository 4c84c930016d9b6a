/* CPUID of real processors, for fake_hw.h. */
#pragma once

/* Make the scripted machine answer CPUID like this processor (a name from fake_cpus.c; an unknown one
 * aborts). Only the leaves that identification and cache geometry need are there. */
void fake_cpu(const char *name);
