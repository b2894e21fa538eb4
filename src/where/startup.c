#include "where/startup.h"

#include <string.h>

enum kind { object, function };

/* Is it a row of start-up? */
static bool is_startup(const struct whr_row *row)
{
	static const struct {
		enum kind kind;
		const char *name;
	} part[] = {
#define STARTUP(kind, name) {kind, name},
#include "where/startup.def"
#undef STARTUP
	};
	const char *slash = strrchr(row->object, '/');

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		const char *name = part[i].name;

		if (part[i].kind == function && !strcmp(row->function, name))
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

		if (!is_startup(&row)) {
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
