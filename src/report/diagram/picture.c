/* picture.c -- which events of a processor's diagram are shown, and with which numbers. */
#include "report/diagram/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int begin_picture(const struct cat_cpu *cpu, struct dgm_picture *out)
{
	*out = (struct dgm_picture){.cpu = cpu, .table = cat_diagram_of(cpu)};
	if (!out->table)
		return -SPMU_ENOTSUP;
	out->number = calloc(out->table->n_event + 1, sizeof(*out->number));
	return out->number ? 0 : -SPMU_ENOMEM;
}

int dgm_of_cpu(const struct cat_cpu *cpu, struct dgm_picture *out)
{
	int rc = begin_picture(cpu, out);

	for (size_t i = 0; !rc && i < out->table->n_event; i++) {
		out->number[i].is_shown = cat_cpu_has_event(cpu, out->table->event[i].event);
		out->number[i].share = -1;
	}
	return rc;
}

/* Thousandths that `part` is of `whole`, rounded; -1 without a whole. */
static int share_of(uint64_t part, uint64_t whole)
{
	const double share = whole ? 1000.0 * (double)part / (double)whole : -1;

	return share > 999999 ? 999999 : share < 0 ? -1 : (int)(share + 0.5);
}

/* Where e is counted under its default mask; -1: nowhere. */
static int find_event(const struct rpt_report *r, const struct cat_event *e)
{
	return e ? evt_events_find(r->events, e, e->default_umask) : -1;
}

int dgm_of_report(const struct rpt_report *r, struct dgm_picture *out)
{
	int rc = begin_picture(r->cpu, out);

	out->has_numbers = true;
	for (size_t i = 0; !rc && i < out->table->n_event; i++) {
		const struct cat_diagram_event *e = &out->table->event[i];
		const int at = find_event(r, e->event), of = find_event(r, e->of);
		struct dgm_number *n = &out->number[i];

		n->share = -1;
		if (at < 0 || !cat_cpu_has_event(r->cpu, e->event))
			continue;
		n->is_shown = true;
		n->status = r->count[at].status;
		n->value = r->count[at].value;
		if (n->status == EVT_COUNTED && of >= 0 && r->count[of].status == EVT_COUNTED)
			n->share = share_of(n->value, r->count[of].value);
	}
	return rc;
}

void dgm_free(struct dgm_picture *p)
{
	free(p->number);
	*p = (struct dgm_picture){0};
}

bool dgm_shows(const struct rpt_report *r, size_t i)
{
	const struct cat_event *e = r->events->event[i].event;

	return cat_diagram_of(r->cpu) && find_event(r, e) == (int)i;
}

/* Returns true if the processor has another event with this code, on the other counter. */
static bool is_twin(const struct dgm_picture *p, const struct cat_event *e)
{
	for (size_t i = 0; i < p->table->n_event; i++) {
		const struct cat_event *o = p->table->event[i].event;

		if (o != e && o->code == e->code && cat_cpu_has_event(p->cpu, o))
			return true;
	}
	return false;
}

const char *dgm_code(const struct dgm_picture *p, const struct cat_event *e, char out[8])
{
	*out = 0;
	if (e->code > 0xff)
		return out;
	if (is_twin(p, e))
		snprintf(out, 8, "%02X.%d", (unsigned)e->code & 0xff, e->counters == 1 ? 0 : 1);
	else
		snprintf(out, 8, "%02X", (unsigned)e->code & 0xff);
	return out;
}

const char *dgm_share(const struct dgm_number *n, char out[8])
{
	*out = 0;
	if (n->share < 0)
		return out;
	if (n->share == 0 && n->value)
		snprintf(out, 8, "<0.1%%");
	else if (n->share < 1000)
		snprintf(out, 8, "%d.%d%%", n->share / 10, n->share % 10);
	else
		snprintf(out, 8, n->share < 99995 ? "%d%%" : ">999%%", (n->share + 5) / 10);
	return out;
}

const char *dgm_value(const struct dgm_number *n, bool has_groups, char out[40])
{
	char digits[24];
	int at = 0;

	if (n->status != EVT_COUNTED) {
		const char *why = rpt_status_text(n->status);
		const size_t length = strlen(why);

		snprintf(out, 40, "%.*s", length > 2 ? (int)length - 2 : 0,
			 length > 2 ? why + 1 : "");
		return out;
	}
	const int n_digit = snprintf(digits, sizeof(digits), "%" PRIu64, n->value);

	for (int i = 0; i < n_digit; i++) {
		if (has_groups && i && (n_digit - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
	return out;
}
