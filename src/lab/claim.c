/* claim.c -- evaluates the formulas and claims of lessons while it reads them. */
#include "lab/claim.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAME  32
#define MOST_DEPTH 16

struct formula {
	const char *text, *at;
	lab_look *look;
	const void *own;
	unsigned depth;
	bool is_bad;
	struct spmu_error *err;
};

static double sum(struct formula *f);

static double fail(struct formula *f, const char *what, const char *word)
{
	if (!f->is_bad)
		spmu_fail(f->err, SPMU_EINVAL, "'%s': %s%s", f->text, what, word);
	f->is_bad = true;
	return 0;
}

static void skip_blanks(struct formula *f)
{
	while (*f->at == ' ')
		f->at++;
}

static bool take_word(struct formula *f, const char *word)
{
	skip_blanks(f);
	if (strncmp(f->at, word, strlen(word)))
		return false;
	f->at += strlen(word);
	return true;
}

static bool take_name(struct formula *f, char out[MOST_NAME])
{
	size_t n = 0;

	while (isalnum((unsigned char)f->at[n]) || f->at[n] == '_')
		n++;
	if (!n || n >= MOST_NAME)
		return false;
	memcpy(out, f->at, n);
	out[n] = 0;
	f->at += n;
	return true;
}

/* A number begins here, not a name such as 4K. */
static bool is_number(const struct formula *f)
{
	const char *p = f->at + strspn(f->at, "0123456789");

	return p != f->at && !isalpha((unsigned char)*p) && *p != '_';
}

static double name(struct formula *f)
{
	char first[MOST_NAME], second[MOST_NAME];
	double value = 0;
	bool has_run;

	if (!take_name(f, first))
		return fail(f, "a number or a name is wanted at: ", f->at);
	has_run = *f->at == '.';
	f->at += has_run;
	if (has_run && !take_name(f, second))
		return fail(f, "a column is wanted behind the point: ", f->at);
	if (!f->look(f->own, has_run ? first : NULL, has_run ? second : first, &value))
		return fail(f, "no number for ", has_run ? second : first);
	return value;
}

static double factor(struct formula *f)
{
	double value;
	char *end;

	skip_blanks(f);
	if (f->depth++ > MOST_DEPTH)
		return fail(f, "too deep", "");
	if (take_word(f, "(")) {
		value = sum(f);
		if (!take_word(f, ")"))
			fail(f, "a ) is missing at: ", f->at);
	} else if (take_word(f, "-")) {
		value = -factor(f);
	} else if (is_number(f)) {
		value = strtod(f->at, &end);
		f->at = end;
	} else {
		value = name(f);
	}
	f->depth--;
	return value;
}

static double product(struct formula *f)
{
	double value = factor(f);

	for (;;) {
		if (take_word(f, "*")) {
			value *= factor(f);
		} else if (take_word(f, "/")) {
			const double by = factor(f);

			value = by != 0 ? value / by : fail(f, "division by 0", "");
		} else {
			return value;
		}
	}
}

/* "+-" ends a sum: it is the claim's. */
static double sum(struct formula *f)
{
	double value = product(f);

	for (;;) {
		skip_blanks(f);
		if (strncmp(f->at, "+-", 2) && take_word(f, "+"))
			value += product(f);
		else if (take_word(f, "-"))
			value -= product(f);
		else
			return value;
	}
}

int lab_formula(const char *text, lab_look *look, const void *own, double *out,
		struct spmu_error *err)
{
	struct formula f = {.text = text, .at = text, .look = look, .own = own, .err = err};

	*out = sum(&f);
	skip_blanks(&f);
	if (*f.at)
		fail(&f, "not understood: ", f.at);
	return f.is_bad ? -SPMU_EINVAL : 0;
}

enum relation { EQUAL, UNEQUAL, AT_MOST, AT_LEAST, LESS, MORE };

static bool take_relation(struct formula *f, enum relation *out)
{
	/* The longer ones first. */
	static const char *const words[] = {"=", "!=", "<=", ">=", "<", ">"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (take_word(f, words[i])) {
			*out = (enum relation)i;
			return true;
		}
	return false;
}

static bool holds(enum relation r, double left, double right)
{
	switch (r) {
	case EQUAL: return left == right;
	case UNEQUAL: return left != right;
	case AT_MOST: return left <= right;
	case AT_LEAST: return left >= right;
	case LESS: return left < right;
	default: return left > right;
	}
}

int lab_claim_test(const char *text, lab_look *look, const void *own, struct lab_verdict *out,
		   struct spmu_error *err)
{
	struct formula f = {.text = text, .at = text, .look = look, .own = own, .err = err};
	enum relation relation = EQUAL;

	out->left = sum(&f);
	if (!f.is_bad && !take_relation(&f, &relation))
		fail(&f, "=, !=, <, <=, > or >= is wanted at: ", f.at);
	out->right = f.is_bad ? 0 : sum(&f);
	out->holds = holds(relation, out->left, out->right);
	if (!f.is_bad && take_word(&f, "+-")) {
		const double within = sum(&f);

		out->holds = fabs(out->left - out->right) <= within;
	}
	skip_blanks(&f);
	if (*f.at)
		fail(&f, "not understood: ", f.at);
	return f.is_bad ? -SPMU_EINVAL : 0;
}
