/* input.c -- rabbit's input files: a pair per line.
 *
 *     # comment, to the end of the line
 *     A [B [LABEL]] [--SWITCH M[,N]]...
 *
 * A and B are events as --e takes them, also as A,B. Switches go anywhere in a line and are for its
 * pair alone. The layout of rabbit's own files is lost; this one is ours.
 */
#include "rabbit/pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINE_BYTES 1024
#define MOST_PAIRS	1000u
#define BLANKS		" \t\r\n"

/* What a line says; texts lie in the line. */
struct line {
	char *a, *b;
	char label[RBT_LABEL_BYTES];
	struct rbt_switches switches;
	bool has_words;
};

static void add_label(struct line *l, const char *word)
{
	const size_t n = strlen(l->label);

	snprintf(l->label + n, sizeof(l->label) - n, "%s%s", n ? " " : "", word);
}

/* Take a switch, whose value may be the next word. Returns 0 or -SPMU_EINVAL with a sentence. */
static int take_switch(struct line *l, enum rbt_option option, const char *word, const char *value,
		       char **rest, struct spmu_error *err)
{
	while (!value && *rest) {
		value = strsep(rest, BLANKS);
		value = *value ? value : NULL;
	}
	if (!value)
		return spmu_fail(err, SPMU_EINVAL, "%s: its value is missing", word);
	return rbt_switch_set(&l->switches, option, value, err);
}

/* A word that is no switch: an event, two with a comma between them, or part of the label. */
static void take_word(struct line *l, char *word)
{
	if (!l->a) {
		l->a = strsep(&word, ",");
		l->b = word && *word ? word : NULL;
	} else if (!l->b) {
		l->b = word;
	} else {
		add_label(l, word);
	}
}

static int read_words(char *text, struct line *l, struct spmu_error *err)
{
	char *word;
	int rc = 0;

	while (!rc && (word = strsep(&text, BLANKS)) != NULL) {
		const char *value;
		const enum rbt_option option = rbt_switch_of(word, &value);

		l->has_words |= *word != 0;
		if (option)
			rc = take_switch(l, option, word, value, &text, err);
		else if (*word == '-')
			rc = spmu_fail(err, SPMU_EINVAL,
				       "%.60s: no switch of a pair; there are --os, --usr, --mesi, "
				       "--bus_agent, "
				       "--MMX, --compare and --duration",
				       word);
		else if (*word)
			take_word(l, word);
	}
	return rc;
}

static int read_line(struct rbt_pairs *list, char *text, const struct rbt_switches *all,
		     struct spmu_error *err)
{
	struct line l = {0};
	int rc;

	text[strcspn(text, "#")] = 0;
	rc = read_words(text, &l, err);
	if (rc || !l.has_words)
		return rc;
	if (!l.a || !*l.a)
		return spmu_fail(err, SPMU_EINVAL, "an event is missing; a line is A [B [LABEL]]");
	if (list->n >= MOST_PAIRS)
		return spmu_fail(err, SPMU_EINVAL, "more than %u pairs", MOST_PAIRS);
	l.switches = rbt_switches_merge(&l.switches, all);
	return rbt_pairs_add(list, l.a, l.b, &l.switches, l.label, err);
}

/* Lines come from strangers: what a terminal would obey is no text. whole: the line ends here. */
static int check_text(const char *text, bool is_whole, struct spmu_error *err)
{
	if (!is_whole && strlen(text) >= MOST_LINE_BYTES)
		return spmu_fail(err, SPMU_EINVAL, "longer than %d characters", MOST_LINE_BYTES);
	for (const char *s = text; *s; s++)
		if (((unsigned char)*s < ' ' && !strchr("\t\r\n", *s)) || *s == 0x7f)
			is_whole = false;
	return is_whole ? 0 : spmu_fail(err, SPMU_EINVAL, "a byte in it is no text");
}

int rbt_pairs_read(struct rbt_pairs *list, const char *path, const struct rbt_switches *all,
		   struct spmu_error *err)
{
	const size_t before = list->n;
	char text[MOST_LINE_BYTES + 2];
	FILE *f = fopen(path, "re");
	unsigned number = 0;
	int rc = 0;

	if (!f)
		return spmu_fail(err, SPMU_EINVAL, "-input %s: %s; nothing was run", path,
				 strerror(errno));
	while (!rc && fgets(text, sizeof(text), f)) {
		struct spmu_error why = {0};

		number++;
		rc = check_text(text, strchr(text, '\n') || feof(f), &why);
		rc = rc ? rc : read_line(list, text, all, &why);
		if (rc)
			spmu_fail(err, why.code, "-input %s: line %u: %s", path, number, why.text);
	}
	if (!rc && ferror(f))
		rc = spmu_fail(err, SPMU_EINVAL, "-input %s: %s", path, strerror(errno));
	fclose(f);
	if (!rc && list->n == before)
		rc = spmu_fail(err, SPMU_EINVAL, "-input %s: no line of it has a pair", path);
	return rc;
}
