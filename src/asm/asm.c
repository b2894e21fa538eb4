/* asm.c -- from a snippet's text to its clocks. */
#include "asm/asm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "asm/drive.h"
#include "asm/lines.h"
#include "asm/program.h"
#include "asm/text.h"

#define MOST_LINES 300000u /* of a pass */
#define USUAL_LOOP 64u	   /* iterations */

static int run_program(const struct asm_config *cfg, struct asm_lines *l, struct spmu_error *err)
{
	char *argv[] = {(char *)l->program->path, NULL}, *envp[] = {NULL};
	struct ses_config *run = calloc(1, sizeof(*run));
	struct ses_result result;
	int rc;

	if (!run)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	run->model = cfg->model;
	run->model.on_line = asm_lines_take;
	run->model.line_ctx = l;
	run->argv = argv;
	run->envp = envp;
	run->isa = SES_ISA_AUTO;
	run->chaos = cfg->chaos;
	run->is_enough = &l->is_enough;
	rc = ses_run(run, &result, err);
	if (!rc && result.interrupted)
		rc = spmu_fail(err, SPMU_EINTR, "interrupted");
	else if (!rc && WIFSIGNALED(result.wait_status) && !l->is_enough)
		rc = spmu_fail(err, SPMU_EINVAL,
			       "the code ended with signal %d (%s) after %llu instructions; its registers are pointers into 8 KiB "
			       "of data unless -asm_init sets them, and names that it does not define lie there; --no-run times what cannot be executed",
			       WTERMSIG(result.wait_status), strsignal(WTERMSIG(result.wait_status)),
			       (unsigned long long)result.instructions);
	ses_result_free(&result);
	free(run);
	return rc;
}

/* Give the lines their texts: what stands at their addresses. */
static int name_lines(const struct asm_text *t, const struct asm_program *p, unsigned n_unroll,
                      struct asm_result *out, struct spmu_error *err)
{
	const size_t n_code = p->n_pc / n_unroll;
	struct text all = {0};
	size_t *offset = calloc(n_code + 1, sizeof(*offset)), n = 0;

	for (size_t i = 0; offset && i < t->n; i++) {
		if (!t->statement[i].is_code)
			continue;
		offset[n++] = all.n;
		text_printf(&all, "%s%s%s%c", t->statement[i].labels, *t->statement[i].labels ? " " : "",
			    t->statement[i].text, 0);
	}
	if (!offset || all.has_failed) {
		free(offset);
		text_free(&all);
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	out->texts = all.bytes;
	for (size_t i = 0; i < out->n_line; i++) {
		out->line[i].text = "";
		for (size_t k = 0; k < p->n_pc; k++)
			if (p->pc[k] == out->line[i].pc)
				out->line[i].text = out->texts + offset[k % n_code];
	}
	free(offset);
	return 0;
}

static int measure(const struct asm_config *cfg, const struct asm_text *t, const struct asm_settings *s,
                   struct asm_result *out, struct spmu_error *err)
{
	struct asm_program program;
	struct asm_lines lines = {.program = &program, .most_lines = MOST_LINES};
	int rc = asm_program_make(t, s, &program, err);

	if (rc)
		goto done;
	for (size_t i = 0; i < program.n_pc; i++)
		if (program.pc[i] < program.end && program.pc[i] > lines.last_pc)
			lines.last_pc = program.pc[i];
	out->is_run = s->bits != 16 && !cfg->is_not_run;
	out->bits = s->bits;
	rc = out->is_run ? run_program(cfg, &lines, err) : asm_drive(cfg, s, &lines, err);
	if (!rc)
		rc = asm_lines_measure(&lines, s->n_unroll, out, err);
	if (!rc)
		rc = name_lines(t, &program, s->n_unroll, out, err);
done:
	asm_lines_free(&lines);
	asm_program_free(&program);
	return rc;
}

int asm_run(const struct asm_config *cfg, struct asm_result *out, struct spmu_error *err)
{
	struct asm_settings s = {
	    .is_att = cfg->is_att, .init = cfg->init, .n_unroll = cfg->n_unroll, .n_loop = cfg->n_loop,
	    .n_pass = cfg->n_warm_up + 1,
	};
	struct asm_text t;
	const char *name, *sentence;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!mdl_reason(cfg->model.cpu, 0, &name, &sentence))
		return spmu_fail(err, SPMU_EINVAL,
				 "--cpu %s: the model of this processor counts no clocks",
				 cfg->model.cpu->name);
	rc = asm_text_read(cfg->text, cfg->is_file, cfg->is_att, &t, err);
	s.bits = cfg->bits ? cfg->bits : t.bits ? t.bits : 32;
	if (!s.n_loop)
		s.n_loop = t.has_labels ? USUAL_LOOP : 1;
	if (!rc)
		rc = measure(cfg, &t, &s, out, err);
	asm_text_free(&t);
	return rc;
}

void asm_result_free(struct asm_result *r)
{
	free(r->line);
	free(r->texts);
	memset(r, 0, sizeof(*r));
}
