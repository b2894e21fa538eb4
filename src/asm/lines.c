/* lines.c -- collect lines, find iterations, sum them up.
 *
 * An iteration begins with the line at the loop's head, or with the first instruction of a copy.
 */
#include "asm/lines.h"

#include <stdlib.h>
#include <string.h>

#include "x86/block.h"

/* iterations measured are a multiple of it when there are enough: short periods fit */
#define WINDOW_UNIT 12u

static void copy_line(struct asm_line *to, const struct mdl_line *from)
{
	*to = (struct asm_line){
	    .pc = from->pc,
	    .clk = from->clk,
	    .held_clk = from->held_clk,
	    .pipe = from->pipe,
	    .refused = from->refused,
	    .n_stall = from->n_stall,
	};
	memcpy(to->stall, from->stall, sizeof(to->stall));
	to->n_uop = from->n_uop;
	to->n_more_uop = from->n_more_uop;
	to->n_decode = from->n_decode;
	to->is_queue_full = from->is_queue_full;
	memcpy(to->decode, from->decode, sizeof(to->decode));
	memcpy(to->uop, from->uop, sizeof(to->uop));
}

static struct asm_line *new_line(struct asm_lines *l)
{
	struct asm_pass *p = &l->pass[l->now];

	if (p->n == p->room) {
		const size_t room = p->room ? 2 * p->room : 1024;
		struct asm_line *line = realloc(p->line, room * sizeof(*line));

		if (!line) {
			l->has_failed = l->is_enough = true;
			return NULL;
		}
		p->line = line;
		p->room = room;
	}
	return &p->line[p->n++];
}

static void end_pass(struct asm_lines *l, const struct mdl_line *behind)
{
	struct asm_pass *p = &l->pass[l->now];

	p->is_complete = true;
	p->end_clk = behind->clk;
	p->n_end = behind->n_stall;
	memcpy(p->end, behind->stall, sizeof(p->end));
	l->now ^= 1;
	l->n_pass++;
	l->is_inside = false;
}

void asm_lines_take(void *ctx, const struct mdl_line *line)
{
	struct asm_lines *l = ctx;
	const struct asm_program *p = l->program;
	struct asm_line *mine;

	if (l->is_enough)
		return;
	if (l->is_inside && line->pc == p->end) {
		end_pass(l, line);
		return;
	}
	if (line->pc < p->begin || line->pc >= p->end) {
		l->before_clk = line->clk;
		return;
	}
	if (line->pc == p->begin && !l->is_inside) {
		l->is_inside = true;
		l->pass[l->now].begin_clk = l->before_clk;
		l->pass[l->now].n = 0;
		l->pass[l->now].is_complete = false;
	}
	if (!l->is_inside)
		return;
	if (line->pc == l->last_pc && line->block->target >= p->begin &&
	    line->block->target <= line->pc && line->insn + 1u == line->block->n_insn)
		l->head = line->block->target;
	mine = new_line(l);
	if (mine)
		copy_line(mine, line);
	if (l->pass[l->now].n >= l->most_lines)
		l->is_enough = true;
}

static bool begins_iteration(const struct asm_lines *l, unsigned n_unroll, uint64_t pc)
{
	const struct asm_program *p = l->program;

	if (l->head)
		return pc == l->head;
	for (unsigned copy = 0; copy < n_unroll; copy++)
		if (p->pc[p->n_pc / n_unroll * copy] == pc)
			return true;
	return false;
}

/* Indices of the lines that begin iterations, and one behind the last when the pass is complete.
 * Owned by the caller; NULL when memory is out. */
static size_t *find_iterations(const struct asm_lines *l, const struct asm_pass *p,
			       unsigned n_unroll, size_t *n)
{
	size_t *at = malloc((p->n + 1) * sizeof(*at));

	*n = 0;
	for (size_t i = 0; at && i < p->n; i++)
		if (begins_iteration(l, n_unroll, p->line[i].pc))
			at[(*n)++] = i;
	if (at && p->is_complete && !l->head)
		at[(*n)++] = p->n;
	return at;
}

/* The clock in which the iteration of line i begins. */
static uint64_t clock_at(const struct asm_pass *p, bool is_loop, size_t i)
{
	if (p->line[0].pipe == MDL_PIPE_NONE && !is_loop)
		return i ? p->line[i - 1].clk : p->begin_clk;
	return i < p->n ? p->line[i].clk : p->end_clk;
}

static void add_lines(const struct asm_pass *p, size_t from, size_t to, struct asm_result *out)
{
	for (size_t i = from; i < to; i++) {
		out->n_insn++;
		out->n_pairs += p->line[i].pipe == MDL_PIPE_V;
		out->n_uop += p->line[i].n_uop + p->line[i].n_more_uop;
		out->is_queue_full |= p->line[i].is_queue_full;
		for (unsigned k = 0; k < p->line[i].n_decode; k++)
			out->decode[p->line[i].decode[k].why % SES_ASM_REASONS] +=
			    p->line[i].decode[k].clk;
		for (unsigned k = 0; k < p->line[i].n_stall && k < MDL_LINE_STALLS; k++)
			out->wait[p->line[i].stall[k].why % SES_ASM_REASONS] +=
			    p->line[i].stall[k].clk;
	}
}

