/* reader.c -- what the commands that read a record have in common: event names, notes, --by. */
#include "cli/where/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/spelling.h"
#include "cli/cli.h"
#include "event/events.h"
#include "where/interval.h"

/* Index of the record's event that `name` means, or -1. */
static int find_spelling(const struct rec *r, const char *name)
{
	const struct cat_cpu *cpu = cat_find_cpu(rec_text(r->meta, "cpu"));
	struct evt_event wanted, e;
	struct spmu_error err;

	if (!cpu || evt_parse_event(cpu, name, true, &wanted, &err))
		return -1;
	for (uint32_t i = 0; i < r->n_event; i++)
		if (!evt_parse_event(cpu, r->event[i].name, true, &e, &err) &&
		    evt_is_same(&wanted, &e))
			return (int)i;
	return -1;
}

/* Index of the record's event that is called so, or -1. Others are offered for a question. */
static int find_name(const struct rec *r, const char *name, struct spelling_search *s)
{
	for (uint32_t i = 0; i < r->n_event; i++) {
		spelling_offer(s, r->event[i].name);
		if (!strcasecmp(r->event[i].name, name))
			return (int)i;
	}
	return find_spelling(r, name);
}

int cli_record_event(const struct rec *r, const char *option, const char *name, uint32_t *out)
{
	struct spelling_search s = {.word = name};
	const int e = find_name(r, name, &s);
	char ask[SPELLING_TEXT];

	if (e < 0)
		return cli_fail(
		    "%s %s: the record has no such event%s (softpmu record -e takes more)", option,
		    name, spelling_ask(&s, "", ask));
	*out = (uint32_t)e;
	if (*r->event[e].status)
		return cli_fail("%s %s: it is %s, in the record, too", option, name,
				r->event[e].status);
	return 0;
}

int cli_record_generic(const struct rec *r, const struct cat_cpu *cpu, const char *name)
{
	uint8_t umask = 0;
	const struct cat_event *wanted = cat_find_generic(cpu, name, &umask);
	struct spmu_error err;

	for (uint32_t i = 0; i < r->n_event && wanted; i++) {
		struct evt_event e;

		if (!*r->event[i].status &&
		    !evt_parse_event(cpu, r->event[i].name, true, &e, &err) && e.event == wanted &&
		    e.umask == umask && !e.cmask && !e.edge)
			return (int)i;
	}
	return -1;
}

uint32_t cli_record_first(const struct rec *r)
{
	for (uint32_t e = 0; e < r->n_event; e++)
		if (!*r->event[e].status)
			return e;
	return 0;
}

uint32_t cli_record_chief(const struct rec *r)
{
	const struct cat_cpu *cpu = cat_find_cpu(rec_text(r->meta, "cpu"));
	const int clocks = cpu ? cli_record_generic(r, cpu, "cycles") : -1;
	unsigned before = 0;

	for (int e = 0; e < clocks; e++)
		before += !*r->event[e].status;
	return clocks >= 0 && before >= CLI_TOP_DEFAULT ? (uint32_t)clocks : cli_record_first(r);
}

unsigned cli_record_columns(const struct rec *r, uint32_t first, uint32_t *out)
{
	unsigned n = 0;

	out[n++] = first;
	for (uint32_t e = 0; e < r->n_event && n < CLI_TOP_DEFAULT; e++)
		if (!*r->event[e].status && e != first)
			out[n++] = e;
	return n;
}

int cli_record_events(const struct rec *r, const char *text, uint32_t *out, unsigned *n,
		      unsigned most)
{
	char name[128];
	int code = 0;

	for (*n = 0; *text && !code; (*n)++) {
		const size_t bytes = strcspn(text, ",");

		snprintf(name, sizeof(name), "%.*s",
			 bytes < sizeof(name) ? (int)bytes : (int)sizeof(name) - 1, text);
		if (*n == most)
			return cli_fail("-e %s: %u events side by side are the most", text, most);
		code = cli_record_event(r, "-e", name, &out[*n]);
		text += bytes;
		text += *text == ',';
	}
	return code;
}

int cli_record_select(struct rec *r, const char *birth)
{
	if (!birth || rec_select(r, birth))
		return 0;
	if (strchr(birth, ':') && !rec_has_threads(r))
		return cli_fail(
		    "--process %s: the record does not tell threads apart; softpmu record "
		    "--per-thread does",
		    birth);
	return cli_fail(
	    "--process %s: the record has no such process; softpmu report --by %s lists "
	    "them",
	    birth, rec_has_threads(r) ? "thread" : "process");
}

void cli_record_notes(const char *changed, const struct nm *names)
{
	if (changed)
		fprintf(stderr,
			"softpmu: '%s' is not what was recorded: it has changed since, or is gone; "
			"its functions have no names\n",
			changed);
	if (nm_trouble(names))
		fprintf(stderr, "softpmu: %s\n", nm_trouble(names));
}

void cli_record_note_estimates(const struct rec *r, FILE *out)
{
	char text[WHR_ESTIMATES];

	if (*whr_estimates(r, text))
		fprintf(out, " Note: estimates by samples, +- half of an interval at 95 %%: %s.\n",
			text);
}

const char *cli_record_command(const struct rec *r, char *out, size_t room)
{
	const json_t *list = json_object_get(r->meta, "command"), *word;
	size_t i, n = 0;

	*out = 0;
	json_array_foreach(list, i, word)
	{
		const char *text = json_string_value(word);

		if (text && n < room)
			n += (size_t)snprintf(out + n, room - n, "%s%s", i ? " " : "", text);
	}
	return out;
}

int cli_by_option(const char *value, enum whr_by *out)
{
	static const char *const names[] = {"function", "line",	   "file",  "object",
					    "process",	"address", "thread"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(value, names[i])) {
			*out = (enum whr_by)i;
			return 1;
		}
	cli_fail("--by %s: choose function, line, file, object, process, thread or address", value);
	return -1;
}
