/* stack.c -- the initial stack of the program: strings, auxiliary vector, pointers.
 *
 * MODELLED   what the kernel puts there, in its order: argc, argv, envp, auxv.
 * RULE       the stack pointer depends only on how many strings there are. The strings lie in a
 *            region of their own above the stack, each at a place of its own, so that the length
 *            of one moves nothing else: counts do not depend on the length of values that the
 *            program does not read. The region is a mapping of its own, so that a program that
 *            looks up its stack finds all of the limit.
 */
#include <linux/auxvec.h>

#include "guest/gst.h"
#include "guest/stream/ring.h"

/* Distance of two strings: the kernel's limit for one (128 KiB), one page so that the page colour
 * changes, 3 lines so that the place in the page changes. */
#define STRING_STRIDE (0x20000ull + GST_PAGE + 192)
#define MOST_PAIRS    20u /* of the auxiliary vector */
/* In the last page, behind AT_PLATFORM: */
#define AT_RANDOM_OFF 64u
#define AT_EXECFN_OFF 128u
#ifndef AT_SYSINFO
#define AT_SYSINFO 32 /* i386 only */
#endif
#define MIN_SIGSTACK_V4 3632u
#define MIN_SIGSTACK	1776u

struct packer {
	uint64_t at;
	int is_strided;
};

static uint64_t put_string(struct packer *p, const char *s)
{
	uint64_t at = p->at;
	size_t bytes = gst_length(s) + 1;

	memcpy((void *)at, s, bytes);
	p->at += p->is_strided ? STRING_STRIDE : bytes;
	return at;
}

static uint64_t strings_bytes(const struct gst *g, const char *text, int *is_strided)
{
	const struct shr_start *s = &g->ctl->start;
	uint32_t n = s->n_argv + s->n_envp;
	uint64_t bytes = GST_PAGE;

	*is_strided = n <= g->layout.strided_most;
	for (uint32_t i = 0; i < n; i++) {
		size_t length = gst_length(text) + 1;

		if (length > 0x20000)
			*is_strided = 0;
		bytes += length;
		text += length;
	}
	if (*is_strided)
		bytes = GST_PAGE + (uint64_t)n * STRING_STRIDE;
	return GST_PAGE_UP(bytes + 0x20000);
}

/* Words of the program's width, one after the other. */
struct words {
	uint64_t at;
	unsigned word;
};

static void put_word(struct words *w, uint64_t value)
{
	memcpy((void *)w->at, &value, w->word);
	w->at += w->word;
}

static void put_pair(struct words *w, uint64_t key, uint64_t value)
{
	put_word(w, key);
	put_word(w, value);
}

static void put_auxv(struct gst *g, struct words *p, uint64_t execfn, uint64_t platform,
		     uint64_t random)
{
	const struct shr_start *s = &g->ctl->start;
	const struct gst_kernel *k = &g->kernel;
	int is_wide = s->isa_level == 4 || (s->isa_level == 0 && (s->xcr0 & 0xe0));

	if (g->layout.is_32)
		put_pair(p, AT_SYSINFO, SHR_CALL_PAGE_32);
	put_pair(p, AT_MINSIGSTKSZ, is_wide ? MIN_SIGSTACK_V4 : MIN_SIGSTACK);
	put_pair(p, AT_HWCAP, s->hwcap);
	put_pair(p, AT_PAGESZ, k->page_bytes);
	put_pair(p, AT_CLKTCK, k->clock_ticks);
	put_pair(p, AT_PHDR, g->program.phdr);
	put_pair(p, AT_PHENT, g->layout.is_32 ? 32 : 56);
	put_pair(p, AT_PHNUM, g->program.n_phdr);
	put_pair(p, AT_BASE, g->program.interp[0] ? g->interp.base : 0);
	put_pair(p, AT_FLAGS, 0);
	put_pair(p, AT_ENTRY, g->program.entry);
	put_pair(p, AT_UID, k->uid);
	put_pair(p, AT_EUID, k->euid);
	put_pair(p, AT_GID, k->gid);
	put_pair(p, AT_EGID, k->egid);
	put_pair(p, AT_SECURE, k->secure);
	put_pair(p, AT_RANDOM, random);
	put_pair(p, AT_HWCAP2, s->hwcap2);
	put_pair(p, AT_EXECFN, execfn);
	put_pair(p, AT_PLATFORM, platform);
	put_pair(p, AT_NULL, 0);
}

