/* speedscope.c -- softpmu export speedscope: one profile of kind "sampled" per event, whose weights
 * are counts and sum to the total. The outermost frame is the process when there are several.
 * Format: https://www.speedscope.app/file-format-schema.json.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/version.h"
#include "cli/export/export.h"
#include "cli/where/reader.h"
#include "report/json.h"

struct speed {
	const struct cli_export *x;
	struct whr_stacks stacks;
	struct cli_texts frames; /* the first ones are the processes */
	uint32_t *frame;	 /* by stack: number of its frame; owned */
	FILE *out;
	bool is_lost;
};

static void put_text(struct speed *s, const char *text)
{
	json_t *value = rpt_json_text(text);

	s->is_lost |= !value || json_dumpf(value, s->out, JSON_ENCODE_ANY);
	json_decref(value);
}

static void put_frame(struct speed *s, const char *name, const struct whr_spot *at)
{
	fputs(s->frames.n > 1 ? ",\n{\"name\":" : "\n{\"name\":", s->out);
	put_text(s, name);
	if (*at->file) {
		fputs(",\"file\":", s->out);
		put_text(s, at->file);
	} else if (*at->object) {
		fputs(",\"file\":", s->out);
		put_text(s, at->object);
	}
	fputc('}', s->out);
}

/* What the file is called: the command, and which of its counts are estimates. */
static void put_file_name(struct speed *s)
{
	char command[4096], estimates[CLI_ESTIMATES], name[sizeof(command) + sizeof(estimates) + 4];

	cli_record_command(s->x->rec, command, sizeof(command));
	cli_export_estimates(s->x->rec, estimates);
	snprintf(name, sizeof(name), "%s (%s)", command, estimates);
	put_text(s, *estimates ? name : command);
}

/* All frames, each once: processes, then functions. */
static int put_frames(struct speed *s)
{
	const struct whr_spot nowhere = {.object = "", .file = ""};
	const struct rec *r = s->x->rec;
	bool is_new;

	for (uint32_t i = 0; i < r->n_process; i++) {
		char name[256], key[300];

		cli_process_name(r, i, name, sizeof(name));
		snprintf(key, sizeof(key), "%" PRIu32, i); /* no function has line ends */
		cli_text_number(&s->frames, key, &is_new);
		put_frame(s, name, &nowhere);
	}
	for (uint32_t i = 0; i < s->stacks.n; i++) {
		const struct whr_stack *k = &s->stacks.stack[i];
		char *key;

		if (asprintf(&key, "%s\n%s", k->function, k->at.object) < 0)
			return -SPMU_ENOMEM;
		s->frame[i] = cli_text_number(&s->frames, key, &is_new) - 1;
		free(key);
		if (is_new)
			put_frame(s, k->function, &k->at);
	}
	return s->frames.is_lost ? -SPMU_ENOMEM : 0;
}

static void put_samples(struct speed *s, uint32_t event)
{
	uint32_t way[CLI_MOST_WAY];
	bool is_first = true;

	fputs(",\"samples\":[", s->out);
	for (uint32_t i = 0; i < s->stacks.n; i++) {
		uint32_t n;

		if (!s->stacks.stack[i].count[event])
			continue;
		n = cli_stack_way(&s->stacks, i, way);
		fputs(is_first ? "\n[" : ",\n[", s->out);
		if (s->x->rec->n_process > 1)
			fprintf(s->out, "%" PRIu32 ",", s->stacks.stack[i].process);
		for (uint32_t k = 0; k < n; k++)
			fprintf(s->out, k ? ",%" PRIu32 : "%" PRIu32, s->frame[way[k]]);
		fputc(']', s->out);
		is_first = false;
	}
	is_first = true;
	fputs("],\"weights\":[", s->out);
	for (uint32_t i = 0; i < s->stacks.n; i++) {
		const int64_t n = s->stacks.stack[i].count[event];

		if (n)
			fprintf(s->out, is_first ? "%" PRId64 : ",%" PRId64, n);
		is_first = is_first && !n;
	}
	fputc(']', s->out);
}

/* Returns how many profiles stand before that of the event that shows first. */
static uint32_t put_profiles(struct speed *s)
{
	const struct rec *r = s->x->rec;
	uint32_t n = 0, active = 0;

	for (uint32_t e = 0; e < r->n_event; e++) {
		if (*r->event[e].status)
			continue;
		active = e == s->x->event ? n : active;
		fputs(n++ ? ",\n{\"type\":\"sampled\",\"name\":"
			  : "\n{\"type\":\"sampled\",\"name\":",
		      s->out);
		put_text(s, r->event[e].name);
		fprintf(s->out, ",\"unit\":\"none\",\"startValue\":0,\"endValue\":%" PRIu64,
			r->event[e].total);
		put_samples(s, e);
		fputc('}', s->out);
	}
	return active;
}

int cli_put_speedscope(const struct cli_export *x, FILE *out)
{
	struct speed s = {.x = x, .out = out};
	int rc = whr_stacks_build(&s.stacks, x->rec, x->names);

	if (!rc) {
		s.frame = calloc(s.stacks.n + 1u, sizeof(*s.frame));
		rc = s.frame ? 0 : -SPMU_ENOMEM;
	}
	if (!rc) {
		fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":\"softpmu " SPMU_VERSION "\",\n\"name\":",
		      out);
		put_file_name(&s);
		fputs(",\n\"shared\":{\"frames\":[", out);
		rc = put_frames(&s);
	}
	if (!rc) {
		uint32_t active;

		fputs("]},\n\"profiles\":[", out);
		active = put_profiles(&s);
		fprintf(out, "],\n\"activeProfileIndex\":%" PRIu32 "}\n", active);
		rc = s.is_lost ? -SPMU_ENOMEM : 0;
	}
	free(s.frame);
	cli_texts_free(&s.frames);
	whr_stacks_free(&s.stacks);
	return rc;
}
