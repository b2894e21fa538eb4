/* stack.c -- the initial stack of the program: strings, auxiliary vector, pointers.
 *
 * MODELLED   what the kernel puts there, in its order: argc, argv, envp, auxv.
 * RULE       the stack pointer depends only on how many strings there are. The strings lie in a
 *            region of their own above the stack, each at a place of its own, so that the length of
 *            one moves nothing else: counts do not depend on the length of values nobody reads.
 */
#include <linux/auxvec.h>

#include "guest/gst.h"

/* Distance of two strings: the kernel's limit for one (128 KiB), one page so that the page colour
 * changes, 3 lines so that the place in the page changes. */
#define STRING_STRIDE (0x20000ull + GST_PAGE + 192)
#define STRIDED_MAX 2048u
#define MIN_SIGSTACK_V4 3632u
#define MIN_SIGSTACK 1776u

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

static uint64_t strings_bytes(const struct shr_start *s, const char *text, int *is_strided)
{
	uint32_t n = s->n_argv + s->n_envp;
	uint64_t bytes = GST_PAGE;

	*is_strided = n <= STRIDED_MAX;
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

static uint64_t *put_pair(uint64_t *p, uint64_t key, uint64_t value)
{
	p[0] = key;
	p[1] = value;
	return p + 2;
}

static uint64_t *put_auxv(struct gst *g, uint64_t *p, uint64_t execfn, uint64_t platform,
                          uint64_t random)
{
	const struct shr_start *s = &g->ctl->start;
	const struct gst_kernel *k = &g->kernel;
	int is_wide = s->isa_level == 4 || (s->isa_level == 0 && (s->xcr0 & 0xe0));

	p = put_pair(p, AT_MINSIGSTKSZ, is_wide ? MIN_SIGSTACK_V4 : MIN_SIGSTACK);
	p = put_pair(p, AT_HWCAP, s->hwcap);
	p = put_pair(p, AT_PAGESZ, k->page_bytes);
	p = put_pair(p, AT_CLKTCK, k->clock_ticks);
	p = put_pair(p, AT_PHDR, g->program.phdr);
	p = put_pair(p, AT_PHENT, 56);
	p = put_pair(p, AT_PHNUM, g->program.n_phdr);
	p = put_pair(p, AT_BASE, g->program.interp[0] ? g->interp.base : 0);
	p = put_pair(p, AT_FLAGS, 0);
	p = put_pair(p, AT_ENTRY, g->program.entry);
	p = put_pair(p, AT_UID, k->uid);
	p = put_pair(p, AT_EUID, k->euid);
	p = put_pair(p, AT_GID, k->gid);
	p = put_pair(p, AT_EGID, k->egid);
	p = put_pair(p, AT_SECURE, k->secure);
	p = put_pair(p, AT_RANDOM, random);
	p = put_pair(p, AT_HWCAP2, s->hwcap2);
	p = put_pair(p, AT_EXECFN, execfn);
	p = put_pair(p, AT_PLATFORM, platform);
	return put_pair(p, AT_NULL, 0);
}

static void must(struct gst *g, long ret)
{
	if (ret == -ENOMEM && g->space_limit_most != ~0ull)
		gst_refuse(g, "the address space is limited (ulimit -v) to less than softpmu needs beside the "
		              "program; give it at least 600 MB more", NULL);
	if (gst_is_error(ret))
		gst_refuse_error(g, "cannot map the stack of the program", NULL, ret);
}

uint64_t gst_stack_build(struct gst *g)
{
	const struct shr_start *s = &g->ctl->start;
	const char *text = g->exe + gst_length(g->exe) + 1;
	struct packer pack = { 0 };
	uint64_t region = strings_bytes(s, text, &pack.is_strided);
	uint64_t top = SHR_STACK_HIGH - region;
	uint64_t bytes = GST_PAGE_UP(s->stack_bytes ? s->stack_bytes : 8u << 20);
	uint64_t fixed = SHR_STACK_HIGH - GST_PAGE, random = fixed + 64, execfn = fixed + 128;
	uint32_t prot = PROT_READ | PROT_WRITE | g->program.stack_prot;
	uint64_t *p;

	if (bytes > 1ull << 30)
		bytes = 1ull << 30;
	must(g, gst_map(g, top - bytes, bytes + region, prot,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0,
	                GST_VMA_STACK));
	g->stack_low = top - bytes;
	g->stack_top = top;
	memcpy((void *)fixed, "x86_64", 7);
	gst_random_fill(g, (void *)random, 16);
	if (gst_length(g->exe) < GST_PAGE - 128)
		memcpy((void *)execfn, g->exe, gst_length(g->exe) + 1);
	pack.at = top;
	/* argc, argv, 0, envp, 0, auxv (20 pairs) */
	p = (uint64_t *)((top - 8 * (3 + (uint64_t)s->n_argv + s->n_envp + 40)) & ~15ull);
	p[0] = s->n_argv;
	g->args_low = pack.at;
	for (uint32_t i = 0; i < s->n_argv; i++, text += gst_length(text) + 1)
		p[1 + i] = put_string(&pack, text);
	p[1 + s->n_argv] = 0;
	g->args_high = g->envs_low = pack.at;
	for (uint32_t i = 0; i < s->n_envp; i++, text += gst_length(text) + 1)
		p[2 + s->n_argv + i] = put_string(&pack, text);
	p[2 + s->n_argv + s->n_envp] = 0;
	g->envs_high = pack.at;
	g->auxv = (uint64_t)(p + 3 + s->n_argv + s->n_envp);
	g->auxv_bytes = (uint64_t)put_auxv(g, (uint64_t *)g->auxv, execfn, fixed, random) - g->auxv;
	return (uint64_t)p;
}
