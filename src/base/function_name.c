/* function_name.c -- takes names of functions apart. Rules: function_name.h. */
#include "base/function_name.h"

#include <ctype.h>
#include <string.h>

#define MOST_GROUP 16384 /* bytes */

static const char anonymous[] = "(anonymous namespace)";

static bool is_of_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

/* The characters of an operator's name: "operator()", "operator<<=", "operator->". An operator with
 * template arguments has a blank between: "operator< <int>". */
static size_t operator_bytes(const char *at)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	if (strncmp(at, word, n) || is_of_word(at[n]))
		return 0;
	if (at[n] == '(')
		return at[n + 1] == ')' ? n + 2 : n;
	return n + strspn(at + n, "<>=-");
}

size_t function_name_word(const char *name, const char *at)
{
	if (!strncmp(at, anonymous, sizeof(anonymous) - 1))
		return sizeof(anonymous) - 1;
	if (at[0] == '-' && at[1] == '>')
		return 2;
	return at == name || !is_of_word(at[-1]) ? operator_bytes(at) : 0;
}

/* The bytes of the brackets that open at `at` with all that they hold; 0: they do not close within
 * MOST_GROUP, which bounds the time for a name that lies. Within parentheses and braces, < and >
 * may be operators. */
static size_t group_bytes(const char *name, const char *at)
{
	const bool is_angle = *at == '<';
	int depth = 0;

	for (const char *s = at; *s && s - at < MOST_GROUP; s++) {
		const size_t word = s == at ? 0 : function_name_word(name, s);

		if (word) {
			s += word - 1;
		} else if (is_angle && s != at && (*s == '(' || *s == '{')) {
			const size_t n = group_bytes(name, s);

			if (!n)
				return 0;
			s += n - 1;
		} else if (*s == *at) {
			depth++;
		} else if (*s == (*at == '(' ? ')' : *at == '{' ? '}' : '>') && !--depth) {
			return (size_t)(s - at) + 1;
		}
	}
	return 0;
}

/* Does a part of the name follow behind parameters: " const::{lambda()#1}"? */
static bool has_more(const char *s)
{
	static const char *const between[] = {" const", " volatile", " &&", " &", "[abi:cxx11]"};

	for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++)
		if (!strncmp(s, between[i], strlen(between[i]))) {
			s += strlen(between[i]);
			i = (size_t)-1;
		}
	return s[0] == ':' && s[1] == ':';
}

/* Are the parentheses at `at` some of decltype's or of D's templates? */
static bool is_of_type(const char *name, const char *at)
{
	static const char word[] = "decltype";
	const size_t n = sizeof(word) - 1;
	const char *end = at > name && at[-1] == ' ' ? at - 1 : at;

	return (end - name >= (ptrdiff_t)n && !strncmp(end - n, word, n)) ||
	       (at > name && at[-1] == '!');
}

/* Where the name begins and ends. */
struct span {
	size_t from, to;
};

/* A parenthesis opens at `at`: returns how far the name goes on; 0: parameters begin. */
static size_t pass_parenthesis(const char *name, const char *at)
{
	const size_t n = group_bytes(name, at);

	if (at[1] == '*' || at[1] == '&') /* "(*f(int))(long)" and "(*T).f" */
		return 1;
	if (n && (is_of_type(name, at) || (at > name && at[-1] == ' ') || has_more(at + n)))
		return n;
	return at == name ? 1 : 0;
}

static struct span span_of(const char *name)
{
	struct span x = {0, 0};
	const char *s = name;

	while (*s) {
		const size_t word = function_name_word(name, s);

		if (word) {
			s += word;
			if (*s == ' ' && !strncmp(s - word, "operator", strlen("operator")))
				s++;
		} else if (*s == '<' || *s == '{') {
			const size_t n = group_bytes(name, s);

			s += n ? n : 1;
		} else if (*s == '(') {
			const size_t n = pass_parenthesis(name, s);

			if (!n)
				break;
			if (s > name && s[-1] == ' ' && s[1] == '*')
				x.from = (size_t)(s + 2 - name);
			s += n;
		} else if (*s == ' ' && strncmp(s, " const", 6) != 0 &&
			   (!strchr("([&", s[1]) || function_name_word(name, s + 1))) {
			x.from = (size_t)(++s - name); /* what came before is the result */
		} else {
			s++;
		}
	}
	x.to = (size_t)(s - name);
	if (strstr(name, " thunk to ")) /* "virtual thunk to f()" is another function than f */
		x.from = 0;
	return x;
}

/* The bytes at s that a short name leaves out: template arguments, with the blank before them. */
static size_t arguments_bytes(const char *name, const char *s)
{
	const bool is_apart = s[0] == ' ' && s[1] == '<';

	if (s == name || *name == '<' || s[is_apart] != '<' || s[-1] == ':') /* Rust: <A as B>::f */
		return 0;
	return is_apart + group_bytes(name, s + is_apart);
}

size_t function_name_bytes(const char *name)
{
	return span_of(name).to;
}

/* Returns true if `wanted` is the name from s to `end`, but for what people leave out. */
static bool is_short_for(const char *s, const char *end, const char *wanted)
{
	const char *const name = s;

	while (s < end) {
		const size_t word = function_name_word(name, s);
		const size_t group = word ? 0 : arguments_bytes(name, s);

		if (word && *s == '(' && *wanted != '(') {
			s += word + 2; /* :: follows */
		} else if (word) {
			if (strncmp(s, wanted, word) != 0)
				return false;
			s += word;
			wanted += word;
		} else if (group && *wanted != *s) {
			s += group;
		} else if (group && !strncmp(wanted, "<...>", 5)) {
			s += group;
			wanted += 5;
		} else if (*s++ != *wanted++) {
			return false;
		}
	}
	return s == end && (!*wanted || !strcmp(wanted, "(...)"));
}

bool function_name_is(const char *name, const char *wanted)
{
	const struct span x = span_of(name);

	return !strcmp(name, wanted) || !strcmp(name + x.from, wanted) ||
	       (!strncmp(name, wanted, x.to) && !wanted[x.to]) ||
	       is_short_for(name + x.from, name + x.to, wanted);
}

size_t function_name_short(const char *name, char *out, size_t room)
{
	const struct span x = span_of(name);
	size_t n = 0;

	for (const char *s = name + x.from; s < name + x.to;) {
		const size_t word = function_name_word(name, s), bytes = word ? word : 1;
		const size_t left = word && *s == '(' ? word + 2 /* :: follows */
				    : word	      ? 0
						      : arguments_bytes(name + x.from, s);

		if (left) {
			s += left;
			continue;
		}
		if (n + bytes >= room)
			return 0;
		memcpy(out + n, s, bytes);
		n += bytes;
		s += bytes;
	}
	out[n] = 0;
	return n;
}
