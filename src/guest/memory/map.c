/* map.c -- mmap, munmap, mprotect, mremap for the program, at addresses of our choice.
 *
 * MODELLED       hints honoured when free; MAP_FIXED, MAP_FIXED_NOREPLACE, MAP_32BIT; ENOMEM for
 *                the ranges of the engine, but for MAP_FIXED of memory without access, by which
 *                programs close a range to themselves: it is made around the engine.
 * RULE           file mappings and executable memory low (SHR_FILE_LOW, upwards), so that
 *                translated code reaches them; everything else high, downwards. First fit: the
 *                same calls give the same addresses.
 * RULE           the host never gets PROT_EXEC for the program's memory: it is only read by the
 *                translator, never executed.
 * RULE           each mapping and each change of protection is followed by a TRC_AREA record, where
 *                the kernel would write one for performance events: of the whole range, merged
 *                neighbours included. mremap writes none.
 * NOT MODELLED   growth of MAP_GROWSDOWN mappings in the list; transparent huge pages.
 */
#include <linux/personality.h>

#include "guest/memory/file_change.h"
#include "guest/gst.h"

#define LOW_FILE_MAX	  (512ull << 20) /* larger file mappings are data and go high */
#define HUGE_PAGE	  (2ull << 20)
#define FS_IOC_GETVERSION 0x80087601ull /* of an inode: its generation (linux/fs.h) */
#define REGULAR(st)	  (((uint32_t)(st)[3] & 0170000) == 0100000) /* words of struct stat */

/* Returns the protection that the program gets when it asks for `prot`. */
static uint32_t given_prot(const struct gst *g, uint32_t prot)
{
	return g->personality & READ_IMPLIES_EXEC && prot & PROT_READ ? prot | PROT_EXEC : prot;
}

static uint32_t host_prot(uint32_t prot)
{
	return (prot & PROT_EXEC ? prot | PROT_READ : prot) & ~(uint32_t)PROT_EXEC;
}

uint32_t gst_name(struct gst *g, const char *text)
{
	char *pool = (char *)GST_NAMES;
	size_t bytes = gst_length(text) + 1;
	uint32_t at = 1;

	if (bytes == 1)
		return 0;
	while (at < g->names_used) {
		if (gst_equal(pool + at, text))
			return at;
		at += (uint32_t)gst_length(pool + at) + 1;
	}
	if (g->names_used + bytes > GST_NAMES_BYTES)
		return 0;
	memcpy(pool + at, text, bytes);
	g->names_used += (uint32_t)bytes;
	return at;
}

uint32_t gst_file_device(uint64_t st_dev)
{
	return (uint32_t)((st_dev >> 8 & 0xfff) << 16 | (st_dev & 0xff) | (st_dev >> 12 & 0xff00));
}

uint32_t gst_memory_device(void)
{
	const long fd = SYS2(memfd_create, "", 1 /* MFD_CLOEXEC */);
	uint64_t st[18] = {0};

	if (gst_is_error(fd))
		return 0;
	SYS2(fstat, fd, st);
	SYS1(close, fd);
	return gst_file_device(st[0]);
}

/* Shared memory is a file of its own to the kernel. Its inode's number is not known; ours is one
 * that no other has. */
static void note_shared(struct gst *g, struct gst_vma *v)
{
	v->off = 0;
	v->ino = ++g->n_shared;
	v->name = gst_name(g, v->flags & MAP_HUGETLB ? "/anon_hugepage (deleted)"
						     : "/dev/zero (deleted)");
	v->dev = v->flags & MAP_HUGETLB ? 0 : gst_memory_device();
}

