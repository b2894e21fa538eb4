/* options.c -- reads rabbit's command line. Rules are in options.h.
 *
 * options.def has a row for each word. Values are looked at here, so that a wrong one is refused
 * before anything runs. A switch remembers whether it was given (rbt_two.is_given), because an
 * event's own default differs from event to event.
 */
#include "rabbit/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/spelling.h"
#include "rabbit/print.h"

#define MOST_RATE     100.0 /* rabbit's: its timer's */
#define LEAST_RATE    0.001
#define MOST_COUNT    1000000000u
#define MOST_TRIM     1000u
#define MOST_MHZ      10000u
#define TEXT_COLUMN   24
#define SHORT_LETTERS 2u /* names that are told apart by their dashes: -d and --d */

enum kind { KIND_HEADING, KIND_INFO, KIND_RUN, KIND_PAIR, KIND_HOST };

static const struct row {
	enum rbt_option option;
	enum kind kind;
	const char *name, *other, *argument, *text;
} rows[] = {
#define RABBIT_HEADING(text) {RBT_NONE, KIND_HEADING, NULL, NULL, NULL, text},
#define RABBIT_OPTION(id, kind, name, other, argument, text)                                       \
	{RBT_##id, KIND_##kind, name, other, argument, text},
#include "rabbit/options.def"
#undef RABBIT_HEADING
#undef RABBIT_OPTION
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Is the word of n bytes this spelling, exactly or, where it is long, with other dashes? */
static bool is_spelled(const char *word, size_t n, const char *name, bool is_exact)
{
	if (!name)
		return false;
	if (!is_exact) {
		const size_t dashes = strspn(word, "-");

		name += strspn(name, "-");
		if (dashes < 1 || dashes > 2 || strlen(name) < SHORT_LETTERS)
			return false;
		word += dashes;
		n -= dashes;
	}
	return strlen(name) == n && !strncmp(word, name, n);
}

static const struct row *find_row(const char *word, size_t n)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < N_ROWS; i++)
			if (is_spelled(word, n, rows[i].name, !pass) ||
			    is_spelled(word, n, rows[i].other, !pass))
				return &rows[i];
	return NULL;
}

static int unknown(const char *word, struct spmu_error *err)
{
	struct spelling_search s = {.word = word};
	char ask[SPELLING_TEXT];

	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].name)
			spelling_offer(&s, rows[i].name);
	return spmu_fail(
	    err, SPMU_EINVAL,
	    "option %.60s: rabbit has no such option%s (softpmu rabbit --help shows all)", word,
	    spelling_ask(&s, "", ask));
}

/* ---- values --------------------------------------------------------------------------------- */

/* One value of a switch: a number of C, or hexadecimal digits with H behind, up to `most`. */
static bool is_number(const char *s, size_t n, unsigned most, uint8_t *out)
{
	const bool has_h = n > 1 && (s[n - 1] == 'h' || s[n - 1] == 'H');
	unsigned long value;
	char digits[8], *end;

	if (!n || n >= sizeof(digits) || !isxdigit((unsigned char)*s))
		return false;
	memcpy(digits, s, n);
	digits[n - has_h] = 0;
	value = strtoul(digits, &end, has_h ? 16 : 0);
	*out = (uint8_t)value;
	return !*end && value <= most;
}

/* "gt0", "le3": clocks with more than N, at most N. */
static bool is_comparison(const char *s, size_t n, uint8_t *least, bool *is_below)
{
	uint8_t number;

	if (n < 3 || (strncmp(s, "gt", 2) && strncmp(s, "le", 2)) ||
	    !is_number(s + 2, n - 2, 254, &number))
		return false;
	*is_below = *s == 'l';
	*least = (uint8_t)(number + 1);
	return true;
}

/* Take value i of a switch, n bytes. */
static bool take_value(struct rbt_switches *w, enum rbt_option option, int i, const char *s,
		       size_t n)
{
	switch (option) {
	case RBT_os: return is_number(s, n, 1, &w->os.value[i]);
	case RBT_usr: return is_number(s, n, 1, &w->usr.value[i]);
	case RBT_mesi: return is_number(s, n, 15, &w->mesi.value[i]);
	case RBT_bus_agent: return is_number(s, n, 1, &w->bus_agent.value[i]);
	case RBT_mmx: return is_number(s, n, 63, &w->mmx.value[i]);
	case RBT_duration: return is_number(s, n, 1, &w->duration.value[i]);
	default: return is_comparison(s, n, &w->compare.least[i], &w->compare.is_below[i]);
	}
}

static bool *given(struct rbt_switches *w, enum rbt_option option)
{
	switch (option) {
	case RBT_os: return &w->os.is_given;
	case RBT_usr: return &w->usr.is_given;
	case RBT_mesi: return &w->mesi.is_given;
	case RBT_bus_agent: return &w->bus_agent.is_given;
	case RBT_mmx: return &w->mmx.is_given;
	case RBT_duration: return &w->duration.is_given;
	default: return &w->compare.is_given;
	}
}

