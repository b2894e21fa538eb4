/* last_words.c -- searches the last output of a program for words about its processor. Rules:
 * last_words.h. The text is hostile: it is only compared, never used as a format or a name. */
#include "session/totals/last_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define WORD_BYTES 24

/* Words as they stand in messages, in small letters, without - _ and . in them. */
static const struct feature {
	const char *word;
	int level; /* that has it */
} features[] = {
    {"cmov", 1},
    {"mmx", 1},
    {"sse", 1},
    {"sse2", 1},
    {"i686", 1},
    {"x8664v1", 1},
    {"sse3", 2},
    {"pni", 2},
    {"ssse3", 2},
    {"sse4", 2},
    {"sse41", 2},
    {"sse42", 2},
    {"popcnt", 2},
    {"cx16", 2},
    {"cmpxchg16b", 2},
    {"lahf", 2},
    {"x8664v2", 2},
    {"x86v2", 2},
    {"avx", 3},
    {"avx2", 3},
    {"fma", 3},
    {"fma3", 3},
    {"bmi", 3},
    {"bmi1", 3},
    {"bmi2", 3},
    {"lzcnt", 3},
    {"movbe", 3},
    {"f16c", 3},
    {"xsave", 3},
    {"osxsave", 3},
    {"x8664v3", 3},
    {"x86v3", 3},
    {"x8664v4", 4},
    {"x86v4", 4},
    {"aesni", SES_WORDS_HOST},
    {"pclmul", SES_WORDS_HOST},
    {"pclmulqdq", SES_WORDS_HOST},
    {"vaes", SES_WORDS_HOST},
    {"gfni", SES_WORDS_HOST},
    {"rdrand", SES_WORDS_HOST},
    {"rdseed", SES_WORDS_HOST},
    {"adx", SES_WORDS_HOST},
};

/* Words with these beginnings name parts of the feature: avx512f, avx512vnni. */
static const struct feature beginnings[] = {{"avx512", 4}, {"amx", SES_WORDS_HOST}};

/* The levels of a line that is about a processor anyway: "processors with v3 microarchitecture". */
static const struct feature near_processor[] = {
    {"v2", 2},
    {"v3", 3},
    {"v4", 4},
    {"nehalem", 2},
    {"haswell", 3},
    {"aes", SES_WORDS_HOST},
    {"sha", SES_WORDS_HOST},
};

static const char *const processors[] = {
    "cpu", "cpus", "processor", "processors", "microarchitecture", "microprocessor", "isa", "cpuid",
};

/* Beginnings of words. */
static const char *const lacks[] = {
    "support", "unsupported", "requir",	     "need",	  "lack",   "miss",	    "lower",
    "older",   "old",	      "unavailable", "available", "only",   "incompatible", "must",
    "without", "enabled",     "found",	     "illegal",	  "cannot", "can't",
};

/* Facts about a text, or about a line of it. */
struct said {
	bool has_processor, has_lack;
	bool is_of_loader; /* "error while loading": about a file, unless it names a processor */
	int level;	   /* the highest that a word names; 0 none */
	int near_level;	   /* the highest, with words that name a level only beside a processor */
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int level_of(const struct feature *f, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].word, word))
			return f[i].level;
	return 0;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

/* One word into what its line has. */
static void take_word(const char *word, struct said *line)
{
	int level = level_of(features, COUNT(features), word);

	for (size_t i = 0; i < COUNT(beginnings); i++)
		if (!strncmp(word, beginnings[i].word, strlen(beginnings[i].word)))
			level = beginnings[i].level;
	line->level = most(line->level, level);
	line->near_level =
	    most(line->near_level, level_of(near_processor, COUNT(near_processor), word));
	line->is_of_loader |= !strcmp(word, "loading");
	for (size_t i = 0; i < COUNT(processors); i++)
		line->has_processor |= !strcmp(word, processors[i]);
	for (size_t i = 0; i < COUNT(lacks); i++)
		line->has_lack |= !strncmp(word, lacks[i], strlen(lacks[i]));
}

/* At the end of a line: what it says holds for the text. */
static void end_line(struct said *text, struct said *line)
{
	if (!line->is_of_loader || line->has_processor) {
		text->level = most(text->level, line->level);
		text->has_lack |= line->has_lack;
	}
	if (line->has_processor && line->has_lack) {
		text->has_processor = true;
		text->level = most(text->level, line->near_level);
	}
	*line = (struct said){0};
}

/* Returns the length of the path, between blanks, with which text[0..n) begins; 0 if there is none.
 * Words of a path name files. */
static size_t path_length(const char *text, size_t n)
{
	const size_t start = n && text[0] && strchr("('`", text[0]) ? 1 : 0;
	size_t at = start;

	while (at < n && !isspace((unsigned char)text[at]))
		at++;
	if (at == start || (!strchr("/.~", text[start]) && text[at - 1] != ':'))
		return 0;
	return memchr(text + start, '/', at - start) ? at : 0;
}

int ses_words_isa(const char *text, size_t n, unsigned shown)
{
	struct said all = {0}, line = {0};
	const int now = shown == SHR_ISA_CPU ? 0 : (int)shown;
	char word[WORD_BYTES] = "";
	size_t length = 0;

	if (shown == 0)
		return 0;
	for (size_t i = 0; i <= n; i++) {
		const bool is_start = !i || isspace((unsigned char)text[i - 1]);
		const size_t path = is_start ? path_length(text + i, n - i) : 0;
		unsigned char c;

		i += path;
		c = i < n ? (unsigned char)text[i] : '\n';

		if (isalnum(c) || c == '\'') {
			if (length < sizeof(word) - 1)
				word[length++] = (char)tolower(c);
			continue;
		}
		if (c == '-' || c == '_' || c == '.')
			continue;
		word[length] = 0;
		if (length)
			take_word(word, &line);
		length = 0;
		if (c == '\n')
			end_line(&all, &line);
	}
	if (!all.has_lack || (!all.level && !all.has_processor))
		return 0;
	if (all.level > now)
		return all.level;
	return all.has_processor ? most(now + 1, now ? 3 : 1) : 0;
}

int ses_last_words_isa(const struct shr_ctl *c)
{
	const uint64_t n = c->last_words.n;
	const size_t place = n % SHR_WORDS_BYTES,
		     used = n < SHR_WORDS_BYTES ? (size_t)n : SHR_WORDS_BYTES;
	char text[SHR_WORDS_BYTES];

	if (!c->end_status || !c->start.has_asked_cpuid || !used)
		return 0;
	if (n < SHR_WORDS_BYTES) {
		memcpy(text, c->last_words.text, used);
	} else {
		memcpy(text, c->last_words.text + place, SHR_WORDS_BYTES - place);
		memcpy(text + SHR_WORDS_BYTES - place, c->last_words.text, place);
	}
	return ses_words_isa(text, used, c->start.isa_level);
}
