/* jit.c -- gives the names of JIT code to the places of a record. Rules: jit.h. */
#include "cli/where/jit.h"

#include <string.h>

#include "report/json.h"

static void put_name(json_t *list, uint64_t from, uint64_t to, const struct ses_jit_name *named)
{
	json_t *range = json_array();

	json_array_append_new(range, json_integer((json_int_t)from));
	json_array_append_new(range, json_integer((json_int_t)(to - from + 1)));
	json_array_append_new(range, rpt_json_text(named->name));
	json_array_append_new(list, range);
}

/* Does the object lie in no file, but have names? */
static bool is_of_no_file(const char *object)
{
	return !strcmp(object, "[anon]") || !strcmp(object, "[kernel]");
}

/* Runs of places that have one name. */
static json_t *names_of(const struct rec_process *p, const struct ses_jit_names *m)
{
	json_t *list = json_array();
	const struct ses_jit_name *run = NULL;
	uint64_t from = 0, to = 0;

	for (uint32_t i = 0; i < p->n_place; i++) {
		const uint64_t at = p->place[i].offset;
		const struct ses_jit_name *named =
		    is_of_no_file(p->object[p->place[i].object]) ? ses_jit_find(m, at) : NULL;

		if (run && run != named)
			put_name(list, from, to, run);
		if (named && named != run)
			from = at;
		run = named;
		to = at;
	}
	if (run)
		put_name(list, from, to, run);
	return list;
}

json_t *cli_jit_names(const struct rec_process *p, struct ses_jit_names *names)
{
	json_t *list = NULL;

	ses_jit_sort(names);
	if (names->n)
		list = names_of(p, names);
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}
