/* plan.c -- reads a plan and says its jobs. Rules: plan.h. */
#include "sweep/plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/tags.h"

#define MOST_FILE_BYTES 180u /* of a result's name: file systems take 255 */

static int out_of_memory(struct spmu_error *err)
{
	return spmu_fail(err, SPMU_ENOMEM, "out of memory");
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-+.", *p))
			return false;
	return *name && *name != '.' && *name != '-' && strlen(name) <= 64;
}

/* A program or trace of this name, without its command. NULL after a sentence. */
static struct swp_program *new_program(struct swp_plan *plan, const char *name, bool is_trace,
				       struct spmu_error *err)
{
	struct swp_program *more;

	if (!is_name(name)) {
		spmu_fail(err, SPMU_EINVAL,
			  "plan: '%s' names a program; a name is of letters, digits, _ - + and .",
			  name);
		return NULL;
	}
	for (size_t i = 0; i < plan->n_program; i++)
		if (!strcmp(plan->program[i].name, name)) {
			spmu_fail(err, SPMU_EINVAL,
				  "plan: there are two programs of the name '%s'; name one of them "
				  "otherwise",
				  name);
			return NULL;
		}
	more = realloc(plan->program, (plan->n_program + 1) * sizeof(*more));
	if (more) {
		plan->program = more;
		more += plan->n_program;
		memset(more, 0, sizeof(*more));
		more->is_trace = is_trace;
		more->name = strdup(name);
		plan->n_program += more->name != NULL;
	}
	if (!more || !more->name) {
		out_of_memory(err);
		return NULL;
	}
	return more;
}

static int take_program(struct swp_plan *plan, const char *name, bool is_trace, const char *rest,
			struct spmu_error *err)
{
	struct swp_program *p = new_program(plan, name, is_trace, err);
	struct spmu_error why = {0};

	if (!p)
		return -err->code;
	if (swp_words(rest, &p->command, &why) != 0)
		return spmu_fail(err, why.code, "plan: program %s: %s", name, why.text);
	if (!p->command.n)
		return spmu_fail(err, SPMU_EINVAL,
				 "plan: %s %s: what is run is missing behind the colon",
				 is_trace ? "trace" : "program", name);
	if (is_trace && (p->command.n > 1 || p->command.input))
		return spmu_fail(err, SPMU_EINVAL, "plan: trace %s: one file is wanted", name);
	return 0;
}

static int take_axis(struct swp_plan *plan, const char *option, const char *rest,
		     struct spmu_error *err)
{
	struct swp_axis *a = &plan->axis[plan->n_axis];
	struct spmu_error why = {0};

	for (size_t i = 0; i < plan->n_axis; i++)
		if (!strcmp(plan->axis[i].option, option))
			return spmu_fail(err, SPMU_EINVAL,
					 "plan: %s stands twice; put its values into one line",
					 option);
	if (plan->n_axis == SWP_MOST_AXES)
		return spmu_fail(err, SPMU_EINVAL, "plan: at most %u options have values",
				 SWP_MOST_AXES);
	a->option = strdup(option);
	if (!a->option)
		return out_of_memory(err);
	plan->n_axis++;
	if (swp_words(rest, &a->values, &why) != 0)
		return spmu_fail(err, why.code, "plan: %s: %s", option, why.text);
	if (!a->values.n || a->values.input)
		return spmu_fail(err, SPMU_EINVAL,
				 "plan: %s: its values are missing behind the colon", option);
	for (size_t i = 0; i < a->values.n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(a->values.word[i], a->values.word[k]))
				return spmu_fail(err, SPMU_EINVAL,
						 "plan: %s: the value %s stands twice", option,
						 a->values.word[i]);
	return 0;
}

/* A line, cut in two at its colon. */
static int take(struct swp_plan *plan, char *key, const char *rest, struct spmu_error *err)
{
	struct spmu_error why = {0};
	char *name = key + strcspn(key, " \t");

	if (*name) {
		*name++ = 0;
		name += strspn(name, " \t");
	}
	if (*name && (!strcmp(key, "program") || !strcmp(key, "trace")))
		return take_program(plan, name, *key == 't', rest, err);
	if (*name || !is_name(key) || !strcmp(key, "program") || !strcmp(key, "trace"))
		return spmu_fail(err, SPMU_EINVAL,
				 "plan: '%s %s:' begins no line; there are 'program NAME:', "
				 "'trace NAME:', 'options:' and 'OPTION:'",
				 key, name);
	if (strcmp(key, "options") != 0)
		return take_axis(plan, key, rest, err);
	if (swp_words(rest, &plan->options, &why) != 0 || plan->options.input)
		return spmu_fail(err, why.code ? why.code : SPMU_EINVAL, "plan: options: %s",
				 why.code ? why.text : "'<' belongs to a program");
	return 0;
}

