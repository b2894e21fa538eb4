/* calls_numa.c -- memory policies: the presented machine has one node, number 0, so every policy
 * that may be is kept already.
 *
 * MODELLED       get_mempolicy, set_mempolicy and mbind with the checks of the kernel; the
 *                policy of a thread, which new threads, children and the next program have, and
 *                of a range; move_pages (all pages are on node 0) and migrate_pages of the own
 *                process.
 * NOT MODELLED   set_mempolicy_home_node (ENOSYS); pages of other processes (EPERM); policies of
 *                shared memory are those of its mapping.
 * SOURCES        set_mempolicy(2), get_mempolicy(2), mbind(2), move_pages(2), migrate_pages(2).
 */
#include <linux/mempolicy.h>

#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define MODE_FLAGS     ((uint64_t)(MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES | FLAG_BALANCING))
#define FLAG_BALANCING (1u << 13) /* MPOL_F_NUMA_BALANCING */
#define MOST_MODES     7u	  /* up to MPOL_WEIGHTED_INTERLEAVE */
#define FLAG_BITS      13	  /* flags begin here, */
#define MODE_BITS      3	  /* modes end here: both in a byte */
#define MOST_NODE_BITS (GST_PAGE * 8)
#define HOST_NODE_BITS 1024u /* of the kernel's sets */

/* Node 0 in the set of `bits` - 1 nodes at `at`. Returns 0 when it is empty, 1, or -EINVAL when
 * other nodes are in it, which do not exist, -EFAULT. beside: 1 when others are in it beside
 * node 0, which is no error. */
static long nodes_at(const struct gst *g, uint64_t at, uint64_t bits, int *beside)
{
	const uint64_t word_bytes = gst_call_word(g);
	int has_first = 0, has_others = 0;

	*beside = 0;
	if (!at || bits < 2)
		return 0;
	if (--bits > MOST_NODE_BITS)
		return -EINVAL;
	for (uint64_t done = 0; done < bits; done += word_bytes * 8) {
		uint64_t word = 0;

		if (gst_copy_in(&word, at + done / 8, word_bytes))
			return -EFAULT;
		if (bits - done < word_bytes * 8)
			word &= (1ull << (bits - done)) - 1;
		if (done >= HOST_NODE_BITS && word)
			return -EINVAL;
		has_first |= !done && word & 1;
		has_others |= (done ? word : word & ~1ull) != 0;
	}
	*beside = has_others;
	return has_first ? 1 : has_others ? -EINVAL : 0;
}

/* A policy in seven bits, and back. */
static uint32_t packed(uint32_t policy)
{
	return (policy & ~(uint32_t)MODE_FLAGS) |
	       (policy & (uint32_t)MODE_FLAGS) >> FLAG_BITS << MODE_BITS;
}

static uint32_t unpacked(uint32_t bits)
{
	return (bits & ((1u << MODE_BITS) - 1)) | bits >> MODE_BITS << FLAG_BITS;
}

/* Returns 1 if this policy names nodes. */
static int has_nodes(uint32_t policy)
{
	const uint32_t mode = policy & ~(uint32_t)MODE_FLAGS;

	return mode != MPOL_DEFAULT && mode != MPOL_LOCAL;
}

/* The policy that `mode` with these nodes is: 0 or above, or -errno. */
static long policy_of(const struct gst *g, uint64_t mode, uint64_t at, uint64_t bits)
{
	const uint32_t flags = (uint32_t)(mode & MODE_FLAGS),
		       plain = (uint32_t)mode & ~(uint32_t)MODE_FLAGS;
	int beside;
	long nodes;

	if (plain >= MOST_MODES || (flags & MPOL_F_STATIC_NODES && flags & MPOL_F_RELATIVE_NODES) ||
	    (flags & FLAG_BALANCING && plain != MPOL_BIND && plain != MPOL_PREFERRED_MANY))
		return -EINVAL;
	nodes = nodes_at(g, at, bits, &beside);
	if (nodes == -EFAULT)
		return nodes;
	if (plain == MPOL_DEFAULT || plain == MPOL_LOCAL)
		return nodes || beside || (plain == MPOL_LOCAL && flags) ? -EINVAL : (long)plain;
	if (plain == MPOL_PREFERRED && !nodes)
		return flags ? -EINVAL : MPOL_LOCAL;
	return nodes == 1 ? (long)(plain | flags) : -EINVAL;
}

long gst_call_set_mempolicy(struct gst *g, const uint64_t *a)
{
	const long policy = policy_of(g, (uint32_t)a[0], a[1], a[2]);

	if (policy < 0)
		return policy;
	g->t->policy = (uint32_t)policy;
	return 0;
}

/* Node 0, or none, into a set of `bits` - 1 nodes. Returns 0 or -errno. */
static long put_nodes(const struct gst *g, uint64_t at, uint64_t bits, int has_first)
{
	const uint64_t bytes = bits < 2 ? 0 : (bits - 1 + 63) / 64 * 8,
		       word_bytes = gst_call_word(g);
	const uint64_t first = has_first != 0, zero = 0;

	if (bytes > GST_PAGE)
		return -EINVAL;
	for (uint64_t done = 0; done < (word_bytes == 4 ? (bits - 1 + 31) / 32 * 4 : bytes);
	     done += word_bytes)
		if (gst_copy_out(at + done, done ? &zero : &first, word_bytes))
			return -EFAULT;
	return 0;
}

