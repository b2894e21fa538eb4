/* uops.c -- micro-ops of an instruction form: its row of uops.tsv, or the nearest class.
 *
 * COUNTING RULES   a form is looked up with operand sizes, without them, as "m", as "". What the P6
 *                  never had takes the first pattern of nearest.tsv that matches, once per part of
 *                  the vector; an integer instruction on wider vectors takes its own MMX row once
 *                  per 64 bits. LOCK adds the row "lock" (XCHG has it in its own row).
 * NOT MODELLED     micro-op fusion and stack engines of later processors: they are P6 micro-ops.
 * SOURCES          catalog/p6/uops.tsv and nearest.tsv, a source per row.
 */
#include "catalog/tables.h"

#include <string.h>

enum { LONGEST = 32 };

/* Spellings that one row stands for. */
static const char *class_of(const char *m)
{
	if (strncmp(m, "cmov", 4) == 0)
		return "cmovcc";
	if (strncmp(m, "fcmov", 5) == 0)
		return "fcmovcc";
	if (strncmp(m, "set", 3) == 0 && strncmp(m, "setss", 5) != 0)
		return "setcc";
	if (m[0] == 'j' && strncmp(m, "jmp", 3) != 0 && strcmp(m + strlen(m) - 2, "xz") != 0)
		return "jcc";
	return m;
}