/* Waits before EX that make up `gap` clocks: they come first among the stalls of a line. Adds
 * `sign` times each. */
static void add_waits(const struct mdl_stall *stall, unsigned n, uint64_t gap, int sign,
		      struct asm_result *out)
{
	for (unsigned k = 0; k < n && k < MDL_LINE_STALLS && gap; k++) {
		const uint64_t clk = stall[k].clk < gap ? stall[k].clk : gap;
		uint64_t *wait = &out->wait[stall[k].why % SES_ASM_REASONS];

		*wait = sign > 0 ? *wait + clk : *wait > clk ? *wait - clk : 0;
		gap -= clk;
	}
}

/* Straight code of a Pentium is timed from the clock in which its first instruction enters EX to
 * that of the one behind it: what the first one waited for before EX lies outside, what the one
 * behind waited for lies inside. Before the text stands an instruction of one clock. */
static void move_ends(const struct asm_pass *p, size_t from, size_t to, struct asm_result *out)
{
	const struct asm_line *last = &p->line[to - 1];

	if (out->is_loop || p->line[0].pipe == MDL_PIPE_NONE)
		return;
	if (!from && p->line[0].clk > p->begin_clk + 1)
		add_waits(p->line[0].stall, p->line[0].n_stall, p->line[0].clk - p->begin_clk - 1,
			  -1, out);
	if (to == p->n && p->is_complete && p->end_clk > last->clk + last->held_clk)
		add_waits(p->end, p->n_end, p->end_clk - last->clk - last->held_clk, 1, out);
}

/* The clock that listings count from: the first line enters EX, or is decoded. */
static uint64_t origin_of(const struct asm_line *first)
{
	return first->n_uop ? first->uop[0].decode_clk : first->clk;
}

static void shift(struct asm_line *l, uint64_t origin)
{
	l->clk -= origin;
	for (unsigned i = 0; i < l->n_uop; i++) {
		struct mdl_line_uop *u = &l->uop[i];

		u->decode_clk -= origin;
		u->rename_clk -= origin;
		u->dispatch_clk -= origin;
		u->done_clk -= origin;
		u->retire_clk -= origin;
	}
}

/* Sum iterations `first` to `last` (their beginnings are at[]), show the last of them. */
static int sum_up(const struct asm_pass *p, const size_t *at, size_t first, size_t last,
		  struct asm_result *out, struct spmu_error *err)
{
	const size_t begin = at[last - 1], n = at[last] - begin;

	out->n_iterations = last - first;
	out->clocks = clock_at(p, out->is_loop, at[last]) - clock_at(p, out->is_loop, at[first]);
	out->least = UINT64_MAX;
	for (size_t i = first; i < last; i++) {
		const uint64_t clocks =
		    clock_at(p, out->is_loop, at[i + 1]) - clock_at(p, out->is_loop, at[i]);

		out->least = clocks < out->least ? clocks : out->least;
		out->most = clocks > out->most ? clocks : out->most;
	}
	add_lines(p, at[first], at[last], out);
	move_ends(p, at[first], at[last], out);
	out->line = calloc(n, sizeof(*out->line));
	if (!out->line)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	out->n_line = n;
	for (size_t i = 0; i < n; i++) {
		out->line[i] = p->line[begin + i];
		shift(&out->line[i], origin_of(&p->line[begin]));
	}
	if (!out->is_loop && at[last] == p->n && out->line[n - 1].refused) {
		out->line[n - 1].is_last = true;
		out->line[n - 1].refused = 0;
	}
	return 0;
}

int asm_lines_measure(const struct asm_lines *l, unsigned n_unroll, struct asm_result *out,
		      struct spmu_error *err)
{
	const struct asm_pass *p = &l->pass[l->now ^ 1];
	size_t n = 0, first = 0, last, *at;
	int rc;

	if (l->has_failed)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (!p->is_complete)
		p = &l->pass[l->now];
	at = find_iterations(l, p, n_unroll, &n);
	if (!at)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	out->is_loop = l->head != 0;
	out->is_cut = !p->is_complete;
	if (n < 2 || at[0] == at[n - 1]) {
		free(at);
		return spmu_fail(
		    err, SPMU_EINVAL,
		    l->head ? "the loop ran fewer than two times; set its counter with -asm_init"
			    : "execution did not come to the end of the text");
	}
	last = n - 1;
	if (!l->head && last > 3)
		last--; /* behind the last copy comes other code */
	if (l->head || last > 2) {
		const size_t most = last * 3 / 4, unit = most >= WINDOW_UNIT ? WINDOW_UNIT : 1;
		const size_t window = most / unit * unit;

		first = last - (window ? window : 1);
	}
	rc = sum_up(p, at, first, last, out, err);
	free(at);
	return rc;
}

void asm_lines_free(struct asm_lines *l)
{
	free(l->pass[0].line);
	free(l->pass[1].line);
	memset(l->pass, 0, sizeof(l->pass));
}
