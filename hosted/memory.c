/* Memory of a Linux process: the pool, the stacks of measured code. Pages are Linux' business. */
#include "kernel/memory.h"
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/machine.h"
#include "kernel/paging.h"
#include <asm/mman.h>
#include <linux/mman.h>

#define PROT_ALL   (PROT_READ | PROT_WRITE | PROT_EXEC)
#define POOL_BYTES (64u << 20)
#define ALIGN      (4u << 20) /* as on the bare machine, where large pages have this size */

void *hosted_map(size_t bytes)
{
    const long at = sys_call(__NR_mmap, 0L, bytes, (long)PROT_ALL,
                             (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT), -1L, 0L);
    return sys_failed(at) ? NULL : (void *)at;
}

void hosted_forbid(void *at, size_t bytes) { sys_call(__NR_mprotect, at, bytes, (long)PROT_NONE); }
void hosted_allow(void *at, size_t bytes) { sys_call(__NR_mprotect, at, bytes, (long)PROT_ALL); }

extern uint8_t written_code[], written_code_end[]; /* linker.ld */

uint8_t *hosted_pool;
size_t hosted_pool_bytes;

/* Each page is written once, so that no repetition meets one that Linux has not given yet. */
void memory_init(const struct bootinfo *bi, struct memory *m)
{
    (void)bi;
    uint8_t *const at = hosted_map(POOL_BYTES + ALIGN);
    if (!at) hosted_die(NO_MEMORY, NULL);
    m->pool = (uint8_t *)(((uintptr_t)at + ALIGN - 1) & -(uintptr_t)ALIGN);
    m->pool_bytes = POOL_BYTES;
    m->total_kib = POOL_BYTES / 1024;
    hosted_pool = m->pool;
    hosted_pool_bytes = POOL_BYTES;
    sys_call(__NR_madvise, m->pool, (long)POOL_BYTES, (long)MADV_HUGEPAGE);
    for (size_t i = 0; i < POOL_BYTES; i += PAGE_SIZE) m->pool[i] = 0;
    hosted_allow(written_code, (size_t)(written_code_end - written_code));
}

bool memory_check(struct memory *m) { return m->pool != NULL; }

/* ---- stacks: kernel/stacks.h ---- */

/* [hole][CPL 3: bytes][page][hole][CPL 0: bytes, then the kernel's part]: what is below each stack may not be
 * touched. The page's first word is user_call()'s (hosted/start.S). */
static bool give(struct cpu *cpu, size_t bytes)
{
    uint8_t *const from = hosted_map(2 * STACK_HOLE + 2 * bytes + PAGE_SIZE + STACK_KERNEL);
    if (!from) return false;
    uint8_t *const user_top = from + STACK_HOLE + bytes, *const hole = user_top + PAGE_SIZE;
    uint8_t *const top = hole + STACK_HOLE + bytes + STACK_KERNEL;
    hosted_forbid(from, STACK_HOLE);
    hosted_forbid(hole, STACK_HOLE);
    for (volatile uint8_t *p = from + STACK_HOLE; p < hole; p += PAGE_SIZE) *p = 0;
    for (volatile uint8_t *p = hole + STACK_HOLE; p < top; p += PAGE_SIZE) *p = 0;
    cpu->stack = (struct cpu_stack){top, user_top, bytes, (uintptr_t)from};
    return true;
}

void stacks_give(struct machine *m, struct cpu *cpu, uint8_t *memory, size_t bytes)
{
    (void)m, (void)memory;
    if (!give(cpu, bytes)) hosted_die("Linux gives no memory for a stack", NULL);
}

bool stacks_open(struct machine *m, size_t bytes, unsigned processors, size_t *most)
{
    (void)processors;
    *most = STACK_MOST;
    struct cpu *cpu = m->cpu[0];
    m->stacks.bytes = bytes ? bytes : STACK_DEF;
    if (!give(cpu, m->stacks.bytes)) return false;
    m->stacks.from = cpu->stack.from; /* of the first: that there are any */
    m->stacks.end = (uintptr_t)cpu->stack.top;
    return true;
}

size_t stacks_memory(size_t bytes) { return (void)bytes, 0; }

/* ---- what only CPL 0 maps ---- */

bool paging_init(const struct cpu_id *id, const struct bootinfo *bi) { return (void)id, (void)bi, true; }
void paging_user(const void *start, size_t len) { (void)start, (void)len; }
