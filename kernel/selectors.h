/* GDT selectors; shared by C and assembly. */
#pragma once

#define SEL_CODE      0x08
#define SEL_DATA      0x10
#define SEL_CPU       0x18 /* i586: GS, base = the per-CPU block */
#define SEL_TSS       0x20 /* two slots on x86_64 */
#define SEL_DF        0x30 /* i586: task of the double-fault handler */
#define SEL_USER_DATA 0x3b /* with RPL 3 */
#define SEL_USER_CODE 0x43
#define SEL_GATE      0x4b /* i586: call gate to RDMSR, for ring 3 where there is no RDPMC */
#define GDT_SLOTS     10

#define VECTOR_USER_RETURN 0x80 /* INT from ring 3: the payload is done */
