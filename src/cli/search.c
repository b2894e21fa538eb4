/* search.c -- see search.h.
 *
 * Texts are searched one after the other: the catalog has some hundred, and a person waits.
 */
#include "cli/search.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/explain/topic.h"
#include "cli/layout.h"

#define LEAST_PART  3  /* letters of a word that is looked for alone */
#define MOST_EVENTS 24 /* that are shown; the others are counted */

extern const char cli_glossary[]; /* texts.S: docs/GLOSSARY.md */

static char folded(char c)
{
	return c == '-' || c == '_' ? ' ' : (char)tolower((unsigned char)c);
}

/* Are n letters the same, in upper or lower case, with a blank, - or _ between words? */
static bool is_same(const char *text, const char *word, size_t n)
{
	while (n && folded(*text) == folded(*word))
		text++, word++, n--;
	return !n;
}

/* Where event and word meet, best first. */
enum place { IN_NAME, IN_MEANING, IN_COMMENTARY, NOWHERE };

/* Length of a word without the "s" of a plural. */
static size_t stem(const char *word)
{
	const size_t n = strlen(word);

	return n > LEAST_PART && word[n - 1] == 's' && word[n - 2] != 's' ? n - 1 : n;
}

bool cli_has_word(const char *text, size_t n, const char *word)
{
	const size_t length = stem(word);

	for (size_t i = 0; i + length <= n; i++)
		if (is_same(text + i, word, length) &&
		    (i == 0 || !isalnum((unsigned char)text[i - 1])) &&
		    (length >= LEAST_PART || i + length == n ||
		     !isalnum((unsigned char)text[i + length])))
			return true;
	return false;
}

static bool has(const char *text, const char *word)
{
	return cli_has_word(text, strlen(text), word);
}

static enum place place_of(const struct cat_event *e, const char *word)
{
	if (has(e->name, word))
		return IN_NAME;
	for (const char *const *alias = cat_event_aliases(e); *alias; alias++)
		if (has(*alias, word))
			return IN_NAME;
	if (has(e->meaning, word))
		return IN_MEANING;
	return has(e->note, word) || has(e->rule, word) || has(e->discrepancy, word) ? IN_COMMENTARY
										     : NOWHERE;
}

/* Is one of the n bytes' terms, "D1, D2", the word itself? */
static bool is_term(const char *text, size_t n, const char *word)
{
	const size_t length = stem(word);

	for (size_t i = 0; i + length <= n; i++)
		if (is_same(text + i, word, length) && (!i || (i > 1 && text[i - 2] == ',')) &&
		    (i + length == n || text[i + length] == ',' ||
		     (i + length + 1 < n && text[i + length + 1] == '(')))
			return true;
	return false;
}

/* Print the entries of the glossary from `line` to `stop` whose term has the word: lines "**TERM,
 * TERM** text." Returns how many. is_whole: the word is a term, not its beginning. */
static unsigned search_entries(const char *line, const char *stop, const char *word,
			       const char *heading, bool is_whole)
{
	const char *end;
	unsigned n = 0;

	for (; line < stop; line = end + 1) {
		const char *term = line + 2, *close;
		char text[1024];

		end = line + strcspn(line, "\n");
		if (!*end)
			break;
		if (end - line < 5 || memcmp(line, "**", 2) != 0)
			continue;
		close = memchr(term, '*', (size_t)(end - term));
		if (!close || end - close < 3 ||
		    !cli_has_word(term, (size_t)(close - term), word) ||
		    (is_whole && !is_term(term, (size_t)(close - term), word)))
			continue;
		if (!n++)
			printf("%s", heading);
		snprintf(text, sizeof(text), "%.*s: %.*s", (int)(close - term), term,
			 (int)(end - close - 3), close + 3);
		layout_paragraphs(text, 2);
	}
	return n;
}

/* The glossary's second part: words of softpmu's own code. */
static const char *own_words(void)
{
	const char *own = strstr(cli_glossary, "\n## ");

	return own ? own : cli_glossary + strlen(cli_glossary);
}

/* Words of people who use softpmu; of those who read its code only a term itself, when there is
 * no other. */
static unsigned search_glossary(const char *word, const char *heading, bool is_whole)
{
	const char *own = own_words();
	unsigned n = search_entries(cli_glossary, own, word, heading, true);

	if (!is_whole && !n)
		n = search_entries(cli_glossary, own, word, heading, false);
	return n ? n : search_entries(own, own + strlen(own), word, heading, true);
}

