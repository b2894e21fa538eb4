/* topic.c -- softpmu explain TOPIC: docs/EXPLANATIONS.md is part of the program, and is searched
 * here. Rules are in topic.h.
 *
 * A section begins with "## NAME", or "## NAME (FAMILY)", and ends before the next one.
 */
#include "cli/explain/topic.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/layout.h"
#include "cli/search.h"

extern const char cli_explanations[]; /* texts.S: docs/EXPLANATIONS.md */

/* The next line that begins a section, from `at` on; NULL: none. */
static const char *next_section(const char *at)
{
	if (!strncmp(at, "## ", 3))
		return at;
	at = strstr(at, "\n## ");
	return at ? at + 1 : NULL;
}

bool cli_topic_at(size_t i, struct cli_topic *out)
{
	const char *at = next_section(cli_explanations), *end, *family;

	while (at && i--)
		at = next_section(at + 1);
	if (!at)
		return false;
	end = next_section(at + 1);
	end = end ? end : at + strlen(at);
	at += 3;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)strcspn(at, " \n"), at);
	family = at + strcspn(at, "(\n");
	snprintf(out->family, sizeof(out->family), "%.*s",
		 *family == '(' ? (int)strcspn(family + 1, ")\n") : 0, family + 1);
	out->title = at + strcspn(at, "\n") + 1;
	out->n_title = strcspn(out->title, "\n");
	out->text = out->title + out->n_title;
	out->n_text = (size_t)(end - out->text);
	return true;
}

static bool is_name(const char *name, const char *word)
{
	while (*name && (*name == tolower((unsigned char)*word) || (*name == '-' && *word == '_')))
		name++, word++;
	return !*name && !*word;
}

/* Lines that are indented stand as they are, others are filled. */
static void print_part(const char *part, size_t n)
{
	char text[2048];

	snprintf(text, sizeof(text), "%.*s", (int)n, part);
	if (!strncmp(text, "    ", 4))
		printf("\n%s\n", text);
	else if (*text) {
		printf("\n");
		layout_paragraphs(text, 2);
	}
}

static void print_text(const struct cli_topic *t)
{
	const char *at = t->text, *end = t->text + t->n_text;

	while (at < end) {
		const char *stop;

		at += strspn(at, "\n");
		stop = strstr(at, "\n\n");
		if (!stop || stop > end)
			stop = end - 1;
		if (at < stop)
			print_part(at, (size_t)(stop - at));
		at = stop + 1;
	}
}

static bool print_topic(const char *name)
{
	struct cli_topic t;

	for (size_t i = 0; cli_topic_at(i, &t); i++) {
		if (!is_name(t.name, name))
			continue;
		printf("%s\n  %.*s\n", t.name, (int)t.n_title, t.title);
		print_text(&t);
		return true;
	}
	return false;
}

bool cli_explain_topic(const struct cat_cpu *cpu, const char *name)
{
	char of_family[64];

	snprintf(of_family, sizeof(of_family), "%.40s-pentium", name);
	return (cpu->family == CAT_P5 && print_topic(of_family)) || print_topic(name);
}

unsigned cli_search_topics(const char *word, const char *between)
{
	struct cli_topic t;
	unsigned found = 0;

	for (size_t i = 0; cli_topic_at(i, &t); i++) {
		if (!cli_has_word(t.name, strlen(t.name), word) &&
		    !cli_has_word(t.title, t.n_title, word))
			continue;
		if (!found++)
			printf("%sExplanations (softpmu explain NAME):\n", between);
		layout_line(35, "  %-24s %-7s %.*s", t.name, t.family, (int)t.n_title, t.title);
	}
	return found;
}
