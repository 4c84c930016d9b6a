/* Which records have arrived: against a table of all of them, in any order. */
#include "host/ledger.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

#define RECORDS 64

static void agrees(const struct ledger *l, const bool *here, long long next)
{
    long long missing = 0;
    for (long long n = 0; n < next; n++) {
        assert_int_equal(ledger_lacks(l, n), !here[n]);
        missing += !here[n];
    }
    assert_true(ledger_lacks(l, next));
    assert_int_equal(ledger_missing(l), missing);
    assert_int_equal(ledger_complete(l), missing == 0);
    for (size_t i = 1; i < l->n; i++) assert_true(l->gap[i].first > l->gap[i - 1].last + 1);
}

TEST(any_order)
{
    srand(1);
    for (unsigned round = 0; round < 300; round++) {
        struct ledger l = {0};
        bool here[RECORDS] = {false};
        long long next = 0;
        for (unsigned i = 0; i < 3 * RECORDS; i++) {
            const long long n = rand() % RECORDS;
            assert_int_equal(ledger_arrived(&l, n), !here[n]);
            here[n] = true;
            if (n >= next) next = n + 1;
            agrees(&l, here, next);
        }
        ledger_total(&l, RECORDS);
        agrees(&l, here, RECORDS);
        ledger_free(&l);
    }
}

TEST(text)
{
    struct ledger l = {0};
    for (long long n = 0; n < 20; n++)
        if (n != 3 && (n < 7 || n > 9)) ledger_arrived(&l, n);
    assert_string_equal(ledger_text(&l), "records 3, 7 to 9");
    for (long long n = 7; n < 10; n++) ledger_arrived(&l, n);
    assert_string_equal(ledger_text(&l), "record 3");
    ledger_total(&l, 23);
    assert_string_equal(ledger_text(&l), "records 3, 20 to 22");
    for (long long n = 100; n < 1000; n += 2) ledger_arrived(&l, n);
    assert_non_null(strstr(ledger_text(&l), " more"));
    assert_true(strlen(ledger_text(&l)) < 224);
    ledger_free(&l);
}
