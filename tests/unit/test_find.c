/* The match of events=find:WORD+WORD... (pmu/find.h). */
#include "pmu/find.h"
#include "tests/unit/unit.h"

TEST(test_matches)
{
    static const struct {
        const char *words, *text[3]; /* the third is behind the last */
        bool found;
    } cases[] = {
        {"abc", {"abc", NULL, "x"}, true},        {"abc", {"ab", "c", "abc"}, false},
        {"abc", {NULL, "xxabc", NULL}, true},     {"abc", {"abcxx", "", NULL}, true},
        {"abc", {"ababc", NULL, NULL}, true},     {"aab", {"aaab", NULL, NULL}, true},
        {"abc", {"abd", "ab", NULL}, false},      {"abc", {"", NULL, "abc"}, false},
        {"az09_", {"xAZ09_x", NULL, NULL}, true}, {"@[", {"@[", NULL, NULL}, true}, /* beside the letters */
        {"`{", {"@[", NULL, NULL}, false},        {"a+b", {"a", "b", NULL}, true},
        {"a+b", {"ba", NULL, NULL}, true},        {"a+b", {"a", "a", "b"}, false},
        {"b+a", {"a", NULL, "b"}, false},         {"a+b+c", {"cab", NULL, NULL}, true},
        {"", {NULL, NULL, NULL}, true},           {"+", {NULL, NULL, NULL}, true},
        {"a++b", {"a", "b", NULL}, true},         {"a+", {"a", NULL, NULL}, true},
        {"+a", {"b", NULL, "a"}, false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (find_matches(cases[i].words, cases[i].text, 2) != cases[i].found)
            fail_msg("case %u: \"%s\"", i, cases[i].words);
}