static void must(struct gst *g, long ret)
{
	if (ret == -ENOMEM && g->space_limit.most != ~0ull)
		gst_refuse(g,
			   "the address space is limited (ulimit -v) to less than softpmu needs "
			   "beside the "
			   "program; give it at least 600 MB more",
			   NULL);
	if (gst_is_error(ret))
		gst_refuse_error(g, "cannot map the stack of the program", NULL, ret);
}

/* argc, argv, 0, envp, 0, auxv: pointers and numbers at the top of the stack. Returns their
 * start. */
static uint64_t put_pointers(struct gst *g, struct packer *pack, const char *text, uint64_t top,
			     uint64_t fixed)
{
	const struct shr_start *s = &g->ctl->start;
	struct words w = {.word = g->layout.word};
	uint64_t start;

	start = (top - w.word * (3 + (uint64_t)s->n_argv + s->n_envp +
				 2 * (MOST_PAIRS + (unsigned)g->layout.is_32))) &
		~15ull;
	w.at = start;
	put_word(&w, s->n_argv);
	for (uint32_t i = 0; i < s->n_argv; i++, text += gst_length(text) + 1)
		put_word(&w, put_string(pack, text));
	put_word(&w, 0);
	for (uint32_t i = 0; i < s->n_envp; i++, text += gst_length(text) + 1)
		put_word(&w, put_string(pack, text));
	put_word(&w, 0);
	g->auxv = w.at;
	put_auxv(g, &w, fixed + AT_EXECFN_OFF, fixed, fixed + AT_RANDOM_OFF);
	g->auxv_bytes = w.at - g->auxv;
	return start;
}

uint64_t gst_stack_build(struct gst *g)
{
	const struct shr_start *s = &g->ctl->start;
	const struct gst_layout *l = &g->layout;
	const char *text = g->exe + gst_length(g->exe) + 1;
	struct packer pack = {0};
	uint64_t region = strings_bytes(g, text, &pack.is_strided);
	uint64_t top = l->stack_high - region, fixed = l->stack_high - GST_PAGE, start, filled[2];
	uint64_t bytes = s->stack_limit.now ? s->stack_limit.now : 8u << 20; /* ~0: without limit */
	uint32_t prot = PROT_READ | PROT_WRITE | g->program.stack_prot;
	uint32_t flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE;

	bytes = bytes > l->stack_most ? l->stack_most : GST_PAGE_UP(bytes);
	must(g, gst_map(g, top - bytes, bytes, prot, flags, -1, 0, GST_VMA_STACK));
	must(g, gst_map(g, top, region, prot, flags, -1, 0, GST_VMA_STRINGS));
	g->stack_low = top - bytes;
	g->stack_top = top;
	if (l->is_32)
		memcpy((void *)fixed, "i686", 5);
	else
		memcpy((void *)fixed, "x86_64", 7);
	gst_random_fill(g, (void *)(fixed + AT_RANDOM_OFF), 16);
	if (gst_length(g->exe) < GST_PAGE - AT_EXECFN_OFF)
		memcpy((void *)(fixed + AT_EXECFN_OFF), g->exe, gst_length(g->exe) + 1);
	pack.at = top;
	start = put_pointers(g, &pack, text, top, fixed);
	filled[0] = GST_PAGE_DOWN(start);
	filled[1] = l->stack_high - filled[0];
	gst_ring_event(g, TRC_FILLED, filled, sizeof(filled));
	return start;
}
