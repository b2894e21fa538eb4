/* inputs.c -- writes and compares the inputs of a run as JSON. Rules are in inputs.h. */
#include "report/against/inputs.h"

#include <inttypes.h>
#include <string.h>

#include "base/version.h"
#include "report/json.h"
#include "session/inputs/inputs.h"

static const char *const kind_name[SES_N_INPUT_KINDS] = {
    [SES_INPUT_FILE] = "file",
    [SES_INPUT_PROGRAM] = "program",
    [SES_INPUT_STANDARD] = "standard input",
};

/* 16 bits that depend on all of a text. */
static json_t *short_digest(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	char out[5];

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	hash ^= hash >> 32;
	snprintf(out, sizeof(out), "%04x", (unsigned)((hash ^ hash >> 16) & 0xffff));
	return json_string(out);
}

static json_t *environment(char *const *envp)
{
	json_t *list = json_object();

	for (; envp && *envp; envp++) {
		const char *value = strchr(*envp, '=');
		char name[128];

		if (!value)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(value - *envp), *envp);
		json_object_set_new(
		    list, name, short_digest(value + 1)); /* a name that is no text is left out */
	}
	return list;
}

static json_t *files(const struct ses_result *run)
{
	json_t *list = json_array();

	for (size_t i = 0; i < run->n_input; i++) {
		const struct ses_input *in = &run->input[i];
		json_t *o = json_object();

		json_object_set_new(o, "kind", json_string(kind_name[in->kind]));
		json_object_set_new(o, "name", rpt_json_text(in->name));
		json_object_set_new(o, "bytes", json_integer((json_int_t)in->bytes));
		json_object_set_new(o, "digest", rpt_json_hex(in->digest));
		json_array_append_new(list, o);
	}
	return list;
}

/* Add the kinds of standard input, output and error. */
static json_t *streams(void)
{
	json_t *list = json_array();

	for (int fd = 0; fd < 3; fd++)
		json_array_append_new(list, json_string(ses_stream_kind(fd)));
	return list;
}

json_t *rpt_json_run_inputs(const struct ses_result *run)
{
	json_t *o = json_object();

	json_object_set_new(o, "files", files(run));
	if (run->has_more_inputs)
		json_object_set_new(o, "has_more_files", json_true());
	json_object_set_new(o, "clock_looks", json_integer((json_int_t)run->clock_looks));
	json_object_set_new(o, "time_looks", json_integer((json_int_t)run->time_looks));
	json_object_set_new(o, "system_calls", rpt_json_hex(run->input_digest));
	json_object_set_new(o, "host_signals", json_integer((json_int_t)run->host_signals));
	return o;
}

json_t *rpt_json_inputs(const struct rpt_report *r, const struct ses_result *run)
{
	json_t *o = json_object(), *argv = json_array(), *rest = rpt_json_run_inputs(run);
	char isa[8];

	for (size_t i = 0; r->argv[i]; i++)
		json_array_append_new(argv, rpt_json_text(!i && r->argv0 ? r->argv0 : r->argv[i]));
	json_object_set_new(o, "version", json_string(SPMU_VERSION));
	json_object_set_new(o, "cpu", json_string(r->cpu->name));
	json_object_set_new(o, "isa", json_string(rpt_isa(run->isa_level, isa)));
	json_object_set_new(o, "seed", json_integer((json_int_t)r->seed));
	json_object_set_new(o, "settings", rpt_json_hex(r->settings));
	json_object_set_new(o, "argv", argv);
	json_object_set_new(o, "ld_cache", json_string(r->ld_cache));
	json_object_set_new(o, "env", json_string(r->has_clean_env ? "clean" : "the shell's"));
	json_object_set_new(o, "environment", environment(r->envp));
	json_object_set_new(o, "streams", streams());
	json_object_update(o, rest);
	json_decref(rest);
	return o;
}