/* Note name, device and inode of file fd in *v. */
static void note_file(struct gst *g, struct gst_vma *v, int fd)
{
	char link[40], path[512];
	struct gst_text t;
	uint64_t st[18], generation = 0;
	long n;

	if (SYS2(fstat, fd, st) == 0) {
		v->dev = gst_file_device(st[0]);
		v->ino = st[1];
		if (REGULAR(st) && SYS3(ioctl, fd, FS_IOC_GETVERSION, &generation) == 0)
			v->generation = (uint32_t)generation;
		v->is_soft = (uint32_t)gst_file_is_soft(fd);
	}
	gst_text_start(&t, link, sizeof(link));
	gst_text_add(&t, "/proc/self/fd/");
	gst_text_dec(&t, fd);
	n = SYS3(readlink, link, path, sizeof(path) - 1);
	if (n <= 0)
		return;
	path[n] = 0;
	v->name = gst_name(g, path);
}

static void tell_map(struct gst *g, const struct gst_vma *v)
{
	struct {
		uint64_t addr, bytes;
		uint32_t prot, flags;
		uint64_t off;
		char path[512];
	} e = {v->lo,	v->hi - v->lo,
	       v->prot, v->flags & (MAP_TYPE | MAP_ANONYMOUS | MAP_GROWSDOWN),
	       v->off,	{0}};
	const char *name = (const char *)GST_NAMES + v->name;
	size_t n = v->name ? gst_length(name) : 0;

	if (n > sizeof(e.path) - 4)
		n = 0;
	memcpy(e.path, name, n);
	gst_ring_event(g, TRC_MAP, &e, 32 + (uint32_t)((n + 3) & ~3ull));
}

void gst_map_kernels(struct gst *g, uint64_t lo, uint64_t hi, uint32_t prot)
{
	const struct gst_vma v = {.lo = lo,
				  .hi = hi,
				  .prot = prot,
				  .flags = MAP_PRIVATE | MAP_ANONYMOUS,
				  .kind = GST_VMA_PLAIN};

	/* not there; EPERM: it is, and sealed (Linux 6.14) */
	if (SYS3(mprotect, lo, hi - lo, host_prot(prot)) == -ENOMEM)
		return;
	gst_vma_add(&g->vmas, &v);
	tell_map(g, &v);
}

void gst_tell_area(struct gst *g, uint64_t addr)
{
	const struct gst_vma *v = gst_vma_find(&g->vmas, addr);
	struct {
		struct trc_area is;
		char path[512];
	} e = {0};
	const char *name = gst_vma_name(v, (const char *)GST_NAMES);
	size_t n = gst_length(name);

	if (v->kind == GST_VMA_STRINGS) /* the kernel's stack is one */
		return;
	if (n > sizeof(e.path) - 4)
		n = 0;
	e.is = (struct trc_area){.addr = v->lo,
				 .bytes = v->hi - v->lo,
				 .off = v->off,
				 .inode = v->ino,
				 .major = v->dev >> 16,
				 .minor = v->dev & 0xffff,
				 .generation = v->generation,
				 .prot = v->prot,
				 .flags = (v->flags & MAP_SHARED ? MAP_SHARED : MAP_PRIVATE) |
					  (v->flags & (MAP_LOCKED | MAP_HUGETLB))};
	if ((v->flags & (MAP_ANONYMOUS | MAP_SHARED)) == MAP_ANONYMOUS)
		e.is.off = v->lo;
	memcpy(e.path, name, n);
	gst_ring_event(g, TRC_AREA, &e, (uint32_t)(sizeof(e.is) + ((n + 3) & ~3ull)));
}

void gst_unmap_told(struct gst *g, uint64_t lo, uint64_t hi)
{
	uint64_t e[2] = {lo, hi - lo};

	gst_ring_event(g, TRC_UNMAP, e, sizeof(e));
}

