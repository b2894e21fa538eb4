/* bencher.c -- softpmu export bencher: totals in Bencher's metric format (BMF), for bencher run
 * --adapter json. The benchmark is called as the command, a measure as the event, in small letters
 * and with hyphens. A run repeats to the digit: the bounds are the value. Those of an estimate are
 * the ends of its interval; it has no upper one where nobody knows it.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "cli/export/export.h"
#include "cli/where/reader.h"
#include "report/json.h"

#define MOST_NAME 1024 /* characters of a benchmark's name there */

static void measure_name(const char *event, char *out, size_t room)
{
	size_t n = 0;

	for (; *event && n + 1 < room; event++)
		out[n++] =
		    (char)(isalnum((unsigned char)*event) ? tolower((unsigned char)*event) : '-');
	out[n] = 0;
}

static json_t *measure(const struct rec_event *e)
{
	const uint64_t low = e->total > e->half ? e->total - e->half : 0;
	json_t *o = json_object();

	json_object_set_new(o, "value", json_integer((json_int_t)e->total));
	json_object_set_new(o, "lower_value", json_integer((json_int_t)low));
	if (e->half < WHR_NO_INTERVAL)
		json_object_set_new(o, "upper_value",
				    json_integer((json_int_t)(e->total + e->half)));
	return o;
}

int cli_put_bencher(const struct cli_export *x, FILE *out)
{
	json_t *all = json_object(), *measures = json_object(), *name;
	char command[MOST_NAME], slug[256];
	int rc;

	for (uint32_t e = 0; e < x->rec->n_event; e++) {
		if (*x->rec->event[e].status)
			continue;
		measure_name(x->rec->event[e].name, slug, sizeof(slug));
		json_object_set_new(measures, slug, measure(&x->rec->event[e]));
	}
	name = rpt_json_text(cli_record_command(x->rec, command, sizeof(command)));
	rc = json_object_set_new(all, name ? json_string_value(name) : "", measures);
	rc = rc ? rc : json_dumpf(all, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(name);
	json_decref(all);
	return rc ? -SPMU_ENOMEM : 0;
}
