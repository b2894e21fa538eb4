/* command.c -- takes command lines apart. The rule is in command.h. */
#include "cli/bench/command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define BLANKS " \t\n"

/* The word that begins at *at, without quotes, to *to, which moves behind it with its NUL; to may
 * be NULL. Returns false when only a shell can read it. */
static bool take_word(const char **at, char **to)
{
	char quote = 0;
	const char *s = *at;
	char *out = to ? *to : NULL;

	for (; *s && (quote || !strchr(BLANKS, *s)); s++) {
		const char *special = quote == '\'' ? "" : quote == '"' ? "$`" : "|&;<>()$`*?[]~#";

		if (*s == quote) {
			quote = 0;
			continue;
		}
		if (!quote && (*s == '\'' || *s == '"')) {
			quote = *s;
			continue;
		}
		if (strchr(special, *s) && (*s != '~' || s == *at) && (*s != '#' || s == *at))
			return false;
		if (*s == '\\' && quote != '\'' && s[1] && (quote != '"' || strchr("\\\"$`", s[1])))
			s++;
		if (out)
			*out++ = *s;
	}
	*at = s;
	if (out) {
		*out++ = 0;
		*to = out;
	}
	return !quote;
}

/* Returns the number of words, or -1 when only a shell can read the line. words and argv may be
 * NULL. */
static int take_words(const char *text, char *words, char **argv)
{
	int n = 0;

	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		if (argv)
			argv[n] = words;
		if (!take_word(&text, words ? &words : NULL))
			return -1;
		n++;
	}
	return n;
}

bool cli_bench_needs_shell(const char *text)
{
	const char *first = text + strspn(text, BLANKS);
	const size_t name = strspn(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");

	return (name && first[name] == '=') || take_words(text, NULL, NULL) < 0;
}

int cli_bench_command(struct cli_bench_command *c, const char *text, bool by_shell)
{
	const int n = by_shell ? 3 : take_words(text, NULL, NULL);

	c->text = text;
	if (!text[strspn(text, BLANKS)])
		return cli_fail("bench: command '%s' is empty; write softpmu bench 'CMD A' 'CMD B'",
				text);
	c->words = malloc(sizeof("sh\0-c") + strlen(text) + 1);
	c->argv = calloc((size_t)n + 1, sizeof(*c->argv));
	if (!c->words || !c->argv)
		return cli_fail("out of memory for the commands");
	if (!by_shell) {
		take_words(text, c->words, c->argv);
		return 0;
	}
	memcpy(c->words, "sh\0-c", sizeof("sh\0-c"));
	strcpy(c->words + sizeof("sh\0-c"), text);
	c->argv[0] = c->words;
	c->argv[1] = c->words + sizeof("sh");
	c->argv[2] = c->words + sizeof("sh\0-c");
	return 0;
}

void cli_bench_command_free(struct cli_bench_command *c)
{
	free(c->argv);
	free(c->words);
}
