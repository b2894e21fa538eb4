/* names.c -- tell registers, labels and data apart. */
#include "asm/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* The n bytes at `name` are `prefix`, a number from `least` to `most`, and one of the letters of
 * `ends` or none. */
static bool is_numbered(const char *name, size_t n, const char *prefix, unsigned least,
			unsigned most, const char *ends)
{
	const size_t length = strlen(prefix);
	unsigned number = 0;
	size_t i = length;

	if (n <= length || strncasecmp(name, prefix, length) ||
	    (name[length] == '0' && n > length + 1))
		return false;
	for (; i < n && i < length + 2 && isdigit((unsigned char)name[i]); i++)
		number = 10 * number + (unsigned)(name[i] - '0');
	if (i == length || number < least || number > most)
		return false;
	return i == n || (i + 1 == n && strchr(ends, tolower((unsigned char)name[i])));
}

/* Is the n bytes at `name` a register of 64-bit code alone? */
static bool is_register_of_64(const char *name, size_t n)
{
	static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp",
					    "rsp", "rip", "spl", "bpl", "sil", "dil"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (n == strlen(names[i]) && !strncasecmp(name, names[i], n))
			return true;
	return is_numbered(name, n, "r", 8, 15, "bwd") || is_numbered(name, n, "xmm", 8, 31, "") ||
	       is_numbered(name, n, "ymm", 8, 31, "") || is_numbered(name, n, "zmm", 8, 31, "") ||
	       is_numbered(name, n, "cr", 8, 15, "") || is_numbered(name, n, "dr", 8, 15, "");
}

/* ... of any code? */
static bool is_register(const char *name, size_t n)
{
	static const char *const names[] = {"al",  "bl",  "cl",	 "dl",	"ah",  "bh",  "ch",  "dh",
					    "ax",  "bx",  "cx",	 "dx",	"si",  "di",  "bp",  "sp",
					    "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp",
					    "eip", "cs",  "ds",	 "es",	"fs",  "gs",  "ss",  "st"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (n == strlen(names[i]) && !strncasecmp(name, names[i], n))
			return true;
	return is_register_of_64(name, n) || is_numbered(name, n, "mm", 0, 7, "") ||
	       is_numbered(name, n, "xmm", 0, 7, "") || is_numbered(name, n, "ymm", 0, 7, "") ||
	       is_numbered(name, n, "zmm", 0, 7, "") || is_numbered(name, n, "k", 0, 7, "") ||
	       is_numbered(name, n, "cr", 0, 7, "") || is_numbered(name, n, "dr", 0, 7, "") ||
	       is_numbered(name, n, "st", 0, 7, "");
}

/* Where the word stands in s, or NULL. */
static const char *find_word(const char *s, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = strstr(s, word); at; at = strstr(at + 1, word))
		if ((at == s || !is_word(at[-1])) && !is_word(at[n]))
			return at;
	return NULL;
}

static bool is_branch(const char *s)
{
	return tolower((unsigned char)*s) == 'j' || !strncasecmp(s, "call", 4) ||
	       !strncasecmp(s, "loop", 4) || !strncasecmp(s, "xbegin", 6);
}

/* Is s a direct branch to `name`? "short" and "near" may stand before it. */
static bool is_branch_to(const char *s, const char *name)
{
	const size_t n = strcspn(s, " \t");

	if (!is_branch(s))
		return false;
	s += n + strspn(s + n, " \t");
	while (!strncasecmp(s, "short ", 6) || !strncasecmp(s, "near ", 5))
		s += strcspn(s, " ") + strspn(s + strcspn(s, " "), " \t");
	return !strncmp(s, name, strlen(name)) && !is_word(s[strlen(name)]);
}

static const struct asm_statement *user_of(const struct asm_text *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (find_word(t->statement[i].code, name))
			return &t->statement[i];
	return NULL;
}

