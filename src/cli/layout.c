/* layout.c -- fills paragraphs to the width of the terminal, 40 to 96 columns. Rules are in
 * layout.h.
 */
#include "cli/layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/screen.h"

#define MOST_COLUMNS  96
#define LEAST_COLUMNS 40
#define LEAST_NAME    20
#define LINE_BYTES    2048 /* of one line with its escapes; texts of the catalog are shorter */

/* Lists and texts fit a terminal, and elsewhere what COLUMNS says (list | less). Without both their
 * lines are as long as they are. */
static struct rpt_screen page(void)
{
	return cli_log_screen(stdout, CLI_COLOR_NEVER);
}

void layout_paragraphs(const char *text, int indent)
{
	const int screen = page().columns;
	const int last = !screen || screen > MOST_COLUMNS ? MOST_COLUMNS
			 : screen < LEAST_COLUMNS	  ? LEAST_COLUMNS
							  : screen;
	int column = 0;

	while (*text) {
		size_t blanks = strspn(text, " \t\n"), n;
		const char *newline = memchr(text, '\n', blanks);

		/* a second newline among the blanks ends the paragraph */
		if (column && newline &&
		    memchr(newline + 1, '\n', blanks - (size_t)(newline + 1 - text))) {
			printf("\n\n");
			column = 0;
		}
		text += blanks;
		n = strcspn(text, " \t\n");
		if (!n)
			break;
		if (column && column + 1 + (int)n > last) {
			printf("\n");
			column = 0;
		}
		column += column ? printf(" %.*s", (int)n, text)
				 : printf("%*s%.*s", indent, "", (int)n, text);
		text += n;
	}
	if (column)
		printf("\n");
}

void layout_line(int indent, const char *format, ...)
{
	const struct rpt_screen screen = page();
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	if (!screen.columns) {
		vprintf(format, args);
		putchar('\n');
	} else {
		vsnprintf(text, sizeof(text), format, args);
		rpt_wrap(&screen, text, rpt_indent(&screen, indent), stdout);
	}
	va_end(args);
}

int layout_name_columns(int usual, int rest)
{
	const int columns = page().columns, left = columns - rest;

	return !columns || left > usual ? usual : left < LEAST_NAME ? LEAST_NAME : left;
}

const char *layout_counters(const struct cat_event *e)
{
	switch (e->counters & 3) {
	case 0: return e->code >= 0x1f0 ? "no counter of the chip" : "a register of its own";
	case 1: return "counter 0 only";
	case 2: return "counter 1 only";
	default: return "counter 0 or 1";
	}
}

const char *layout_kind(const struct cat_event *e)
{
	switch (e->kind) {
	case CAT_DURATION: return "clocks";
	case CAT_WEIGHTED: return "weighted clocks";
	default: return "occurrences";
	}
}

const char *layout_generic_names(const struct cat_cpu *cpu, const struct cat_event *e,
				 const char *between, char *out, size_t room)
{
	static const char *const names[] = {"instructions",  "cycles",		 "branches",
					    "branch-misses", "cache-references", "cache-misses",
					    "bus-cycles"};
	size_t used = 0;

	*out = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && used < room; i++) {
		uint8_t umask;

		if (cat_find_generic(cpu, names[i], &umask) == e && umask == e->default_umask)
			used +=
			    (size_t)snprintf(out + used, room - used, "%s%s", between, names[i]);
	}
	return out;
}
