/* replace.c -- the server's part of an exec: it settles the old program's counts before it
 * deletes its blocks, else they are lost. Rules: replace.h. */
#include "session/serve/replace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/machine/cpuid.h"
#include "session/program/libraries.h"
#include "session/machine/probes.h"
#include "session/totals/remarks.h"

/* The value of a variable in the environment that the guest wrote into its start data; it may be
 * damaged. A copy, owned by the caller; NULL = not there. */
static char *variable(const struct ses_areas *a, const char *name)
{
	const char *text = (const char *)a->map[SES_AREA_CONTROL] + SHR_START_OFF, *end;
	uint32_t bytes = ses_areas_ctl(a)->start.text_bytes;
	size_t n = strlen(name);

	for (end = text + (bytes < SHR_START_BYTES ? bytes : SHR_START_BYTES); text < end;) {
		size_t length = strnlen(text, (size_t)(end - text));

		if (length > n && text[n] == '=' && !memcmp(text, name, n))
			return strndup(text + n + 1, length - n - 1);
		text += length + 1;
	}
	return NULL;
}

static void name_program(struct ses_server *s, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (*path)
		snprintf(s->member.program, sizeof(s->member.program), "%.63s",
			 slash ? slash + 1 : path);
}

/* A level that holds for the whole run, or the default for this program; then *asked is what it
 * asks for itself. */
static int isa_level(struct ses_server *s, const char *path, bool is_32, int *asked)
{
	char *libraries;

	*asked = 0;
	s->has_papi = false;
	if (s->cfg->isa != SES_ISA_AUTO && (s->cfg->isa != SES_ISA_CPU || is_32))
		return (int)s->cfg->isa;
	if (is_32)
		return SES_ISA_CPU;
	libraries = variable(s->areas, "LD_LIBRARY_PATH");
	*asked = ses_libraries_level(path, libraries, &s->has_papi);
	free(libraries);
	return ses_default_isa(*asked);
}

static void take_loader(struct ses_server *s, const char *path, bool is_32)
{
	char *libraries = variable(s->areas, "LD_LIBRARY_PATH"),
	     *preload = variable(s->areas, "LD_PRELOAD");

	ses_ld_cache_program(&s->ld_cache, path, is_32, libraries, preload);
	free(libraries);
	free(preload);
}

uint32_t ses_replace(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	char path[REQ_PAGE_BYTES];
	bool is_32;
	int level, asked;

	xlt_start_sharing(s->translator);
	if (ses_serve_forget(s, true))
		return REQ_BAD;
	xlt_start_sharing(s->translator); /* where the program before did not */
	memcpy(path, c->req.pages[0], sizeof(path));
	path[sizeof(path) - 1] = 0;
	ses_remarks_take(&s->remarks, c, s->member.program, s->has_papi);
	name_program(s, path);
	ses_serve_trace_member(s, TRC_MEMBER_IS, &s->member);
	if (s->regions) {
		ses_read(s);
		if (ses_regions_replaced(s->regions, s->threads))
			ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	}
	ses_gate_follow(s, 0);
	is_32 = c->start.mode == SHR_MODE_32;
	take_loader(s, path, is_32);
	level = isa_level(s, path, is_32, &asked);
	if (ses_check_isa(level, asked, ses_host_isa_level(), s->err)) {
		ses_serve_refuse(s, s->err->code, NULL);
		return REQ_BAD;
	}
	ses_fill_cpuid(ses_seen_cpu(s->cfg), level, &c->start);
	xlt_set_xsave_bytes(s->translator, ses_xsave_bytes(level));
	c->start.has_asked_cpuid = 0;
	c->last_words.n = 0;
	s->n_exec++;
	c->start.seed = s->cfg->seed ^ (s->member.birth_hash + s->n_exec) * 0x9e3779b97f4a7c15ull;
	return REQ_OK;
}
