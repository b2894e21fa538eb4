/* near.c -- finds the function whose name is nearest. Rules: near.h. */
#include "where/near.h"

#include <string.h>

#include "base/function_name.h"

static bool is_of_system(const char *path)
{
	static const char *const system[] = {"/usr/", "/lib", "/opt/"};

	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		if (!strncmp(path, system[i], strlen(system[i])))
			return true;
	return false;
}

/* What stands behind the last :: that is in no brackets. */
static const char *last_part(const char *name)
{
	const char *last = name;
	int depth = 0;

	for (const char *s = name; *s; s++) {
		depth += (*s == '{' || *s == '(') - (*s == '}' || *s == ')');
		if (!depth && s[0] == ':' && s[1] == ':')
			last = s + 2;
	}
	return last;
}

static void offer(struct whr_nearest *n, const char *name, const char *compared)
{
	struct spelling_search *s = &n->search;

	spelling_offer(s, compared);
	if (s->best == compared) /* it outlives the caller's text */
		s->best = strcpy(n->best, name);
}

void whr_near_open(struct whr_near *n, const char *word)
{
	*n = (struct whr_near){.own.search.word = word, .system.search.word = word};
}

void whr_near_offer(struct whr_near *n, const char *function, const char *object)
{
	struct whr_nearest *in = is_of_system(object) ? &n->system : &n->own;
	char name[WHR_NEAR_NAME];

	if (*function == '[' || !function_name_short(function, name, sizeof(name)))
		return;
	name[strcspn(name, "@")] = 0;
	offer(in, name, name);
	if (!strstr(in->search.word, "::") && last_part(name) != name)
		offer(in, name, last_part(name));
}

const char *whr_near_ask(const struct whr_near *n, char text[SPELLING_TEXT])
{
	return spelling_ask(spelling_is_near(&n->own.search) ? &n->own.search : &n->system.search,
			    "", text);
}
