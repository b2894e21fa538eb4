/* serve_files.c -- what a server keeps in files: the trace and the journal of its guest. */
#include <stdlib.h>
#include <string.h>

#include "session/files/process_file.h"
#include "session/serve/serve.h"

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

int ses_serve_open_files(struct ses_server *s)
{
	char *path;
	int rc;

	s->trace = NULL;
	s->journal = NULL;
	rc = name(s, s->cfg->trace_file, &path);
	if (path)
		rc = ses_trace_create(path, s->store, s->trace_flags, &s->trace, s->err);
	free(path);
	if (rc)
		return rc;
	rc = name(s, s->cfg->journal_file, &path);
	if (path)
		rc = ses_journal_open(path, &s->journal, s->err);
	free(path);
	return rc;
}

int ses_serve_close_files(struct ses_server *s, struct ses_journal_end *journal)
{
	int rc = 0;

	if (ses_trace_close(s->trace) != 0)
		rc = spmu_fail(s->err, SPMU_ESYS,
			       "cannot write the trace to '%s'; is the disk full?",
			       s->cfg->trace_file);
	s->trace = NULL;
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