static const char *name_of(enum rbt_option option)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].option == option)
			return rows[i].name;
	return "";
}

static const char *wanted(enum rbt_option option)
{
	switch (option) {
	case RBT_mesi: return "a number from 0 to 0xf";
	case RBT_mmx: return "a number from 0 to 0x3f";
	case RBT_compare: return "gtN or leN with N from 0 to 254";
	default: return "0 or 1";
	}
}

int rbt_switch_set(struct rbt_switches *s, enum rbt_option option, const char *value,
		   struct spmu_error *err)
{
	struct rbt_switches new = *s;
	const char *comma = strchr(value, ',');
	const size_t first = comma ? (size_t)(comma - value) : strlen(value);
	const char *second = comma ? comma + 1 : value;

	if (!take_value(&new, option, 0, value, first) ||
	    !take_value(&new, option, 1, second, strlen(second)))
		return spmu_fail(err, SPMU_EINVAL,
				 "%s %.40s: %s is wanted for each counter, as M,N, or one for both",
				 name_of(option), value, wanted(option));
	*given(&new, option) = true;
	*s = new;
	return 0;
}

enum rbt_option rbt_switch_of(const char *word, const char **value)
{
	const size_t n = strcspn(word, "=");
	const struct row *row = *word == '-' ? find_row(word, n) : NULL;

	*value = word[n] ? word + n + 1 : NULL;
	return row && row->kind == KIND_PAIR ? row->option : RBT_NONE;
}

static void merge_masks(struct rbt_two *own, const struct rbt_two *all)
{
	for (int i = 0; i < 2 && all->is_given; i++)
		own->value[i] = own->is_given ? own->value[i] & all->value[i] : all->value[i];
	own->is_given |= all->is_given;
}

struct rbt_switches rbt_switches_merge(const struct rbt_switches *own,
				       const struct rbt_switches *all)
{
	struct rbt_switches out = *own;

	if (!out.os.is_given)
		out.os = all->os;
	if (!out.usr.is_given)
		out.usr = all->usr;
	if (!out.duration.is_given)
		out.duration = all->duration;
	if (!out.compare.is_given)
		out.compare = all->compare;
	merge_masks(&out.mesi, &all->mesi);
	merge_masks(&out.bus_agent, &all->bus_agent);
	merge_masks(&out.mmx, &all->mmx);
	return out;
}

/* ---- options of the run ---------------------------------------------------------------------- */

static int set_count(const char *name, const char *value, uint64_t least, uint64_t most,
		     uint64_t *out, struct spmu_error *err)
{
	char *end;

	errno = 0;
	*out = isdigit((unsigned char)*value) ? strtoull(value, &end, 10) : 0;
	if (isdigit((unsigned char)*value) && !*end && !errno && *out >= least && *out <= most)
		return 0;
	return spmu_fail(err, SPMU_EINVAL, "%s %.40s: a number from %llu to %llu is wanted", name,
			 value, (unsigned long long)least, (unsigned long long)most);
}

static int set_rate(const char *name, const char *value, double *out, struct spmu_error *err)
{
	char *end = NULL;

	*out = isdigit((unsigned char)*value) ? strtod(value, &end) : -1;
	if (*out >= 0 && !*end && (*out == 0 || (*out >= LEAST_RATE && *out <= MOST_RATE)))
		return 0;
	return spmu_fail(
	    err, SPMU_EINVAL,
	    "%s %.40s: samples in a second are wanted, up to %g, or 0 for one sample of the "
	    "whole run",
	    name, value, MOST_RATE);
}

static int set_run(struct rbt_options *o, const struct row *r, const char *value,
		   struct spmu_error *err)
{
	uint64_t n = 0;
	int rc = 0;

	switch (r->option) {
	case RBT_e:
		if (o->n_pair == RBT_MOST_PAIRS_TYPED)
			return spmu_fail(
			    err, SPMU_EINVAL,
			    "--e: at most %u pairs fit on a command line; put more into a "
			    "file and name it with -input",
			    RBT_MOST_PAIRS_TYPED);
		o->pair[o->n_pair++] = value;
		return 0;
	case RBT_group: o->group = value; return 0;
	case RBT_input: o->input = value; return 0;
	case RBT_output: o->output = value; return 0;
	case RBT_sample: return set_rate(r->name, value, &o->rate, err);
	case RBT_rotate: return set_count(r->name, value, 1, MOST_COUNT, &o->rotate, err);
	case RBT_flush: return set_count(r->name, value, 0, MOST_COUNT, &o->flush, err);
	case RBT_trim:
		rc = set_count(r->name, value, 0, MOST_TRIM, &n, err);
		o->trim = (uint32_t)n;
		return rc;
	default:
		rc = set_count(r->name, value, 0, 2, &n, err);
		o->level = (int)n;
		return rc;
	}
}

