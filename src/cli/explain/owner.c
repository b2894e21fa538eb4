/* owner.c -- whose a count is, in words. The facts are a column of catalog/<family>/wires.tsv. */
#include "cli/explain/owner.h"

#include <stdio.h>
#include <string.h>

#include "cli/layout.h"

#define N_OWNER (CAT_OWNER_MACHINE + 1u)
#define TEXT_AT 15

static const struct {
	const char *word, *text;
} owner[N_OWNER] = {
    [CAT_OWNER_NONE] = {"", ""},
    [CAT_OWNER_INSN] = {"insn", "the instruction itself"},
    [CAT_OWNER_CAUSE] = {"cause", "the instruction that caused it"},
    [CAT_OWNER_BRANCH] = {"branch", "the branch"},
    [CAT_OWNER_PATH] = {"path", "the instruction; what a wrong path counts, the branch that led "
				"there"},
    [CAT_OWNER_OLDEST] = {"oldest", "the oldest instruction that has not retired"},
    [CAT_OWNER_MACHINE] = {"machine", "no instruction: the row [machine]"},
};

/* The owners of e's wires, each once. Returns how many. */
static unsigned owners_of(const struct cat_event *e, unsigned out[N_OWNER])
{
	size_t n_wire;
	const struct cat_wire *wires = cat_wires(&n_wire);
	unsigned n = 0, seen = 0;

	for (unsigned i = 0; i < e->n_wire && e->family != CAT_TOY; i++) {
		const unsigned who = wires[e->wire[i].wire].owner;

		if (who != CAT_OWNER_NONE && !(seen >> who & 1))
			out[n++] = who;
		seen |= 1u << who;
	}
	return n;
}

const char *cli_owner_words(const struct cat_event *e, char out[CLI_OWNERS_BYTES])
{
	unsigned who[N_OWNER];
	const unsigned n = owners_of(e, who);
	size_t at = 0;

	*out = 0;
	for (unsigned i = 0; i < n && at < CLI_OWNERS_BYTES; i++)
		at += (size_t)snprintf(out + at, CLI_OWNERS_BYTES - at, "%s%s", i ? " " : "",
				       owner[who[i]].word);
	return out;
}

void cli_explain_owner(const struct cat_event *e)
{
	unsigned who[N_OWNER];
	const unsigned n = owners_of(e, who);
	char text[512] = "";
	size_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		const bool is_pentium = who[i] == CAT_OWNER_OLDEST && e->family == CAT_P5;

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? "; or " : "",
				       is_pentium ? "the instruction in U" : owner[who[i]].text);
	}
	if (n)
		layout_line(TEXT_AT, "  counted at   %s", text);
}
