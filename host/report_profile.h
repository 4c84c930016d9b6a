/* Profiles of a run, put together from their records. */
#pragma once
#include "host/report_page.h"
#include "host/report_runs.h"

struct profile {
    const struct capture *run;
    const json_t *record; /* the first of its records */
    json_t **line;        /* all of their lines, lowest address first */
    size_t n;
};

/* All profiles of all runs by "instruction" or "data address"; *n of them. To be freed by profiles_free(). */
struct profile *profiles_of(const struct runs *rs, const char *by, size_t *n);
void profiles_free(struct profile *profiles, size_t n);

/* Some line has this field. */
bool profile_has(const struct profile *f, const char *key);
/* Two cells: the median of its latencies (if some line has one), and its levels in words, "L2 98 %, L3 2 %".
 * line: NULL where there is none. */
void cells_access(const struct page *p, const json_t *line, bool latency);

/* "pebs_vs_iebs n=79200, 1stl_cache_load_miss_retired:u, by pebs", with the run before it where there are
 * several. To be freed. */
char *profile_name(const struct runs *rs, const struct profile *f);
