/* limits.c -- reads --limit and compares two counts by it. The spellings are in limits.h. */
#include "cli/where/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/where/reader.h"

#define ALL  "@all"
#define MAIN "main:"

#define LOOKS_LIKE_PERCENT 100
#define LEAST_DISTANCE	   16u /* more samples cost what all clocks cost */

int cli_limit_option(struct cli_limits *l, const char *text)
{
	const char *is = strrchr(text, '=');
	struct cli_limit *m = &l->limit[l->n];
	char *end = NULL;

	if (l->n == CLI_MOST_LIMITS) {
		cli_fail("--limit %s: %u limits are the most", text, CLI_MOST_LIMITS);
		return -1;
	}
	*m = (struct cli_limit){.text = text, .name = text, .percent = -1};
	m->is_main = !strncmp(text, MAIN, strlen(MAIN));
	m->name += m->is_main ? strlen(MAIN) : 0;
	if (is && is > m->name && is[1] >= '+' && is[1] <= '9') {
		m->name_bytes = (int)(is - m->name);
		errno = 0;
		if (strchr(is, '%')) {
			m->percent = strtod(is + 1, &end);
			end += end && *end == '%';
		} else {
			m->more = strtoll(is + 1, &end, 10);
		}
	}
	if (!end || end == is + 1 || *end || errno || m->more < 0 || !(m->percent >= -1) ||
	    (strchr(is, '%') && m->percent < 0)) {
		cli_fail("--limit %s: write EVENT=1%%, EVENT=+1000 or @all=5%%", text);
		return -1;
	}
	if (is[1] >= '1' && is[1] <= '9' && m->percent < 0 && m->more <= LOOKS_LIKE_PERCENT)
		fprintf(stderr,
			"softpmu: --limit %s lets the event rise by %lld and no more; %.*s=%s%% is "
			"percent\n",
			text, (long long)m->more, (int)(is - text), text, is + 1);
	l->n++;
	return 1;
}

bool cli_limit_is_about(const struct cli_limit *m, const char *name)
{
	const size_t n = (size_t)m->name_bytes;

	return (n == strlen(ALL) && !strncmp(m->name, ALL, n)) ||
	       (strlen(name) == n && !strncasecmp(m->name, name, n));
}

bool cli_limit_means(const struct cli_limit *m, const struct cat_cpu *cpu,
		     const struct evt_event *e)
{
	struct evt_event named;
	struct spmu_error err;
	char name[sizeof(named.name)];

	if (cli_limit_is_about(m, e->name))
		return true;
	snprintf(name, sizeof(name), "%.*s", m->name_bytes, m->name);
	return !evt_parse_event(cpu, name, true, &named, &err) && evt_is_same(&named, e);
}

enum cli_judgement cli_limit_judge(const struct cli_limit *m, bool is_both_ways, uint64_t old,
				   uint64_t new, double half, double *beyond)
{
	const uint64_t change = new > old ? new - old : old - new;
	const long double most =
	    m->percent < 0 ? (long double)m->more : m->percent * (long double)old / 100;
	const long double by =
	    (new > old || is_both_ways ? (long double)change : -(long double)change) - most;

	*beyond = (double)by;
	return by > half ? CLI_LIMIT_IS_BROKEN : by > -half ? CLI_LIMIT_IS_OPEN : CLI_LIMIT_IS_KEPT;
}

/* A quarter of the distance halves an interval; there is room for as much again. */
const char *cli_limit_decider(unsigned every, double half, double beyond, char *out, size_t room)
{
	const double wanted = (double)every * beyond * beyond / (half * half) / 2;
	unsigned n = 1;

	while (n < 32768 && 2.0 * n <= wanted)
		n *= 2;
	if (n < LEAST_DISTANCE)
		snprintf(out, room, "--clocks exact");
	else
		snprintf(out, room, "--clocks sampled:1/%u", n);
	return out;
}

int cli_limits_check(struct cli_limits *l, const struct rec *r)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct cli_limit *m = &l->limit[i];
		char name[128];
		uint32_t event;
		int code;

		snprintf(name, sizeof(name), "%.*s", m->name_bytes, m->name);
		if (!strcmp(name, ALL))
			continue;
		code = cli_record_event(r, "--limit", name, &event);
		if (code)
			return code;
		m->name = r->event[event].name;
		m->name_bytes = (int)strlen(m->name);
	}
	return 0;
}

const struct cli_limit *cli_limits_find(const struct cli_limits *l, enum cli_judgement wanted,
					bool is_main, const char *name, uint64_t old, uint64_t new,
					double half)
{
	double beyond;

	for (unsigned i = 0; i < l->n; i++) {
		const struct cli_limit *m = &l->limit[i];

		if (m->is_main == is_main && cli_limit_is_about(m, name) &&
		    cli_limit_judge(m, l->is_both_ways, old, new, half, &beyond) == wanted)
			return m;
	}
	return NULL;
}
