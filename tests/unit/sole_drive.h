/* The handler's short way (pmu/sole.h), as a sampler goes it. */
#pragma once
#include "pmu/pmu.h"
#include "pmu/sole.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"

/* An interrupt of the one counter that is armed: has it overflowed? */
static inline bool sole_overflowed(const struct pmu *pmu)
{
    struct pmu_sole s;
    assert_true(pmu->ops->sole(pmu, &s));
    s.preset = s.skid - (uint32_t)pmu->period[s.counter];
    switch (s.way) {
    case SOLE_SIGN:
        return sole_by_sign(&s, &fake_pmi);
    case SOLE_STOPPED:
        return sole_by_sign_stopped(&s, &fake_pmi);
    case SOLE_OVF:
        return sole_by_ovf(&s, &fake_pmi);
    case SOLE_STATUS:
        return sole_by_status(&s, &fake_pmi);
    default:
        fail_msg("no way");
        return false;
    }
}

/* None or several are armed, or what is armed is none of the short way. */
static inline bool no_sole(const struct pmu *pmu)
{
    struct pmu_sole s;
    return !pmu->ops->sole(pmu, &s);
}
