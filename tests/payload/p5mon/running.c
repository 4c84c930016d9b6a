/* What the library does, checked by itself: presets, clearing, running reads (appendix B), what a CESR means,
 * wrong values. */
#include <anechoic/p5mon.h>
#include <assert.h>

#define LOADS 100

static volatile int word;

/* Comes to how many loads were counted in counter 1. */
static ULONG count_loads(void)
{
    ULONG before[3], after[3];
    assert(p5mon_read(before) == 0);
    __asm__ volatile(".rept 100\n\tmovl %0, %%eax\n\t.endr" ::"m"(word) : "eax");
    assert(p5mon_read(after) == 0);
    return after[1] - before[1];
}

int main()
{
    CNT_CONFIG c = {.event0 = instructions_executed,
                    .ctrl0 = evt_user,
                    .event1 = data_read,
                    .ctrl1 = evt_user,
                    .clr = clr_0_1};
    CNT_CONFIG got, bad;
    ULONG r[3], none;

    assert(p5mon_read(r) == -1 && p5mon_config(&c) == -1 && p5mon_clear() == -1);
    assert(p5mon_init() == 0);

    assert(p5mon_config(&c) == 0);
    none = count_loads();
    assert(none >= LOADS && none < LOADS + 50);
    assert(count_loads() == none); /* the same again, while it runs */

    p5mon_read(r);
    p5mon_gen_config(r[2], &got);
    assert(got.event0 == instructions_executed && got.ctrl0 == evt_user && got.event1 == data_read &&
           got.ctrl1 == evt_user);

    c.ctrl1 = evt_kernel; /* there is nobody else */
    assert(p5mon_config(&c) == 0 && count_loads() == 0);
    c.ctrl1 = evt_all;
    assert(p5mon_config(&c) == 0 && count_loads() == none);

    c.clr = init_0_1; /* presets */
    c.init0 = 1000000;
    c.init1 = (1ULL << 40) - 50;
    assert(p5mon_config(&c) == 0);
    p5mon_read(r);
    assert(r[0] >= 1000000 && r[0] < 1000200 && r[1] > (1ULL << 40) - 51);
    count_loads();
    p5mon_read(r);
    assert(r[1] < 1000); /* around its 40 bits */

    c.clr = clr_0; /* counter 1 goes on */
    ULONG was = r[1];
    assert(p5mon_config(&c) == 0);
    p5mon_read(r);
    assert(r[0] < 200 && r[1] >= was);

    assert(p5mon_clear() == 0);
    p5mon_read(r);
    assert(r[0] < 200 && r[1] < 100);

    c.event1 = count_clocks;
    c.ctrl1 = evt_user;
    c.clr = clr_0_1;
    assert(p5mon_config(&c) == 0);
    count_loads();
    p5mon_read(r);
    assert(r[1] >= LOADS);
    p5mon_gen_config(r[2], &got);
    assert(got.event1 == count_clocks && got.ctrl1 == clk_user && got.event0 == instructions_executed);

    bad = c;
    bad.event0 = (EVENT)0x10;
    assert(p5mon_config(&bad) == -1);
    bad = c;
    bad.ctrl0 = (CNT_CTRL)4;
    assert(p5mon_config(&bad) == -1);
    bad = c;
    bad.clr = (CNT_CLR)10;
    assert(p5mon_config(&bad) == -1);
    bad = c;
    bad.clr = init_0;
    bad.init0 = 1ULL << 40;
    assert(p5mon_config(&bad) == -1);
    p5mon_read(r);
    p5mon_gen_config(r[2], &got);
    assert(got.event0 == instructions_executed && got.event1 == count_clocks); /* unchanged */

    c.event0 = c.event1 = event_disable;
    assert(p5mon_config(&c) == 0 && count_loads() == 0);
    assert(p5mon_close() == 0 && p5mon_close() == -1);
    printf("%llu reads of a loop of %d\n", none, LOADS);
    return 0;
}
