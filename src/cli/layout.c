#include "cli/layout.h"

#include <stdio.h>
#include <string.h>

#include "cli/screen.h"

#define MOST_COLUMNS 96
#define LEAST_COLUMNS 40

void layout_paragraphs(const char *text, int indent)
{
	const int screen = cli_screen(stdout, CLI_COLOR_NEVER).columns;
	const int last = !screen || screen > MOST_COLUMNS ? MOST_COLUMNS : screen < LEAST_COLUMNS ? LEAST_COLUMNS : screen;
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

const char *layout_counters(const struct cat_event *e)
{
	switch (e->counters & 3) {
	case 0:
		return e->code >= 0x1f0 ? "no counter of the chip" : "a register of its own";
	case 1:
		return "counter 0 only";
	case 2:
		return "counter 1 only";
	default:
		return "counter 0 or 1";
	}
}

const char *layout_kind(const struct cat_event *e)
{
	switch (e->kind) {
	case CAT_DURATION:
		return "clocks";
	case CAT_WEIGHTED:
		return "weighted clocks";
	default:
		return "occurrences";
	}
}

const char *layout_generic_names(const struct cat_cpu *cpu, const struct cat_event *e,
                                 const char *between, char *out, size_t room)
{
	static const char *const names[] = { "instructions", "cycles", "branches", "branch-misses",
		                             "cache-references", "cache-misses", "bus-cycles" };
	size_t used = 0;

	*out = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && used < room; i++) {
		uint8_t umask;

		if (cat_find_generic(cpu, names[i], &umask) == e && umask == e->default_umask)
			used += (size_t)snprintf(out + used, room - used, "%s%s", between,
			                         names[i]);
	}
	return out;
}
