/* json.c -- softpmu bench as typed JSON. */
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "report/json.h"

static json_t *counts_json(const struct cli_bench *b, size_t k)
{
	json_t *list = json_array();

	for (size_t e = 0; e < b->events.n; e++) {
		const struct evt_count *c = &b->side[k].count[e];
		json_t *o = json_object();

		json_object_set_new(o, "name", rpt_json_text(b->events.event[e].name));
		if (c->status == EVT_COUNTED) {
			json_object_set_new(o, "value", json_integer((json_int_t)c->value));
			json_object_set_new(o, "times", json_real(cli_bench_times(b, k, e)));
			if (c->half)
				json_object_set_new(o, "half", json_integer((json_int_t)c->half));
		} else {
			json_object_set_new(o, "status", json_string(rpt_status_text(c->status)));
			json_object_set_new(o, "why", json_string(c->why ? c->why : ""));
		}
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *side_json(const struct cli_bench *b, size_t k)
{
	const struct cli_bench_side *s = &b->side[k];
	json_t *o = json_object();

	json_object_set_new(o, "name", rpt_json_text(s->command.name));
	json_object_set_new(o, "command", rpt_json_text(s->command.text));
	json_object_set_new(o, "status", json_integer(cli_run_exit_code(&s->placed)));
	json_object_set_new(o, "input_digest", rpt_json_hex(s->placed.input_digest));
	json_object_set_new(o, "repeats", json_boolean(s->repeats));
	json_object_set_new(o, "runs", json_integer(s->n_run));
	json_object_set_new(o, "events", counts_json(b, k));
	return o;
}

static json_t *why_json(const struct cli_bench *b, size_t winner, size_t other)
{
	struct cli_bench_reason reason[CLI_BENCH_ROWS + 1];
	const size_t n = cli_bench_reasons(b, winner, other, reason);
	json_t *o = json_object(), *reasons = json_array();
	struct cli_diff d;

	json_object_set_new(o, "less", rpt_json_text(b->side[winner].command.name));
	json_object_set_new(o, "more", rpt_json_text(b->side[other].command.name));
	json_object_set_new(o, "is_apart",
			    json_boolean(cli_bench_is_apart(&b->side[winner].count[b->sort],
							    &b->side[other].count[b->sort])));
	if (!cli_bench_pair(b, winner, other, &d))
		json_object_set_new(o, "functions", cli_diff_rows_json(&d, &d.functions));
	whr_pairs_free(&d.functions);
	json_object_set_new(o, "reasons", reasons);
	for (size_t i = 0; i < n; i++) {
		json_t *one = json_object();

		if (reason[i].metric || reason[i].stall) {
			json_object_set_new(one, reason[i].stall ? "stall" : "metric",
					    json_string(reason[i].stall ? reason[i].stall->name
									: reason[i].metric->name));
			json_object_set_new(one, "text",
					    json_string(cli_bench_reason_text(&reason[i])));
			json_array_append(reasons, one);
		} else {
			json_object_set(o, "rest", one);
		}
		json_object_set_new(one, "clocks", json_real((double)reason[i].clocks));
		json_object_set_new(one, "half", json_real(reason[i].half));
		json_decref(one);
	}
	return o;
}

int cli_bench_json(const struct cli_bench *b, FILE *out)
{
	json_t *o = json_object(), *commands = json_array(), *differences = json_array(),
	       *notes = json_array();
	size_t order[CLI_MOST_COMMANDS];
	const size_t n = cli_bench_rank(b, order);
	char text[640];
	int rc;

	for (size_t k = 0; k < b->n_side; k++)
		json_array_append_new(commands, side_json(b, k));
	for (size_t i = 1; i < n; i++)
		json_array_append_new(differences, why_json(b, order[0], order[i]));
	for (unsigned i = 0; cli_bench_note(b, i, text, sizeof(text)); i++)
		json_array_append_new(notes,
				      rpt_json_text(cli_bench_note(b, i, text, sizeof(text))));
	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "cpu", json_string(b->run.cfg.model.cpu->name));
	json_object_set_new(o, "sort", rpt_json_text(b->events.event[b->sort].name));
	json_object_set_new(o, "commands", commands);
	json_object_set_new(o, "differences", differences);
	json_object_set_new(o, "notes", notes);
	rc = json_dumpf(o, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(o);
	return rc ? cli_fail("out of memory for the comparison") : 0;
}
