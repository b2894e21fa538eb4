/* differ.c -- which inputs of two runs differ, in the order in which a program meets them. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "report/against/inputs.h"

/* The function that each difference is reported to, and how many there were. */
struct teller {
	void (*tell)(void *ctx, const char *difference);
	void *ctx;
	unsigned n;
};

__attribute__((format(printf, 2, 3))) static void say(struct teller *t, const char *format, ...)
{
	char text[RPT_DIFFERENCE_BYTES];
	va_list args;

	t->n++;
	if (!t->tell)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	t->tell(t->ctx, text);
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* A setting of softpmu's own. */
static void compare_setting(struct teller *t, const json_t *was, const json_t *is, const char *key,
			    const char *what)
{
	const char *a = text_of(was, key), *b = text_of(is, key);

	if (*a && strcmp(a, b))
		say(t, "%s differs (was %.60s, is %.60s)", what, a, b);
}

/* How many variables differ between two objects of them. */
static size_t count_variables(const json_t *a, json_t *b)
{
	const char *name;
	json_t *value;
	size_t n = 0, n_both = 0;

	json_object_foreach(b, name, value)
	{
		const json_t *old = json_object_get(a, name);

		n_both += old != NULL;
		n += !old || !json_equal(old, value);
	}
	return n + json_object_size(a) - n_both;
}

/* A clean environment and the shell's differ in everything: that is one difference, the option's.
 * Returns true if it was reported. */
static bool compare_env_option(struct teller *t, const json_t *was, const json_t *is)
{
	const char *a = text_of(was, "env"), *b = text_of(is, "env");
	const size_t n = count_variables(json_object_get(was, "environment"),
					 json_object_get(is, "environment"));

	if (!*a || !*b || !strcmp(a, b))
		return false;
	say(t, "--env: was %.60s, is %.60s (%zu variable%s differ%s)", a, b, n, n == 1 ? "" : "s",
	    n == 1 ? "s" : "");
	return true;
}

static void compare_digest(struct teller *t, const json_t *was, const json_t *is)
{
	if (*text_of(was, "settings") && strcmp(text_of(was, "settings"), text_of(is, "settings")))
		say(t, "an option about the machine or the run differs (such as --cpus, --l1d, "
		       "--set, --clock)");
}

static void compare_settings(struct teller *t, const json_t *was, const json_t *is)
{
	const json_int_t a = json_integer_value(json_object_get(was, "seed"));
	const json_int_t b = json_integer_value(json_object_get(is, "seed"));

	compare_setting(t, was, is, "version", "softpmu's version");
	compare_setting(t, was, is, "cpu", "--cpu");
	compare_setting(t, was, is, "isa", "--isa");
	if (a != b && json_is_integer(json_object_get(was, "seed")))
		say(t, "--seed differs (was %" JSON_INTEGER_FORMAT ", is %" JSON_INTEGER_FORMAT ")",
		    a, b);
	compare_digest(t, was, is);
}

static void compare_arguments(struct teller *t, const json_t *was, const json_t *is)
{
	const json_t *a = json_object_get(was, "argv"), *b = json_object_get(is, "argv");
	const size_t n = json_array_size(a), m = json_array_size(b);

	for (size_t i = 0; i < n && i < m; i++) {
		const char *old = json_string_value(json_array_get(a, i)),
			   *now = json_string_value(json_array_get(b, i));

		if (old && now && strcmp(old, now))
			say(t, "argv[%zu] differs (was '%.80s', is '%.80s')", i, old, now);
	}
	if (n && n != m)
		say(t, "the number of arguments differs (was %zu, is %zu)", n ? n - 1 : 0,
		    m ? m - 1 : 0);
}

static void compare_environment(struct teller *t, const json_t *was, const json_t *is)
{
	json_t *a = json_object_get(was, "environment"), *b = json_object_get(is, "environment"),
	       *value;
	const char *name;

	if (!json_is_object(a))
		return;
	json_object_foreach(b, name, value)
	{
		const char *old = json_string_value(json_object_get(a, name)),
			   *now = json_string_value(value);

		if (!old)
			say(t, "environment variable %.80s is new", name);
		else if (now && strcmp(old, now))
			say(t, "environment variable %.80s differs", name);
	}
	json_object_foreach(a, name, value) if (!json_object_get(b, name))
	    say(t, "environment variable %.80s is gone", name);
}

/* Programs act otherwise when they write to a terminal, a pipe or a file. n: of the streams. */
static void compare_streams(struct teller *t, const json_t *was, const json_t *is, size_t n)
{
	static const char *const name[] = {"input", "output", "error"};
	const json_t *a = json_object_get(was, "streams"), *b = json_object_get(is, "streams");

	for (size_t i = 0; i < n; i++) {
		const char *old = json_string_value(json_array_get(a, i)),
			   *now = json_string_value(json_array_get(b, i));

		if (old && now && strcmp(old, now))
			say(t, "standard %s differs (was %.40s, is %.40s)", name[i], old, now);
	}
}

/* The file of this kind and name, or NULL. name NULL: the first of the kind. */
static const json_t *find_file(const json_t *list, const char *kind, const char *name)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *f = json_array_get(list, i);

		if (!strcmp(text_of(f, "kind"), kind) &&
		    (!name || !strcmp(text_of(f, "name"), name)))
			return f;
	}
	return NULL;
}

