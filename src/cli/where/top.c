/* top.c -- prints the rows of a table: counts, shares, names, within the columns of the screen. */
#include "cli/where/top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MOST_OTHERS   60u /* bytes of the names of events that have no column */
#define NAME_LEAST    16
#define CALLS_WIDTH   11
#define SHARE_COLUMNS 8 /* of a blank and "100.00%" */
#define HALF_COLUMNS  9 /* of a blank and "+-12.34%" */

const char *cli_top_number(int64_t n, char out[40])
{
	char digits[24];
	const int k = snprintf(digits, sizeof(digits), "%llu",
			       n < 0 ? 0 - (unsigned long long)n : (unsigned long long)n);
	int at = 0;

	if (n < 0)
		out[at++] = '-';
	for (int i = 0; i < k; i++) {
		if (i && (k - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
	return out;
}

static double share(int64_t n, uint64_t total)
{
	return total ? 100.0 * (double)n / (double)total : 0;
}

/* Columns that the counts of event e take. */
static int width_of(const struct cli_top *t, unsigned e)
{
	char text[40];
	const int number =
	    (int)strlen(cli_top_number((int64_t)t->rec->event[t->event[e]].total, text));
	const int name = (int)strlen(t->rec->event[t->event[e]].name) - SHARE_COLUMNS;

	return number > name ? number : name;
}

/* Do rows of the table's event e have an interval? */
static bool has_interval(const struct cli_top *t, unsigned e)
{
	return t->intervals && t->rec->event[t->event[e]].has_replicates;
}

int cli_top_width(const struct cli_top *t)
{
	int n = 0;

	for (unsigned e = 0; e < t->n_event; e++)
		n += 1 + width_of(t, e) + SHARE_COLUMNS + (has_interval(t, e) ? HALF_COLUMNS : 0);
	return n;
}

/* Half of an interval of a row's clocks, as a part of them; row NULL: as many blanks. */
static int print_half(const struct cli_top *t, const struct whr_row *row, int64_t clocks, FILE *out)
{
	char text[16] = "";
	double half;

	if (row && clocks) {
		half = 100 * (double)whr_half(t->intervals, row, clocks) / fabs((double)clocks);
		if (half < 99.995)
			snprintf(text, sizeof(text), "+-%.2f%%", half);
		else
			snprintf(text, sizeof(text), "+->100%%");
	}
	return fprintf(out, " %*s", HALF_COLUMNS - 1, text);
}

/* Counts and shares, and of a row what is known of how far they may be off. */
static int print_counts(const struct cli_top *t, const int64_t *count, const struct whr_row *row,
			FILE *out)
{
	char text[40];
	int n = 0;

	for (unsigned e = 0; e < t->n_event; e++) {
		const int64_t value = count[t->event[e]];

		n += fprintf(out, " %*s %6.2f%%", width_of(t, e), cli_top_number(value, text),
			     share(value, t->rec->event[t->event[e]].total));
		n += has_interval(t, e) ? print_half(t, row, value, out) : 0;
	}
	return n;
}

int cli_top_counts(const struct cli_top *t, const int64_t *count, FILE *out)
{
	return print_counts(t, count, NULL, out);
}

/* The name at column `at`, and behind it where it lies, as far as there is room. */
static void print_name(const struct cli_top *t, const struct whr_row *row, int at, FILE *out)
{
	char line[256], folded[256], cut[128];
	const char *name = whr_name(t->table, row, line, sizeof(line)), *in = "";
	const int room = t->screen.columns ? t->screen.columns - at - 2 : 0;
	bool has_in;
	int n;

	if (t->table->by == WHR_FUNCTION)
		in = text_last_part(row->object);
	if (t->table->by == WHR_LINE || t->table->by == WHR_ADDRESS)
		in = row->function;
	has_in = *in && strcmp(in, name);
	if (!t->screen.columns) {
		fprintf(out, "  %s%s%s\n", name, has_in ? "  " : "", has_in ? in : "");
		return;
	}
	rpt_fold_arguments(name, folded);
	name = rpt_fold(folded, room > NAME_LEAST ? room : NAME_LEAST, cut);
	n = fprintf(out, "  %s", name);
	if (has_in && n + 2 + NAME_LEAST / 2 <= room) {
		rpt_fold_arguments(in, folded);
		fprintf(out, "  %s", rpt_fold(folded, room - n, cut));
	}
	fputc('\n', out);
}

/* Of calls: own counts of the first event, and how often it was called. */
static int print_calls(const struct cli_top *t, const struct whr_row *row, FILE *out)
{
	char text[40];
	int n;

	if (!t->has_calls)
		return 0;
	n = t->has_own
		? fprintf(out, " %*s", width_of(t, 0), cli_top_number(row->self[t->event[0]], text))
		: 0;
	return n + fprintf(out, " %*s", CALLS_WIDTH, cli_top_number((int64_t)row->calls, text));
}

static void print_event_names(const struct cli_top *t, FILE *out)
{
	for (unsigned e = 0; e < t->n_event; e++)
		fprintf(out, " %*s%*s", width_of(t, e) + SHARE_COLUMNS,
			t->rec->event[t->event[e]].name, has_interval(t, e) ? HALF_COLUMNS : 0, "");
}

void cli_top_head(const struct cli_top *t, FILE *out)
{
	print_event_names(t, out);
	fputc('\n', out);
}

void cli_top_print(const struct cli_top *t, FILE *out)
{
	static const char *const heading[] = {
	    [WHR_FUNCTION] = "function, object",
	    [WHR_LINE] = "line, function",
	    [WHR_FILE] = "file",
	    [WHR_OBJECT] = "object",
	    [WHR_PROCESS] = "process",
	    [WHR_ADDRESS] = "address, function",
	    [WHR_THREAD] = "thread",
	};
	const uint32_t first = t->event[0];
	const struct rec_event *e = &t->rec->event[first];
	int64_t *rest = calloc(t->table->n_event + 1u, sizeof(*rest));
	size_t n = 0, left = 0;
	int at;

	print_event_names(t, out);
	if (t->has_own)
		fprintf(out, " %*s", width_of(t, 0), "own");
	if (t->has_calls)
		fprintf(out, " %*s", CALLS_WIDTH, "calls");
	fprintf(out, "  %s\n", heading[t->table->by]);
	for (size_t i = 0; i < t->table->n && rest; i++) {
		const struct whr_row *row = &t->table->row[i];
		const double percent = share(row->count[first], e->total);

		if ((!t->most || n < t->most) &&
		    (percent < 0 ? -percent : percent) >= t->least_percent) {
			at = print_counts(t, row->count, row, out);
			at += print_calls(t, row, out);
			print_name(t, row, at, out);
			n++;
			continue;
		}
		for (uint32_t k = 0; k < t->table->n_event; k++)
			rest[k] += row->count[k];
		left++;
	}
	if (left && t->has_calls)
		fprintf(out, " (%zu more)\n", left);
	else if (left && rest) {
		cli_top_counts(t, rest, out);
		fprintf(out, "  (%zu more)\n", left);
	}
	free(rest);
}

void cli_top_note_others(const struct cli_top *t, FILE *out)
{
	struct text names = {0};
	unsigned n = 0, named = 0;

	for (uint32_t e = 0; e < t->rec->n_event; e++) {
		bool is_shown = *t->rec->event[e].status != 0;

		for (unsigned i = 0; i < t->n_event; i++)
			is_shown |= t->event[i] == e;
		n += !is_shown;
		if (!is_shown && names.n + strlen(t->rec->event[e].name) < MOST_OTHERS) {
			text_printf(&names, "%s%s", named ? "," : "", t->rec->event[e].name);
			named++;
		}
	}
	if (n)
		fprintf(out, "\n Note: %u more event%s recorded; -e %s%s\n", n,
			n == 1 ? " is" : "s are", text_get(&names),
			named < n ? " ... shows them" : " shows them");
	text_free(&names);
}
