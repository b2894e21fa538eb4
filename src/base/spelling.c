/* spelling.c -- which of many words is nearest to the one that was typed. Rules are in spelling.h.
 *
 * The distance is the number of letters to change, insert, remove or exchange. Two words are also
 * near when one contains the other, or when each word of a name stands for one of the candidate's,
 * as "tlb" stands for "itlb". A search keeps the best candidate only, so offering many costs no
 * memory.
 */
#include "base/spelling.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LETTERS	   96
#define MOST_WORDS 8
#define PART	   1 /* distance of a word from one that it is a part of; slips come on top of it */
#define FAR	   1000 /* more than all words of a name together can be wrong */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static size_t fold(const char *s, char out[LETTERS])
{
	size_t n = 0;

	for (; s[n] && n < LETTERS - 1; n++)
		out[n] = s[n] == '-' ? '_' : (char)tolower((unsigned char)s[n]);
	return n;
}

unsigned spelling_distance(const char *a, const char *b)
{
	char x[LETTERS], y[LETTERS];
	size_t n = fold(a, x), m = fold(b, y);
	unsigned row[3][LETTERS]; /* rows i - 2, i - 1 and i of the table, in turn */

	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3], *above = row[(i - 1) % 3], *two = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned d = above[j - 1] + (x[i - 1] != y[j - 1]);

			d = least(d, least(above[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1])
				d = least(d, two[j - 2] + 1);
			now[j] = d;
		}
	}
	return row[n % 3][m];
}

/* How many letters may be wrong: one of a short word, else a quarter. */
static unsigned limit(const char *word)
{
	size_t n = strlen(word);

	return n < 6 ? 1 : (unsigned)(n + 2) / 4;
}

/* A name cut at its _ and -. */
struct words {
	char text[LETTERS];
	const char *word[MOST_WORDS];
	unsigned n;
};

static void cut(const char *name, struct words *out)
{
	char *rest, *word;

	out->text[fold(name, out->text)] = '\0';
	out->n = 0;
	for (word = strtok_r(out->text, "_ ", &rest); word && out->n < MOST_WORDS;
	     word = strtok_r(NULL, "_ ", &rest))
		out->word[out->n++] = word;
}

/* Does the name contain what was written? Three letters must be a whole word of it. */
static bool contains(const char *whole, const char *part)
{
	char x[LETTERS], y[LETTERS];
	struct words has;

	x[fold(whole, x)] = '\0';
	y[fold(part, y)] = '\0';
	if (strlen(y) >= SPELLING_PART)
		return strstr(x, y);
	cut(whole, &has);
	for (unsigned i = 0; i < has.n; i++)
		if (strlen(y) == SPELLING_PART - 1 && !strcmp(has.word[i], y))
			return true;
	return false;
}

/* Is a word a part of another one, as "tlb" of "itlb", or its plural, as "misses" of "miss"? */
static bool is_part(const char *asked, const char *word)
{
	const size_t n = strlen(asked), m = strlen(word);

	if (n < 3 || m < 3)
		return false;
	if (n > m)
		return !strncmp(asked, word, m) &&
		       (!strcmp(asked + m, "s") || !strcmp(asked + m, "es"));
	return !strncmp(asked, word, n) || !strcmp(asked, word + m - n);
}

/* How far a word is from another one that it may stand for; FAR: it does not stand for it. */
static unsigned word_distance(const char *asked, const char *word)
{
	unsigned d;

	if (!strcmp(asked, word))
		return 0;
	if (is_part(asked, word))
		return PART;
	d = spelling_distance(asked, word);
	return d <= limit(asked) ? PART + 2 * d : FAR;
}

/* Distance of a name of several words from a candidate, word by word; FAR and more: a word stands
 * for nothing. *has_it receives a bit for each word that is one of the candidate's, or a part of
 * one. */
static unsigned distance_by_words(const struct words *asked, const char *candidate, uint8_t *has_it)
{
	struct words has;
	unsigned sum = 0;

	cut(candidate, &has);
	*has_it = 0;
	for (unsigned i = 0; i < asked->n; i++) {
		unsigned d = FAR;

		for (unsigned k = 0; k < has.n; k++)
			d = least(d, word_distance(asked->word[i], has.word[k]));
		*has_it |= (uint8_t)((d <= PART) << i);
		sum += d;
	}
	return sum + (has.n > asked->n ? has.n - asked->n : asked->n - has.n);
}

void spelling_offer(struct spelling_search *s, const char *candidate)
{
	struct words asked;
	uint8_t has_it = 0;
	unsigned d;

	cut(s->word, &asked);
	if (asked.n > 1) {
		d = distance_by_words(&asked, candidate, &has_it);
	} else {
		d = spelling_distance(s->word, candidate);
		d = d <= limit(s->word) ? d : d + FAR;
	}
	s->known |= has_it;
	if (d >= FAR && contains(candidate, s->word))
		d = FAR - 1;
	if (s->best && d >= s->distance)
		return;
	s->best = candidate;
	s->distance = d;
	s->has = has_it;
}

bool spelling_is_near(const struct spelling_search *s)
{
	return s->best && s->distance < FAR && !(s->known & ~s->has);
}

const char *spelling_ask(const struct spelling_search *s, const char *lead,
			 char text[SPELLING_TEXT])
{
	text[0] = '\0';
	if (spelling_is_near(s))
		snprintf(text, SPELLING_TEXT, "; did you mean %s%s?", lead, s->best);
	return text;
}
