/* diff_markdown.c -- softpmu diff as Markdown: tables as GitHub shows them in a job's summary, an
 * issue or a comment.
 *
 * TRUST   names come from files of strangers: they stand between back-ticks, without control
 *         characters, back-ticks and bars, and are cut.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/where/diff.h"
#include "cli/where/reader.h"
#include "cli/where/top.h"

#define MOST_NAME 100

void cli_markdown_name(const char *name, FILE *out)
{
	char cut[128], folded[RPT_FOLDED];

	if (strlen(name) > MOST_NAME)
		name = rpt_fold_arguments(name, folded);
	fputc('`', out);
	for (const char *s = rpt_fold(name, MOST_NAME, cut); *s; s++) {
		if (*s == '|')
			fputs("\\|", out);
		else
			fputc(*s == '`' ? '\'' : (unsigned char)*s < ' ' ? '?' : *s, out);
	}
	fputc('`', out);
}

void cli_markdown_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (strchr("\\`*_[]<>|&~#!", *text))
			fputc('\\', out);
		fputc((unsigned char)*text < ' ' ? '?' : *text, out);
	}
}

static void put_total(const struct cli_diff *d, bool is_main, uint32_t e, FILE *out)
{
	const uint64_t was = cli_diff_count(d, 0, is_main, e),
		       is = cli_diff_count(d, 1, is_main, e);
	const struct cli_broken *broken = cli_diff_broken(d, is_main, e);
	const int64_t more = (int64_t)(is - was);
	char name[160], old[40], new[40], change[41], part[CLI_DIFF_PART];

	snprintf(name, sizeof(name), "%s%s", is_main ? "main:" : "", d->rec[0]->event[e].name);
	fputs("| ", out);
	cli_markdown_name(name, out);
	fprintf(out, " | %s | %s | %s | %s | ", cli_top_number((int64_t)was, old),
		cli_top_number((int64_t)is, new), cli_diff_number(more, change),
		cli_diff_part(was, more, cli_diff_half(d, is_main, e), part));
	if (broken) {
		cli_markdown_name(broken->limit->text, out);
		fputs(" **is broken** ", out);
	}
	fputs("|\n", out);
}

static void put_totals(const struct cli_diff *d, FILE *out)
{
	fputs("| event | old | new | change | | limit |\n|---|---:|---:|---:|---:|---|\n", out);
	for (uint32_t e = 0; e < d->rec[0]->n_event; e++) {
		if (*d->rec[0]->event[e].status)
			continue;
		put_total(d, false, e, out);
		if (cli_diff_has_main(d, e))
			put_total(d, true, e, out);
	}
}

void cli_diff_markdown_rows(const struct cli_diff *d, const struct whr_pairs *p,
			    const struct whr_table *t, FILE *out)
{
	const bool is_own = p == &d->own_lines;

	size_t n = 0;

	for (size_t i = 0; i < p->n && n < d->most; i++) {
		const struct whr_pair *pair = &p->pair[i];
		const struct whr_row *row = pair->new ? pair->new : pair->old;
		const int64_t change = whr_change(pair, d->sort);
		const uint64_t was = pair->old ? (uint64_t)pair->old->count[d->sort] : 0;
		const double half = cli_diff_row_half(d, p, pair, d->sort);
		char number[41], part[CLI_DIFF_PART], line[256];
		const char *name = is_own ? cli_diff_own_name(d, row, line, sizeof(line))
					  : whr_name(t, row, line, sizeof(line));
		const char *in = t->by == WHR_LINE ? row->function : text_last_part(row->object);

		if (!cli_diff_is_shown(d, p, pair))
			continue;
		n++;
		fprintf(out, "| %s | %s | ", cli_diff_number(change, number),
			!pair->new ? "gone" : cli_diff_part(was, change, half, part));
		cli_markdown_name(name, out);
		fputs(" | ", out);
		if (*in && strcmp(in, name))
			cli_markdown_name(in, out);
		fputs(" |\n", out);
	}
}

/* A table under a heading, when something changed. */
static void put_table(const struct cli_diff *d, const struct whr_pairs *p,
		      const struct whr_table *t, const char *what, const char *columns, FILE *out)
{
	if (!cli_diff_has_shown(d, p))
		return;
	fprintf(out, "\n#### %s by change of ", what);
	cli_markdown_name(d->rec[0]->event[d->sort].name, out);
	fprintf(out, "\n\n| change | | %s |\n|---:|---:|---|---|\n", columns);
	cli_diff_markdown_rows(d, p, t, out);
}

static void put_all(const struct cli_diff *d, FILE *out)
{
	char command[512];

	fputs("### ", out);
	cli_markdown_name(cli_record_command(d->rec[1], command, sizeof(command)), out);
	fputs(" on ", out);
	cli_markdown_name(rec_text(d->rec[1]->meta, "cpu"), out);
	fputs("\n\n", out);
	put_totals(d, out);
	if (cli_diff_has_own(d))
		put_table(d, &d->own_lines, &d->own[1], cli_diff_own_title(d), "line | function",
			  out);
	put_table(d, &d->functions, &d->function[1], "Functions", "function | object", out);
	put_table(d, &d->lines, &d->line[1], "Lines", "line | function", out);
	for (unsigned i = 0; i < d->n_note; i++) {
		fputs(i ? "* " : "\n* ", out);
		cli_markdown_text(d->note[i], out);
		fputs(".\n", out);
	}
}

#define CUT "\n(cut here: GitHub shows no more of a step)\n"

/* The last line of text that ends within `most` bytes. */
static size_t whole_lines(const char *text, size_t n, size_t most)
{
	n = n < most ? n : most;
	while (n && text[n - 1] != '\n')
		n--;
	return n;
}

int cli_diff_markdown(const struct cli_diff *d, size_t most_bytes, FILE *out)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (f)
		put_all(d, f);
	if (!f || fclose(f)) {
		free(text);
		return cli_fail("out of memory for the difference");
	}
	if (!most_bytes || n <= most_bytes) {
		fwrite(text, 1, n, out);
	} else {
		const size_t room = most_bytes > strlen(CUT) ? most_bytes - strlen(CUT) : 0;

		fwrite(text, 1, whole_lines(text, n, room), out);
		if (room)
			fputs(CUT, out);
	}
	free(text);
	return 0;
}
