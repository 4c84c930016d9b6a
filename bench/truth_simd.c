/* MMX and SSE, in sections of their own, which run only where CPUID reports them. */
#include "bench/truth.h"

static bool prepare_line(struct bench_run *run) { return truth_array_apart(run, TRUTH_LINE); }

TRUTH_PAYLOAD(fetch_argument, TRUTH_ARG_TO_C)

/* 5 turns from x87 to MMX and back. They end in x87, so the next run begins like this one. */
TRUTH_PAYLOAD_IN(".text.isa.mmx", mmx,
                 TRUTH_ARG_TO_C ".rept 5\n\t"
                                "fld1\n\t"
                                "fstp %st\n\t"
                                "pxor %mm0, %mm0\n\t"
                                "movq (" TRUTH_C "), %mm1\n\t"
                                "paddsw %mm1, %mm0\n\t"
                                "movq %mm0, 8(" TRUTH_C ")\n\t"
                                "emms\n\t"
                                ".endr\n\t"
                                "fld1\n\t"
                                "fstp %st")

static const struct truth_row mmx_rows[] = {
    ALL("instructions", 37, "5 x 7 + 2"),
    P5("mmx_instruction_data_reads", 5, "5 MOVQ"),
    P5("mmx_instruction_data_writes", 5, "5 MOVQ"),
    P5("emms_instructions_executed", 5, "5 EMMS"),
    P5("saturating_mmx_instructions_executed", 5, "5 PADDSW"),
    P5("transitions_between_mmx_and_fp_instructions", 10, "5 to MMX, 5 back to x87"),
    P6("mmx_instr_exec", 25, "4 and EMMS in each of 5 turns"),
    P6("mmx_instr_ret", 25, "4 and EMMS in each of 5 turns"),
    P6("mmx_sat_instr_exec", 5, "5 PADDSW"),
    P6("mmx_instr_type_exec:logical", 5, "5 PXOR"),
    P6("mmx_assist", 5, "5 EMMS"),
    P6("fp_mmx_trans:fp_to_mmx", 5, "once in each turn"),
    P6("fp_mmx_trans:mmx_to_fp", 5, "once after each turn"),
    P6("data_mem_refs", 10, "10 MOVQ"),
    NB("memory_loads", 5, "5 MOVQ"),
    NB("memory_stores", 5, "5 MOVQ"),
    ON(LAKE, "r81d0", 5, "5 MOVQ"),
    ON(LAKE, "r82d0", 5, "5 MOVQ"),
    ON(K8 | CLASS_ZEN, "r02cb", 25, "4 and EMMS in each of 5 turns"),
    ON(AMD, "r0040", 10, "10 MOVQ"),
    TRUTH_END,
};

TRUTH_PAYLOAD_IN(".text.isa.sse", sse,
                 TRUTH_ARG_TO_C "xorps %xmm0, %xmm0\n\t"
                                "movaps (" TRUTH_C "), %xmm1\n\t"
                                ".rept 10\n\taddps %xmm1, %xmm0\n\t.endr\n\t"
                                ".rept 5\n\tmulss %xmm0, %xmm1\n\t.endr\n\t"
                                "movaps %xmm0, 16(" TRUTH_C ")")

static const struct truth_row sse_rows[] = {
    ON(P6 | CLASS_NETBURST | CLASS_NOW, "instructions", 18, "10 ADDPS, 5 MULSS, XORPS, 2 MOVAPS"),
    P6("emon_kni_inst_retired", 18, "10 ADDPS, 5 MULSS, XORPS, 2 MOVAPS"),
    P6("emon_kni_inst_retired:scalar", 5, "5 MULSS"),
    P6("emon_kni_comp_inst_ret", 15, "10 ADDPS, 5 MULSS; XORPS is logic"),
    P6("emon_kni_comp_inst_ret:scalar", 5, "5 MULSS"),
    P6("data_mem_refs", 4, "2 MOVAPS, each 8 bytes at a time"),
    NB("scalar_sp_retired", 5, "5 MULSS"),
    NB("memory_loads", 1, "1 MOVAPS"),
    NB("memory_stores", 1, "1 MOVAPS"),
    ON(LAKE, "r81d0", 1, "1 MOVAPS"),
    ON(LAKE, "r82d0", 1, "1 MOVAPS"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {{"mmx", "5 turns from x87 to MMX and back", .payload = mmx, .prepare = prepare_line},
     fetch_argument,
     TRUTH_MMX,
     mmx_rows},
    {{"sse", "18 SSE instructions", .payload = sse, .prepare = prepare_line},
     fetch_argument,
     TRUTH_SSE,
     sse_rows},
};
const struct truth_theme truth_simd = {programs, sizeof programs / sizeof *programs};