static bool is_program(const json_t *list, const json_t *file)
{
	return file == find_file(list, "program", NULL);
}

static void compare_file(struct teller *t, const json_t *was, const json_t *is, bool is_the_program)
{
	const json_int_t a = json_integer_value(json_object_get(was, "bytes"));
	const json_int_t b = json_integer_value(json_object_get(is, "bytes"));
	char sizes[80] = "";

	if (a == b && !strcmp(text_of(was, "digest"), text_of(is, "digest")))
		return;
	if (a != b)
		snprintf(sizes, sizeof(sizes),
			 " (was %" JSON_INTEGER_FORMAT " bytes, is %" JSON_INTEGER_FORMAT ")", a,
			 b);
	if (is_the_program)
		say(t, "the program itself differs%s", sizes);
	else if (!strcmp(text_of(is, "kind"), "standard input"))
		say(t, "standard input differs%s", sizes);
	else
		say(t, "the file %.200s differs%s", text_of(is, "name"), sizes);
}

/* The program comes before what it reads, whatever it is called. */
static void compare_program(struct teller *t, const json_t *was, const json_t *is)
{
	const json_t *a = find_file(json_object_get(was, "files"), "program", NULL);
	const json_t *b = find_file(json_object_get(is, "files"), "program", NULL);

	if (a && b)
		compare_file(t, a, b, true);
}

static void name_file(struct teller *t, const json_t *file, const char *what)
{
	const bool is_standard = !strcmp(text_of(file, "kind"), "standard input");

	say(t, "%s%.200s %s", is_standard ? "the file on standard input" : "the file ",
	    text_of(file, "name"), what);
}

static void compare_files(struct teller *t, const json_t *was, const json_t *is)
{
	const json_t *a = json_object_get(was, "files"), *b = json_object_get(is, "files");
	const bool knows_old = json_is_array(a) && !json_object_get(was, "has_more_files"),
		   knows_new = !json_object_get(is, "has_more_files");

	for (size_t i = 0; i < json_array_size(b); i++) {
		const json_t *f = json_array_get(b, i),
			     *old = find_file(a, text_of(f, "kind"), text_of(f, "name"));

		if (is_program(b, f))
			continue;
		if (old)
			compare_file(t, old, f, false);
		else if (knows_old)
			name_file(t, f, "was not read before");
	}
	for (size_t i = 0; knows_new && i < json_array_size(a); i++) {
		const json_t *f = json_array_get(a, i);

		if (!is_program(a, f) && !find_file(b, text_of(f, "kind"), text_of(f, "name")))
			name_file(t, f, "is not read any more");
	}
}

