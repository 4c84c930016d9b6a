/* The classes of instructions, by the names of Bochs's opcodes. The table is read once, into an array by
 * opcode number. */
#include "sim/bochs/glue.h"
#include <fnmatch.h>
#include <initializer_list>

struct opcode_class opcode_class[BX_IA_LAST];

namespace
{
const uint32_t JUMP = OP_BRANCH | OP_TAKEN;
const uint32_t FAR = JUMP | OP_FAR;

/* Every row that matches adds to the class; names are those of ia_opcodes.def without BX_IA_. */
const struct {
    const char *name;
    uint32_t op;
    uint8_t seg_loads;
    uint16_t traits;
} rows[] = {
    /* Control transfers. A Jcc is J, its condition, and its displacement's kind; JMP has the same form. */
    {"J[!M]*_J*", OP_BRANCH | OP_COND, 0, 0},
    {"LOOP*_J*", OP_BRANCH | OP_COND, 0, 0},
    {"JMP_*", JUMP, 0, 0},
    {"JMP_E*", OP_INDIRECT, 0, 0},
    {"CALL_*", JUMP | OP_CALL, 0, 0},
    {"CALL_E*", OP_INDIRECT, 0, 0},
    {"RET_*", JUMP | OP_RET, 0, TRAIT_RETURN},
    {"JMPF_*", FAR, 1, 0},
    {"JMPF_*_Ep", OP_INDIRECT, 0, 0},
    {"CALLF_*", FAR | OP_CALL, 1, 0},
    {"CALLF_*_Ep", OP_INDIRECT, 0, 0},
    {"RETF_*", FAR | OP_RET, 1, 0},
    {"IRET_*", FAR | OP_RET | OP_SERIALIZE, 1, 0},
    {"INT_Ib", FAR | OP_SOFTINT, 1, 0},
    {"INT[13]", FAR | OP_SOFTINT, 1, 0},
    {"INTO", OP_BRANCH | OP_COND | OP_FAR | OP_SOFTINT, 1, 0},
    {"SYSENTER", FAR | OP_CALL, 1, 0},
    {"SYSEXIT", FAR | OP_RET, 1, 0},
    {"SYSCALL*", FAR | OP_CALL, 1, 0},
    {"SYSRET*", FAR | OP_RET, 1, 0},
    {"RSM", FAR | OP_SERIALIZE, 0, 0},

    /* SDM vol 3, 8.3: serialising instructions. */
    {"CPUID", OP_SERIALIZE, 0, 0},
    {"MOV_CR*", OP_SERIALIZE, 0, 0},
    {"MOV_D[dq]R*", OP_SERIALIZE, 0, TRAIT_DEBUG},
    {"WRMSR", OP_SERIALIZE, 0, 0},
    {"INVD", OP_SERIALIZE, 0, 0},
    {"WBINVD", OP_SERIALIZE, 0, 0},
    {"INVLPG", OP_SERIALIZE, 0, 0},
    {"L[GIL]DT_*", OP_SERIALIZE, 1, 0},
    {"LTR_*", OP_SERIALIZE, 1, 0},

    {"MOV_SwEw", 0, 1, 0},
    {"POP_Op*_Sw", 0, 1, 0},
    {"L[DEFGS]S_G*", 0, 1, 0},
    {"VER[RW]_*", OP_VERR, 0, 0},
    {"LAR_*", OP_VERR, 0, 0},
    {"LSL_*", OP_VERR, 0, 0},
    {"HLT", OP_HLT, 0, 0},
    {"XCHG_E?G?", 0, 0, TRAIT_XCHG},
    {"ENTER_*", 0, 0, TRAIT_RMW_PROBES},

    /* Looks at counters. */
    {"RDPMC", 0, 0, TRAIT_ALONE},
    {"RDMSR*", 0, 0, TRAIT_ALONE},
    {"WRMSR*", 0, 0, TRAIT_ALONE},
    /* More than four accesses. */
    {"PUSHA*", 0, 0, TRAIT_ALONE},
    {"POPA*", 0, 0, TRAIT_ALONE},
    {"F*SAVE*", 0, 0, TRAIT_ALONE},
    {"F*RSTOR*", 0, 0, TRAIT_ALONE},
    {"F*ENV", 0, 0, TRAIT_ALONE},
    {"XSAVE*", 0, 0, TRAIT_ALONE},
    {"XRSTOR*", 0, 0, TRAIT_ALONE},
    {"*GATHER*", 0, 0, TRAIT_ALONE},
    {"*SCATTER*", 0, 0, TRAIT_ALONE},
    {"*MASKMOV*", 0, 0, TRAIT_ALONE},
    {"*_K*", 0, 0, TRAIT_ALONE},

    {"IN_*", OP_IO | OP_IN, 0, 0},
    {"OUT_*", OP_IO, 0, 0},
    {"REP_*", 0, 0, TRAIT_STRING},
    {"REP_INS*", OP_IO | OP_IN, 0, TRAIT_RMW_WRITES},
    {"REP_OUTS*", OP_IO, 0, 0},

    {"MUL_*", OP_IMUL, 0, 0},
    {"IMUL_*", OP_IMUL, 0, 0},
    {"DIV_*", OP_IDIV, 0, 0},
    {"IDIV_*", OP_IDIV, 0, 0},

    /* x87: every name with F but the three of no_x87[]; FWAIT is one (SDM vol. 1 5.2.6). FTST compares with
       zero. */
    {"F*", OP_X87, 0, 0},
    {"FN*", 0, 0, TRAIT_STATUS}, /* FNINIT, FNCLEX, FNSAVE, FNSTENV, FNSTCW, FNSTSW */
    {"FRSTOR", 0, 0, TRAIT_STATUS},
    {"FLDENV", 0, 0, TRAIT_STATUS},
    {"FLDCW", 0, 0, TRAIT_STATUS},
    {"FWAIT", 0, 0, TRAIT_STATUS},
    {"FADD*", OP_FLOP, 0, 0},
    {"FIADD*", OP_FLOP, 0, 0},
    {"FSUB*", OP_FLOP, 0, 0},
    {"FISUB*", OP_FLOP, 0, 0},
    {"FMUL*", OP_FLOP | OP_FMUL, 0, 0},
    {"FIMUL*", OP_FLOP | OP_FMUL, 0, 0},
    {"FDIV*", OP_FLOP | OP_FDIV, 0, 0},
    {"FIDIV*", OP_FLOP | OP_FDIV, 0, 0},
    {"FSQRT", OP_FLOP | OP_FDIV, 0, 0},
    {"FPREM", OP_FLOP, 0, 0},
    {"FPREM1", OP_FLOP, 0, 0},
    {"FCOM*", OP_FCOM, 0, 0},
    {"FUCOM*", OP_FCOM, 0, 0},
    {"FICOM*", OP_FCOM, 0, 0},
    {"FTST", OP_FCOM, 0, 0},
    {"FST_*_REAL", OP_FST, 0, 0},
    {"FSTP_*_REAL", OP_FST, 0, 0},
    {"F2XM1", OP_TRANSCENDENTAL, 0, 0},
    {"FYL2X*", OP_TRANSCENDENTAL, 0, 0},
    {"FPATAN", OP_TRANSCENDENTAL, 0, 0},
    {"FPTAN", OP_TRANSCENDENTAL, 0, 0},
    {"FSIN*", OP_TRANSCENDENTAL, 0, 0},
    {"FCOS", OP_TRANSCENDENTAL, 0, 0},

    /* MMX has P, Q or N operands of quadwords; SSE has V, W or U ones. */
    {"*_P[qd]*", OP_MMX, 0, 0},
    {"*_?[qd]P[qd]*", OP_MMX, 0, 0},
    {"*_N[qd]*", OP_MMX, 0, 0},
    {"*_?[qd]N[qd]*", OP_MMX, 0, 0},
    {"*_V??Q[qd]*", OP_MMX, 0, 0}, /* MOVQ2DQ, CVTPI2PS, CVTPI2PD */
    {"MASKMOVQ_*", 0, 0, TRAIT_RMW_WRITES},
    {"EMMS", OP_EMMS, 0, 0},
    {"FEMMS", OP_EMMS, 0, 0},
    {"*_[VWU][psdq]*", OP_SSE, 0, 0},
    {"*_*[VWU][psdq][sdq]*", OP_SSE, 0, 0},
    {"*_*[VWU]q*", OP_SSE, 0, 0},
    /* SSE and SSE2 by what they calculate with: all but moves. AVX's names begin with V. */
    {"[!MPV]*PS_[VW]*", OP_PACKED_SP, 0, 0},
    {"M[AIU]*PS_V*", OP_PACKED_SP, 0, 0},
    {"[!MPV]*PD_[VW]*", OP_PACKED_DP, 0, 0},
    {"M[AIU]*PD_V*", OP_PACKED_DP, 0, 0},
    {"[!MPV]*SS_V*", OP_SCALAR_SP, 0, 0},
    {"M[AIU]*SS_V*", OP_SCALAR_SP, 0, 0},
    {"[!MPV]*SD_V*", OP_SCALAR_DP, 0, 0},
    {"M[AIU]*SD_V*", OP_SCALAR_DP, 0, 0},
    {"P*_[VU]*", OP_MMX128, 0, 0},
    {"LDMXCSR", OP_SSE, 0, 0},
    {"STMXCSR", OP_SSE, 0, 0},
    {"PREFETCH*", OP_PREFETCH, 0, 0},
};

/* What kind of SSE or MMX instruction it is; every row that matches adds to it. The names of AVX begin with
 * V; SSE2's and later ones of MMX (PMULUDQ, PMADDUBSW) match too, on processors whose models do not ask. */
const struct {
    const char *name;
    uint8_t simd;
} simd_rows[] = {
    {"[!VLP]*SS_V*", SIMD_SCALAR}, /* ADDSS, MOVSS, CVTSI2SS; LSS and PUSH SS are none */
    {"MOVSS_W*", SIMD_SCALAR},
    {"CVT*SS2SI_*", SIMD_SCALAR},
    {"ADD[PS]S_V*", SIMD_COMPUTES},
    {"SUB[PS]S_V*", SIMD_COMPUTES},
    {"MUL[PS]S_V*", SIMD_COMPUTES},
    {"DIV[PS]S_V*", SIMD_COMPUTES},
    {"SQRT[PS]S_V*", SIMD_COMPUTES},
    {"RSQRT[PS]S_V*", SIMD_COMPUTES},
    {"RCP[PS]S_V*", SIMD_COMPUTES},
    {"M[AI][XN][PS]S_V*", SIMD_COMPUTES},
    {"CMP[PS]S_V*", SIMD_COMPUTES},
    {"COMISS_V*", SIMD_COMPUTES},
    {"UCOMISS_V*", SIMD_COMPUTES},

    {"PADD[US]*_Pq*", SIMD_SATURATES},
    {"PSUB[US]*_Pq*", SIMD_SATURATES},
    {"PACK[US]S*_Pq*", SIMD_SATURATES | SIMD_PACK},
    {"PUNPCK*_Pq*", SIMD_UNPACK},
    {"PMUL*_Pq*", SIMD_MULTIPLY},
    {"PMADD*_Pq*", SIMD_MULTIPLY},
    {"PS[RL]L?_[PN]q*", SIMD_SHIFT},
    {"PSRA?_[PN]q*", SIMD_SHIFT},
    {"PAND_Pq*", SIMD_LOGIC},
    {"PANDN_Pq*", SIMD_LOGIC},
    {"POR_Pq*", SIMD_LOGIC},
    {"PXOR_Pq*", SIMD_LOGIC},
};

/* Cache control. MOVNTDQA is a load, and one like any other from memory that is cacheable. Bochs has
 * WBNOINVD, which none of the modelled CPUs has, as the WBINVD that it is there. */
const struct {
    const char *name;
    enum sim_cache_op op;
    uint16_t traits;
} cache_rows[] = {
    {"CLFLUSH", CACHE_FLUSH, TRAIT_LINE},
    {"CLFLUSHOPT", CACHE_FLUSH, TRAIT_LINE},
    {"CLWB", CACHE_WRITE_BACK, TRAIT_LINE},
    {"PREFETCH_Mb", CACHE_PREFETCH_T0, TRAIT_LINE},
    {"PREFETCHT0_Mb", CACHE_PREFETCH_T0, TRAIT_LINE},
    {"PREFETCHT1_Mb", CACHE_PREFETCH_T1, TRAIT_LINE},
    {"PREFETCHT2_Mb", CACHE_PREFETCH_T2, TRAIT_LINE},
    {"PREFETCHNTA_Mb", CACHE_PREFETCH_NTA, TRAIT_LINE},
    {"PREFETCHW_Mb", CACHE_PREFETCH_W, TRAIT_LINE},
    {"*MOVNT[IQ]_*", CACHE_NON_TEMPORAL, 0},
    {"*MOVNT[PS][SD]_*", CACHE_NON_TEMPORAL, 0},
    {"*MOVNTDQ_*", CACHE_NON_TEMPORAL, 0},
    {"MASKMOVQ_PqNq", CACHE_NON_TEMPORAL, 0},
    {"*MASKMOVDQU_*", CACHE_NON_TEMPORAL, 0},
};

/* Not x87, although the names begin with F. */
const char *const no_x87[] = {"FXSAVE", "FXRSTOR", "FEMMS"};
} // namespace

