/* areas.c -- maps the memory shared with softpmu, and protects the counters from system calls
 * that write. Rules: areas.h. */
#include "guest/memory/areas.h"

#include "guest/base/bytes.h"
#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/sys.h"
#include "trace/share.h"

#define MOST_PIECES	   1024u /* the kernel takes no more */
#define SOCKETCALL_RECVMSG 17
/* arguments; with what may lie behind fewer, the counters are shut for nothing */
#define SOCKETCALL_MOST 6u

void gst_fail(const char *text)
{
	SYS3(write, 2, "softpmu-guest: ", 15);
	SYS3(write, 2, text, gst_length(text));
	SYS3(write, 2, "\n", 1);
	for (;;)
		SYS1(exit_group, REQ_GAVE_UP);
}

void gst_areas_map(int fd, uint64_t shift, int is_over)
{
	const struct {
		uint64_t at, bytes, off;
		uint32_t prot;
	} area[] = {
	    {SHR_CODE_BASE + shift, SHR_CODE_BYTES, SHR_CODE_OFF, PROT_READ | PROT_EXEC},
	    {SHR_COUNT_BASE + shift, SHR_COUNT_BYTES, SHR_COUNT_OFF, PROT_READ | PROT_WRITE},
	    {SHR_TAB_BASE, SHR_TAB_BYTES, SHR_TAB_OFF, PROT_READ},
	    {SHR_CTL_BASE, SHR_CTL_BYTES, SHR_CTL_OFF, PROT_READ | PROT_WRITE},
	    {SHR_RING_BASE, SHR_RING_BYTES, SHR_RING_OFF, PROT_READ | PROT_WRITE},
	};
	uint32_t flags = MAP_SHARED | MAP_NORESERVE | (is_over ? MAP_FIXED : MAP_FIXED_NOREPLACE);

	for (unsigned i = 0; i < sizeof(area) / sizeof(area[0]); i++) {
		long ret =
		    SYS6(mmap, area[i].at, area[i].bytes, area[i].prot, flags, fd, area[i].off);

		if (ret != (long)area[i].at)
			gst_fail("cannot map the memory shared with softpmu; is the address space "
				 "limited (ulimit -v)?");
	}
}

static int is_counter(const struct gst *g, uint64_t at)
{
	return at - (g->code + SHR_CODE_BYTES) < SHR_COUNT_BYTES;
}

/* Returns 1 if one of the n pieces (struct iovec) at `at` begins in the counters. */
static int has_counter_piece(const struct gst *g, uint64_t at, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < MOST_PIECES; i++) {
		if (is_counter(g, gst_call_word_at(g, at, 2 * i)))
			return 1;
	}
	return 0;
}

static int has_counter_message(const struct gst *g, uint64_t message)
{
	return has_counter_piece(g, gst_call_word_at(g, message, 2),
				 gst_call_word_at(g, message, 3));
}

/* socketcall: its arguments lie in memory. */
static int has_counter_socketcall(const struct gst *g, uint64_t which, uint64_t at)
{
	for (unsigned i = 0; i < SOCKETCALL_MOST; i++) {
		if (is_counter(g, gst_call_word_at(g, at, i)))
			return 1;
	}
	return which == SOCKETCALL_RECVMSG && has_counter_message(g, gst_call_word_at(g, at, 1));
}

static int names_counter(const struct gst *g, uint32_t scalars, const uint64_t *words)
{
	const uint64_t *a = words + 1;

	for (unsigned i = 0; i < 6; i++) {
		if (!(scalars >> i & 1) && is_counter(g, a[i]))
			return 1;
	}
	if (g->t->call_like == GST_NO_LIKE && words[0] == NR32_socketcall)
		return has_counter_socketcall(g, a[0], a[1]);
	switch (gst_call_acts_like(g, words[0])) {
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2:
	case __NR_process_vm_readv: return has_counter_piece(g, a[1], a[2]);
	case __NR_recvmsg: return has_counter_message(g, a[1]);
	default: return 0;
	}
}

/* Returns 1 for a call that starts a thread or a process: the new one may execute translated code
 * before the call returns. */
static int is_birth(const struct gst *g)
{
	switch (g->t->call_like) {
	case __NR_fork:
	case __NR_vfork:
	case __NR_clone:
	case __NR_clone3: return 1;
	case GST_NO_LIKE: return g->t->call_number == NR32_clone;
	default: return 0;
	}
}

/* A place like this one where nothing is mapped and the program can map nothing. */
static uint64_t nowhere(const struct gst *g, uint64_t at)
{
	return (gst_call_word(g) == 4 ? SHR_END_32 + GST_PAGE : SHR_ENGINE_HIGH - GST_PAGE) +
	       at % GST_PAGE;
}

void gst_areas_shut(struct gst *g, unsigned scalars, int fills_second, uint64_t *words)
{
	for (unsigned i = 0; i < 6; i++) {
		if (!(scalars >> i & 1) && words[1 + i] >= SHR_ENGINE_LOW &&
		    words[1 + i] < SHR_ENGINE_HIGH)
			words[1 + i] = nowhere(g, words[1 + i]);
	}
	if (fills_second && is_counter(g, words[2]))
		words[2] = nowhere(g, words[2]);
	g->counters_are_shut = names_counter(g, scalars, words) && !is_birth(g);
	if (g->counters_are_shut)
		SYS3(mprotect, g->code + SHR_CODE_BYTES, SHR_COUNT_BYTES, PROT_NONE);
}

void gst_areas_open(struct gst *g)
{
	if (!g->counters_are_shut)
		return;
	g->counters_are_shut = 0;
	SYS3(mprotect, g->code + SHR_CODE_BYTES, SHR_COUNT_BYTES, PROT_READ | PROT_WRITE);
}
