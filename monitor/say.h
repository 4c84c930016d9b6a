/* What the monitor prints: text on all consoles that show some, and no record. */
#pragma once

/* A line, as it is. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A message of up to 1,023 characters, wrapped at the terminal's width. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
