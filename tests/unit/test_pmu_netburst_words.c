/* NetBurst's event words: what each modifier becomes, and what is refused. */
#include "tests/unit/netburst_machines.h"

TEST_WITH(modifiers, northwood, NULL)
{
    ACCEPTS("instr_retired:nbogusntag", 0x0400020c, 0x38000, 0x3f000);
    ACCEPTS("netburst::instr_retired:NBOGUSNTAG:u", 0x04000204, 0x38000, 0x3f000);
    ACCEPTS("instr_retired:nbogusntag:k", 0x04000208, 0x38000, 0x3f000);
    ACCEPTS("instr_retired:0x5:t0", 0x04000a0c, 0x38000, 0x3f000);
    ACCEPTS("global_power_events:thr=15:cmpl", 0x2600020c, 0xffc000, 0xd);
    ACCEPTS("uops_retired:thr=2", 0x0200020c, 0x278000, 0x3f000);
    ACCEPTS("uops_retired:thr=0", 0x0200020c, 0x78000, 0x3f000);
    ACCEPTS("machine_clear:edge", 0x0400020c, 0x107a000, 0x3f000);
    ACCEPTS("uops_retired:edge:thr=1:cmpl:force_ovf", 0x0200020c, 0x31f8000, 0x3f000);
    ACCEPTS("packed_sp_uop:tag=5", 0x110000bc, 0x32000, 0xf00);
    ACCEPTS("packed_sp_retired:tag=5:nbogus:bogus", 0x1800000cu | 0x55 << 9, 0x3a000, 0x3f000);
    /* the greatest of each field; metrics with execution tags are those from packed_sp_retired on */
    ACCEPTS("instr_retired:0xffff:thr=15", 0x0400000cu | 0xffff << 9, 0xf78000, 0x3f000);
    ACCEPTS("instr_retired:0x1:active=3", 0x0400020c, 0x38000, 0x3f000);
    ACCEPTS("/event=0x3f,umask=1,escr=0x3b8/", 0x7e00020c, 0x38000, 0x13000);
    ACCEPTS("packed_sp_uop:tag=15", 0x110001fc, 0x32000, 0xf00);
    ACCEPTS("packed_sp_retired:tag=15", 0x1800000cu | 0xf << 9, 0x3a000, 0x3f000);
    ACCEPTS("x87_simd_memory_moves_retired:tag=8:bogus", 0x1800000cu | 0x80 << 9, 0x3a000, 0x3f000);
    static const char *const untagged[] = {
        "memory_loads",        "memory_stores",   "1stl_cache_load_miss_retired",
        "split_store_retired", "tc_deliver_mode", "memory_complete",
        "front_end_event"};
    for (unsigned i = 0; i < N(untagged); i++) {
        char word[64];
        snprintf(word, sizeof word, "%s:tag=1", untagged[i]);
        REFUSES(word, "packed, scalar");
    }
    REFUSES("packed_sp_retired:tag=0", "1 to 15");
    REFUSES("packed_sp_retired:tag=16", "1 to 15");
    ACCEPTS("cycles", 0x2600020c, 0x3c000, 0xd);
    ACCEPTS("cycles:u", 0x26000204, 0x3c000, 0xd);
    ACCEPTS("instructions", 0x0400060c, 0x38000, 0x3f000);
    ACCEPTS("branches", 0x0c001e0c, 0x3a000, 0x3f000);
    ACCEPTS("cache-misses", 0x1800000cu | 0x700 << 9, 0x3e000, 0xd);
    ACCEPTS("/event=2,umask=1,escr=0x3b8/", 0x0400020c, 0x38000, 0x13000);
    ACCEPTS("/event=2,umask=1,escr=0x3b9,thr=1,edge/u", 0x04000204, 0x1178000, 0x2c000);

    REFUSES("instr_retired:cmask=1", "thr=");
    REFUSES("instr_retired:inv", "thr=");
    REFUSES("/clocks/", "cycles");
    REFUSES("instr_retired:cmpl", "thr=");
    REFUSES("instr_retired:thr=16", "15");
    REFUSES("instr_retired:thr=x", "number");
    REFUSES("instr_retired:thr", "number");
    REFUSES("instr_retired:edge=1", "no value");
    REFUSES("instr_retired:0x10000", "0xffff");
    REFUSES("instr_retired:t1", "Hyper-Threading");
    REFUSES("instr_retired:active=1", "Hyper-Threading");
    REFUSES("instr_retired:tag=1", "packed, scalar");
    REFUSES("sse_input_assist:tag=1", "packed, scalar");
    REFUSES("packed_sp_uop:tag=0", "1 to 15");
    REFUSES("packed_sp_uop:tag=16", "1 to 15");
    REFUSES("instr_retired:bogus", "it has nbogusntag, nbogustag, bogusntag, bogustag");
    REFUSES("/event=2/", "escr=");
    REFUSES("r0102", "escr=");
    REFUSES("/event=0x40,escr=0x3b8/", "0x3f");
    REFUSES("/event=2,escr=0x3bf/", "escr=");
    REFUSES("/event=2,escr=0x39f/", "escr=");          /* one below: no pair is there either */
    REFUSES("/event=0,umask=1,escr=0x3b8/", "from 1"); /* no event: nothing counts */
    REFUSES("/event=2,escr=0x3d0/", "escr=");
    REFUSES("/event=2,any/", "thr=, cmpl, force_ovf, active=, t0, t1, tag=, escr=");
    REFUSES("p6::inst_retired", "netburst::");
    REFUSES("instr_retird", "no event");
    assert_string_equal(got.near, "instr_retired");
    /* A list that does not fit ends with a whole name. */
    REFUSES(
        "bsq_allocation:x",
        "it has req_type0, req_type1, req_len0, req_len1, req_io_type, req_lock_type, req_cache_type, ...");
    REFUSES(
        "ioq_allocation:x",
        "it has default, all_read, all_write, mem_uc, mem_wc, mem_wt, mem_wp, mem_wb, own, other, prefetch");
    REFUSES("instr_retired+>uops_retired", "two events");
}

