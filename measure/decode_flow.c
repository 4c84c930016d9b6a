/* Where control goes after a decoded instruction (SDM vol. 2D, table ). */
#include "measure/decode.h"
#include "measure/decode_insn.h"

/* ---- private ---- */

/* In the one-byte map. */
static enum decode_flow one_byte(const struct insn *i)
{
    const unsigned kind = i->word & OP_KIND;
    if ((i->op & 0xf0) == 0x70 || (i->op & 0xfc) == 0xe0) return FLOW_MAYBE; /* Jcc, LOOP, JECXZ */
    if (i->rep && (kind == KIND_STRING || kind == KIND_SCAN || (i->op & 0xfc) == 0x6c))
        return FLOW_REPEATED; /* INS and OUTS with the others */
    switch (i->op) {
    case 0xe8:
        return FLOW_CALL;
    case 0xe9:
    case 0xeb:
        return FLOW_JUMP;
    case 0xc2: /* RET */
    case 0xc3:
    case 0xca:
    case 0xcb:
    case 0xcc: /* INT3, INT, INTO, IRET */
    case 0xcd:
    case 0xce:
    case 0xcf:
    case 0x9a: /* far CALL and JMP */
    case 0xea:
    case 0xf1: /* INT1 */
        return FLOW_AWAY;
    case 0xc6: /* XABORT */
        return i->modrm == 0xf8 ? FLOW_AWAY : FLOW_ON;
    case 0xc7: /* XBEGIN: there if the transaction is aborted */
        return i->modrm == 0xf8 ? FLOW_MAYBE : FLOW_ON;
    case 0xff: /* CALL, far CALL, JMP, far JMP */
        return reg_field(i) == 4                                             ? FLOW_INDIRECT
               : reg_field(i) == 2 || reg_field(i) == 3 || reg_field(i) == 5 ? FLOW_AWAY
                                                                             : FLOW_ON;
    default:
        return FLOW_ON;
    }
}

/* In the map of 0F. */
static enum decode_flow two_byte(const struct insn *i)
{
    switch (i->op) {
    case 0x05: /* SYSCALL, SYSRET, UD2, SYSENTER, SYSEXIT, RSM, UD1 */
    case 0x07:
    case 0x0b:
    case 0x34:
    case 0x35:
    case 0xaa:
    case 0xb9:
        return FLOW_AWAY;
    default:
        return (i->op & 0xf0) == 0x80 ? FLOW_MAYBE : FLOW_ON;
    }
}

/* ---- public ---- */

enum decode_flow decode_flow(const uint8_t *code, unsigned len, bool long_mode, uint64_t ip, unsigned *length,
                             uint64_t *target)
{
    struct insn i;
    *length = 0;
    if (!decode_insn(&i, code, len, long_mode)) return FLOW_UNKNOWN;
    const enum decode_flow flow = i.two ? two_byte(&i) : one_byte(&i);
    *length = i.at;
    if (i.rex2 && !i.two && i.op == 0xa1) return FLOW_AWAY; /* JMPABS */
    if (flow != FLOW_MAYBE && flow != FLOW_JUMP && flow != FLOW_CALL) return flow;
    if (i.opsize) return FLOW_INDIRECT; /* the address is cut to 16 bits */
    *target = (linear)ip + i.at + i.imm;
    if (!IS_LONG(&i)) *target = (uint32_t)*target;
    return flow;
}