/* The name of a processor that has the event, for people: of several classes the first. */
static const char *owner_of(const struct cat_event *e)
{
	size_t n;
	const struct cat_cpu *cpu = cat_cpus(&n);

	for (size_t i = 0; i < n; i++)
		if (cat_cpu_has_event(&cpu[i], e))
			return cpu[i].name;
	return "";
}

/* Print the events of one family where the word stands in `place`; of cpu alone, if it is not NULL.
 * *left counts down to 0, then *more up. */
static void print_events(const char *word, const struct cat_cpu *cpu, int family, enum place place,
			 unsigned *left, unsigned *more)
{
	size_t n;
	const struct cat_event *e = cat_events(&n);

	for (size_t i = 0; i < n; i++) {
		if (e[i].family != family || place_of(&e[i], word) != place ||
		    (cpu && !cat_cpu_has_event(cpu, &e[i])))
			continue;
		if (!*left) {
			++*more;
			continue;
		}
		--*left;
		printf("  %s (%s)\n", e[i].name, cpu ? cpu->name : owner_of(&e[i]));
		layout_paragraphs(e[i].meaning, 7);
	}
}

/* Print perf's names that have the word, behind `between`. Returns how many. */
static unsigned print_generics(const struct cat_cpu *cpu, const char *word, const char *between)
{
	size_t n;
	const struct cat_generic *g = cat_generics(&n);
	unsigned found = 0;

	for (size_t i = 0; i < n; i++)
		if (g[i].family == cpu->family && has(g[i].name, word)) {
			if (!found++)
				printf("%sNames of perf's on %s:\n", between, cpu->name);
			layout_line(30, "  %-27s %s", g[i].name, g[i].text);
		}
	return found;
}

/* Of cpu alone, if it is not NULL. */
static unsigned count_events(const char *word, const struct cat_cpu *cpu, const int *family,
			     size_t n_family)
{
	size_t n;
	const struct cat_event *e = cat_events(&n);
	unsigned found = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_family; k++)
			found += e[i].family == family[k] && place_of(&e[i], word) != NOWHERE &&
				 (!cpu || cat_cpu_has_event(cpu, &e[i]));
	return found;
}

bool cli_search(const struct cat_cpu *cpu, bool only_cpu, const char *word, const char *before)
{
	const struct cat_cpu *only = only_cpu ? cpu : NULL;
	const int family[] = {cpu->family, cpu->family == CAT_P5 ? CAT_P6 : CAT_P5};
	const size_t n_family = sizeof(family) / sizeof(family[0]);
	unsigned left = MOST_EVENTS, more = 0, found, others;
	char heading[64];

	if (!word[0])
		return false;
	if (!word[1])
		return cli_search_term(word);
	snprintf(heading, sizeof(heading), "%sIn the glossary:\n", before);
	found = search_glossary(word, heading, false);
	found += cli_search_topics(word, found ? "\n" : before);
	found += print_generics(cpu, word, found ? "\n" : before);
	others = count_events(word, NULL, family, n_family);
	if (count_events(word, only, family, n_family)) {
		printf("%s", found ? "\n" : before);
		layout_line(2,
			    "Events that speak of it (softpmu explain NAME has the whole text):");
		for (size_t k = 0; k < n_family; k++)
			for (enum place p = IN_NAME; p < NOWHERE; p++)
				print_events(word, only, family[k], p, &left, &more);
		if (more)
			printf("  and %u more\n", more);
		found++;
	}
	others -= count_events(word, only, family, n_family);
	if (others)
		printf("%s%u event%s that %s does not have speak%s of it: without --cpu.\n",
		       found ? "\n" : before, others, others == 1 ? "" : "s", cpu->name,
		       others == 1 ? "s" : "");
	return found + others != 0;
}

bool cli_is_term(const char *word)
{
	const char *own = own_words(), *end;

	for (const char *line = cli_glossary; line < own; line = end + 1) {
		const char *close;

		end = line + strcspn(line, "\n");
		if (!*end)
			break;
		close = strncmp(line, "**", 2) ? NULL : strstr(line + 2, "**");
		if (close && close < end && is_term(line + 2, (size_t)(close - line - 2), word))
			return true;
	}
	return false;
}

bool cli_search_term(const char *word)
{
	return search_glossary(word, "In the glossary:\n", true) != 0;
}

bool cli_search_parts(const char *words)
{
	unsigned found = 0;
	char word[64];

	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, words);
		if (n >= LEAST_PART)
			found += search_glossary(word, found ? "" : "In the glossary:\n", true);
	}
	return found != 0;
}
