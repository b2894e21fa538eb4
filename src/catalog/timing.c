/* timing.c -- clocks and pairing of a P5 instruction form: its row of catalog/p5/timing.tsv.
 *
 * COUNTING RULES   a form is looked up with its operands spelt more and more loosely; what has no
 *                  row of its own takes the first pattern that matches.
 * NOT MODELLED     clocks that depend on operand values: the row's number holds for all.
 * SOURCES          catalog/p5/timing.tsv, a source per row.
 */
#include "catalog/tables.h"

#include <string.h>

/* Spellings that one row stands for. */
static const char *class_of(const char *m)
{
	if (strncmp(m, "cmov", 4) == 0)
		return "cmovcc";
	if (strncmp(m, "set", 3) == 0)
		return "setcc";
	if (m[0] == 'j' && strcmp(m, "jmp") != 0 && strcmp(m + strlen(m) - 2, "xz") != 0)
		return "jcc";
	return m;
}

const struct cat_timing *cat_timings(size_t *n)
{
	*n = cat_n_timing_form;
	return cat_timing_rows;
}

/* Is it what may stand behind J, CMOV and SET? */
static bool is_condition(const char *text)
{
	static const char *const condition[] = {"o",  "no", "b",  "nae", "c",	"nb", "ae",  "nc",
						"z",  "e",  "nz", "ne",	 "be",	"na", "nbe", "a",
						"s",  "ns", "p",  "pe",	 "np",	"po", "l",   "nge",
						"nl", "ge", "le", "ng",	 "nle", "g"};

	for (size_t i = 0; i < sizeof(condition) / sizeof(condition[0]); i++)
		if (!strcmp(text, condition[i]))
			return true;
	return false;
}

const char *cat_mnemonic_class(const char *m)
{
	static const struct {
		const char *head, *name;
	} of[] = {{"j", "jcc"}, {"cmov", "cmovcc"}, {"fcmov", "fcmovcc"}, {"set", "setcc"}};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (!strncmp(m, of[i].head, strlen(of[i].head)) &&
		    is_condition(m + strlen(of[i].head)))
			return of[i].name;
	return m;
}

static const struct cat_timing *find_exact(const char *mnemonic, const char *operands)
{
	size_t low = 0, high = cat_n_timing_form;

	while (low < high) {
		const size_t mid = (low + high) / 2;
		int order = strcmp(cat_timing_rows[mid].mnemonic, mnemonic);

		if (!order)
			order = strcmp(cat_timing_rows[mid].operands, operands);
		if (!order)
			return &cat_timing_rows[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static bool is_match(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	const size_t head = (size_t)(star - pattern), tail = strlen(star + 1), n = strlen(name);

	return n >= head + tail && strncmp(name, pattern, head) == 0 &&
	       strcmp(name + n - tail, star + 1) == 0;
}

const struct cat_timing *cat_find_timing(const char *mnemonic, const char *special,
					 const char *sized, const char *plain, bool *is_pattern)
{
	const char *const form[] = {special, sized, plain, ""};
	const char *name = class_of(mnemonic);

	*is_pattern = false;
	for (size_t i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		const struct cat_timing *row = find_exact(name, form[i]);

		if (row)
			return row;
	}
	*is_pattern = true;
	for (size_t i = cat_n_timing_form; i < cat_n_timing; i++)
		if (is_match(cat_timing_rows[i].mnemonic, name))
			return &cat_timing_rows[i];
	return &cat_timing_rows[cat_n_timing - 1];
}
