/* asm_json.c -- the listing as one typed object. */
#include <jansson.h>

#include "base/version.h"
#include "report/asm.h"

#define JSON_SCHEMA 1

static json_t *reason(const struct cat_cpu *cpu, unsigned why)
{
	const char *name, *sentence;

	return mdl_reason(cpu, why, &name, &sentence) ? json_string(name) : json_null();
}

static json_t *any_text(const char *s)
{
	json_t *text = json_string(s);

	return text ? text : json_string("(not UTF-8)");
}

static json_t *uops(const struct cat_cpu *cpu, const struct asm_line *l)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < l->n_uop; i++) {
		const struct mdl_line_uop *u = &l->uop[i];
		json_t *o = json_object();

		json_object_set_new(o, "decode", json_integer((json_int_t)u->decode_clk));
		json_object_set_new(o, "rename", json_integer((json_int_t)u->rename_clk));
		json_object_set_new(o, "dispatch", json_integer((json_int_t)u->dispatch_clk));
		json_object_set_new(o, "done", json_integer((json_int_t)u->done_clk));
		json_object_set_new(o, "retire", json_integer((json_int_t)u->retire_clk));
		json_object_set_new(o, "port", u->port == MDL_NO_PORT ? json_null() : json_integer(u->port));
		if (u->wait.clk) {
			json_object_set_new(o, "wait", json_integer(u->wait.clk));
			json_object_set_new(o, "reason", reason(cpu, u->wait.why));
		}
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *one_line(const struct cat_cpu *cpu, const struct asm_line *l)
{
	json_t *o = json_object(), *stalls = json_array();

	for (unsigned i = 0; i < l->n_stall; i++) {
		json_t *s = json_object();

		json_object_set_new(s, "reason", reason(cpu, l->stall[i].why));
		json_object_set_new(s, "clocks", json_integer(l->stall[i].clk));
		json_array_append_new(stalls, s);
	}
	json_object_set_new(o, "text", any_text(l->text));
	json_object_set_new(o, "address", json_integer((json_int_t)l->pc));
	json_object_set_new(o, "clock", json_integer((json_int_t)l->clk));
	if (l->n_uop) {
		json_object_set_new(o, "uops", uops(cpu, l));
		if (l->n_more_uop)
			json_object_set_new(o, "more_uops", json_integer(l->n_more_uop));
	} else {
		json_object_set_new(o, "pipe", json_string(l->pipe == MDL_PIPE_V ? "V" : "U"));
		json_object_set_new(o, "in_ex", json_integer(l->held_clk));
	}
	json_object_set_new(o, "stalls", stalls);
	if (l->is_last)
		json_object_set_new(o, "last", json_true());
	if (l->refused)
		json_object_set_new(o, "alone", reason(cpu, l->refused));
	return o;
}

int rpt_asm_json(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	json_t *o = json_object(), *lines = json_array(), *lost = json_object();
	int rc;

	for (size_t i = 0; i < r->n_line; i++)
		json_array_append_new(lines, one_line(cpu, &r->line[i]));
	for (unsigned why = 1; why < SES_ASM_REASONS; why++) {
		const char *name, *sentence;

		if (r->wait[why] && mdl_reason(cpu, why, &name, &sentence))
			json_object_set_new(lost, name, json_integer((json_int_t)r->wait[why]));
	}
	json_object_set_new(o, "schema", json_integer(JSON_SCHEMA));
	json_object_set_new(o, "softpmu", json_string(SPMU_VERSION));
	json_object_set_new(o, "cpu", json_string(cpu->name));
	json_object_set_new(o, "bits", json_integer(r->bits));
	json_object_set_new(o, "is_run", json_boolean(r->is_run));
	json_object_set_new(o, "is_loop", json_boolean(r->is_loop));
	json_object_set_new(o, "iterations", json_integer((json_int_t)r->n_iterations));
	json_object_set_new(o, "clocks", json_integer((json_int_t)r->clocks));
	json_object_set_new(o, "clocks_per_iteration", json_real((double)r->clocks / (double)r->n_iterations));
	json_object_set_new(o, "least", json_integer((json_int_t)r->least));
	json_object_set_new(o, "most", json_integer((json_int_t)r->most));
	json_object_set_new(o, "instructions", json_integer((json_int_t)r->n_insn));
	json_object_set_new(o, "in_v", json_integer((json_int_t)r->n_pairs));
	json_object_set_new(o, "is_cut", json_boolean(r->is_cut));
	json_object_set_new(o, "names_taken_as_data", any_text(r->names));
	json_object_set_new(o, "lost", lost);
	json_object_set_new(o, "lines", lines);
	rc = json_dumpf(o, out, JSON_INDENT(2)) || fputc('\n', out) == EOF ? -SPMU_ENOMEM : 0;
	json_decref(o);
	return rc;
}
