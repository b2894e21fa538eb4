/* names.c -- perf's names as a table. Rules are in names.h. */
#include "hw/names.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	struct hw_name is;
} names[] = {
#define HW_NAME(name, type, config, is_clock) {name, {PERF_TYPE_##type, config, is_clock}},
#include "hw/names.def"
#undef HW_NAME
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

/* The three numbers of PERF_TYPE_HW_CACHE: cache | operation << 8 | result << 16. */
static const struct {
	const char *name;
	unsigned number;
} caches[] = {{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
	      {"LLC", PERF_COUNT_HW_CACHE_LL},	      {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
	      {"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
	      {"node", PERF_COUNT_HW_CACHE_NODE}},
  operations[] = {{"-loads", PERF_COUNT_HW_CACHE_OP_READ},
		  {"-load-misses", PERF_COUNT_HW_CACHE_OP_READ | 0x100},
		  {"-stores", PERF_COUNT_HW_CACHE_OP_WRITE},
		  {"-store-misses", PERF_COUNT_HW_CACHE_OP_WRITE | 0x100},
		  {"-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH},
		  {"-prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH | 0x100}};

static bool find_cache(const char *name, struct hw_name *out)
{
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		const size_t n = strlen(caches[i].name);

		if (strncasecmp(name, caches[i].name, n) != 0)
			continue;
		for (size_t k = 0; k < sizeof(operations) / sizeof(operations[0]); k++) {
			if (strcasecmp(name + n, operations[k].name) != 0)
				continue;
			*out =
			    (struct hw_name){PERF_TYPE_HW_CACHE,
					     caches[i].number | operations[k].number << 8, false};
			return true;
		}
	}
	return false;
}

bool hw_find_name(const char *name, struct hw_name *out)
{
	for (size_t i = 0; i < N_NAMES; i++)
		if (!strcasecmp(names[i].name, name)) {
			*out = names[i].is;
			return true;
		}
	return find_cache(name, out);
}

void hw_names_offer(struct spelling_search *s)
{
	for (size_t i = 0; i < N_NAMES; i++)
		spelling_offer(s, names[i].name);
}
