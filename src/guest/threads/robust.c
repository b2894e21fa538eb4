/* robust.c -- walks the robust list of a thread that ends. Rules: robust.h. The list is the
 * program's: each word is read with checks. */
#include "guest/threads/robust.h"

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/threads/futex.h"
#include "guest/gst.h"

#define HEAD_WORDS	   3u
#define HEAD_BYTES_32	   12u
#define SET_ROBUST_LIST_32 311u
#define MOST_ENTRIES	   2048u
#define ANY_BIT		   0xffffffffu

/* struct robust_list_head: first entry, offset of the futex word in an entry, the pending entry.
 * Bit 0 of a pointer says that the futex is of the kind with priority inheritance. */
struct head {
	uint64_t next, offset, pending;
};

/* Words of the program's width. */
static int get_words(const struct gst *g, uint64_t at, uint64_t *word, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		word[i] = 0;
		if (gst_copy_in(&word[i], at + i * g->layout.word, g->layout.word))
			return -EFAULT;
	}
	return 0;
}

static void walk(struct gst *g, uint64_t list)
{
	uint64_t entry, next, word[HEAD_WORDS];
	struct head h;

	if (get_words(g, list, word, HEAD_WORDS))
		return;
	/* the offset has a sign */
	h = (struct head){word[0], g->layout.is_32 ? (uint64_t)(int32_t)word[1] : word[1], word[2]};
	entry = h.next;
	for (unsigned n = 0; n < MOST_ENTRIES && (entry & ~1ull) != list; n++) {
		int has_next = get_words(g, entry & ~1ull, &next, 1) == 0;

		if ((entry & ~1ull) != (h.pending & ~1ull))
			gst_robust_entry(g, (entry & ~1ull) + h.offset, entry & 1, 0);
		if (!has_next)
			break;
		entry = next;
	}
	if (h.pending & ~1ull)
		gst_robust_entry(g, (h.pending & ~1ull) + h.offset, h.pending & 1, 1);
}

/* The kernel keeps a list for each width. */
static void forget(struct gst *g)
{
	const uint64_t words[7] = {SET_ROBUST_LIST_32, 0, HEAD_BYTES_32};
	static const int never;

	if (g->layout.is_32 && gst_has_int80(g))
		gst_call32(words, &never);
	else
		SYS2(set_robust_list, 0, HEAD_WORDS * 8);
}

void gst_robust_farewell(struct gst *g)
{
	struct gst_thread *t = g->t;
	uint32_t zero = 0;

	if (t->robust)
		walk(g, t->robust);
	t->robust = 0;
	forget(g); /* done: the kernel shall not do it again */
	if (!t->clear_child_tid || gst_copy_out(t->clear_child_tid, &zero, 4))
		return;
	gst_futex_wake(g, t->clear_child_tid, 1, ANY_BIT);
	SYS6(futex, t->clear_child_tid, 1 /* FUTEX_WAKE, shared */, 1, 0, 0, 0);
}

long gst_call_set_robust_list(struct gst *g, const uint64_t *a)
{
	/* words that other processes share are the kernel's business */
	long ret = gst_call_pass(g, a);

	if (ret)
		return ret;
	g->t->robust = a[0];
	return 0;
}

long gst_call_get_robust_list(struct gst *g, const uint64_t *a)
{
	const struct gst_thread *t = a[0] ? gst_thread_of(g, (int32_t)a[0]) : g->t;
	uint64_t bytes = HEAD_WORDS * g->layout.word;

	if (!t)
		return gst_call_pass(g, a);
	if (gst_copy_out(a[2], &bytes, g->layout.word) ||
	    gst_copy_out(a[1], &t->robust, g->layout.word))
		return -EFAULT;
	return 0;
}
