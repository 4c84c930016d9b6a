#include "host/lava.h"
#include "host/escape.h"
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* ---- one entry ---- */

struct entry {
    bool dated;                         /* it has the key dt */
    const yaml_node_t *level, *message; /* NULL: it lacks them, or the level is no text */
};

static bool is(const yaml_node_t *n, const char *text)
{
    return n && n->type == YAML_SCALAR_NODE && n->data.scalar.length == strlen(text) &&
           memcmp(n->data.scalar.value, text, strlen(text)) == 0;
}

static struct entry read_entry(yaml_document_t *d, const yaml_node_t *map)
{
    struct entry e = {0};
    if (map->type != YAML_MAPPING_NODE) return e;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(d, p->key);
        const yaml_node_t *value = yaml_document_get_node(d, p->value);
        e.dated |= is(key, "dt");
        if (is(key, "lvl") && value->type == YAML_SCALAR_NODE) e.level = value;
        if (is(key, "msg")) e.message = value;
    }
    return e;
}

/* The first document's map, or that in a list of one: a server puts "- " before each. NULL: there is none. */
static yaml_node_t *map_of(yaml_document_t *d)
{
    yaml_node_t *root = yaml_document_get_root_node(d);
    if (!root || root->type != YAML_SEQUENCE_NODE) return root;
    const yaml_node_item_t *item = root->data.sequence.items.start;
    return root->data.sequence.items.top == item + 1 ? yaml_document_get_node(d, *item) : NULL;
}

/* ---- what becomes of it ---- */

static void strange(struct lava_log *log, const char *what, const char *why)
{
    if (log->strange++) return;
    log->first_line = log->line;
    snprintf(log->first_why, sizeof log->first_why, "%s%s%s", what, why ? ": " : "", why ? why : "");
}

/* Takes away the backslash that LAVA put before each quote. Comes to the length, at most `room`. */
static size_t unquote(char *to, size_t room, const yaml_node_t *text)
{
    const char *from = (const char *)text->data.scalar.value, *end = from + text->data.scalar.length;
    size_t n = 0;
    for (; from < end && n < room; from++) {
        if (*from == '\\' && from + 1 < end && from[1] == '"') from++;
        to[n++] = *from;
    }
    return n;
}

static size_t take(struct lava_log *log, const struct entry *e, char *line, size_t room)
{
    if (is(e->level, "error") && !*log->error && e->message && e->message->type == YAML_SCALAR_NODE)
        escape_text(log->error, sizeof log->error, (const char *)e->message->data.scalar.value);
    if (!is(e->level, "target") && !is(e->level, "feedback")) return 0;
    if (!e->message || e->message->type != YAML_SCALAR_NODE) {
        strange(log, "an entry of the machine's output without text as its msg", NULL);
        return 0;
    }
    if (is(e->message, "<line way too long ...>")) /* lava_common/log.py: of a million bytes and more */
        strange(log, "LAVA has left out a line as too long", NULL);
    log->serial++;
    const size_t n = unquote(line, room - 1, e->message);
    line[n] = '\n';
    return n + 1;
}

static size_t parse(struct lava_log *log, char *line, size_t n)
{
    yaml_parser_t parser;
    yaml_document_t document;
    size_t left = 0;
    char why[120];
    if (!yaml_parser_initialize(&parser)) {
        strange(log, "no memory left", NULL);
        return 0;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)line, n);
    if (yaml_parser_load(&parser, &document)) {
        const yaml_node_t *map = map_of(&document);
        const struct entry e = map ? read_entry(&document, map) : (struct entry){0};
        if (e.dated && e.level)
            left = take(log, &e, line, n);
        else
            strange(log, "no entry of a LAVA log, which is a YAML map with dt, lvl and msg", NULL);
        yaml_document_delete(&document);
    } else
        strange(log, "no YAML, cut short or damaged",
                parser.problem ? escape_text(why, sizeof why, parser.problem) : NULL);
    yaml_parser_delete(&parser);
    return left;
}

/* ---- lines ---- */

/* {"dt": or {dt:, as the versions of LAVA write it, after "- " or not. */
static bool begins_entry(const char *line, size_t n)
{
    static const char *const begins[] = {"{\"dt\": ", "{dt: "};
    const size_t dash = n > 2 && memcmp(line, "- ", 2) == 0 ? 2 : 0;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const size_t len = strlen(begins[i]);
        if (n >= dash + len && memcmp(line + dash, begins[i], len) == 0) return true;
    }
    return false;
}

size_t lava_line(struct lava_log *log, char *line, size_t n)
{
    const bool continued = log->cut, whole = n && line[n - 1] == '\n';
    log->cut = !whole;
    log->line += !continued;
    if (!continued) log->recognised = log->recognised || begins_entry(line, n);
    if (!log->recognised) return n;
    if (continued) return 0; /* its beginning was named */
    const bool blank = whole && (n == 1 || (n == 2 && line[0] == '\r'));
    return blank ? 0 : parse(log, line, n);
}
