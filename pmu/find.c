#include "pmu/find.h"
#include "pmu/names.h"
#include <stddef.h>
#include <string.h>

static bool holds(const char *text, const char *word, size_t len)
{
    for (; *text; text++) {
        size_t i = 0;
        while (i < len && pmu_lower(text[i]) == word[i]) i++; /* a NUL matches no letter of the word */
        if (i == len) return true;
    }
    return false;
}

bool find_matches(const char *words, const char *const *text, unsigned n)
{
    while (*words) {
        const size_t len = strcspn(words, "+");
        bool found = len == 0;
        for (unsigned i = 0; i < n && !found; i++) found = text[i] && holds(text[i], words, len);
        if (!found) return false;
        words += len + (words[len] == '+');
    }
    return true;
}