static int set_info(struct rbt_options *o, const struct row *r, const char *value,
		    struct spmu_error *err)
{
	uint64_t n = 0;
	int rc = 0;

	switch (r->option) {
	case RBT_names: o->wants_names = true; break;
	case RBT_describe: o->wants_descriptions = true; break;
	case RBT_registers: o->wants_registers = true; break;
	case RBT_processor: o->wants_processor = true; break;
	case RBT_mhz:
		rc = set_count(r->name, value, 0, MOST_MHZ, &n, err);
		o->mhz = (uint32_t)n;
		o->wants_mhz = !n;
		break;
	default: o->wants_help = true;
	}
	return rc;
}

static int set_host(struct rbt_options *o, const struct row *r, const char *value,
		    struct spmu_error *err)
{
	if (o->n_host == RBT_MOST_HOST)
		return spmu_fail(err, SPMU_EINVAL, "%s %.40s: the option was given too often",
				 r->name, value);
	o->host[o->n_host].option = r->option;
	o->host[o->n_host++].value = value;
	return 0;
}

static int set_option(struct rbt_options *o, const struct row *r, const char *value,
		      struct spmu_error *err)
{
	switch (r->kind) {
	case KIND_PAIR: return rbt_switch_set(&o->switches, r->option, value, err);
	case KIND_HOST: return set_host(o, r, value, err);
	case KIND_INFO: return set_info(o, r, value, err);
	default: return set_run(o, r, value, err);
	}
}

/* The option at argv[*at] with its value; *at moves behind them. */
static int read_option(const struct row *r, int argc, char **argv, int *at, struct rbt_options *out,
		       struct spmu_error *err)
{
	const char *word = argv[*at], *equals = strchr(word, '=');
	const char *value = equals ? equals + 1 : NULL;

	++*at;
	if (r->argument && !value) {
		if (*at == argc)
			return spmu_fail(err, SPMU_EINVAL, "%s: %s is missing behind it", word,
					 r->argument);
		value = argv[(*at)++];
	}
	return set_option(out, r, value, err);
}

static int add_named(struct rbt_options *out, const char *word, struct spmu_error *err)
{
	if (out->n_named == RBT_MOST_NAMED)
		return spmu_fail(err, SPMU_EINVAL, "-d: at most %u events at a time",
				 RBT_MOST_NAMED);
	out->named[out->n_named++] = word;
	return 0;
}

/* is_program: it reads the rest of the command line itself. */
static int read_words(int argc, char **argv, bool is_program, struct rbt_options *out,
		      struct spmu_error *err)
{
	int at = 1, rc = 0;

	*out = (struct rbt_options){.rate = MOST_RATE, .rotate = 1, .level = 1};
	while (at < argc && !rc && strcmp(argv[at], "--")) {
		const char *word = argv[at];
		const struct row *r = *word == '-' ? find_row(word, strcspn(word, "=")) : NULL;
		const bool is_ours = r && (r->argument || !strchr(word, '='));

		if (is_ours)
			rc = read_option(r, argc, argv, &at, out, err);
		else if (*word == '-' && !is_program)
			return unknown(word, err);
		else if (*word != '-' && out->wants_descriptions && !is_program)
			rc = add_named(out, argv[at++], err);
		else
			break;
	}
	out->first = at + (at < argc && !strcmp(argv[at], "--"));
	return rc;
}

int rbt_options_read(int argc, char **argv, struct rbt_options *out, struct spmu_error *err)
{
	return read_words(argc, argv, false, out, err);
}

int rbt_options_of_program(int argc, char **argv, struct rbt_options *out, struct spmu_error *err)
{
	const int rc = read_words(argc, argv, true, out, err);

	if (!rc && out->n_host)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "%s %.60s: the option says how softpmu runs a program, and is not for a "
		    "program that counts itself",
		    name_of(out->host[0].option), out->host[0].value);
	return rc;
}

/* ---- help ------------------------------------------------------------------------------------ */

void rbt_options_help(FILE *out)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct row *r = &rows[i];
		int at;

		if (r->kind == KIND_HEADING) {
			fprintf(out, "\n%s:\n", r->text);
			continue;
		}
		at = fprintf(out, "  %s%s%s%s%s", r->name, r->other ? ", " : "",
			     r->other ? r->other : "", r->argument ? " " : "",
			     r->argument ? r->argument : "");
		rbt_print_text(r->text, at, TEXT_COLUMN, out);
	}
}

bool rbt_option_at(size_t i, const char **name, const char **argument, const char **text)
{
	for (size_t k = 0; k < N_ROWS; k++) {
		if (rows[k].kind == KIND_HEADING || i--)
			continue;
		*name = rows[k].name;
		*argument = rows[k].argument;
		*text = rows[k].text;
		return true;
	}
	return false;
}
