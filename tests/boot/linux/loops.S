/* Counts: loops.h, which has to be changed with this. */
#include "tests/boot/linux/loops.h"
#define NR_IOCTL   54
#define NR_GETPPID 64

    .section .note.GNU-stack, "", @progbits
    .text
    .global _start, measured, measured_from, measured_call, measured_to, rdpmc_around
_start:
    and $-16, %esp
    call guest_main
    hlt

/* Between measured_from and measured_to the oracle tallies as well (tools/linux-perf.sh). */
measured:
    push %ebx
    push %esi
    push %edi
    mov 16(%esp), %ebx
    mov 20(%esp), %esi
    mov 24(%esp), %edi
    mov $NR_IOCTL, %eax
    mov $PERF_ENABLE, %ecx
    mov $1, %edx /* PERF_IOC_FLAG_GROUP */
    int $0x80
measured_from:
    mov %edi, %eax
measured_call:
    call *%esi
    mov $NR_IOCTL, %eax
    mov $PERF_DISABLE, %ecx
    mov $1, %edx
    int $0x80
measured_to:
    pop %edi
    pop %esi
    pop %ebx
    ret

rdpmc_around:
    push %ebx
    push %esi
    push %edi
    push %ebp
    mov 20(%esp), %ebp
    mov 24(%esp), %esi
    mov 28(%esp), %edi
    mov %ebp, %ecx
    rdpmc
    mov %eax, %ebx
    mov %edi, %eax
    call *%esi
    mov %ebp, %ecx
    rdpmc
    sub %ebx, %eax
    pop %ebp
    pop %edi
    pop %esi
    pop %ebx
    ret

/* Payloads keep EBX, ESI, EDI and EBP. */
    .macro payload name
    .global payload_\name
    .balign 64
payload_\name:
    .endm

    payload empty
    ret

    payload spin
1:  dec %eax
    jnz 1b
    ret

    payload calls
1:  call 2f
    dec %eax
    jnz 1b
    ret
2:  ret

    payload fadds
    fld1
1:  fadd %st(0), %st(0)
    dec %eax
    jnz 1b
    fstp %st(0)
    ret

    .global payload_muls_loop, payload_muls_behind, payload_muls_jump
    payload muls
    mov %eax, %ecx
    mov $3, %eax
    xor %edx, %edx
payload_muls_loop:
    imul $1, %eax, %eax
payload_muls_behind:
    divl three
    dec %ecx
payload_muls_jump:
    jnz payload_muls_loop
    ret

    .global payload_walk_load, payload_walk_behind
    payload walk
    mov $walk_area, %edx
payload_walk_load:
    mov (%edx), %ecx
payload_walk_behind:
    add $32, %edx
    dec %eax
    jnz payload_walk_load
    ret

/* Eight of one byte each, DEC of one, JNZ of two: the address tells which it is. */
    .global payload_ten_loop, payload_ten_end
    payload ten
payload_ten_loop:
    .rept 8
    nop
    .endr
    dec %eax
    jnz payload_ten_loop
payload_ten_end:
    ret

    .global jumps_call, jumps_ret, jumps_jmp, jumps_jnz, jumps_target
    payload jumps
    mov %eax, %ecx
    mov $jumps_target, %edx
jumps_call:
    call jumps_ret
jumps_jmp:
    jmp *%edx
jumps_target:
    dec %ecx
jumps_jnz:
    jnz jumps_call
    ret
jumps_ret:
    ret

    payload null_calls
    push %edi
    mov %eax, %edi
1:  mov $NULL_CALLS_SPIN, %eax
2:  dec %eax
    jnz 2b
    mov $NR_GETPPID, %eax
    int $0x80
    dec %edi
    jnz 1b
    pop %edi
    ret

    .section .rodata
three:
    .long 3
