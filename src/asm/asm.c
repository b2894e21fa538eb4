/* asm.c -- from a snippet's text to its clocks. */
#include "asm/asm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "asm/crash.h"
#include "asm/drive.h"
#include "asm/lines.h"
#include "asm/program.h"
#include "asm/text.h"

#define USUAL_LOOP 64u /* iterations */

/* The statement at pc, or NULL when none of the snippet's instructions begins there. */
static const struct asm_statement *
statement_at(const struct asm_text *t, const struct asm_program *p, unsigned n_unroll, uint64_t pc)
{
	size_t k = 0, left;

	while (k < p->n_pc && p->pc[k] != pc)
		k++;
	if (k == p->n_pc)
		return NULL;
	left = k % (p->n_pc / n_unroll);
	for (size_t i = 0; i < t->n; i++)
		if (t->statement[i].is_code && !left--)
			return &t->statement[i];
	return NULL;
}

/* "in iteration 3 ", "in pass 2 " or "": which time it was that the instruction at pc was to be
 * executed. */
static void say_when(const struct asm_lines *l, uint64_t pc, char *out, size_t room)
{
	const struct asm_pass *p = &l->pass[l->now];
	unsigned n = pc == l->head;
	int used = 0;

	*out = 0;
	for (size_t i = 0; l->is_inside && i < p->n; i++)
		n += p->line[i].pc == l->head;
	if (l->head)
		used = snprintf(out, room, "in iteration %u ", n ? n : 1);
	if (l->n_pass && used >= 0)
		snprintf(out + used, room - (size_t)used, "%s pass %u ", l->head ? "of" : "in",
			 l->n_pass + 1);
}

static const char help_with_pointers[] =
    "--asm-init sets registers, which point into 8 KiB of data; --no-run times what cannot "
    "be executed";

/* The sentence about a crash: which instruction, when, what it touched. */
static int say_crash(const struct asm_text *t, const struct asm_lines *l, unsigned n_unroll,
		     const struct asm_crash *c, struct spmu_error *err)
{
	const struct asm_program *p = l->program;
	const struct asm_pass *pass = &l->pass[l->now];
	const struct asm_statement *at = statement_at(t, p, n_unroll, c->pc), *from;
	const char *name = strsignal(c->signal);
	const bool has_names = *p->names;
	char when[64];

	say_when(l, c->pc, when, sizeof(when));
	if (at && c->has_address)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "line %u, '%s': %sit touched address %#llx, which is no memory for that "
		    "(signal %d, %s); %s%s%s",
		    at->line, at->text, when, (unsigned long long)c->address, c->signal, name,
		    help_with_pointers, has_names ? "; names taken as data: " : "", p->names);
	if (at && (c->signal == SIGSEGV || c->signal == SIGBUS))
		return spmu_fail(err, SPMU_EINVAL,
				 "line %u, '%s': %sa program may not execute it, or not with these "
				 "operands (signal %d, %s); %s",
				 at->line, at->text, when, c->signal, name, help_with_pointers);
	if (at)
		return spmu_fail(err, SPMU_EINVAL, "line %u, '%s': %sit raised signal %d (%s); %s",
				 at->line, at->text, when, c->signal, name, help_with_pointers);
	from = l->is_inside && pass->n ? statement_at(t, p, n_unroll, pass->line[pass->n - 1].pc)
				       : NULL;
	if (from)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "line %u, '%s': %sexecution went on at address %#llx, outside of the "
		    "text, and raised signal %d (%s)",
		    from->line, from->text, when, (unsigned long long)c->pc, c->signal, name);
	return spmu_fail(err, SPMU_EINVAL,
			 "the code raised signal %d (%s) at address %#llx, outside of the text; "
			 "--asm-init runs before it",
			 c->signal, name, (unsigned long long)c->pc);
}

static int run_program(const struct asm_config *cfg, const struct asm_text *t, struct asm_lines *l,
		       unsigned bits, struct asm_result *out, struct spmu_error *err)
{
	char *argv[] = {(char *)l->program->path, NULL}, *envp[] = {NULL};
	struct ses_config *run = calloc(1, sizeof(*run));
	struct ses_result result;
	struct asm_crash crash;
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
	else if (!rc && !l->is_enough && asm_crash_read(l->program->crash, bits, &crash))
		rc = say_crash(t, l, cfg->n_unroll, &crash, err);
	else if (!rc && WIFSIGNALED(result.wait_status) && !l->is_enough)
		rc = spmu_fail(
		    err, SPMU_EINVAL, "the code ended with signal %d (%s) after %llu %s; %s",
		    WTERMSIG(result.wait_status), strsignal(WTERMSIG(result.wait_status)),
		    (unsigned long long)result.instructions,
		    text_noun(result.instructions, "instruction", "instructions"),
		    help_with_pointers);
	if (!rc)
		out->later = result.later;
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
		text_printf(&all, "%s%s%s%c", t->statement[i].labels,
			    *t->statement[i].labels ? " " : "", t->statement[i].text, 0);
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

static int measure(const struct asm_config *cfg, const struct asm_text *t,
		   const struct asm_settings *s, struct asm_result *out, struct spmu_error *err)
{
	struct asm_program program;
	struct asm_lines lines = {.program = &program, .most_lines = ASM_MOST_LINES};
	int rc = asm_program_make(t, s, &program, err);

	if (rc)
		goto done;
	for (size_t i = 0; i < program.n_pc; i++)
		if (program.pc[i] < program.end && program.pc[i] > lines.last_pc)
			lines.last_pc = program.pc[i];
	out->n_warm_up = cfg->n_warm_up;
	out->is_run = s->bits != 16 && !cfg->is_not_run && cfg->text;
	out->is_data_read = s->is_data_read;
	out->bits = s->bits;
	if (cfg->init && !out->is_run) {
		rc = spmu_fail(err, SPMU_EINVAL,
			       "--asm-init: %s is not executed, so no instruction sets its "
			       "registers; leave %s away",
			       cfg->is_not_run ? "the text of --no-run" : "16-bit code",
			       cfg->is_not_run ? "one of the two" : "--asm-init");
		goto done;
	}
	rc = out->is_run ? run_program(cfg, t, &lines, s->bits, out, err)
			 : asm_drive(cfg, s, &lines, out, err);
	if (!rc)
		rc = asm_lines_measure(&lines, s->n_unroll, out, err);
	if (!rc)
		rc = name_lines(t, &program, s->n_unroll, out, err);
	out->names = program.names;
	program.names = NULL;
done:
	asm_lines_free(&lines);
	asm_program_free(&program);
	return rc;
}

int asm_run(const struct asm_config *cfg, struct asm_result *out, struct spmu_error *err)
{
	struct asm_settings s = {
	    .is_att = cfg->is_att,
	    .init = cfg->init,
	    .n_unroll = cfg->n_unroll,
	    .n_loop = cfg->n_loop,
	    .n_pass = cfg->n_warm_up + 1,
	    .is_data_read = cfg->is_data_read || cfg->code,
	};
	struct asm_text t;
	const char *name, *sentence;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!mdl_reason(cfg->model.cpu, 0, &name, &sentence))
		return spmu_fail(err, SPMU_EINVAL,
				 "--cpu %s: the model of this processor counts no clocks",
				 cfg->model.cpu->name);
	rc = cfg->text ? asm_text_read(cfg->text, cfg->is_file, cfg->is_att, &t, err)
		       : asm_code_text(cfg->code, &cfg->piece, &t, err);
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
	free(r->names);
	memset(r, 0, sizeof(*r));
}
