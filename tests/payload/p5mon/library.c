/* Tables 3.2 to 3.5 of the thesis, each of their names: what it does, printed for docs/seed-tools.md. */
#include <anechoic/p5mon.h>

static volatile int word;

#define LOADS(n) __asm__ volatile(".rept " #n "\n\tmovl %0, %%eax\n\t.endr" ::"m"(word) : "eax")

/* What counter 1 says of 100 loads: of 200 less what it says of 100, so that all else cancels. */
static long long of_100_loads(void)
{
    ULONG a[3], b[3], c[3];
    p5mon_read(a);
    LOADS(100);
    p5mon_read(b);
    LOADS(200);
    p5mon_read(c);
    return (long long)(c[1] - b[1]) - (long long)(b[1] - a[1]);
}

/* Table 3.2: the code of each is the event's, as CESR has it. */
static void events(void)
{
    static const EVENT event[] = {data_read,
                                  data_write,
                                  data_read_or_write,
                                  data_tlb_miss,
                                  data_read_miss,
                                  data_write_miss,
                                  data_read_or_write_miss,
                                  write_to_M_or_E_lines,
                                  data_cache_lines_written_back,
                                  external_snoops,
                                  data_cache_snooping_hits,
                                  memory_accesses_in_both_pipes,
                                  bank_conflicts,
                                  misaligned_data_memory_or_IO_references,
                                  code_read,
                                  code_tlb_miss,
                                  code_cache_miss,
                                  segment_register_loaded,
                                  branches,
                                  btb_hits,
                                  taken_branch_or_btb_hit,
                                  pipeline_flushes,
                                  instructions_executed,
                                  instructions_executed_in_v_pipe,
                                  clocks_while_bus_cycle_in_progress,
                                  clocks_stalled_full_write_buffers,
                                  clocks_stalled_waiting_data_read,
                                  clocks_stalled_write_to_M_or_E_line,
                                  locked_bus_cycle,
                                  IO_read_or_write_cycle,
                                  non_cacheable_memory_reads,
                                  pipeline_stalled_address_generation_interlock,
                                  flops,
                                  breakpoint_match_DR0,
                                  breakpoint_match_DR1,
                                  breakpoint_match_DR2,
                                  breakpoint_match_DR3,
                                  hardware_interrupts,
                                  count_clocks};
    CNT_CONFIG c = {.ctrl0 = evt_user, .event1 = event_disable, .clr = clr_0_1}, got;
    ULONG r[3];
    unsigned good = 0;
    for (unsigned i = 0; i < sizeof event / sizeof *event; i++) {
        c.event0 = event[i];
        if (p5mon_config(&c) || p5mon_read(r)) continue;
        p5mon_gen_config(r[2], &got);
        good += got.event0 == event[i] && (event[i] == count_clocks || (r[2] & 0x3f) == event[i]);
    }
    printf("%u events have their codes\n", good);
    c.event0 = event_disable;
    p5mon_config(&c);
    p5mon_read(r);
    p5mon_gen_config(r[2], &got);
    printf("event_disable: CESR %llx, %s\n", r[2],
           got.ctrl0 == evt_disable || got.event0 == event_disable ? "event_disable" : "?");
}

/* Table 3.3. */
static void controls(void)
{
    static const struct {
        CNT_CTRL ctrl;
        const char *name;
    } of[] = {{evt_disable, "evt_disable"}, {evt_kernel, "evt_kernel"}, {evt_user, "evt_user"},
              {evt_all, "evt_all"},         {clk_kernel, "clk_kernel"}, {clk_user, "clk_user"},
              {clk_all, "clk_all"}};
    CNT_CONFIG c = {.event0 = event_disable, .event1 = data_read, .clr = clr_0_1};
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        c.ctrl1 = of[i].ctrl;
        p5mon_config(&c);
        const long long n = of_100_loads();
        if (of[i].ctrl < clk_kernel)
            printf("%s: %lld loads\n", of[i].name, n);
        else
            printf(n ? "%s: clocks\n" : "%s: 0 clocks\n", of[i].name);
    }
}

/* Table 3.4. Before each both counters hold much; the presets are still more. */
#define MUCH   1000000000ULL
#define PRESET 4000000000ULL

static const char *became(ULONG value)
{
    return value >= PRESET ? "preset" : value >= MUCH ? "kept" : "cleared";
}

static void initialisations(void)
{
    static const char *const name[] = {"clr_none",     "clr_0",  "clr_1",  "clr_0_1",  "init_0_clr_1",
                                       "init_1_clr_0", "init_0", "init_1", "init_0_1", "clear_only"};
    CNT_CONFIG c = {.event0 = data_read_miss, .ctrl0 = evt_user, .event1 = data_read, .ctrl1 = evt_user};
    CNT_CONFIG got;
    ULONG r[3];
    for (CNT_CLR clr = clr_none; clr <= clear_only; clr++) {
        c.clr = init_0_1;
        c.init0 = c.init1 = MUCH;
        p5mon_config(&c);
        c.clr = clr;
        c.init0 = c.init1 = PRESET;
        p5mon_config(&c);
        p5mon_read(r);
        printf("%s: %s %s\n", name[clr], became(r[0]), became(r[1]));
    }
    p5mon_gen_config(r[2], &got);
    if (got.event0 == data_read_miss && got.ctrl0 == evt_user && got.event1 == data_read &&
        got.ctrl1 == evt_user)
        printf("CNT_CONFIG: data_read_miss evt_user, data_read evt_user\n");
}

int main()
{
    if (p5mon_init()) {
        printf("Unable to initialize p5mon device\n");
        exit(-1);
    }
    events();
    controls();
    initialisations();
    p5mon_close();
    return 0;
}
