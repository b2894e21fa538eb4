/* startup.c -- sums what start-up counted, by the names of startup.def. Rules: startup.h. */
#include "where/startup.h"

#include <string.h>

enum kind { object, function };

bool whr_is_startup(const char *function_name, const char *path)
{
	static const struct {
		enum kind kind;
		const char *name;
	} part[] = {
#define STARTUP(kind, name) {kind, name},
#include "where/startup.def"
#undef STARTUP
	};
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		const char *name = part[i].name;

		if (part[i].kind == function && !strcmp(function_name, name))
			return true;
		if (part[i].kind == object && slash && !strncmp(slash + 1, name, strlen(name)))
			return true;
	}
	return false;
}

const int64_t *whr_fold_startup(struct whr_table *t)
{
	int64_t *sum = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct whr_row row = t->row[i];

		if (!whr_is_startup(row.function, row.object)) {
			t->row[n++] = row;
			continue;
		}
		if (sum) {
			for (uint32_t e = 0; e < t->n_event; e++)
				sum[e] += row.count[e];
			continue;
		}
		sum = t->count + (row.count - t->count);
		row.function = WHR_STARTUP;
		row.file = row.object = row.process = "";
		row.line = 0;
		row.offset = 0;
		t->row[n++] = row;
	}
	t->n = n;
	return sum;
}
