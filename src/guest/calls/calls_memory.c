/* calls_memory.c -- system calls about the program's address space. */
#include <linux/personality.h>

#include "guest/calls/calls.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define PR_GET_MDWE_CODE 66
#define MDWE_REFUSES	 1

/* PR_SET_MDWE: nothing that can be executed may be, or have been, written. The kernel keeps the
 * setting over fork and exec; the memory that it looks at is not what the program sees, so the
 * runtime obeys. was: what the memory may be used for so far. */
static int is_forbidden_code(const struct gst *g, uint32_t was, uint64_t prot)
{
	long mdwe;

	if (g->personality & READ_IMPLIES_EXEC && prot & PROT_READ)
		prot |= PROT_EXEC;
	if (!(prot & PROT_EXEC) || (!(prot & PROT_WRITE) && was & PROT_EXEC))
		return 0;
	mdwe = SYS6(prctl, PR_GET_MDWE_CODE, 0, 0, 0, 0, 0);
	return mdwe > 0 && mdwe & MDWE_REFUSES;
}

long gst_call_mmap(struct gst *g, const uint64_t *a)
{
	long ret = gst_event_mmap(g, a);

	if (ret != GST_NO_EVENT)
		return ret;
	if (a[5] & (GST_PAGE - 1))
		return -EINVAL;
	if (!(a[3] & MAP_ANONYMOUS) && gst_is_hidden(g, a[4]))
		return -EBADF;
	if (is_forbidden_code(g, PROT_EXEC, a[2]))
		return -EACCES;
	return gst_map(g, a[0], a[1], (uint32_t)a[2], (uint32_t)a[3], (int)a[4], a[5],
		       GST_VMA_PLAIN);
}

long gst_call_munmap(struct gst *g, const uint64_t *a)
{
	return gst_unmap(g, a[0], a[1]);
}

/* One of the ranges forbids it: none changes. */
static long protect(struct gst *g, uint64_t addr, uint64_t bytes, uint32_t prot)
{
	for (uint32_t i = gst_vma_at(&g->vmas, addr);
	     prot & (PROT_EXEC | PROT_READ) && i < g->vmas.n; i++) {
		const struct gst_vma *v = &g->vmas.v[i];

		if (v->lo >= addr + bytes)
			break;
		if (v->kind != GST_VMA_ENGINE && is_forbidden_code(g, v->prot, prot))
			return -EACCES;
	}
	return gst_protect(g, addr, bytes, prot);
}

long gst_call_mprotect(struct gst *g, const uint64_t *a)
{
	return protect(g, a[0], a[1], (uint32_t)a[2]);
}

long gst_call_pkey_mprotect(struct gst *g, const uint64_t *a)
{
	return (int)a[3] == -1 ? protect(g, a[0], a[1], (uint32_t)a[2]) : -EINVAL;
}

long gst_call_mremap(struct gst *g, const uint64_t *a)
{
	return gst_remap(g, a[0], a[1], a[2], (uint32_t)a[3], a[4]);
}

long gst_call_brk(struct gst *g, const uint64_t *a)
{
	return (long)gst_brk_move(g, a[0]);
}

/* Advice that changes what the pages hold throws translations away; advice about the engine's
 * memory is refused as if nothing were mapped there. */
long gst_call_madvise(struct gst *g, const uint64_t *a)
{
	const uint64_t hi = a[0] + a[1], range[2] = {a[0], GST_PAGE_UP(a[1])};
	long ret;

	if (hi < a[0] || gst_vma_touches(&g->vmas, a[0], hi, GST_VMA_ENGINE))
		return -ENOMEM;
	switch (a[2]) {
	case MADV_DONTNEED:
	case MADV_FREE:
	case MADV_REMOVE:
	case 24: /* MADV_DONTNEED_LOCKED */
	case 102: /* MADV_GUARD_INSTALL */ gst_pages_drop(g, a[0], hi, GST_DROP_PROTECT); break;
	}
	ret = gst_call_pass(g, a);
	if (!ret && (a[2] == MADV_DONTNEED || a[2] == MADV_REMOVE || a[2] == 24 || a[2] == 102))
		gst_ring_event(g, TRC_DISCARD, range, sizeof(range));
	return ret;
}

/* Size of a System V segment, or -errno; *key: its key. */
static long segment_bytes(uint64_t id, uint32_t *key)
{
	/* struct shmid64_ds: 48 bytes of permissions, of which the key is first, then the size */
	uint64_t ds[14] = {0};
	long ret = SYS3(shmctl, id, 2 /* IPC_STAT */, ds);

	*key = (uint32_t)ds[0];
	return ret < 0 ? ret : (long)ds[6];
}

/* "/SYSV00000000 (deleted)": the kernel's name of a segment with that key. */
static uint32_t segment_name(struct gst *g, uint32_t key)
{
	char text[40];
	struct gst_text t;

	gst_text_start(&t, text, sizeof(text));
	gst_text_add(&t, "/SYSV");
	gst_text_hex(&t, key, 8);
	gst_text_add(&t, " (deleted)");
	return gst_name(g, text);
}

long gst_call_shmat(struct gst *g, const uint64_t *a)
{
	struct gst_vma v = {.flags = MAP_SHARED | GST_VMA_APART, .prot = PROT_READ, .ino = a[0]};
	uint32_t key;
	long bytes = segment_bytes(a[0], &key);
	uint64_t at = a[1];

	if (bytes < 0)
		return gst_call_pass(g, a); /* the kernel's own error */
	/* SHM_EXEC, SHM_RDONLY */
	if (a[2] & 0100000 &&
	    is_forbidden_code(g, PROT_EXEC, PROT_EXEC | (a[2] & 010000 ? 0 : PROT_WRITE)))
		return -EACCES;
	bytes = (long)GST_PAGE_UP(bytes);
	if (!at)
		at = gst_vma_room_down(&g->vmas, g->layout.mmap_low, g->layout.mmap_high,
				       (uint64_t)bytes);
	if (a[2] & 020000) /* SHM_RND */
		at = GST_PAGE_DOWN(at);
	if (!at || gst_vma_touches(&g->vmas, at, at + (uint64_t)bytes, GST_VMA_ENGINE))
		return -ENOMEM;
	if (a[2] & 040000) /* SHM_REMAP */
		gst_pages_drop(g, at, at + (uint64_t)bytes, GST_DROP_GONE);
	long ret = SYS3(shmat, a[0], at, a[2] & ~0100000ull); /* without SHM_EXEC */

	if (gst_is_error(ret))
		return ret;
	v.lo = at;
	v.hi = at + (uint64_t)bytes;
	v.prot |= a[2] & 010000 ? 0 : PROT_WRITE;
	v.prot |= a[2] & 0100000 ? PROT_EXEC : 0;
	v.name = segment_name(g, key);
	v.dev = gst_memory_device();
	gst_vma_cut(&g->vmas, v.lo, v.hi);
	gst_vma_add(&g->vmas, &v);
	gst_tell_area(g, at);
	return (long)at;
}

long gst_call_shmdt(struct gst *g, const uint64_t *a)
{
	const struct gst_vma *v = gst_vma_find(&g->vmas, a[0]);
	uint64_t lo = a[0], hi = v ? v->hi : 0;
	long ret;

	if (!v || v->lo != lo || v->kind != GST_VMA_PLAIN)
		return -EINVAL;
	gst_pages_drop(g, lo, hi, GST_DROP_GONE);
	ret = SYS1(shmdt, lo);
	if (ret == 0)
		gst_vma_cut(&g->vmas, lo, hi);
	return ret;
}