/* The sentence about a register that the assembler took for a name. */
static int refuse_register(const struct asm_statement *p, const char *name,
			   const struct asm_settings *s, struct spmu_error *err)
{
	if (s->bits != 64 && is_register_of_64(name, strlen(name)))
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "line %u, '%s': %s is a register of 64-bit code (--bits 64), and this is "
		    "%u-bit "
		    "code",
		    p->line, p->text, name, s->bits);
	return spmu_fail(err, SPMU_EINVAL,
			 "line %u, '%s': %s is a register that the assembler does not take here",
			 p->line, p->text, name);
}

int asm_names_check(const struct asm_text *t, const struct asm_text *init,
		    const struct asm_settings *s, const struct asm_object *o, struct text *data,
		    struct spmu_error *err)
{
	const char *name;

	for (size_t i = 0; (name = asm_object_undefined(o, i)); i++) {
		const struct asm_statement *p = user_of(t, name);

		if (!p)
			p = user_of(init, name);
		if (!p)
			continue;
		if (is_register(name, strlen(name)))
			return refuse_register(p, name, s, err);
		for (size_t k = 0; k < t->n + init->n; k++) {
			const struct asm_statement *b =
			    k < t->n ? &t->statement[k] : &init->statement[k - t->n];

			if (b->is_code && is_branch_to(b->code, name))
				return spmu_fail(err, SPMU_EINVAL,
						 "line %u, '%s': %s is no label of the text",
						 b->line, b->text, name);
		}
		text_printf(data, "%s%s", data->n ? ", " : "", name);
	}
	return data->has_failed ? spmu_fail(err, SPMU_ENOMEM, "out of memory") : 0;
}

/* Does s hold %REGISTER, or $ before a number at the beginning of an operand? */
static bool looks_like_att(const char *s)
{
	bool is_quoted = false;

	for (const char *at = s; *at; at++) {
		size_t n = 0;

		is_quoted ^= *at == '"';
		if (is_quoted || (*at != '%' && *at != '$'))
			continue;
		while (isalnum((unsigned char)at[1 + n]))
			n++;
		if (*at == '%' && is_register(at + 1, n))
			return true;
		if (*at == '$' && at > s && (isspace((unsigned char)at[-1]) || at[-1] == ',') &&
		    (isdigit((unsigned char)at[1]) || at[1] == '-'))
			return true;
	}
	return false;
}

/* The first register in the operands of s that has no %; its length in *n. NULL: there is none. */
static const char *plain_register(const char *s, size_t *n)
{
	for (const char *at = s + strcspn(s, " \t"); *at; at += *n ? *n : 1) {
		*n = 0;
		if (*at == '"')
			return NULL;
		while (is_word(at[*n]))
			++*n;
		if (*n && at[-1] != '%' && is_register(at, *n))
			return at;
	}
	return NULL;
}

/* The number that a direct branch goes to, its length in *n: an address, for a label has a letter
 * behind it there. NULL: there is none. */
static const char *bare_target(const char *s, size_t *n)
{
	const char *at = s + strcspn(s, " \t");

	at += strspn(at, " \t");
	*n = strspn(at, "0123456789");
	return *n && *n <= 2 && !at[*n + strspn(at + *n, " \t")] && is_branch(s) ? at : NULL;
}

int asm_names_check_syntax(const struct asm_text *t, bool is_att, struct spmu_error *err)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct asm_statement *p = &t->statement[i];
		const char *name;
		size_t n;

		if (!p->is_code)
			continue;
		if (!is_att && looks_like_att(p->code))
			return spmu_fail(err, SPMU_EINVAL,
					 "line %u, '%s': this looks like AT&T syntax: --att",
					 p->line, p->text);
		name = bare_target(p->code, &n);
		if (name)
			return spmu_fail(err, SPMU_EINVAL,
					 "line %u, '%s': %.*s is an address there; of a label "
					 "'%.*s:' in the text write %.*sb (backwards) or %.*sf "
					 "(forwards)",
					 p->line, p->text, (int)n, name, (int)n, name, (int)n, name,
					 (int)n, name);
		name = is_att ? plain_register(p->code, &n) : NULL;
		if (name)
			return spmu_fail(
			    err, SPMU_EINVAL,
			    "line %u, '%s': AT&T syntax writes %%%.*s; without --att the "
			    "text is Intel's",
			    p->line, p->text, (int)n, name);
	}
	return 0;
}