namespace
{
/* An instruction with one of these is handled alone. */
const uint32_t ALONE =
    OP_FAR | OP_SERIALIZE | OP_LOCK | OP_IO | OP_HLT | OP_MMX | OP_EMMS | OP_PREFETCH | OP_VERR;
const uint16_t TRAITS_ALONE = TRAIT_XCHG | TRAIT_RMW_WRITES | TRAIT_RMW_PROBES | TRAIT_DEBUG | TRAIT_ALONE;

enum pass { ORDINARY, X87, RETURNS };

pass pass_of(const struct opcode_class *c)
{
    return c->traits & TRAIT_RETURN ? RETURNS : c->op & OP_X87 ? X87 : ORDINARY;
}

/* The kind of this class, a new one if there is none like it. */
Bit8u kind_of(struct batch_kinds *k, const struct opcode_class *c)
{
    unsigned n = KIND_ORDINARY;
    while (n < k->n &&
           (k->of[n].op != c->op || k->of[n].seg_loads != c->seg_loads || k->of[n].simd != c->simd))
        n++;
    if (n == k->n) {
        if (n == ANECHOIC_KINDS) return KIND_NONE;
        k->of[k->n++] = {c->op, 0, c->seg_loads, c->simd};
    }
    return (Bit8u)n;
}

void classify_kinds()
{
    static struct batch_kinds k;
    k.n = KIND_ORDINARY + 1;
    for (pass p : {ORDINARY, X87, RETURNS}) {
        if (p == X87) k.first_x87 = k.n;
        if (p == RETURNS) k.first_return = k.n;
        for (unsigned n = 0; n < BX_IA_LAST; n++) {
            const struct opcode_class *c = &opcode_class[n];
            if (c->traits & TRAIT_INSERTED)
                k.by_opcode[n] = KIND_ORDINARY;
            else if (c->op & ALONE || c->cache_op || c->traits & TRAITS_ALONE)
                k.by_opcode[n] = KIND_NONE;
            else if (pass_of(c) == p)
                k.by_opcode[n] = kind_of(&k, c);
        }
    }
    batch_init(&k);
}
} // namespace

void opcodes_init()
{
    for (unsigned n = 0; n < BX_IA_LAST; n++) {
        const char *name = get_bx_opcode_name(n);
        struct opcode_class *c = &opcode_class[n];
        if (strncmp(name, "BX_IA_", 6) != 0) {
            c->traits = TRAIT_INSERTED;
            continue;
        }
        for (const auto &row : rows) {
            if (fnmatch(row.name, name + 6, 0) != 0) continue;
            c->op |= row.op;
            c->seg_loads += row.seg_loads;
            c->traits |= row.traits;
        }
        for (const auto &row : cache_rows) {
            if (fnmatch(row.name, name + 6, 0) != 0) continue;
            c->cache_op = row.op;
            c->traits |= row.traits;
        }
        for (const auto &row : simd_rows)
            if (fnmatch(row.name, name + 6, 0) == 0) c->simd |= row.simd;
        for (const char *other : no_x87)
            if (strcmp(other, name + 6) == 0) c->op &= ~(uint32_t)OP_X87;
    }
    classify_kinds();
}