/* Where a mapping without a fixed address goes; 0 = no room. */
static uint64_t place(struct gst *g, uint64_t hint, uint64_t bytes, uint32_t prot, uint32_t flags)
{
	const struct gst_vmas *l = &g->vmas;
	const struct gst_layout *lay = &g->layout;
	uint64_t at = 0;
	uint64_t end = flags & MAP_32BIT && !lay->is_32 ? 0x80000000 : lay->end;

	hint = GST_PAGE_DOWN(hint);
	if (hint >= 0x10000 && hint < end && bytes <= end - hint &&
	    gst_vma_is_free(l, hint, hint + bytes))
		return hint;
	if (flags & MAP_32BIT && !lay->is_32) {
		at = gst_vma_room_up(l, 0x40000000, 0x60000000, bytes);
		if (!at)
			at = gst_vma_room_up(l, 0x72000000, 0x80000000, bytes);
		return at;
	}
	if ((prot & PROT_EXEC) || (!(flags & MAP_ANONYMOUS) && bytes <= LOW_FILE_MAX))
		at = gst_vma_room_up(l, lay->file_low, lay->file_high, bytes);
	if (!at)
		at = gst_vma_room_down(l, lay->mmap_low, lay->mmap_high, bytes);
	if (!at)
		at = gst_vma_room_up(l, lay->more_low, lay->more_high, bytes);
	return at;
}

static uint64_t place_huge(struct gst *g, uint64_t hint, uint64_t bytes, uint32_t prot,
			   uint32_t flags)
{
	uint64_t at = place(g, hint, bytes + HUGE_PAGE, prot, flags);

	return at ? (at + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1) : 0;
}

/* RLIMIT_AS of the program: its own mappings, without the engine's. */
static int is_over_limit(const struct gst *g, uint64_t more)
{
	uint64_t sum = more;

	if (g->space_limit.now == ~0ull)
		return 0;
	for (uint32_t i = 0; i < g->vmas.n; i++) {
		if (g->vmas.v[i].kind != GST_VMA_ENGINE)
			sum += g->vmas.v[i].hi - g->vmas.v[i].lo;
	}
	return sum > g->space_limit.now;
}

/* Private memory that can be written, and is no stack: data. */
static int is_data(uint32_t prot, uint32_t flags, uint32_t kind)
{
	return (prot & PROT_WRITE) && !(flags & MAP_GROWSDOWN) &&
	       (flags & MAP_TYPE) == MAP_PRIVATE && kind != GST_VMA_STACK &&
	       kind != GST_VMA_STRINGS && kind != GST_VMA_ENGINE && kind != GST_VMA_EVENT;
}

/* RLIMIT_DATA of the program: with `more` bytes besides. */
static int is_over_data(const struct gst *g, uint64_t more)
{
	uint64_t sum = more;

	if (g->data_limit.now == ~0ull)
		return 0;
	for (uint32_t i = 0; i < g->vmas.n; i++) {
		const struct gst_vma *v = &g->vmas.v[i];

		if (is_data(v->prot, v->flags, v->kind))
			sum += v->hi - v->lo;
	}
	return sum > g->data_limit.now;
}

/* Bytes in [lo, hi) that become data when they may be written. */
static uint64_t data_to_be(const struct gst *g, uint64_t lo, uint64_t hi)
{
	uint64_t sum = 0;

	for (uint32_t i = gst_vma_at(&g->vmas, lo); i < g->vmas.n && g->vmas.v[i].lo < hi; i++) {
		const struct gst_vma *v = &g->vmas.v[i];

		if (!is_data(v->prot, v->flags, v->kind) && is_data(PROT_WRITE, v->flags, v->kind))
			sum += (v->hi < hi ? v->hi : hi) - (v->lo > lo ? v->lo : lo);
	}
	return sum;
}

static int is_outside(const struct gst *g, uint64_t addr, uint64_t bytes)
{
	return addr > g->layout.end || bytes > g->layout.end - addr;
}

/* The first piece of [addr, hi) that is not the engine's. Returns its start, hi when there is
 * none; *end: its end. */
