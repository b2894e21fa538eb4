/* text.c -- split a snippet into statements and respell them. */
#include "asm/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

static char *trimmed(const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return strndup(s, n);
}

/* Characters of the labels at the beginning of s, their colons included. */
static size_t labels_of(const char *s)
{
	size_t end = 0;

	for (;;) {
		size_t i = end + strspn(s + end, " \t"), begin = i;

		while (is_word(s[i]))
			i++;
		if (i == begin)
			return end;
		i += strspn(s + i, " \t");
		if (s[i] != ':')
			return end;
		end = i + 1;
	}
}

static bool is_word_at(const char *s, const char *at, const char *word)
{
	const size_t n = strlen(word);

	return (at == s || !is_word(at[-1])) && !strncasecmp(at, word, n) && !is_word(at[n]);
}

/* Does the operand-size word of n characters at `at` stand before a memory operand without
 * "ptr"? */
static bool needs_ptr(const char *at, size_t n)
{
	const char *next = at + n + strspn(at + n, " \t");

	return *next == '[' || (next > at + n && strlen(next) > 2 && next[2] == ':');
}

/* Characters of the number at `at`, hexadecimal with an h behind it as NASM and MASM write it;
 * 0: there is none. */
static size_t hexadecimal(const char *s, const char *at)
{
	size_t n = 0;

	if (!isdigit((unsigned char)*at) || (at > s && is_word(at[-1])))
		return 0;
	while (isxdigit((unsigned char)at[n]))
		n++;
	return tolower((unsigned char)at[n]) == 'h' && !is_word(at[n + 1]) ? n + 1 : 0;
}

/* Append s in the spelling of the GNU assembler. */
static void respell(const char *s, struct text *out)
{
	static const char *const sizes[] = {"byte", "word", "dword", "qword", "tword", "tbyte"};
	bool is_quoted = false;

	for (const char *at = s; *at;) {
		bool is_done = false;
		size_t n_hex;

		is_quoted ^= *at == '"';
		if (is_quoted) {
			text_printf(out, "%c", *at++);
			continue;
		}
		n_hex = hexadecimal(s, at);
		if (n_hex) {
			text_printf(out, "0x%.*s", (int)n_hex - 1, at);
			at += n_hex;
			continue;
		}
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !is_done; i++) {
			const size_t n = strlen(sizes[i]);

			if (!is_word_at(s, at, sizes[i]) || !needs_ptr(at, n))
				continue;
			text_printf(out, "%s ptr", i == 4 ? "tbyte" : sizes[i]);
			at += n;
			is_done = true;
		}
		if (is_done)
			continue;
		if ((at == s || !is_word(at[-1])) && !strncasecmp(at, "st", 2) && at[2] >= '0' &&
		    at[2] <= '7' && !is_word(at[3])) {
			text_printf(out, "st(%c)", at[2]);
			at += 3;
			continue;
		}
		text_printf(out, "%c", *at++);
	}
}

/* NASM's "bits N" and "name equ value". Returns false when `text` is neither. */
static bool respell_directive(struct asm_text *t, const char *text, struct text *out)
{
	char name[64], word[8];
	unsigned bits;
	int used = 0;

	if (sscanf(text, "%7s %u%n", word, &bits, &used) == 2 && !text[used] &&
	    !strcasecmp(word, "bits") && (bits == 16 || bits == 32 || bits == 64)) {
		t->bits = bits;
		return true;
	}
	if (sscanf(text, "%63s %7s%n", name, word, &used) == 2 && !strcasecmp(word, "equ") &&
	    text[used]) {
		text_printf(out, ".set %s,%s", name, text + used);
		return true;
	}
	return false;
}

/* Does a name of registers, `prefix` and a digit, stand in s? */
static bool names_register(const char *s, const char *prefix)
{
	const size_t n = strlen(prefix);

	for (const char *at = s; *at; at++)
		if ((at == s || !is_word(at[-1])) && !strncasecmp(at, prefix, n) &&
		    isdigit((unsigned char)at[n]) && !is_word(at[n + 1]))
			return true;
	return false;
}

static int add(struct asm_text *t, const char *s, size_t n, unsigned line, bool is_att,
	       struct spmu_error *err)
{
	char *whole = trimmed(s, n), *rest;
	struct text code = {0};
	struct asm_statement *p;
	size_t n_labels;

	if (!whole || !*whole) {
		free(whole);
		return whole ? 0 : spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	p = realloc(t->statement, (t->n + 1) * sizeof(*p));
	n_labels = labels_of(whole);
	rest = trimmed(whole + n_labels, strlen(whole + n_labels));
	if (!p || !rest)
		goto fail;
	t->statement = p;
	p += t->n;
	*p = (struct asm_statement){.labels = trimmed(whole, n_labels), .text = rest, .line = line};
	t->n++;
	t->has_labels |= n_labels != 0;
	if (!is_att && respell_directive(t, rest, &code)) {
		p->is_code = false;
	} else {
		p->is_code = *rest && *rest != '.' && !strchr(rest, '=');
		if (is_att)
			text_printf(&code, "%s", rest);
		else
			respell(rest, &code);
	}
	p->code = strdup(text_get(&code));
	t->has_mmx |= p->is_code && (names_register(rest, "mm") || names_register(rest, "%mm"));
	t->has_x87 |= p->is_code && tolower((unsigned char)*rest) == 'f';
	text_free(&code);
	free(whole);
	if (p->labels && p->code)
		return 0;
	return spmu_fail(err, SPMU_ENOMEM, "out of memory");
fail:
	free(whole);
	free(rest);
	return spmu_fail(err, SPMU_ENOMEM, "out of memory");
}

int asm_text_read(const char *source, bool is_file, bool is_att, struct asm_text *out,
		  struct spmu_error *err)
{
	const char comment = is_file && !is_att ? ';' : '#';
	bool has_code = false;
	unsigned line = 1;
	char quote = 0;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	for (const char *at = source, *begin = source; !rc; at++) {
		const bool is_comment = !quote && *at == comment;
		const bool is_end = !*at || *at == '\n' || (!quote && *at == ';') || is_comment;

		if (!is_end) {
			if (*at == '"')
				quote ^= '"';
			continue;
		}
		rc = add(out, begin, (size_t)(at - begin), line, is_att, err);
		if (is_comment)
			at += strcspn(at, "\n");
		if (!*at)
			break;
		if (*at == '\n') {
			line++;
			quote = 0;
		}
		begin = at + 1;
	}
	for (size_t i = 0; i < out->n; i++)
		has_code |= out->statement[i].is_code;
	if (!rc && !has_code)
		rc = spmu_fail(err, SPMU_EINVAL, "there is no instruction in the text to time");
	return rc;
}

void asm_text_free(struct asm_text *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->statement[i].labels);
		free(t->statement[i].text);
		free(t->statement[i].code);
	}
	free(t->statement);
	memset(t, 0, sizeof(*t));
}
