/* markdown.c -- softpmu bench as Markdown: tables as GitHub shows them. Names come from strangers
 * and are code (diff_markdown.c). */
#include "cli/bench/bench.h"

#include <math.h>

#include "cli/where/top.h"

static void put_counts(const struct cli_bench *b, FILE *out)
{
	char text[64];

	fputs("| command |", out);
	for (size_t e = 0; e < b->events.n; e++) {
		fputc(' ', out);
		cli_markdown_name(b->events.event[e].name, out);
		fputs(" | |", out);
	}
	fputs("\n|---|", out);
	for (size_t e = 0; e < b->events.n; e++)
		fputs("---:|---:|", out);
	fputc('\n', out);
	for (size_t k = 0; k < b->n_side; k++) {
		fputs("| ", out);
		cli_markdown_name(b->side[k].command.name, out);
		fputs(" |", out);
		for (size_t e = 0; e < b->events.n; e++) {
			const struct evt_count *c = &b->side[k].count[e];
			const bool is_number = c->status == EVT_COUNTED;

			fputc(' ', out);
			if (is_number)
				fputs(cli_bench_count(c, text), out);
			else /* <not modelled> is no markup */
				cli_markdown_name(cli_bench_count(c, text), out);
			if (is_number && cli_bench_times(b, k, e) > 0)
				fprintf(out, " | %.2f |", cli_bench_times(b, k, e));
			else
				fputs(" | |", out);
		}
		fputc('\n', out);
	}
}

static int put_why(const struct cli_bench *b, size_t winner, size_t other, FILE *out)
{
	struct cli_bench_reason reason[CLI_BENCH_ROWS + 1];
	const size_t n = cli_bench_reasons(b, winner, other, reason);
	struct cli_diff d;
	const int code = cli_bench_pair(b, winner, other, &d);
	char number[41];

	if (!code) {
		fputs("\n#### ", out);
		cli_markdown_name(b->side[other].command.name, out);
		fputs(" against ", out);
		cli_markdown_name(b->side[winner].command.name, out);
		fputs("\n\n| ", out);
		cli_markdown_name(b->placed.event[d.sort].name, out);
		fputs(" | | function | object |\n|---:|---:|---|---|\n", out);
		cli_diff_markdown_rows(&d, &d.functions, &d.function[1], out);
	}
	whr_pairs_free(&d.functions);
	if (n)
		fprintf(out, "\n| clocks | %s |\n|---:|---|\n",
			reason[0].stall ? "stall (stalls overlap)" : "reason");
	for (size_t i = 0; i < n; i++) {
		char half[48] = "", plain[40], name[80];

		if (reason[i].half > 0)
			snprintf(half, sizeof(half), " +-%s",
				 cli_top_number((int64_t)llround(reason[i].half), plain));
		fprintf(out, "| %s%s | %s%s |\n", cli_diff_number(reason[i].clocks, number), half,
			cli_bench_reason_name(&reason[i], name), cli_bench_reason_text(&reason[i]));
	}
	return code;
}

static void put_limit(void *ctx, const char *sentence)
{
	FILE *out = ctx;

	fputs("\n**", out);
	cli_markdown_text(sentence, out);
	fputs("**\n", out);
}

int cli_bench_markdown(const struct cli_bench *b, FILE *out)
{
	size_t order[CLI_MOST_COMMANDS];
	const size_t n = cli_bench_rank(b, order);
	char text[640];
	int code = 0;

	put_counts(b, out);
	cli_bench_judge(b, put_limit, out);
	for (size_t i = 1; i < n && !code; i++)
		if (cli_bench_is_apart(&b->side[order[0]].count[b->sort],
				       &b->side[order[i]].count[b->sort]))
			code = put_why(b, order[0], order[i], out);
	for (unsigned i = 0; !b->run.is_quiet && cli_bench_note(b, i, text, sizeof(text)); i++) {
		fputs(i ? "* " : "\n* ", out);
		cli_markdown_text(cli_bench_note(b, i, text, sizeof(text)), out);
		fputs(".\n", out);
	}
	return code;
}
