/* siginfo32.c -- siginfo_t of x86-64 as a 32-bit program sees it: the same members, narrower and
 * without the gap in front of them. Which members there are follows from signal and code. */
#include "guest/base/bytes.h"
#include "guest/signals/signal.h"
#include "guest/signals/signal32.h"

#define SIGCHLD_NUMBER 17
#define SIGPOLL_NUMBER 29
#define SIGSYS_NUMBER  31
#define CODE_KERNEL    0x80
#define CODE_TIMER     (-2)
#define CODE_SIGIO     (-5)
#define MOST_POLL_CODE 6

#define WIDE_AT	  16u /* where the members of one kind begin */
#define NARROW_AT 12u

/* Members in order, by width in the wide and in the narrow struct; 'w' is 8 bytes there and 4
 * here, 'i' is 4 in both. */
static const char *members(int sig, int code)
{
	if (code > 0 && code < CODE_KERNEL) { /* from the kernel, by what happened */
		if (sig == GST_SIGTRAP && code == GST_TRAP_PERF)
			return "wwii"; /* address, data, type, flags */
		if (GST_BIT(sig) & GST_SYNC_SIGNALS)
			return "ww"; /* address; its last bits and what goes with the rarer codes */
		if (sig == SIGCHLD_NUMBER)
			return "iiiww"; /* pid, uid, status, user and system time */
		if (sig == SIGSYS_NUMBER)
			return "wii"; /* address, call, architecture */
		if (sig == SIGPOLL_NUMBER || code <= MOST_POLL_CODE)
			return "wi"; /* band, descriptor */
		return "ii";
	}
	if (code == CODE_SIGIO)
		return "wi";
	/* pid and uid, or timer and overrun; codes below 0 carry a value as well */
	return code < 0 ? "iiw" : "ii";
}

void gst_siginfo_narrow(uint8_t to[GST_SIGINFO32_BYTES], const struct gst_siginfo *info)
{
	const uint8_t *from = (const uint8_t *)info;
	size_t wide = WIDE_AT, narrow = NARROW_AT;

	memset(to, 0, GST_SIGINFO32_BYTES);
	memcpy(to, from, NARROW_AT);
	for (const char *m = members(info->sig, info->code); *m; m++) {
		if (*m == 'w')
			wide = (wide + 7) & ~(size_t)7;
		memcpy(to + narrow, from + wide, 4);
		narrow += 4;
		wide += *m == 'w' ? 8 : 4;
	}
}
