#include "base/spelling.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LETTERS 96

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

static bool contains(const char *whole, const char *part)
{
	char x[LETTERS], y[LETTERS];

	x[fold(whole, x)] = '\0';
	y[fold(part, y)] = '\0';
	return strlen(y) >= SPELLING_PART && strstr(x, y);
}

void spelling_offer(struct spelling_search *s, const char *candidate)
{
	unsigned d = spelling_distance(s->word, candidate);

	if (d > limit(s->word) && contains(candidate, s->word))
		d = limit(s->word);
	if (s->best && d >= s->distance)
		return;
	s->best = candidate;
	s->distance = d;
}

const char *spelling_ask(const struct spelling_search *s, const char *lead, char text[SPELLING_TEXT])
{
	text[0] = '\0';
	if (s->best && s->distance <= limit(s->word))
		snprintf(text, SPELLING_TEXT, "; did you mean %s%s?", lead, s->best);
	return text;
}
