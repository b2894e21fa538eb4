/* words.c -- splits and quotes words as a shell does. Rules: words.h. */
#include "sweep/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char only_a_shell[] = "|&;()>`$*?[";

int swp_words_add(struct swp_words *w, const char *word)
{
	char **more = realloc(w->word, (w->n + 2) * sizeof(*more)), *copy = strdup(word);

	if (more)
		w->word = more;
	if (!more || !copy) {
		free(copy);
		return -SPMU_ENOMEM;
	}
	w->word[w->n++] = copy;
	w->word[w->n] = NULL;
	return 0;
}

void swp_words_free(struct swp_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->word[i]);
	free(w->word);
	free(w->input);
	memset(w, 0, sizeof(*w));
}

/* Read one word from *at into `word`, which has room for all that is left. Returns 0 or
 * -SPMU_EINVAL. */
static int read_word(const char **at, char *word, struct spmu_error *err)
{
	char quote = 0;
	const char *p = *at;

	for (; *p && (quote || !strchr(" \t", *p)); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"') {
			quote = quote ? 0 : *p;
		} else if (*p == '\\' && quote != '\'' && p[1]) {
			*word++ = *++p;
		} else if (!quote && strchr(only_a_shell, *p)) {
			return spmu_fail(
			    err, SPMU_EINVAL,
			    "'%c' is for a shell, and there is none: put it in quotes, "
			    "or write sh -c '...'",
			    *p);
		} else {
			*word++ = *p;
		}
	}
	*word = 0;
	*at = p;
	return quote ? spmu_fail(err, SPMU_EINVAL, "a quote (%c) has no end", quote) : 0;
}

int swp_words(const char *text, struct swp_words *out, struct spmu_error *err)
{
	char *word = malloc(strlen(text) + 1);
	int rc = word ? 0 : spmu_fail(err, SPMU_ENOMEM, "out of memory");

	while (!rc) {
		bool is_input;

		text += strspn(text, " \t");
		is_input = *text == '<';
		text += is_input;
		text += strspn(text, " \t");
		if (!*text && !is_input)
			break;
		rc = read_word(&text, word, err);
		if (!rc && is_input && (out->input || !*word))
			rc = spmu_fail(err, SPMU_EINVAL, "'<' wants the name of one file");
		if (!rc && (is_input ? !(out->input = strdup(word)) : swp_words_add(out, word)))
			rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	free(word);
	return rc;
}

void swp_quote(struct text *t, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=:,./@%^";

	if (t->n)
		text_printf(t, " ");
	if (*word && strspn(word, plain) == strlen(word)) {
		text_printf(t, "%s", word);
		return;
	}
	text_printf(t, "'");
	for (; *word; word++)
		text_printf(t, *word == '\'' ? "'\\''" : "%c", *word);
	text_printf(t, "'");
}
