/* The page's style sheet: light, dark and print; from 320 pixels on. Names of colours: host/report_svg.c. */
#pragma once
extern const char report_style[];