static uint64_t piece(const struct gst *g, uint64_t addr, uint64_t hi, uint64_t *end)
{
	for (uint32_t i = gst_vma_at(&g->vmas, addr); i < g->vmas.n && g->vmas.v[i].lo < hi; i++) {
		const struct gst_vma *v = &g->vmas.v[i];

		if (v->kind != GST_VMA_ENGINE)
			continue;
		*end = v->lo;
		if (v->lo > addr)
			return addr;
		addr = v->hi;
	}
	*end = hi;
	return addr < hi ? addr : hi;
}

/* Memory without access over the engine and more. */
static long map_around(struct gst *g, uint64_t addr, uint64_t bytes, uint32_t flags)
{
	const uint64_t hi = addr + bytes;
	uint64_t lo = addr, end;

	while ((lo = piece(g, lo, hi, &end)) < hi) {
		long ret = gst_map(g, lo, end - lo, PROT_NONE, flags, -1, 0, GST_VMA_PLAIN);

		if (gst_is_error(ret))
			return ret;
		lo = end;
	}
	return (long)addr;
}

long gst_map(struct gst *g, uint64_t addr, uint64_t bytes, uint32_t prot, uint32_t flags, int fd,
	     uint64_t off, uint32_t kind)
{
	struct gst_vma v = {.prot = given_prot(g, prot) & 7, .off = off, .kind = kind};
	int is_fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
	long ret;

	if (bytes == 0)
		return -EINVAL;
	if (bytes > g->layout.end)
		return -ENOMEM;
	bytes = GST_PAGE_UP(bytes);
	if (flags & MAP_HUGETLB)
		bytes = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	if (is_over_limit(g, bytes) || (is_data(prot, flags, kind) && is_over_data(g, bytes)))
		return -ENOMEM;
	if (is_fixed) {
		if (addr & (GST_PAGE - 1))
			return -EINVAL;
		if (is_outside(g, addr, bytes))
			return -ENOMEM;
		if ((flags & MAP_FIXED_NOREPLACE) && !gst_vma_is_free(&g->vmas, addr, addr + bytes))
			return -EEXIST;
		if (gst_vma_touches(&g->vmas, addr, addr + bytes, GST_VMA_ENGINE))
			return !(prot & 7) && (flags & MAP_ANONYMOUS)
				   ? map_around(g, addr, bytes, flags)
				   : -ENOMEM;
		gst_pages_drop(g, addr, addr + bytes, GST_DROP_GONE);
		gst_event_unmap(g, addr, addr + bytes);
	} else {
		addr = flags & MAP_HUGETLB ? place_huge(g, addr, bytes, prot, flags)
					   : place(g, addr, bytes, prot, flags);
		if (!addr)
			return -ENOMEM;
	}
	ret = SYS6(mmap, addr, bytes, host_prot(prot),
		   (flags & ~(uint32_t)(MAP_32BIT | MAP_FIXED_NOREPLACE)) | MAP_FIXED |
		       gst_lock_flags(g),
		   fd, off);
	if (!gst_is_error(ret) && gst_lock_new(g, addr, bytes)) {
		SYS2(munmap, addr, bytes);
		ret = -EAGAIN;
	}
	if (gst_is_error(ret))
		return ret;
	v.lo = addr;
	v.hi = addr + bytes;
	v.flags = flags & (MAP_TYPE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_LOCKED | MAP_HUGETLB);
	v.flags |= (flags & MAP_HUGETLB ? GST_VMA_APART : 0) | (g->lock_future ? MAP_LOCKED : 0);
	if (!(flags & MAP_ANONYMOUS))
		note_file(g, &v, fd);
	else if (flags & MAP_SHARED)
		note_shared(g, &v);
	if (kind == GST_VMA_EVENT)
		v.name = gst_name(g, GST_EVENT_LINK);
	if (gst_vma_cut(&g->vmas, v.lo, v.hi) || gst_vma_add(&g->vmas, &v))
		gst_refuse(g, "the program has more mappings than softpmu can keep", NULL);
	tell_map(g, &v);
	gst_tell_area(g, v.lo);
	return (long)addr;
}

