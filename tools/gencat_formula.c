/* gencat_formula.c -- spelling of events and arithmetic over them, as metrics, relations and groups
 * of the catalog use it. Only checked here; the session evaluates.
 */
#include "gencat.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- spelling of events ---------------------------------------------------------------------- */

/* Unit mask by name (any case) or number; -1 when the event has no such mask. */
static int find_umask(const struct event *e, const char *text)
{
	for (int i = 0; i < e->n_umask; i++)
		if (strcasecmp(e->umask[i].name, text) == 0)
			return e->umask[i].value;
	if (strncmp(text, "0x", 2) == 0) {
		char *end;
		long v = strtol(text, &end, 16);

		if (!*end && v <= 255)
			return (int)v;
	}
	return -1;
}

struct event *gen_check_spelling(struct catalog *c, int family, struct place at, const char *text,
				 int *umask)
{
	char *word = gen_printf("%s", text);
	char *part = strchr(word, ':');

	if (part)
		*part++ = 0;
	struct event *e = gen_find_event(c, family, word);
	if (!e) {
		gen_complain(c, at, "no such event: %s", word);
		return NULL;
	}
	int mask = part ? 0 : e->default_umask;
	while (part) {
		char *next = strchr(part, ':');

		if (next)
			*next++ = 0;
		if (strcmp(part, "u") != 0 && strcmp(part, "k") != 0) {
			int v = find_umask(e, part);

			if (v < 0) {
				gen_complain(c, at, "no such unit mask of %s: %s", word, part);
				return NULL;
			}
			mask |= v;
		}
		part = next;
	}
	if (umask)
		*umask = mask;
	return e;
}

/* ---- formulas -------------------------------------------------------------------------------- */

/* formula = term { (+ | -) term };  term = factor { (* | /) factor };
 * factor = number | event | ( formula ).  Operators stand between blanks, since names of the P5
 * hold
 * '-' and '/'. */
struct parse {
	struct catalog *c;
	struct place at;
	int family;
	const char *text, *p;
};

static bool parse_sum(struct parse *s);

static void skip_blank(struct parse *s)
{
	s->p += strspn(s->p, " ");
}

static bool parse_factor(struct parse *s)
{
	skip_blank(s);
	if (*s->p == '(') {
		s->p++;
		if (!parse_sum(s))
			return false;
		skip_blank(s);
		if (*s->p++ != ')') {
			s->p--;
			gen_complain(s->c, s->at, "formula without its closing parenthesis: %s",
				     s->text);
			return false;
		}
		return true;
	}
	if (isdigit((unsigned char)*s->p)) {
		char *end;

		strtod(s->p, &end);
		s->p = end;
		return true;
	}
	size_t n = strcspn(s->p, " ()");
	if (!isupper((unsigned char)*s->p)) {
		gen_complain(s->c, s->at, "formula wants a number, an event or ( at \"%s\"", s->p);
		return false;
	}
	char *word = gen_printf("%.*s", (int)n, s->p);
	s->p += n;
	return gen_check_spelling(s->c, s->family, s->at, word, NULL) != NULL;
}

static bool parse_list(struct parse *s, const char *operators, bool (*item)(struct parse *))
{
	if (!item(s))
		return false;
	for (;;) {
		skip_blank(s);
		if (!*s->p || !strchr(operators, *s->p))
			return true;
		s->p++;
		if (!item(s))
			return false;
	}
}

static bool parse_product(struct parse *s)
{
	return parse_list(s, "*/", parse_factor);
}

static bool parse_sum(struct parse *s)
{
	return parse_list(s, "+-", parse_product);
}

void gen_check_formula(struct catalog *c, int family, struct place at, const char *text)
{
	struct parse s = {c, at, family, text, text};

	if (!parse_sum(&s))
		return;
	skip_blank(&s);
	if (*s.p)
		gen_complain(c, at, "formula goes on after its end: %s", s.p);
}