/* Facts 3.7: what IOQ and BSQ events ignore is refused. */
TEST(bus_queues)
{
    for (unsigned stepping = 4; stepping < 10; stepping += 3) { /* F24h, F27h */
        plug(2, stepping);
        static const char *const active[] = {"ioq_active_entries:edge", "ioq_active_entries:thr=1:edge",
                                             "bsq_active_entries:edge"};
        for (unsigned k = 0; k < N(active); k++) REFUSES(active[k], "no edge");
        REFUSES("ioq_active_entries:u", "ignores privilege");
        REFUSES("ioq_active_entries:own:k", "ignores privilege");
        ACCEPTS("ioq_active_entries:uk", 0x3400000cu | 0xafe1 << 9, 0x3c000, 0xc);
        ACCEPTS("bsq_active_entries:0x40:u", 0x0c000004u | 0x40 << 9, 0x3e000, 0xc);
        ACCEPTS("bsq_allocation:0x40:edge:k", 0x0a000008u | 0x40 << 9, 0x107e000, 0x1);
        ACCEPTS("ioq_allocation:edge", 0x0600000cu | 0xafe1 << 9, 0x107c000, stepping < 7 ? 0x1 : 0xd);
        if (stepping < 7) {
            REFUSES("ioq_allocation:u", "ignores privilege");
            REFUSES("ioq_allocation:k", "ignores privilege");
        } else {
            ACCEPTS("ioq_allocation:u", 0x06000004u | 0xafe1 << 9, 0x3c000, 0xd);
        }
    }
}

/* An event that this thread counts at another privilege only never counts for it; one of the other thread
 * may.
 */
