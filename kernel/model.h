/* The PMU model of sim/, where this kernel runs on it (Bochs, with run-bochs.sh): it says which counters have
 * no count, since the model lacks some events of its CPU (docs/pmu-model.md).
 *
 * CPUID queries it, in the range of leaves that no processor uses (SDM vol. 2A, CPUID, table 3-8: 40000000h
 * to 4FFFFFFFh) and that hypervisors answer. The model does not set the hypervisor bit, since it is the CPU.
 *
 *   40000000h: EAX is the highest of these leaves, EBX ECX EDX are "Anechoic sim".
 *
 *   40000001h, ECX is a counter's number: EAX says what this counter, as it is programmed and enabled now,
 *   counts: bit 0, an event that the model lacks; bit 1, cycles (of any clock), which are the model's and no
 *   processor's. Numbers are those of RDPMC, without bit 31; where there is no RDPMC, 0 and 1.
 *
 *   40000002h, EAX: parts of the CPU that the model lacks as a whole (MODEL_NO_...). What registers and
 * records say of such a part is no finding.
 *
 *   40000003h, EAX EBX ECX EDX: the name of the modelled CPU (sim/models.def), such as "skylake", ended by
 * NULs.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define MODEL_LEAF        0x40000000u
#define MODEL_LEAF_COUNTS 0x40000001u
#define MODEL_LEAF_PARTS  0x40000002u
#define MODEL_LEAF_NAME   0x40000003u
#define MODEL_SIGNATURE   0x63656e41u, 0x63696f68u, 0x6d697320u /* EBX, ECX, EDX */
#define MODEL_LACKS       (1u << 0)                             /* in EAX of MODEL_LEAF_COUNTS */
#define MODEL_CLOCKS      (1u << 1)
#define MODEL_FIXED       (1u << 30) /* in n: a fixed counter (SDM vol. 2B, RDPMC) */

/* In EAX of MODEL_LEAF_PARTS: no branch predictor. Bits that say whether a branch was predicted (last branch
 * records, PEBS, IBS) are what they are without one: never mispredicted. */
#define MODEL_NO_PREDICTOR (1u << 0)
/* No TLBs. What records say of translation (PEBS, IBS) is as if each page were in them. */
#define MODEL_NO_TLBS      (1u << 1)

/* False on everything else: bare metal answers the first leaf like any other that is out of range. */
bool model_present(void);

/* The name of the modelled CPU; "": the model is not present, or does not say. */
#define MODEL_NAME_BYTES 16
void model_name(char name[MODEL_NAME_BYTES + 1]);

/* Does counter n count an event that the model lacks? Cycles? Only where the model is present. */
bool model_lacks(uint32_t n);
bool model_counts_clocks(uint32_t n);

/* Which parts are lacking: MODEL_NO_... 0 where the model is not present: also without asking before.
 */
uint32_t model_lacks_parts(void);