int swp_plan_line(struct swp_plan *plan, const char *line, struct spmu_error *err)
{
	const size_t n = strcspn(line, "\r\n");
	char *copy, *colon, *end;
	int rc = 0;

	text_printf(&plan->text, "%.*s\n", (int)n, line);
	line += strspn(line, " \t");
	if (*line == '#' || !line[strspn(line, " \t\r\n")])
		return 0;
	copy = strndup(line, strcspn(line, "\r\n"));
	if (!copy || plan->text.has_failed) {
		free(copy);
		return out_of_memory(err);
	}
	colon = strchr(copy, ':');
	if (!colon) {
		rc = spmu_fail(err, SPMU_EINVAL,
			       "plan: '%.60s' has no colon; a line is 'program NAME: COMMAND' or "
			       "'OPTION: VALUE...'",
			       copy);
	} else {
		for (end = colon; end > copy && strchr(" \t", end[-1]); end--)
			;
		*end = 0;
		rc = take(plan, copy, colon + 1, err);
	}
	free(copy);
	return rc;
}

int swp_plan_file(struct swp_plan *plan, const char *path, struct spmu_error *err)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int rc = 0;

	if (!in)
		return spmu_fail(err, errno == ENOENT ? SPMU_ENOENT : SPMU_ESYS,
				 "cannot read the plan '%s': %s", path, strerror(errno));
	while (!rc && (n = getline(&line, &room, in)) >= 0)
		rc = strlen(line) == (size_t)n
			 ? swp_plan_line(plan, line, err)
			 : spmu_fail(err, SPMU_EINVAL, "the plan '%s' is no text", path);
	if (!rc && ferror(in))
		rc = spmu_fail(err, SPMU_ESYS, "cannot read the plan '%s': %s", path,
			       strerror(errno));
	free(line);
	if (in != stdin)
		fclose(in);
	return rc;
}

int swp_plan_program(struct swp_plan *plan, char *const *argv, struct spmu_error *err)
{
	const char *slash = strrchr(argv[0], '/');
	struct text line = {0}, words = {0};
	int rc;

	for (size_t i = 0; argv[i]; i++)
		swp_quote(&words, argv[i]);
	text_printf(&line, "program %s: %s", slash ? slash + 1 : argv[0], text_get(&words));
	rc = line.has_failed || words.has_failed ? out_of_memory(err)
						 : swp_plan_line(plan, line.bytes, err);
	text_free(&line);
	text_free(&words);
	return rc;
}

/* Look at options and axes as stat, or replay, would. */
static int check_options(const struct swp_plan *plan, bool is_trace, swp_check *check,
			 struct spmu_error *err)
{
	struct swp_words w = {0};
	struct text option = {0};
	int rc = swp_words_add(&w, is_trace ? "replay" : "stat");

	for (size_t i = 0; i < plan->options.n && !rc; i++)
		rc = swp_words_add(&w, plan->options.word[i]);
	for (size_t i = 0; i < plan->n_axis && !rc; i++)
		for (size_t k = 0; k < plan->axis[i].values.n && !rc; k++) {
			text_free(&option);
			text_printf(&option, "--%s", plan->axis[i].option);
			rc = option.has_failed ? -SPMU_ENOMEM : swp_words_add(&w, option.bytes);
			rc = rc ? rc : swp_words_add(&w, plan->axis[i].values.word[k]);
		}
	text_free(&option);
	if (rc)
		spmu_fail(err, -rc, "out of memory");
	else
		rc = check(is_trace, (int)w.n, w.word);
	swp_words_free(&w);
	return rc;
}

int swp_plan_check(struct swp_plan *plan, swp_check *check, struct spmu_error *err)
{
	bool has_kind[2] = {false, false};
	int rc = 0;

	if (!plan->n_program)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "plan: which program? write a line 'program NAME: COMMAND', or the "
		    "program behind --");
	plan->n_job = plan->n_program;
	for (size_t i = 0; i < plan->n_axis; i++) {
		if (plan->n_job > SWP_MOST_JOBS / plan->axis[i].values.n)
			return spmu_fail(err, SPMU_EINVAL,
					 "plan: it has more than %u jobs; make several plans of it",
					 SWP_MOST_JOBS);
		plan->n_job *= plan->axis[i].values.n;
	}
	for (size_t i = 0; i < plan->n_program; i++)
		has_kind[plan->program[i].is_trace] = true;
	for (int kind = 0; kind < 2 && !rc; kind++)
		if (has_kind[kind])
			rc = check_options(plan, kind, check, err);
	return rc;
}

