/* A payload that evicts the markers' lines and entries: it writes more lines than a Pentium's L1 holds, each
 * on a page of its own, and runs through more code and more jumps than caches and branch target buffers hold.
 * So the markers find a different state at each entry.
 *
 * Each part between two markers lies between two labels, NAME and NAME_end, so that the oracle knows the
 * counts of its instructions (tests/boot/cases/regions.sh). Regions and the parts in them:
 *
 *     0 all    enter; in each turn data, code, near, back (the last time done), again
 *     1 data   data    2 code   code    3 empty  none    4 near  near    5 left  e, f    6 right  f, g
 */
#include "bench/regions_history.h"
#include "bench/region.h"

#ifdef __x86_64__
#define AX %rax
#define CX %rcx
#define BX %rbx
#define SI %rsi
#define DI %rdi
#define ARGUMENT(reg) mov %rdi, reg
#else
#define AX %eax
#define CX %ecx
#define BX %ebx
#define SI %esi
#define DI %edi
#define ARGUMENT(reg) mov 16(%esp), reg
#endif

    .macro MARK which, id
    mov DI, AX
    movl $\id, %edx
    call *\which(AX)
    .endm

    .macro PART name
    .globl history_\name
history_\name:
    .endm

    .section .payload.region, "ax"
    .globl history
    .balign 64
history:
    push BX
    push SI
    push DI
    ARGUMENT(BX)
    mov HISTORY_TABLE(BX), DI
    MARK TABLE_BEGIN, 0
    PART enter
    movl HISTORY_TURNS(BX), %esi
    jmp 1f
    PART again
    nop
1:
    PART enter_end
    MARK TABLE_BEGIN, 1
    PART data
    mov HISTORY_DATA(BX), CX
    movl $HISTORY_WRITES, %eax
2:
    incl (CX)
    add $HISTORY_STEP, CX
    decl %eax
    jnz 2b
    PART data_end
    MARK TABLE_END, 1
    MARK TABLE_BEGIN, 2
    PART code
    call *HISTORY_JUMPS(BX)
    call *HISTORY_CODE(BX)
    PART code_end
    MARK TABLE_END, 2
    MARK TABLE_BEGIN, 3
    MARK TABLE_END, 3
    MARK TABLE_BEGIN, 4
    PART near
    nop
    nop
    nop
    PART near_end
    MARK TABLE_END, 4
    PART back
    decl %esi
    jnz history_again
    PART done_end
    MARK TABLE_END, 0
    /* These overlap. Some of their code lies on another line than the calls of the markers around it. */
    MARK TABLE_BEGIN, 5
    PART e
    .balign 64
    .rept 40
    nop
    .endr
    PART e_end
    MARK TABLE_BEGIN, 6
    PART f
    mov HISTORY_DATA(BX), CX
    incl (CX)
    PART f_end
    MARK TABLE_END, 5
    PART g
    .rept 50
    nop
    .endr
    PART g_end
    MARK TABLE_END, 6
    pop DI
    pop SI
    pop BX
    ret

    .section .note.GNU-stack, "", @progbits
