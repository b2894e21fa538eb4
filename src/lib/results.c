/* results.c -- what the regions counted, as numbers, text and JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "lib/lib.h"

/* What region `i` counted in t; false when it never ended there. */
static bool thread_total(struct spmu_thread *t, size_t i, struct spmu_total *out)
{
	memset(out, 0, sizeof(*out));
	pthread_mutex_lock(&t->lock);
	if (i < t->n_slot)
		*out = t->slot[i].total;
	pthread_mutex_unlock(&t->lock);
	return out->entries != 0;
}

/* With the session's lock held. */
static void session_total(struct spmu *s, size_t i, struct spmu_total *out)
{
	memset(out, 0, sizeof(*out));
	for (struct spmu_thread *t = s->first; t; t = t->next) {
		struct spmu_total own;

		if (thread_total(t, i, &own))
			lib_add_total(out, &own, s->events.n);
	}
}

int spmu_region_total(struct spmu *s, int region, struct spmu_total *out)
{
	int rc = -SPMU_EINVAL;

	pthread_mutex_lock(&s->lock);
	if (region > LIB_EMPTY_REGION && (size_t)region < s->n_region) {
		session_total(s, (size_t)region, out);
		rc = 0;
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* ---- text ---------------------------------------------------------------------------------- */

static int width_of(const struct hw_event *e)
{
	const int n = (int)strlen(e->name) + (e->is_clock ? 5 : 0);

	return n < 16 ? 16 : n;
}

static void put_heading(const struct spmu *s, int names, FILE *out)
{
	fprintf(out, "\n %-*s %10s", names, "region", "entries");
	for (size_t i = 0; i < s->events.n; i++) {
		const struct hw_event *e = &s->events.event[i];

		fprintf(out, "  %*s%s", width_of(e) - (e->is_clock ? 5 : 0), e->name,
			e->is_clock ? " (ns)" : "");
	}
	fputc('\n', out);
}

static void put_line(const struct spmu *s, const char *name, int names,
		     const struct spmu_total *total, FILE *out)
{
	fprintf(out, " %-*s %10" PRIu64, names, name, total->entries);
	for (size_t i = 0; i < s->events.n; i++)
		fprintf(out, "  %*" PRIu64, width_of(&s->events.event[i]), total->sum[i]);
	fputc('\n', out);
}

static int threads_with_results(struct spmu *s)
{
	struct spmu_total total;
	int n = 0;

	for (struct spmu_thread *t = s->first; t; t = t->next)
		for (size_t i = 1; i < s->n_region; i++)
			if (thread_total(t, i, &total)) {
				n++;
				break;
			}
	return n;
}

static void put_text(struct spmu *s, FILE *out)
{
	struct spmu_total total;
	int names = 20;

	for (size_t i = 1; i < s->n_region; i++)
		if ((int)strlen(s->region[i]) > names)
			names = (int)strlen(s->region[i]);
	put_heading(s, names, out);
	for (size_t i = 1; i < s->n_region; i++) {
		session_total(s, i, &total);
		put_line(s, s->region[i], names, &total, out);
	}
	if (threads_with_results(s) > 1)
		for (struct spmu_thread *t = s->first; t; t = t->next) {
			fprintf(out, "\n Thread %d:\n", t->number);
			for (size_t i = 1; i < s->n_region; i++)
				if (thread_total(t, i, &total))
					put_line(s, s->region[i], names, &total, out);
		}
	fprintf(out, "\n Counted on %s; the least cost of a measurement is taken off.\n\n",
		s->machine.name);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Names may hold any bytes; JSON wants UTF-8, so what is no ASCII is written as \u00XX. */
static void put_string(const char *s, FILE *out)
{
	fputc('"', out);
	for (; *s; s++) {
		const unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void put_numbers(const char *key, const uint64_t *value, size_t n, FILE *out)
{
	fprintf(out, ", \"%s\": [", key);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu64, i ? ", " : "", value[i]);
	fputc(']', out);
}

static void put_region(const struct spmu *s, size_t i, const struct spmu_total *total,
		       bool is_first, FILE *out)
{
	fprintf(out, "%s\n    {\"name\": ", is_first ? "" : ",");
	put_string(s->region[i], out);
	fprintf(out, ", \"entries\": %" PRIu64, total->entries);
	put_numbers("counts", total->sum, s->events.n, out);
	put_numbers("least", total->least, s->events.n, out);
	put_numbers("most", total->most, s->events.n, out);
	fputc('}', out);
}

static void put_thread(struct spmu *s, struct spmu_thread *t, FILE *out)
{
	struct spmu_total total;
	bool is_first = true;

	fprintf(out, "%s\n   {\"number\": %d, \"tid\": %d, \"read\": \"%s\"", t->number ? "," : "",
		t->number, (int)t->tid, t->usual == LIB_INLINE ? "rdpmc" : "read");
	put_numbers("least_cost", t->least_region[t->usual][t->usual], s->events.n, out);
	fprintf(out, ", \"regions\": [");
	for (size_t i = 1; i < s->n_region; i++)
		if (thread_total(t, i, &total)) {
			put_region(s, i, &total, is_first, out);
			is_first = false;
		}
	fputs("]}", out);
}

static void put_json(struct spmu *s, FILE *out)
{
	struct spmu_total total;

	fprintf(out, "{\"softpmu_regions\": 1, \"machine\": ");
	put_string(s->machine.name, out);
	fprintf(out, ", \"pid\": %d, \"serial\": %s,\n \"events\": [", (int)s->pid,
		s->is_serial ? "true" : "false");
	for (size_t i = 0; i < s->events.n; i++) {
		const struct hw_event *e = &s->events.event[i];

		fprintf(out, "%s\n    {\"name\": ", i ? "," : "");
		put_string(e->name, out);
		fprintf(out, ", \"type\": %" PRIu32 ", \"config\": %" PRIu64 ", \"unit\": \"%s\"}",
			e->type, e->config, e->is_clock ? "ns" : "");
	}
	fprintf(out, "],\n \"regions\": [");
	for (size_t i = 1; i < s->n_region; i++) {
		session_total(s, i, &total);
		put_region(s, i, &total, i == 1, out);
	}
	fprintf(out, "],\n \"threads\": [");
	for (struct spmu_thread *t = s->first; t; t = t->next)
		put_thread(s, t, out);
	fprintf(out, "]}\n");
}

int spmu_print(struct spmu *s, enum spmu_format format, FILE *out)
{
	pthread_mutex_lock(&s->lock);
	if (format == SPMU_JSON)
		put_json(s, out);
	else
		put_text(s, out);
	pthread_mutex_unlock(&s->lock);
	return fflush(out) || ferror(out) ? -SPMU_ESYS : 0;
}

/* The file of `pattern`, %p in it replaced by our number. NULL when it cannot be made. */
static FILE *open_output(const char *pattern)
{
	struct text name = {0};
	FILE *out;

	for (const char *p = pattern; *p; p++) {
		if (p[0] == '%' && p[1] == 'p') {
			text_printf(&name, "%d", (int)getpid());
			p++;
		} else {
			text_printf(&name, "%c", *p);
		}
	}
	out = name.has_failed ? NULL : fopen(text_get(&name), "we");
	text_free(&name);
	return out;
}

static int print_as_set(struct spmu *s)
{
	FILE *out = stderr;
	int rc;

	if (s->output && !strcmp(s->output, "-"))
		out = stdout;
	else if (s->output)
		out = open_output(s->output);
	rc = out ? spmu_print(s, s->format, out) : -SPMU_ESYS;
	if (out && out != stdout && out != stderr && fclose(out))
		rc = -SPMU_ESYS;
	return rc;
}

int spmu_finish(struct spmu *s)
{
	int rc;

	if (!s)
		return 0;
	rc = print_as_set(s);
	spmu_close(s);
	return rc;
}

static void finish(int status, void *session)
{
	struct spmu *s = session;

	if (getpid() != s->pid) /* a child of fork() that ends counted nothing */
		return;
	if (print_as_set(s)) /* there is nobody else to say it */
		fprintf(stderr, "softpmu: the counts cannot be written%s%s\n",
			s->output ? " to " : "", s->output ? s->output : "");
	spmu_close(s);
}

int spmu_finish_at_exit(struct spmu *s)
{
#ifdef __GLIBC__
	return on_exit(finish, s) ? -SPMU_ENOMEM : 0;
#else
	(void)finish;
	return -SPMU_ENOTSUP;
#endif
}
