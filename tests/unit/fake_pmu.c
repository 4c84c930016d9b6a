#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { MSR_MAX = 128, ALIAS_MAX = 32, LOG_MAX = 8192 };

static struct {
    const struct fake_pmu_rules *rules;
    struct {
        uint32_t msr;
        uint64_t value;
        enum fake_pmu_fault fault;
    } msr[MSR_MAX];
    size_t n_msr;
    struct {
        uint32_t alias, msr;
    } alias[ALIAS_MAX];
    size_t n_alias;
    enum fake_rdpmc rdpmc;
    struct fake_write log[LOG_MAX];
    size_t logged;
    uint64_t now;
} m;

static uint32_t nowhere;
const struct apic_pmi_entry fake_pmi = {&nowhere, 0xfe, true};

static size_t find(uint32_t msr)
{
    size_t i = 0;
    for (size_t k = 0; k < m.n_alias; k++)
        if (m.alias[k].alias == msr) msr = m.alias[k].msr;
    while (i < m.n_msr && m.msr[i].msr != msr) i++;
    return i;
}

void fake_pmu_reset(const struct fake_pmu_rules *rules)
{
    memset(&m, 0, sizeof m);
    m.rules = rules;
    fake_pmu_msr(X2APIC_LVT_PC, 0);
}

void fake_pmu_msr(uint32_t msr, uint64_t value)
{
    size_t i = find(msr);
    assert_true(i < MSR_MAX);
    if (i == m.n_msr) m.n_msr++;
    m.msr[i].msr = msr;
    m.msr[i].value = value;
}

uint64_t fake_pmu_value(uint32_t msr)
{
    size_t i = find(msr);
    assert_true(i < m.n_msr);
    return m.msr[i].value;
}

void fake_pmu_alias(uint32_t alias, uint32_t msr)
{
    assert_true(m.n_alias < ALIAS_MAX);
    m.alias[m.n_alias].alias = alias;
    m.alias[m.n_alias++].msr = msr;
}

void fake_pmu_fault(uint32_t msr, enum fake_pmu_fault fault)
{
    size_t i = find(msr);
    assert_true(i < m.n_msr);
    m.msr[i].fault = fault;
}

void fake_pmu_rdpmc(enum fake_rdpmc how) { m.rdpmc = how; }
void fake_pmu_clear_log(void) { m.logged = 0; }

void fake_pmu_assert_log(const struct fake_write *want, size_t n)
{
    for (size_t i = 0; i < n && i < m.logged; i++) {
        assert_int_equal(m.log[i].msr, want[i].msr);
        assert_int_equal(m.log[i].value, want[i].value);
    }
    assert_int_equal(m.logged, n);
}

void fake_pmu_assert_pmi_only(void)
{
    static const struct fake_write only[] = {FAKE_PMI_AGAIN};
    fake_pmu_assert_log(only, 1);
    fake_pmu_clear_log();
}

size_t fake_pmu_log(const struct fake_write **log)
{
    *log = m.log;
    return m.logged;
}

/* ---- kernel/hw.h ---- */

bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
    size_t i = find(msr);
    if (i == m.n_msr || m.msr[i].fault == FAKE_NO_READ) return false;
    *value = m.msr[i].fault == FAKE_SWALLOWS ? 0 : m.msr[i].value;
    return true;
}

bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    size_t i = find(msr);
    if (i == m.n_msr || m.msr[i].fault == FAKE_NO_WRITE) return false;
    assert_true(m.logged < LOG_MAX);
    m.log[m.logged++] = (struct fake_write){msr, value};
    if (m.msr[i].fault == FAKE_SWALLOWS) return true;
    m.msr[i].value = m.rules->store ? m.rules->store(msr, value) : value;
    return true;
}

bool rdpmc_safe(uint32_t counter, uint64_t *value)
{
    bool fast = m.rules->fast_rdpmc && counter >> 31;
    if (fast) counter &= ~(1u << 31);
    unsigned i = 0;
    while (i < FAKE_COUNTERS && (m.rules->rdpmc_index[i] ? m.rules->rdpmc_index[i] : i) != counter) i++;
    if (m.rdpmc == FAKE_RDPMC_UD || i == FAKE_COUNTERS || !m.rules->counter_msr[i]) return false;
    *value = m.rdpmc == FAKE_RDPMC_ZERO ? 0 : fake_pmu_value(m.rules->counter_msr[i]);
    if (fast) *value = (uint32_t)*value;
    return true;
}

uint64_t hw_rdtsc(void)
{
    for (unsigned c = 0; c < FAKE_COUNTERS; c++) {
        size_t i = find(m.rules->counter_msr[c]);
        if (i < m.n_msr && m.msr[i].fault != FAKE_STUCK && m.rules->counting(c)) m.msr[i].value += 7;
    }
    return m.now += 20;
}