long gst_call_get_mempolicy(struct gst *g, const uint64_t *a)
{
	const struct gst_vma *v = NULL;
	const uint64_t flags = a[4];
	uint32_t policy = g->t->policy, shown;
	int shows_nodes;

	if (a[1] && a[2] < 1)
		return -EINVAL;
	if (flags & ~(uint64_t)(MPOL_F_NODE | MPOL_F_ADDR | MPOL_F_MEMS_ALLOWED) ||
	    (flags & MPOL_F_MEMS_ALLOWED && flags & (MPOL_F_NODE | MPOL_F_ADDR)))
		return -EINVAL;
	if (flags & MPOL_F_ADDR) {
		v = gst_vma_find(&g->vmas, a[3]);
		if (!v || v->kind == GST_VMA_ENGINE)
			return -EFAULT;
		/* not the thread's, which holds where this is 0 */
		policy = unpacked((v->flags & GST_VMA_POLICY) >> GST_VMA_POLICY_SHIFT);
	} else if (a[3] && !(flags & MPOL_F_MEMS_ALLOWED)) {
		return -EINVAL;
	}
	shown = flags & MPOL_F_MEMS_ALLOWED ? 0 : policy;
	shows_nodes = flags & MPOL_F_MEMS_ALLOWED || has_nodes(policy);
	if (flags & MPOL_F_NODE) {
		if (!v && (policy & ~(uint32_t)MODE_FLAGS) != MPOL_INTERLEAVE)
			return -EINVAL;
		shown = 0; /* the node */
	}
	if (a[0] && gst_copy_out(a[0], &shown, sizeof(shown)))
		return -EFAULT;
	return a[1] ? put_nodes(g, a[1], a[2], shows_nodes) : 0;
}

long gst_call_mbind(struct gst *g, const uint64_t *a)
{
	const uint64_t lo = a[0], hi = lo + GST_PAGE_UP(a[1]);
	long policy;

	if (a[5] & ~(uint64_t)(MPOL_MF_STRICT | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL) ||
	    lo & (GST_PAGE - 1) || hi < lo)
		return -EINVAL;
	policy = policy_of(g, (uint32_t)a[2], a[3], a[4]);
	if (policy < 0 || hi == lo)
		return policy < 0 ? policy : 0;
	for (uint64_t at = lo; at < hi;) {
		const struct gst_vma *v = gst_vma_find(&g->vmas, at);

		if (!v || v->kind == GST_VMA_ENGINE)
			return -EFAULT;
		at = v->hi;
	}
	if (gst_vma_bind(&g->vmas, lo, hi, packed((uint32_t)policy)))
		gst_refuse(g, "the program has more mappings than softpmu can keep", NULL);
	return 0;
}

/* Returns 0 if `pid` names the calling process or another one in its memory, else -errno. */
static long own_process(struct gst *g, uint64_t pid)
{
	long ret;

	if (!pid || gst_process_of(g, (int32_t)pid))
		return 0;
	ret = SYS1(getpgid, pid);
	return gst_is_error(ret) ? ret : -EPERM;
}

long gst_call_migrate_pages(struct gst *g, const uint64_t *a)
{
	int beside;
	long from = nodes_at(g, a[2], a[1], &beside), to = nodes_at(g, a[3], a[1], &beside), ret;

	if (from == -EFAULT || to == -EFAULT)
		return -EFAULT;
	ret = own_process(g, a[0]);
	if (ret)
		return ret;
	return to == 1 ? 0 : -EINVAL; /* nothing is left elsewhere */
}

/* 0: the page is there, on node 0. -ENOENT, -EFAULT. */
static int32_t page_status(const struct gst *g, uint64_t at)
{
	const struct gst_vma *v = gst_vma_find(&g->vmas, at);
	uint8_t present = 0;

	if (!v || v->kind == GST_VMA_ENGINE)
		return -EFAULT;
	SYS3(mincore, GST_PAGE_DOWN(at), GST_PAGE, &present);
	return present & 1 ? 0 : -ENOENT;
}

long gst_call_move_pages(struct gst *g, const uint64_t *a)
{
	const uint64_t word_bytes = gst_call_word(g);
	long ret;

	if ((uint32_t)a[5] & ~(uint32_t)(MPOL_MF_MOVE | MPOL_MF_MOVE_ALL))
		return -EINVAL;
	ret = own_process(g, a[0]);
	for (uint64_t i = 0; !ret && i < a[1]; i++) {
		uint64_t at = 0;
		int32_t node = 0, status;

		if (gst_copy_in(&at, a[2] + i * word_bytes, word_bytes) ||
		    (a[3] && gst_copy_in(&node, a[3] + i * 4, 4)))
			return -EFAULT;
		if (node)
			return -ENODEV;
		status = page_status(g, at);
		if (gst_copy_out(a[4] + i * 4, &status, 4))
			return -EFAULT;
	}
	return ret;
}
