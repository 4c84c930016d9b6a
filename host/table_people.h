/* The formats of tables that people read (host/table.h). */
#pragma once
#include "host/table.h"

void table_print_text(const struct table *t, FILE *to);
void table_print_markdown(const struct table *t, FILE *to);
void table_print_ktap(const struct table *t, FILE *to);