void swp_plan_free(struct swp_plan *plan)
{
	for (size_t i = 0; i < plan->n_program; i++) {
		free(plan->program[i].name);
		swp_words_free(&plan->program[i].command);
	}
	for (size_t i = 0; i < plan->n_axis; i++) {
		free(plan->axis[i].option);
		swp_words_free(&plan->axis[i].values);
	}
	free(plan->program);
	swp_words_free(&plan->options);
	text_free(&plan->text);
	memset(plan, 0, sizeof(*plan));
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* The program of job i, and the value of each axis. */
static const struct swp_program *choose(const struct swp_plan *plan, size_t i,
					const char *value[SWP_MOST_AXES])
{
	for (size_t a = plan->n_axis; a--; i /= plan->axis[a].values.n)
		value[a] = plan->axis[a].values.word[i % plan->axis[a].values.n];
	return &plan->program[i];
}

static void add_tag(struct text *out, const char *name, const char *value)
{
	struct text tag = {0};

	text_printf(&tag, "%s=%s", name, value);
	swp_quote(out, "--tag");
	swp_quote(out, text_get(&tag));
	text_free(&tag);
}

/* Engines give each job variables of their own, as its number, and programs read them. */
static bool says_environment(const struct swp_plan *plan)
{
	for (size_t i = 0; i < plan->options.n; i++)
		if (!strcmp(plan->options.word[i], "--env") ||
		    !strncmp(plan->options.word[i], "--env=", 6))
			return true;
	for (size_t a = 0; a < plan->n_axis; a++)
		if (!strcmp(plan->axis[a].option, "env"))
			return true;
	return false;
}

void swp_job_command(const struct swp_plan *plan, size_t i, const char *softpmu, const char *dir,
		     struct text *out)
{
	const char *value[SWP_MOST_AXES];
	const struct swp_program *p = choose(plan, i, value);
	struct text file = {0}, path = {0}, said = {0};

	swp_job_file(plan, i, &file);
	text_printf(&path, "%s/%s", dir, text_get(&file));
	text_printf(out, "env --default-signal"); /* GNU parallel ignores some, and programs ask */
	swp_quote(out, softpmu);
	swp_quote(out, p->is_trace ? "replay" : "stat");
	swp_quote(out, "--json");
	swp_quote(out, "--no-clobber");
	swp_quote(out, "-o");
	swp_quote(out, text_get(&path));
	add_tag(out, "program", p->name);
	for (size_t a = 0; a < plan->n_axis; a++) {
		text_printf(out, " --%s", plan->axis[a].option);
		swp_quote(out, value[a]);
		add_tag(out, plan->axis[a].option, value[a]);
	}
	if (!p->is_trace && !says_environment(plan))
		text_printf(out, " --env clean");
	for (size_t k = 0; k < plan->options.n; k++)
		swp_quote(out, plan->options.word[k]);
	swp_quote(out, "--");
	for (size_t k = 0; k < p->command.n; k++)
		swp_quote(out, p->command.word[k]);
	text_printf(out, " <");
	if (p->command.input)
		swp_quote(out, p->command.input);
	else
		text_printf(out, "/dev/null");
	/* what standard error is may decide what a program does: it is a file under any engine */
	text_free(&path);
	swp_job_said(&file, dir, &path);
	swp_quote(&said, text_get(&path));
	text_printf(out, " >/dev/null 2>%s", text_get(&said));
	out->has_failed |= file.has_failed || path.has_failed || said.has_failed;
	text_free(&file);
	text_free(&path);
	text_free(&said);
}

void swp_job_said(const struct text *file, const char *dir, struct text *out)
{
	const int n = file->n > 5 ? (int)file->n - 5 : 0; /* without .json */

	text_printf(out, "%s/%.*s.err", dir, n, text_get(file));
	out->has_failed |= file->has_failed;
}

static uint64_t hash_of(const char *s)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

/* A name of a file says the tags where they are short and plain, and else a hash of them, too. */
void swp_job_file(const struct swp_plan *plan, size_t i, struct text *out)
{
	const char *value[SWP_MOST_AXES];
	const struct swp_program *p = choose(plan, i, value);
	struct text name = {0};
	uint64_t hash;
	bool is_plain;

	text_printf(&name, "%s", p->name);
	for (size_t a = 0; a < plan->n_axis; a++)
		text_printf(&name, ",%s=%s", plan->axis[a].option, value[a]);
	is_plain = name.n <= MOST_FILE_BYTES;
	hash = hash_of(text_get(&name));
	for (char *c = name.bytes; c && *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-+.,=:", *c)) {
			*c = '_';
			is_plain = false;
		}
	if (is_plain)
		text_printf(out, "%s.json", text_get(&name));
	else
		text_printf(out, "%.*s-%016" PRIx64 ".json", (int)MOST_FILE_BYTES, text_get(&name),
			    hash);
	out->has_failed |= name.has_failed;
	text_free(&name);
}

void swp_job_tags(const struct swp_plan *plan, size_t i, struct text *out)
{
	const char *value[SWP_MOST_AXES];
	const struct swp_program *p = choose(plan, i, value);
	struct swp_tag tag[SWP_MOST_AXES + 1];
	size_t n = 0;

	tag[n++] = (struct swp_tag){"program", p->name};
	for (size_t a = 0; a < plan->n_axis; a++)
		tag[n++] = (struct swp_tag){plan->axis[a].option, value[a]};
	swp_tags_write(tag, n, out);
}
