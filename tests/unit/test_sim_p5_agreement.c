/* The counters of the P5 and P55C against the oracle on a random stream: an event's count in the kernel and
 * its count in user code are together all of it. */
#include "tests/unit/oracle_json.h"
#include "tests/unit/p5_drive.h"
#include <stdlib.h>

/* The same random stream each time, at every level; returns what the counter made of it, and the oracle's
 * event. */
static uint64_t random_stream(const char *model, const struct sim_event *v, unsigned levels, uint64_t *oracle)
{
    unsigned k = v->counters == 2 ? 1 : 0;
    given(model, NULL);
    sim_oracle_begin(sim, "");
    sim_wrmsr(sim, CESR, (v->code | levels << 6) << (16 * k)); /* CLOCKS' code is CC bit 2 */
    srand(7);
    for (unsigned n = 0; n < 500; n++) {
        struct sim_insn i = {.len = 2, .op = (uint32_t)rand() & 0x7FFFFFF};
        i.lin = i.phys = 0x1000 + (unsigned)rand() % 0x4000;
        i.target = 0x1000 + (unsigned)rand() % 8;
        i.cpl = (uint8_t)(rand() & 3);
        i.n_access = (uint8_t)(rand() % 4);
        i.io_bytes = 1;
        i.iterations_io = 1;
        for (unsigned j = 0; j < i.n_access; j++) {
            unsigned bytes = 1u << rand() % 4, kind = 1 + (unsigned)rand() % 3;
            i.access[j] = mem(0x8000 + (unsigned)rand() % 0x8000, bytes, kind);
        }
        sim_instruction(sim, &i);
        unsigned cycles = (unsigned)rand() % 3, halted = (unsigned)rand() & 1;
        sim_ticks(sim, cycles, halted, (unsigned)rand() & 3);
    }
    uint64_t value = msr(CTR0 + k);
    json_t *line = oracle_line(sim);
    json_t *e = json_object_get(json_object_get(line, "events"), v->name);
    *oracle =
        (uint64_t)(json_integer_value(json_object_get(e, "k")) + json_integer_value(json_object_get(e, "u")));
    json_decref(line);
    return value;
}

TEST(test_agreement)
{
    for (unsigned m = 0; model_at(m); m++) {
        given(model_at(m), NULL);
        const struct sim_family *family = sim->family;
        for (unsigned e = 0; e < family->n_events; e++) {
            const struct sim_event *v = &family->events[e];
            uint64_t oracle;
            if ((v->models && !(v->models & 1 << m)) || !v->terms[0]) continue;
            uint64_t kernel = random_stream(model_at(m), v, 1, &oracle);
            uint64_t user = random_stream(model_at(m), v, 2, &oracle);
            assert_int_equal(kernel + user, oracle);
            assert_int_equal(random_stream(model_at(m), v, 3, &oracle), oracle);
        }
    }
}

AROUND_ALL(NULL, teardown);
