/* formula.c -- reads a formula into steps for a stack, and works them out. Rules and grammar are
 * in formula.h.
 *
 * An event that has no number makes the whole formula have none, and its reason is handed on.
 */
#include "event/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32 /* parentheses; also the deepest stack of values */

struct reader {
	const struct cat_cpu *cpu;
	const char *all, *at;
	struct evt_formula *out;
	struct spmu_error *err;
	unsigned depth;
};

static int read_sum(struct reader *r);

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static int wrong(struct reader *r, const char *what)
{
	return spmu_fail(r->err, SPMU_EINVAL, "formula %.200s: %s at %.20s", r->all, what,
			 *r->at ? r->at : "its end");
}

static int emit(struct reader *r, struct evt_formula_op op)
{
	if (r->out->n == EVT_FORMULA_OPS)
		return wrong(r, "longer than 64 terms and operators");
	r->out->op[r->out->n++] = op;
	return 0;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Length of the event name at s, with ":mask" parts. */
static size_t name_span(const char *s)
{
	size_t n = 0;

	while (is_name(s[n]) ||
	       (s[n] && strchr("/-&:.", s[n]) && (is_name(s[n + 1]) || s[n + 1] == '_')))
		n++;
	return n;
}

static int read_event(struct reader *r)
{
	char word[sizeof(((struct evt_event *)0)->name)];
	size_t n = name_span(r->at);
	struct evt_event e;
	int rc;

	if (n == 0 || n >= sizeof(word))
		return wrong(r, "an event or a number is missing");
	memcpy(word, r->at, n);
	word[n] = 0;
	rc = evt_parse_event(r->cpu, word, false, &e, r->err);
	if (rc)
		return rc;
	r->at += n;
	return emit(r, (struct evt_formula_op){EVT_F_EVENT, 0, e.event, e.umask});
}

static int read_factor(struct reader *r)
{
	int rc;

	skip_blanks(r);
	if (*r->at == '(') {
		if (++r->depth > DEEPEST - 2)
			return wrong(r, "too many parentheses");
		r->at++;
		rc = read_sum(r);
		if (rc)
			return rc;
		skip_blanks(r);
		if (*r->at != ')')
			return wrong(r, ") is missing");
		r->at++;
		r->depth--;
		return 0;
	}
	if (isdigit((unsigned char)*r->at) && !(r->at[0] == '0' && (r->at[1] | 32) == 'x')) {
		char *end;
		double number = strtod(r->at, &end);

		r->at = end;
		return emit(r, (struct evt_formula_op){.kind = EVT_F_NUMBER, .number = number});
	}
	return read_event(r);
}

static int read_product(struct reader *r)
{
	int rc = read_factor(r);

	while (!rc) {
		char c;

		skip_blanks(r);
		c = *r->at;
		if (c != '*' && c != '/')
			return 0;
		r->at++;
		rc = read_factor(r);
		if (!rc)
			rc = emit(
			    r, (struct evt_formula_op){.kind = c == '*' ? EVT_F_MUL : EVT_F_DIV});
	}
	return rc;
}

static int read_sum(struct reader *r)
{
	int rc = read_product(r);

	while (!rc) {
		char c;

		skip_blanks(r);
		c = *r->at;
		if (c != '+' && c != '-')
			return 0;
		r->at++;
		rc = read_product(r);
		if (!rc)
			rc = emit(
			    r, (struct evt_formula_op){.kind = c == '+' ? EVT_F_ADD : EVT_F_SUB});
	}
	return rc;
}

int evt_formula_parse(const struct cat_cpu *cpu, const char *text, struct evt_formula *out,
		      struct spmu_error *err)
{
	struct reader r = {.cpu = cpu, .all = text, .at = text, .out = out, .err = err};
	int rc;

	out->n = 0;
	rc = read_sum(&r);
	if (rc)
		return rc;
	skip_blanks(&r);
	return *r.at ? wrong(&r, "an operator is missing") : 0;
}

int evt_formula_events(const struct evt_formula *f, struct evt_events *list, struct spmu_error *err)
{
	for (unsigned i = 0; i < f->n; i++) {
		const struct evt_formula_op *op = &f->op[i];
		struct evt_event e;
		int rc;

		if (op->kind != EVT_F_EVENT || evt_events_find(list, op->event, op->umask) >= 0)
			continue;
		e = evt_event_of(op->event, op->umask);
		rc = evt_events_add(list, &e, err);
		if (rc)
			return rc;
	}
	return 0;
}

static struct evt_value no_value(enum evt_status status, const char *why, const struct cat_event *e)
{
	return (struct evt_value){0, status, why, e, 0};
}

/* A value with half of its interval, 0 where it is exact. */
struct term {
	long double value, half;
};

/* How errors of estimates depend on each other is not known here: the interval is the largest that
 * it can be, to the first order. */
static struct term work_out(enum evt_formula_kind kind, struct term a, struct term b)
{
	switch (kind) {
	case EVT_F_ADD: return (struct term){a.value + b.value, a.half + b.half};
	case EVT_F_SUB: return (struct term){a.value - b.value, a.half + b.half};
	case EVT_F_MUL:
		return (struct term){a.value * b.value,
				     a.half * fabsl(b.value) + b.half * fabsl(a.value)};
	default:
		return (struct term){a.value / b.value,
				     (a.half + b.half * fabsl(a.value / b.value)) / fabsl(b.value)};
	}
}

struct evt_value evt_formula_value(const struct evt_formula *f, const struct evt_events *list,
				   const struct evt_count *count)
{
	struct term stack[EVT_FORMULA_OPS];
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; i++) {
		const struct evt_formula_op *op = &f->op[i];
		int at;

		if (op->kind == EVT_F_NUMBER) {
			stack[n++] = (struct term){op->number, 0};
			continue;
		}
		if (op->kind == EVT_F_EVENT) {
			at = evt_events_find(list, op->event, op->umask);
			if (at < 0)
				return no_value(EVT_NOT_MODELLED, "not counted in this run",
						op->event);
			if (count[at].status != EVT_COUNTED)
				return no_value(count[at].status, count[at].why, op->event);
			stack[n++] = (struct term){count[at].value, count[at].half};
			continue;
		}
		n--;
		if (op->kind == EVT_F_DIV && stack[n].value == 0)
			return no_value(EVT_UNDEFINED, "division by zero", NULL);
		stack[n - 1] = work_out(op->kind, stack[n - 1], stack[n]);
	}
	if (!n)
		return (struct evt_value){0, EVT_COUNTED, NULL, NULL, 0};
	return (struct evt_value){stack[0].value, EVT_COUNTED, NULL, NULL, stack[0].half};
}
