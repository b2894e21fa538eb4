/* jit.c -- writes and reads names of JIT code, and finds the name of an address. Rules: jit.h. */
#include "record/jit.h"

#include <stdlib.h>
#include <string.h>

#define DAMAGED	    "is damaged"
#define MOST_RANGES (1u << 22)

/* One range behind the others, which end at *end. Returns false when it is none. */
static bool take_range(struct rec_jits *to, const json_t *o, uint64_t *end)
{
	const json_t *addr = json_array_get(o, 0), *bytes = json_array_get(o, 1);
	const char *name = json_string_value(json_array_get(o, 2));
	struct rec_jit r = {(uint64_t)json_integer_value(addr), (uint64_t)json_integer_value(bytes),
			    name};

	if (!json_is_integer(addr) || !json_is_integer(bytes) || !name || !rec_is_plain(name) ||
	    !r.bytes || r.addr < *end || r.addr + r.bytes < r.addr)
		return false;
	*end = r.addr + r.bytes;
	to->range[to->n++] = r;
	return true;
}

const char *rec_jit_take(struct rec *r)
{
	if (!r->jit_names)
		return NULL;
	r->jit = calloc(r->n_process + 1u, sizeof(*r->jit));
	for (uint32_t i = 0; i < r->n_process && r->jit; i++) {
		const json_t *list = json_object_get(r->jit_names, r->process[i].birth);
		const size_t n = json_array_size(list);
		uint64_t end = 0;

		if (!n)
			continue;
		if (n > MOST_RANGES)
			return DAMAGED;
		r->jit[i].range = calloc(n, sizeof(*r->jit[i].range));
		for (size_t k = 0; k < n; k++)
			if (!r->jit[i].range ||
			    !take_range(&r->jit[i], json_array_get(list, k), &end))
				return DAMAGED;
	}
	return NULL;
}

void rec_jit_free(struct rec *r)
{
	for (uint32_t i = 0; i < r->n_process && r->jit; i++)
		free(r->jit[i].range);
	free(r->jit);
	json_decref(r->jit_names);
}

const char *rec_jit_name(const struct rec *r, uint32_t i, uint64_t addr)
{
	const struct rec_jits *j = r->jit ? &r->jit[i] : NULL;
	uint32_t lo = 0, hi = j ? j->n : 0;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (j->range[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - j->range[lo - 1].addr >= j->range[lo - 1].bytes)
		return NULL;
	return j->range[lo - 1].name;
}