static const char *times(json_int_t n, char out[32])
{
	snprintf(out, 32, n == 1 ? "once" : "%" JSON_INTEGER_FORMAT " times", n);
	return out;
}

static void compare_looks(struct teller *t, const json_t *was, const json_t *is, const char *key,
			  const char *what)
{
	const json_int_t a = json_integer_value(json_object_get(was, key)),
			 b = json_integer_value(json_object_get(is, key));

	char old[32], now[32];

	if (a != b && json_is_integer(json_object_get(was, key)))
		say(t, "the program %s %s, then %s", what, times(a, old), times(b, now));
}

unsigned rpt_inputs_differ(const json_t *was, const json_t *is, bool has_error,
			   void (*tell)(void *ctx, const char *difference), void *ctx)
{
	struct teller t = {tell, ctx, 0};

	const bool has_env = compare_env_option(&t, was, is);

	compare_settings(&t, was, is);
	if (!has_env) /* which chooses it, too */
		compare_setting(&t, was, is, "ld_cache", "--ld-cache");
	compare_program(&t, was, is);
	compare_arguments(&t, was, is);
	if (!has_env)
		compare_environment(&t, was, is);
	compare_files(&t, was, is);
	compare_streams(&t, was, is, has_error ? 3 : 2);
	compare_looks(&t, was, is, "time_looks", "looked at clocks");
	compare_looks(&t, was, is, "clock_looks", "looked at the time-stamp counter");
	compare_looks(&t, was, is, "host_signals", "got signals from outside");
	return t.n;
}

/* Keeps the first. */
static void keep_difference(void *ctx, const char *difference)
{
	char *first = ctx;

	if (!*first)
		snprintf(first, RPT_DIFFERENCE_BYTES, "%s", difference);
}

bool rpt_machines_differ(const json_t *was, const json_t *is, char out[RPT_DIFFERENCE_BYTES])
{
	struct teller t = {keep_difference, out, 0};

	*out = 0;
	if (!compare_env_option(&t, was, is))
		compare_setting(&t, was, is, "ld_cache", "--ld-cache");
	compare_setting(&t, was, is, "cpu", "--cpu");
	compare_digest(&t, was, is);
	return t.n > 0;
}

const char *rpt_signals_decide(const json_t *is, char out[RPT_SIGNALS_BYTES])
{
	const json_int_t n = json_integer_value(json_object_get(is, "host_signals"));

	if (n == 1)
		snprintf(out, RPT_SIGNALS_BYTES, "where the signal came that this machine sent");
	else if (n)
		snprintf(out, RPT_SIGNALS_BYTES,
			 "where the %" JSON_INTEGER_FORMAT " signals came that this machine sent",
			 n);
	else
		snprintf(out, RPT_SIGNALS_BYTES, "when threads and signals came");
	return out;
}

bool rpt_answers_differ(const json_t *was, const json_t *is)
{
	return strcmp(text_of(was, "system_calls"), text_of(is, "system_calls")) != 0;
}

const char *rpt_runs_differ(const struct ses_result *first, const struct ses_result *other,
			    size_t k, char *out, size_t room)
{
	json_t *was = rpt_json_run_inputs(first), *is = rpt_json_run_inputs(other);
	char why[RPT_DIFFERENCE_BYTES] = "", signals[RPT_SIGNALS_BYTES];

	rpt_inputs_differ(was, is, true, keep_difference, why);
	if (!*why && rpt_answers_differ(was, is))
		snprintf(why, sizeof(why),
			 "no file differs, but what system calls answered does; --journal names "
			 "the call");
	else if (!*why)
		snprintf(why, sizeof(why), "no input differs; what decides is %s",
			 rpt_signals_decide(is, signals));
	snprintf(out, room, "run %zu counted otherwise than run 1: %s", k + 1, why);
	json_decref(was);
	json_decref(is);
	return out;
}
