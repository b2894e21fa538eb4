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

/* A program stopped because of what its processor lacks. */
static bool remark_isa(const struct ses_remarks *m, char *out, size_t room)
{
	char shown[8], wants[8];

	if (!m->wants_isa)
		return false;
	snprintf(out, room, "%s asked what its processor has and ended with a message about that: it saw --isa %s and may need "
	                    "--isa %s", m->wants_isa_by, rpt_isa(m->shown_isa, shown),
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
		snprintf(others, sizeof(others), " (and %u more program%s such)", m->n_missed - 1, m->n_missed > 2 ? "s" : "");
	snprintf(out, room, "%s%s is %s and ran with its caller's rights alone, as under strace", m->missed_by, others,
	         m->missed_owner ? "set-uid" : m->missed_group ? "set-gid" : "a file with capabilities");
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

/* A program asked softpmu's PMU for an event that this run does not count. */
static bool remark_event(const struct ses_remarks *m, char *out, size_t room)
{
	char name[SES_PROGRAM_BYTES];
	size_t n = 0;

	if (!m->not_counted_tier)
		return false;
	for (; m->not_counted[n] && n + 1 < sizeof(name); n++)
		name[n] = (char)tolower((unsigned char)m->not_counted[n]);
	name[n] = 0;
	snprintf(out, room, "the program asked for %s, which this run does not count: add -e %s",
	         m->not_counted, name);
	return true;
}

/* Begun by PAPI, which tries the system call once; then its tables have no such processor. */
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

const char *rpt_remark(const struct ses_remarks *m, unsigned i, char *out, size_t room)
{
	bool (*const remarks[])(const struct ses_remarks *, char *, size_t) = {
	    remark_isa, remark_rights, remark_cache, remark_event, remark_papi,
	};

	for (size_t k = 0; k < sizeof(remarks) / sizeof(remarks[0]); k++)
		if (remarks[k](m, out, room) && i-- == 0)
			return out;
	return NULL;
}