/* Unmap a range free of engine ranges. */
static long unmap_part(struct gst *g, uint64_t lo, uint64_t hi)
{
	long ret;

	if (lo >= hi)
		return 0;
	if (gst_vma_is_free(&g->vmas, lo, hi))
		return 0;
	gst_pages_drop(g, lo, hi, GST_DROP_GONE);
	gst_event_unmap(g, lo, hi);
	ret = SYS2(munmap, lo, hi - lo);
	if (gst_is_error(ret))
		return ret;
	if (gst_vma_cut(&g->vmas, lo, hi))
		gst_refuse(g, "the program has more mappings than softpmu can keep", NULL);
	gst_unmap_told(g, lo, hi);
	return 0;
}

long gst_unmap(struct gst *g, uint64_t addr, uint64_t bytes)
{
	uint64_t hi, end;

	bytes = GST_PAGE_UP(bytes);
	if ((addr & (GST_PAGE - 1)) || bytes == 0 || is_outside(g, addr, bytes))
		return -EINVAL;
	hi = addr + bytes;
	while ((addr = piece(g, addr, hi, &end)) < hi) {
		long ret = unmap_part(g, addr, end);

		if (ret)
			return ret;
		addr = end;
	}
	return 0;
}

/* [lo, hi), all of it mapped, has got protection `prot`. Note it range by range, as the kernel
 * does, and write an area record for each. */
static void note_protection(struct gst *g, uint64_t lo, uint64_t hi, uint32_t prot)
{
	while (lo < hi) {
		const struct gst_vma *v = gst_vma_find(&g->vmas, lo);
		const uint64_t end = v->hi < hi ? v->hi : hi;

		if (v->prot != prot) {
			if (gst_vma_protect(&g->vmas, lo, end, prot))
				gst_refuse(g, "the program has more mappings than softpmu can keep",
					   NULL);
			gst_tell_area(g, lo);
		}
		lo = end;
	}
}

long gst_protect(struct gst *g, uint64_t addr, uint64_t bytes, uint32_t prot)
{
	uint64_t hi, end, wanted;
	long ret;

	if (addr & (GST_PAGE - 1))
		return -EINVAL;
	bytes = GST_PAGE_UP(bytes);
	if (bytes == 0)
		return 0;
	if (is_outside(g, addr, bytes))
		return -ENOMEM;
	hi = addr + bytes;
	if (prot & PROT_GROWSDOWN) { /* from the start of the stack */
		const struct gst_vma *v = gst_vma_find(&g->vmas, addr);

		if (!v || (v->kind != GST_VMA_STACK && !(v->flags & MAP_GROWSDOWN)))
			return v ? -EINVAL : -ENOMEM;
		addr = v->lo;
		prot &= ~(uint32_t)PROT_GROWSDOWN;
	}
	wanted = hi; /* the kernel changes all up to the first hole */
	if (piece(g, addr, hi, &end) != addr)
		return -ENOMEM;
	hi = gst_vma_covered(&g->vmas, addr, end);
	if (hi == addr)
		return -ENOMEM;
	prot = given_prot(g, prot);
	if ((prot & PROT_WRITE) && is_over_data(g, data_to_be(g, addr, hi)))
		return -ENOMEM;
	if (!(prot & PROT_EXEC))
		gst_pages_drop(g, addr, hi, GST_DROP_PROTECT);
	ret = SYS3(mprotect, addr, hi - addr, host_prot(prot));
	if (gst_is_error(ret))
		return ret;
	note_protection(g, addr, hi, prot & 7);
	if ((prot & PROT_EXEC) && (prot & PROT_WRITE))
		gst_pages_guard(g, addr, hi);
	return hi < wanted ? -ENOMEM : 0;
}

