/* serve_files.c -- what a server keeps in files: the trace and the journal of its guest. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "session/files/jit_names.h"
#include "session/files/process_file.h"
#include "session/files/trace_facts.h"
#include "session/serve/serve.h"

static int cannot_write(const struct ses_server *s)
{
	return spmu_fail(s->err, SPMU_ESYS, "cannot write the trace to '%s'; is the disk full?",
			 s->cfg->trace_file);
}

/* Name of this process's file: owned by the caller. *out NULL: it has none. Returns 0 or
 * -SPMU_ENOMEM. */
static int name(const struct ses_server *s, const char *pattern, char **out)
{
	*out = NULL;
	if (!pattern || (!s->family->is_first && !ses_has_process_files(pattern)))
		return 0;
	*out = ses_process_file(pattern, &s->member);
	return *out ? 0 : spmu_fail(s->err, SPMU_ENOMEM, "out of memory");
}

void ses_serve_trace_member(struct ses_server *s, enum trc_member_kind kind,
			    const struct ses_member *m)
{
	const bool ends = kind == TRC_MEMBER_END;
	const struct trc_member say = {
	    .kind = kind,
	    .process = m->birth_hash,
	    .digest = ends ? ses_areas_ctl(s->areas)->input_digest : 0,
	};

	if (s->trace && ses_trace_member(s->trace, &say, m->birth, m->program) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
}

void ses_serve_trace_region(struct ses_server *s, enum req_region what, uint32_t thread,
			    const char *name)
{
	if (s->trace && what < REQ_REGION_GET &&
	    ses_trace_region(s->trace, what, thread, name) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
}

void ses_serve_trace_maps(struct ses_server *s, const uint8_t *bytes, size_t n)
{
	uint64_t word[3], size;
	char path[4096];
	uint32_t head;

	for (; (size = trc_record_bytes(bytes, n)) != 0; bytes += size, n -= size) {
		const size_t text = size > TRC_MAP_PATH ? size - TRC_MAP_PATH : 0;

		memcpy(&head, bytes, sizeof(head));
		if (head != TRC_SPECIAL + TRC_MAP || !text || text >= sizeof(path))
			continue;
		memcpy(word, bytes + 8, sizeof(word));
		memcpy(path, bytes + TRC_MAP_PATH, text);
		path[text] = 0;
		if (*path == '/' && word[2] & PROT_EXEC && ses_trace_object(s->trace, path) != 0)
			ses_serve_refuse(s, SPMU_ESYS,
					 "cannot write the trace file; is the disk full?");
	}
}

/* Names of code that the process's JIT compiler wrote. Returns 0 or -SPMU_ESYS. */
static int put_names(struct ses_server *s)
{
	struct ses_jit_names names = {0};
	char *lines;
	size_t n;
	int rc;

	ses_jit_read(&names, (pid_t)ses_areas_ctl(s->areas)->guest_pid);
	lines = ses_jit_lines(&names, &n);
	rc = lines ? ses_trace_names(s->trace, lines, n) : 0;
	free(lines);
	ses_jit_free(&names);
	return rc;
}

/* Begin a trace: the program's, or with "%p" in the name that of any process. */
static int open_trace(struct ses_server *s)
{
	char *path, *text;
	int rc = name(s, s->cfg->trace_file, &path);

	if (!path)
		return rc;
	text = ses_trace_head_text(s->cfg, (int)ses_areas_ctl(s->areas)->start.isa_level);
	rc = text ? ses_trace_create(path, s->store, s->trace_flags, s->member.birth_hash, text,
				     &s->trace, s->err)
		  : spmu_fail(s->err, SPMU_ENOMEM, "out of memory");
	free(path);
	free(text);
	if (!rc)
		ses_serve_trace_member(s, TRC_MEMBER_IS, &s->member);
	return rc;
}

void ses_serve_trace_born(struct ses_server *s)
{
	if (!s->trace)
		return;
	ses_trace_born(s->trace, s->member.birth_hash);
	if (!ses_has_process_files(s->cfg->trace_file)) {
		ses_serve_trace_member(s, TRC_MEMBER_IS, &s->member);
		return;
	}
	ses_trace_close(s->trace); /* its parent's */
	s->trace = NULL;
}

int ses_serve_trace_fork(struct ses_server *s, const struct ses_member *child)
{
	return s->trace && !ses_has_process_files(s->cfg->trace_file)
		   ? ses_trace_fork(s->trace, child->birth_hash)
		   : 0;
}

int ses_serve_end_trace(struct ses_server *s, const struct ses_result *result)
{
	char *text;
	int rc;

	if (!s->trace)
		return 0;
	text = ses_trace_end_text(result);
	rc = text ? ses_trace_end(s->trace, text) : -SPMU_ENOMEM;
	free(text);
	if (ses_trace_close(s->trace) != 0 && !rc)
		rc = -SPMU_ESYS;
	s->trace = NULL;
	return rc ? cannot_write(s) : 0;
}

int ses_serve_open_files(struct ses_server *s)
{
	char *path;
	int rc;

	s->journal = NULL;
	rc = s->trace ? 0 : open_trace(s);
	if (rc)
		return rc;
	rc = name(s, s->cfg->journal_file, &path);
	if (path)
		rc = ses_journal_open(path, &s->journal, s->err);
	free(path);
	return rc;
}

/* The end of a process that has a trace of its own. */
static int end_own(struct ses_server *s)
{
	const struct shr_ctl *c = ses_areas_ctl(s->areas);
	const struct ses_result own = {
	    .n_process = 1,
	    .instructions = mdl_instructions(s->model) - s->base.instructions,
	    .syscalls = c->n_syscalls,
	    .signals = c->n_signals,
	    .clock_looks = c->clock_looks,
	    .time_looks = c->time_looks,
	    .threads = c->n_threads,
	    .outside_events = c->outside_events,
	    .input_digest = c->input_digest,
	};
	char *text = ses_trace_end_text(&own);
	const int rc = text ? ses_trace_end(s->trace, text) : -SPMU_ENOMEM;

	free(text);
	return rc;
}

int ses_serve_close_files(struct ses_server *s, struct ses_journal_end *journal)
{
	int rc = 0;

	ses_serve_trace_member(s, TRC_MEMBER_END, &s->member);
	if (s->trace && (ses_trace_flush(s->trace) != 0 || put_names(s) != 0))
		rc = cannot_write(s);
	if (s->trace && !s->family->is_first && ses_has_process_files(s->cfg->trace_file) &&
	    end_own(s) != 0)
		rc = cannot_write(s);
	if (!s->family->is_first) {
		ses_trace_close(s->trace);
		s->trace = NULL;
	}
	if (s->journal && ses_journal_end(s->journal, journal) != 0)
		rc = spmu_fail(s->err, SPMU_ESYS,
			       "cannot write the journal to '%s'; is the disk full?",
			       s->cfg->journal_file);
	if (journal->state == SES_JOURNAL_DIFFERS)
		memcpy(journal->birth, s->member.birth, sizeof(journal->birth));
	ses_journal_close(s->journal);
	s->journal = NULL;
	return rc;
}