TEST(privilege_of_the_thread_that_measures)
{
    for (unsigned apic = 0; apic < 2; apic++) {
        threads(apic);
        assert_int_equal(code("uops_retired:t0=u:t1=k").privilege, apic ? PRIVILEGE_KERNEL : PRIVILEGE_USER);
        assert_int_equal(code("uops_retired:t1:u").privilege, apic ? PRIVILEGE_USER : PRIVILEGE_ANY);
        assert_int_equal(code("uops_retired:k").privilege, PRIVILEGE_KERNEL);
        assert_int_equal(code("uops_retired:t0:t1").privilege, PRIVILEGE_ANY);
    }
}

/* Table 18-67 and 18.16.2: bits 3:2 are thread 0's, 1:0 thread 1's. */
TEST(hyper_threading)
{
    for (unsigned apic = 0; apic < 2; apic++) {
        unsigned own = apic ? 0 : 2;
        threads(apic);
        ACCEPTS("uops_retired", 0x02000200 | 3u << own, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:u", 0x02000200 | 1u << own, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:t0:k", 0x02000208, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:t1:u", 0x02000201, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:t0:t1", 0x0200020f, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:t0=u:t1=k", 0x02000206, 0x38000, 0x3f000); /* the article's own example */
        ACCEPTS("uops_retired:t1=uk:t0=k", 0x0200020b, 0x38000, 0x3f000);
        ACCEPTS("uops_retired:t0=k:t1:u", 0x02000209, 0x38000, 0x3f000);
        ACCEPTS("/event=1,umask=1,escr=0x3b8,t0=u,t1=k/", 0x02000206, 0x38000, 0x13000);
        REFUSES("uops_retired:t0=x", "t0= takes u, k or uk");
        REFUSES("uops_retired:t0=", "t0= takes u, k or uk");
        REFUSES("uops_retired:t0=u:t0", "twice");
        REFUSES("uops_retired:t0=u:t1=k:u", "without a privilege of its own");
        REFUSES("page_walk_type:t0=u:t1=k", "at the same privilege");
        ACCEPTS("page_walk_type:t0=u:t1=u", 0x02000605, 0x38000, 0xd);
        ACCEPTS("uops_retired:active=0", 0x02000200 | 3u << own, 0x08000, 0x3f000);
        ACCEPTS("uops_retired:active=1", 0x02000200 | 3u << own, 0x18000, 0x3f000);
        ACCEPTS("uops_retired:active=2", 0x02000200 | 3u << own, 0x28000, 0x3f000);
        ACCEPTS("page_walk_type:t0:t1", 0x0200060f, 0x38000, 0xd);
        REFUSES("page_walk_type:t1", "does not depend on the thread");
        REFUSES("uops_retired:active=4", "active up to 3");

        struct pmu_code c = code("uops_retired");
        assert_true(program_one(&c, 12) && arm(12, 100));
        assert_int_equal(pmu.netburst.counter[12].cccr >> 26 & 3, 1u << apic); /* OVF_PMI of the thread */
    }
}

/* CPUID.1:EBX[23:16] counts the package's logical processors, leaf 4 its cores. A Pentium D (model 4 or 6)
 * has two cores without Hyper-Threading; the Extreme Edition has both. */
TEST(two_cores)
{
    for (unsigned apic = 0; apic < 4; apic++)
        for (unsigned logical = 2; logical < 5; logical += 2) {
            struct cpu_id id = intel(4, 4);
            id.f1_edx |= 1u << 28;
            id.f1_ebx = apic << 24 | logical << 16;
            id.f4_eax = 1u << 26 | 0x121;
            machine(4);
            assert_true(pmu_probe(&id, &pmu));
            if (logical == 4) {
                ACCEPTS("uops_retired", 0x02000200 | 3u << (apic & 1 ? 0 : 2), 0x38000, 0x3f000);
                continue;
            }
            ACCEPTS("uops_retired", 0x0200020c, 0x38000, 0x3f000);
            REFUSES("uops_retired:t1", "Hyper-Threading");
            REFUSES("uops_retired:active=1", "Hyper-Threading");
        }
}
