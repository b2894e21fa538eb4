/* screen.h -- the terminal that a table or a text goes to. */
#ifndef SOFTPMU_CLI_SCREEN_H
#define SOFTPMU_CLI_SCREEN_H

#include <stdio.h>

#include "report/screen.h"

enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER };

/* --color auto|always|never. Returns 1, or -1 after a message. */
int cli_color_option(const char *value, enum cli_color *out);

/* Returns what is known of `out`: whether bold type can be used (a terminal that has it, unless
 * NO_COLOR or --color says otherwise), and its width, by COLUMNS or by the terminal's own
 * answer. */
struct rpt_screen cli_screen(FILE *out, enum cli_color color);

/* As cli_screen(), for texts and tables that also fit COLUMNS where there is no terminal, as in a
 * pager or a log of CI. What cli_screen() alone looks at is whole there, whatever COLUMNS is. */
struct rpt_screen cli_log_screen(FILE *out, enum cli_color color);

/* The width that the variable COLUMNS asks for; 0: none. */
int cli_columns_given(void);

#endif
