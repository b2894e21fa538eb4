/* remarks.c -- sentences about single processes of a run. */
#include <ctype.h>
#include <stdio.h>

#include "report/report.h"

const char *rpt_isa(int isa, char out[8])
{
	if (isa == SES_ISA_HOST || isa == SES_ISA_CPU)
		return isa == SES_ISA_CPU ? "cpu" : "host";
	snprintf(out, 8, "v%u", (unsigned)isa % 10);
	return out;
}

/* A program stopped because of what its processor lacks. One whose events were refused spoke of
 * those. */
static bool remark_isa(const struct ses_remarks *m, char *out, size_t room)
{
	char shown[8], wants[8];

	if (!m->wants_isa || m->n_not_counted)
		return false;
	snprintf(out, room,
		 "%s asked what its processor has and ended with a message about that: it saw "
		 "--isa %s and may need "
		 "--isa %s",
		 m->wants_isa_by, rpt_isa(m->shown_isa, shown),
		 rpt_isa(m->wants_isa > SES_ISA_V4 ? SES_ISA_HOST : m->wants_isa, wants));
	return true;
}

/* A program's file would have given it more rights than its caller has. */
static bool remark_rights(const struct ses_remarks *m, char *out, size_t room)
{
	char others[48] = "";

	if (!m->n_missed)
		return false;
	if (m->n_missed > 1)
		snprintf(others, sizeof(others), " (and %u more program%s such)", m->n_missed - 1,
			 m->n_missed > 2 ? "s" : "");
	snprintf(out, room, "%s%s is %s and ran with its caller's rights alone, as under strace",
		 m->missed_by, others,
		 m->missed_owner   ? "set-uid"
		 : m->missed_group ? "set-gid"
				   : "a file with capabilities");
	return true;
}

/* The loader did not find a library, which the machine's own list has. */
static bool remark_cache(const struct ses_remarks *m, char *out, size_t room)
{
	if (!m->cache_lacks[0])
		return false;
	snprintf(out, room,
		 "the loader did not find %s, which this machine's /etc/ld.so.cache lists; "
		 "--ld-cache host shows it that",
		 m->cache_lacks);
	return true;
}

/* Counting was begun by PAPI, which tries the system call once and then finds that its tables do
 * not have this processor. */
static bool remark_papi(const struct ses_remarks *m, char *out, size_t room)
{
	if (!m->papi_by[0])
		return false;
	snprintf(out, room,
		 "%s finds no counters: of these processors PAPI knows the P6, in its 32-bit "
		 "build (gcc -m32)",
		 m->papi_by);
	return true;
}

/* A counter was read that holds no event. */
static bool remark_idle_counter(const struct ses_remarks *m, char *out, size_t room)
{
	if (!m->idle_read_by[0])
		return false;
	snprintf(out, room,
		 "%s read counter %u by RDPMC, which holds no event and stays at 0; -e puts two "
		 "events into the counters (-e inst_retired,dcu_lines_in), and so does "
		 "perf_event_open",
		 m->idle_read_by, m->idle_counter);
	return true;
}

/* Counters were read, and there were more events than counters. */
static bool remark_left_over(const struct ses_remarks *m, char *out, size_t room)
{
	if (!m->left_over[0])
		return false;
	snprintf(out, room,
		 "the processor has two counters, and none was left for %s: RDPMC shows the "
		 "others; run once more with -e for what is missing",
		 m->left_over);
	return true;
}

/* Event i that a program asked for and did not get. */
static const char *remark_event(const struct ses_remarks *m, unsigned i, char *out, size_t room)
{
	if (i < m->n_not_counted)
		snprintf(out, room, "the program asked for %s%s", m->not_counted[i].name,
			 m->not_counted[i].why);
	else if (i == m->n_not_counted && m->has_more_not_counted)
		snprintf(out, room,
			 "the program asked for more events that are not counted; softpmu list "
			 "shows what there is");
	else
		return NULL;
	return out;
}

const char *rpt_remark(const struct ses_remarks *m, unsigned i, char *out, size_t room)
{
	bool (*const remarks[])(const struct ses_remarks *, char *, size_t) = {
	    remark_isa,	 remark_rights,	      remark_cache,
	    remark_papi, remark_idle_counter, remark_left_over,
	};

	for (size_t k = 0; k < sizeof(remarks) / sizeof(remarks[0]); k++)
		if (remarks[k](m, out, room) && i-- == 0)
			return out;
	return remark_event(m, i, out, room);
}
