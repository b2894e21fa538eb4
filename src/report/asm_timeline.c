/* asm_timeline.c -- the way of each micro-op through a P6, clock by clock, in llvm-mca's
 * characters.
 *
 * LAYOUT   a row per micro-op, a column per clock: D renamed, = waits for its sources or its port,
 *          e executes, E its last clock of that, - waits for older ones to retire, R retires. [0,3]
 *          is the fourth instruction; further micro-ops of it have no number. A dot in every fifth
 *          clock. Clocks are counted from the first that is shown.
 * WIDTH    what is wider than the screen is cut by clocks into parts, tens of clocks each, one
 * below the other. A part has the micro-ops that are on their way in it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/asm.h"

#define MOST_CLOCKS 100u
#define INDEX_WIDTH 10
#define TEXT_GAP    3
#define MOST_TEXT   30 /* of an instruction beside a part */
#define PART_STEP   10

/* From the first rename on, to the last retirement or MOST_CLOCKS. */
static uint64_t span(const struct asm_result *r, uint64_t *begin)
{
	uint64_t end = 0;

	*begin = UINT64_MAX;
	for (size_t i = 0; i < r->n_line; i++)
		for (unsigned k = 0; k < r->line[i].n_uop; k++) {
			const struct mdl_line_uop *u = &r->line[i].uop[k];

			*begin = u->rename_clk < *begin ? u->rename_clk : *begin;
			end = u->retire_clk > end ? u->retire_clk : end;
		}
	return end < *begin ? 0 : end - *begin + 1;
}

/* What a micro-op does in a clock; 0: nothing any more, or nothing yet. */
static char letter(const struct mdl_line_uop *u, uint64_t clk)
{
	const bool is_executed = u->port != MDL_NO_PORT;
	const uint64_t last = u->done_clk > u->dispatch_clk ? u->done_clk - 1 : u->dispatch_clk;

	if (clk < u->rename_clk || clk > u->retire_clk)
		return 0;
	if (clk == u->retire_clk)
		return 'R';
	if (clk == u->rename_clk)
		return 'D';
	if (is_executed && clk < u->dispatch_clk)
		return '=';
	if (is_executed && clk <= last)
		return clk == last ? 'E' : 'e';
	return '-';
}

/* What is shown of it, in clocks from the first on. */
struct part {
	uint64_t begin, end;
};

/* Digits of the clocks: those of the tens stand higher in every other ten, so that they are told
 * apart. */
static void print_digits(struct part p, unsigned odd, FILE *out)
{
	for (uint64_t c = p.begin; c < p.end; c++)
		fputc(c / 10 % 2 == odd ? (char)('0' + c % 10) : ' ', out);
	fputc('\n', out);
}

/* text_room: columns for an instruction; 0: any number. */
static void print_row(const struct mdl_line_uop *u, const char *index, const char *text,
		      uint64_t first, struct part p, int text_room, FILE *out)
{
	char cut[128];

	fprintf(out, "%-*s", INDEX_WIDTH, index);
	for (uint64_t c = p.begin; c < p.end; c++) {
		const char l = letter(u, first + c);

		fputc(l ? l : c % 5 ? ' ' : '.', out);
	}
	fprintf(out, "%*s%s\n", TEXT_GAP, "", rpt_fold(text, text_room, cut));
}

static void print_part(const struct asm_result *r, uint64_t first, struct part p, int text_room,
		       FILE *out)
{
	fprintf(out, "%*s", INDEX_WIDTH, "");
	print_digits(p, 1, out);
	fprintf(out, "%-*s", INDEX_WIDTH, "index");
	print_digits(p, 0, out);
	fputc('\n', out);
	for (size_t i = 0; i < r->n_line; i++)
		for (unsigned k = 0; k < r->line[i].n_uop; k++) {
			const struct mdl_line_uop *u = &r->line[i].uop[k];
			char index[32] = "";

			if (u->rename_clk >= first + p.end || u->retire_clk < first + p.begin)
				continue;
			if (!k)
				snprintf(index, sizeof(index), "[0,%zu]", i);
			print_row(u, index, k ? "" : r->line[i].text, first, p, text_room, out);
		}
}

/* Clocks of a part: all of them where they fit the screen beside the longest instruction. */
static uint64_t part_clocks(const struct asm_result *r, uint64_t clocks,
			    const struct rpt_screen *screen)
{
	const int room = screen->columns - INDEX_WIDTH - TEXT_GAP;
	int text = 0, part;

	for (size_t i = 0; i < r->n_line; i++)
		if ((int)strlen(r->line[i].text) > text)
			text = (int)strlen(r->line[i].text);
	if (!screen->columns || (int)clocks + text <= room)
		return clocks;
	part = (room - (text < MOST_TEXT ? text : MOST_TEXT)) / PART_STEP * PART_STEP;
	return (uint64_t)(part > PART_STEP ? part : PART_STEP);
}

bool rpt_asm_timeline(const struct asm_result *r, const struct rpt_screen *screen, FILE *out)
{
	const struct rpt_screen paper = {.columns = 80};
	uint64_t begin, all = span(r, &begin), clocks = all < MOST_CLOCKS ? all : MOST_CLOCKS;
	const uint64_t step = part_clocks(r, clocks, screen);
	const int text_room =
	    screen->columns ? screen->columns - INDEX_WIDTH - TEXT_GAP - (int)step : 0;

	if (!all)
		return false;
	fputc('\n', out);
	rpt_wrap(screen->columns ? screen : &paper,
		 " The way of the micro-ops: D renamed, = waits, e executes, E for the last "
		 "clock, - waits for older ones, R retires",
		 1, out);
	for (struct part p = {0, 0}; p.end < clocks; p.begin = p.end) {
		p.end = p.begin + step < clocks ? p.begin + step : clocks;
		fputc('\n', out);
		if (step < clocks)
			fprintf(out, " Clocks %" PRIu64 " to %" PRIu64 "\n\n", p.begin, p.end - 1);
		print_part(r, begin, p, text_room, out);
	}
	if (clocks < all)
		fprintf(out, " (%" PRIu64 " more %s)\n", all - clocks,
			text_noun(all - clocks, "clock", "clocks"));
	return true;
}