/* The row of exactly this mnemonic and form. */
static const struct cat_uops *find_exact(const struct cat_uops *rows, const char *mnemonic,
					 const char *operands)
{
	size_t low = 0, high = cat_n_uops;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = strcmp(rows[mid].mnemonic, mnemonic);

		if (!order)
			order = strcmp(rows[mid].operands, operands);
		if (!order)
			return &rows[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const struct cat_uops *cat_find_uops(const struct cat_uops *rows, const char *mnemonic,
				     const char *sized, const char *plain)
{
	const char *name = class_of(mnemonic);
	const struct cat_uops *row = find_exact(rows, name, sized);

	if (!row)
		row = find_exact(rows, name, plain);
	if (!row && strchr(plain, 'm'))
		row = find_exact(rows, name, "m");
	if (!row)
		row = find_exact(rows, name, "");
	return row || *plain ? row
			     : find_exact(rows, name, "m,m"); /* string instructions name none */
}

/* Does `name` match a pattern with at most one '*'? *rest receives what '*' stands for. */
static bool is_match(const char *pattern, const char *name, const char **rest, size_t *n_rest)
{
	const char *star = strchr(pattern, '*');

	if (!star)
		return strcmp(pattern, name) == 0;
	size_t head = (size_t)(star - pattern), tail = strlen(star + 1), n = strlen(name);
	if (n < head + tail || strncmp(name, pattern, head) != 0 ||
	    strcmp(name + n - tail, star + 1) != 0)
		return false;
	*rest = name + head;
	*n_rest = n - head - tail;
	return true;
}

/* Copy a form with vector registers spelt as `letter`. */
static void respell(char *to, const char *plain, char letter)
{
	size_t n = 0;

	for (; *plain && n < LONGEST - 1; plain++)
		to[n++] = *plain == 'x' || *plain == 'y' || *plain == 'z' ? letter : *plain;
	to[n] = 0;
}

/* A row for a form that the table need not have in this spelling: three-operand forms lose their
 * first source, stores take a store, loads a load, the rest a register form. */
static const struct cat_uops *find_relaxed(const struct cat_uops *rows, const char *mnemonic,
					   const char *plain)
{
	static const char *const store[] = {"m,x", "m,q", "m,r", "m", NULL};
	static const char *const load[] = {"x,m", "q,m", "r,m", "x,m,i", "q,m,i", "m", NULL};
	static const char *const inner[] = {"x,x", "q,q", "r,r", "x,x,i", "q,q,i", "r,x", "r,q",
					    "x,r", "x,q", "q,x", "r,q,i", "q,r,i", "r",	  NULL};
	char form[LONGEST];
	const struct cat_uops *row = cat_find_uops(rows, mnemonic, plain, plain);
	size_t n = strlen(plain);

	if (!row && n >= 5 && n < LONGEST) {
		form[0] = plain[0];
		strcpy(form + 1, plain + 3);
		row = cat_find_uops(rows, mnemonic, form, form);
	}
	for (int vector = 0; !row && vector < 2; vector++) {
		respell(form, plain, vector ? 'q' : 'x');
		row = find_exact(rows, mnemonic, form);
	}
	const char *const *list = plain[0] == 'm' ? store : strchr(plain, 'm') ? load : inner;
	for (; !row && *list; list++)
		row = find_exact(rows, mnemonic, *list);
	return row ? row : find_exact(rows, mnemonic, "");
}

/* Micro-ops of the register form of `mnemonic`, for the second half of a compound class. */
static unsigned register_uops(const struct cat_uops *rows, const char *mnemonic)
{
	const struct cat_uops *row = *mnemonic ? find_relaxed(rows, mnemonic, "x,x") : NULL;

	return row ? row->uops : 0;
}

/* Write the mnemonic whose row counts: `like` with '*' put in. */
static void write_like(char *to, const char *like, const char *rest, size_t n_rest)
{
	size_t n = 0;

	for (; *like && n + n_rest < LONGEST - 1; like++) {
		if (*like == '*') {
			memcpy(to + n, rest, n_rest);
			n += n_rest;
		} else {
			to[n++] = *like;
		}
	}
	to[n] = 0;
}

/* Count by the first rule of nearest.tsv that matches, among those with or without a '*'. */
static bool count_by_rule(const struct cat_uops *rows, const struct cat_uops_form *form,
			  const char *plain, bool has_star, struct cat_uops_count *out)
{
	char like[LONGEST];

	for (size_t i = 0; i < cat_n_nearest; i++) {
		const struct cat_nearest *near = &cat_nearest_rows[i];
		const char *rest = "";
		size_t n_rest = 0;

		if ((strchr(near->pattern, '*') != NULL) != has_star ||
		    !is_match(near->pattern, form->mnemonic, &rest, &n_rest))
			continue;
		write_like(like, near->like, rest, n_rest);
		out->row = find_relaxed(rows, like, plain);
		if (!out->row)
			continue;
		unsigned parts = near->part_bits ? form->vector_bits / near->part_bits : 1;
		out->uops = (uint16_t)((out->row->uops + register_uops(rows, near->also)) *
				       (parts ? parts : 1));
		return true;
	}
	return false;
}

/* Rules for one mnemonic go first, then the instruction's own MMX row, then patterns. */
static void count_nearest(const struct cat_uops *rows, const struct cat_uops_form *form,
			  struct cat_uops_count *out)
{
	char vector[LONGEST], mmx[LONGEST];

	out->is_nearest = true;
	respell(vector, form->plain, 'x');
	if (count_by_rule(rows, form, vector, false, out))
		return;
	if (form->vector_bits >= 128) {
		respell(mmx, form->plain, 'q');
		out->row = cat_find_uops(rows, form->mnemonic, mmx, mmx);
		if (out->row) {
			out->uops = (uint16_t)(out->row->uops * (form->vector_bits / 64));
			return;
		}
	}
	if (count_by_rule(rows, form, vector, true, out))
		return;
	out->row = cat_find_uops(rows, "default", vector, vector);
	out->uops = out->row ? out->row->uops : 1;
}

void cat_count_uops(const struct cat_uops *rows, const struct cat_uops_form *form,
		    struct cat_uops_count *out)
{
	memset(out, 0, sizeof *out);
	out->row = cat_find_uops(rows, form->mnemonic, form->sized, form->plain);
	if (out->row) {
		out->uops = out->row->uops;
		out->per_item_x2 = out->row->per_item_x2;
	} else {
		count_nearest(rows, form, out);
	}
	if (form->is_locked && strcmp(form->mnemonic, "xchg") != 0) {
		const struct cat_uops *lock = find_exact(rows, "lock", "");

		out->uops = (uint16_t)(out->uops + (lock ? lock->uops : 0));
	}
	if (!out->uops && !out->per_item_x2)
		out->uops = 1;
}