static long grow_here(struct gst *g, struct gst_vma v, uint64_t old, uint64_t old_bytes,
		      uint64_t bytes)
{
	long ret = SYS4(mremap, old, old_bytes, bytes, 0);

	if (gst_is_error(ret))
		return ret;
	if ((v.flags & (MAP_ANONYMOUS | MAP_SHARED)) == MAP_ANONYMOUS)
		v.off = 0;
	else
		v.off += old + old_bytes - v.lo;
	v.lo = old + old_bytes;
	v.hi = old + bytes;
	gst_vma_add(&g->vmas, &v);
	tell_map(g, &v);
	return (long)old;
}

long gst_remap(struct gst *g, uint64_t old, uint64_t old_bytes, uint64_t bytes, uint32_t flags,
	       uint64_t to)
{
	struct gst_vma *p, v;
	long ret;

	if ((old & (GST_PAGE - 1)) || bytes == 0 || (flags & ~7u))
		return -EINVAL;
	if ((flags & (2 | 4)) && !(flags & 1)) /* FIXED and DONTUNMAP want MAYMOVE */
		return -EINVAL;
	old_bytes = GST_PAGE_UP(old_bytes);
	bytes = GST_PAGE_UP(bytes);
	p = gst_vma_find(&g->vmas, old);
	if (!p || p->kind == GST_VMA_ENGINE || is_outside(g, old, old_bytes) ||
	    p->hi < old + old_bytes)
		return -EFAULT;
	if (p->kind == GST_VMA_EVENT && (bytes > old_bytes || (flags & 4)))
		return -EFAULT;
	if (is_outside(g, 0, bytes) ||
	    (bytes > old_bytes &&
	     (is_over_limit(g, bytes - old_bytes) ||
	      (is_data(p->prot, p->flags, p->kind) && is_over_data(g, bytes - old_bytes)))))
		return -ENOMEM;
	v = *p;
	gst_pages_drop(g, old, old + (old_bytes ? old_bytes : GST_PAGE), GST_DROP_GONE);
	if (!(flags & (2 | 4)) && old_bytes >= bytes) {
		ret = old_bytes > bytes ? gst_unmap(g, old + bytes, old_bytes - bytes) : 0;
		return ret ? ret : (long)old;
	}
	if (!(flags & (2 | 4)) && old_bytes && v.hi == old + old_bytes &&
	    !is_outside(g, old, bytes) && gst_vma_is_free(&g->vmas, old + old_bytes, old + bytes)) {
		ret = grow_here(g, v, old, old_bytes, bytes);
		if (!gst_is_error(ret))
			return ret;
	}
	if (!(flags & 1))
		return -ENOMEM;
	if (flags & 2) {
		if ((to & (GST_PAGE - 1)) || is_outside(g, to, bytes) ||
		    (to < old + old_bytes && old < to + bytes))
			return -EINVAL;
		if (gst_vma_touches(&g->vmas, to, to + bytes, GST_VMA_ENGINE))
			return -ENOMEM;
		gst_pages_drop(g, to, to + bytes, GST_DROP_GONE);
		gst_event_unmap(g, to, to + bytes);
	} else {
		to = place(g, 0, bytes, v.prot, v.flags);
		if (!to)
			return -ENOMEM;
	}
	ret = SYS6(mremap, old, old_bytes, bytes, flags | 3, to, 0);
	if (gst_is_error(ret))
		return ret;
	if (!(v.flags & MAP_ANONYMOUS) || (v.flags & MAP_SHARED))
		v.off += old - v.lo;
	v.lo = to;
	v.hi = to + bytes;
	gst_vma_cut(&g->vmas, v.lo, v.hi);
	if (old_bytes && !(flags & 4)) {
		gst_vma_cut(&g->vmas, old, old + old_bytes);
		gst_unmap_told(g, old, old + old_bytes);
	}
	gst_vma_add(&g->vmas, &v);
	tell_map(g, &v);
	return (long)to;
}
