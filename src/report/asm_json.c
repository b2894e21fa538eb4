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
		json_object_set_new(o, "port",
				    u->port == MDL_NO_PORT ? json_null() : json_integer(u->port));
		if (u->wait.clk) {
			json_object_set_new(o, "wait", json_integer(u->wait.clk));
			json_object_set_new(o, "reason", reason(cpu, u->wait.why));
		}
		json_array_append_new(list, o);
	}
	return list;
}

/* A list of reasons with their clocks. */
static json_t *clocks_of(const struct cat_cpu *cpu, const struct mdl_stall *stall, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++) {
		json_t *s = json_object();

		json_object_set_new(s, "reason", reason(cpu, stall[i].why));
		json_object_set_new(s, "clocks", json_integer(stall[i].clk));
		json_array_append_new(list, s);
	}
	return list;
}

static json_t *one_line(const struct cat_cpu *cpu, const struct asm_line *l)
{
	json_t *o = json_object();

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
	json_object_set_new(o, "stalls", clocks_of(cpu, l->stall, l->n_stall));
	if (l->is_last)
		json_object_set_new(o, "alone", json_string("nothing follows it"));
	else if (l->refused)
		json_object_set_new(o, "alone", reason(cpu, l->refused));
	if (l->n_decode)
		json_object_set_new(o, "decoders", clocks_of(cpu, l->decode, l->n_decode));
	if (l->is_last)
		json_object_set_new(o, "last", json_true());
	return o;
}

/* Clocks by reason; those with none are left away. */
static json_t *by_reason(const struct cat_cpu *cpu, const uint64_t *clocks)
{
	json_t *o = json_object();

	for (unsigned why = 1; why < SES_ASM_REASONS; why++) {
		const char *name, *sentence;

		if (clocks[why] && mdl_reason(cpu, why, &name, &sentence))
			json_object_set_new(o, name, json_integer((json_int_t)clocks[why]));
	}
	return o;
}

/* Add what limits the listing, as far as the decoders show: only for a P6, and for code that is
 * repeated. */
static void add_decoders(const struct cat_cpu *cpu, const struct asm_result *r, json_t *o)
{
	static const char *const name[] = {
	    [RPT_ASM_DECODE] = "decoders",
	    [RPT_ASM_RENAME] = "rename",
	    [RPT_ASM_BEHIND] = "behind rename",
	};
	char sentence[RPT_ASM_SENTENCE];

	rpt_asm_limit_sentence(cpu, r, sentence);
	if (!*sentence)
		return;
	json_object_set_new(o, "limit", json_string(name[rpt_asm_limit(r)]));
	json_object_set_new(o, "limit_sentence", json_string(sentence));
	json_object_set_new(o, "decoder_clocks", by_reason(cpu, r->decode));
}

/* By how many bytes addresses of code that was not executed moved in each iteration, by the number
 * of the register. */
static void add_moves(const struct asm_result *r, json_t *o)
{
	json_t *moves = json_array();

	for (unsigned i = 0; i < 16 && !r->is_run && r->is_loop; i++)
		if (r->pointers >> i & 1)
			json_array_append_new(moves,
					      json_pack("{s:i, s:I, s:I}", "register", (int)i, "by",
							(json_int_t)r->move[i].by, "timed",
							(json_int_t)r->move[i].used));
	if (json_array_size(moves))
		json_object_set_new(o, "address_moves", moves);
	else
		json_decref(moves);
}

int rpt_asm_json(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	json_t *o = json_object(), *lines = json_array();
	int rc;

	for (size_t i = 0; i < r->n_line; i++)
		json_array_append_new(lines, one_line(cpu, &r->line[i]));
	json_object_set_new(o, "schema", json_integer(JSON_SCHEMA));
	json_object_set_new(o, "softpmu", json_string(SPMU_VERSION));
	json_object_set_new(o, "cpu", json_string(cpu->name));
	json_object_set_new(o, "bits", json_integer(r->bits));
	json_object_set_new(o, "is_run", json_boolean(r->is_run));
	json_object_set_new(o, "is_loop", json_boolean(r->is_loop));
	json_object_set_new(o, "iterations", json_integer((json_int_t)r->n_iterations));
	json_object_set_new(o, "clocks", json_integer((json_int_t)r->clocks));
	json_object_set_new(o, "clocks_per_iteration",
			    json_real((double)r->clocks / (double)r->n_iterations));
	json_object_set_new(o, "least", json_integer((json_int_t)r->least));
	json_object_set_new(o, "most", json_integer((json_int_t)r->most));
	json_object_set_new(o, "instructions", json_integer((json_int_t)r->n_insn));
	json_object_set_new(o, "in_v", json_integer((json_int_t)r->n_pairs));
	json_object_set_new(o, "lost", by_reason(cpu, r->wait));
	json_object_set_new(o, "lines", lines);
	json_object_set_new(o, "is_cut", json_boolean(r->is_cut));
	json_object_set_new(o, "names_taken_as_data", any_text(r->names));
	add_decoders(cpu, r, o);
	add_moves(r, o);
	rc = json_dumpf(o, out, JSON_INDENT(2)) || fputc('\n', out) == EOF ? -SPMU_ENOMEM : 0;
	json_decref(o);
	return rc;
}
