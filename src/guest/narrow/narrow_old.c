/* narrow_old.c -- i386 calls from before 32-bit numbers of users, and those with a number of 64
 * bits in two arguments, on a kernel without INT 80h. Rules: narrow.h. Their rows say SAME32, so
 * that the rest of the runtime takes them for calls of x86-64. */
#include "guest/narrow/narrow.h"

#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"

#define MOST_GROUPS	   1024u
#define ROBUST_LIST_HEAD32 12u /* bytes of struct robust_list_head */

/* The greatest number of 16 bits stands for "leave it". */
static uint64_t wide_id(uint64_t id)
{
	return (uint16_t)id == 0xffff ? 0xffffffff : (uint16_t)id;
}

/* A call whose arguments from `from` on are up to three numbers of users. */
static long set_ids(const struct gst_narrow *n, uint64_t number, unsigned from, unsigned count)
{
	uint64_t b[3] = {n->a[0], n->a[1], n->a[2]};

	for (unsigned i = from; i < from + count; i++)
		b[i] = wide_id(b[i]);
	return gst_narrow_make(n, number, b[0], b[1], b[2], 0, 0, 0);
}

static long get_id(const struct gst_narrow *n, uint64_t number)
{
	const long ret = gst_narrow_make(n, number, 0, 0, 0, 0, 0, 0);

	return ret < 0 ? ret : gst_narrow_id((uint32_t)ret);
}

static long get_ids(const struct gst_narrow *n, uint64_t number)
{
	uint32_t wide[3];
	const long ret = gst_narrow_make(n, number, (uint64_t)&wide[0], (uint64_t)&wide[1],
					 (uint64_t)&wide[2], 0, 0, 0);

	for (unsigned i = 0; !ret && i < 3; i++) {
		const uint16_t id = gst_narrow_id(wide[i]);

		if (gst_copy_out(n->a[i], &id, sizeof(id)))
			return -EFAULT;
	}
	return ret;
}

static long get_groups(const struct gst_narrow *n)
{
	uint32_t wide[MOST_GROUPS];
	const uint64_t room = (int32_t)n->a[0] < (int32_t)MOST_GROUPS ? n->a[0] : MOST_GROUPS;
	const long ret = gst_narrow_make(n, __NR_getgroups, room, (uint64_t)wide, 0, 0, 0, 0);

	for (long i = 0; room && i < ret; i++) {
		const uint16_t id = gst_narrow_id(wide[i]);

		if (gst_copy_out(n->a[1] + (uint64_t)i * sizeof(id), &id, sizeof(id)))
			return -EFAULT;
	}
	return ret;
}

static long set_groups(const struct gst_narrow *n)
{
	uint32_t wide[MOST_GROUPS];
	const uint64_t number = (uint32_t)n->a[0];

	for (uint64_t i = 0; i < number && number <= MOST_GROUPS; i++) {
		uint16_t id;

		if (gst_copy_in(&id, n->a[1] + i * sizeof(id), sizeof(id)))
			return -EFAULT;
		wide[i] = (uint32_t)wide_id(id);
	}
	return number > MOST_GROUPS
		   ? -EINVAL
		   : gst_narrow_make(n, __NR_setgroups, number, (uint64_t)wide, 0, 0, 0, 0);
}

static long users(const struct gst_narrow *n)
{
	switch (n->number) {
	case NR32_lchown: return set_ids(n, __NR_lchown, 1, 2);
	case NR32_fchown: return set_ids(n, __NR_fchown, 1, 2);
	case NR32_chown: return set_ids(n, __NR_chown, 1, 2);
	case NR32_setuid: return set_ids(n, __NR_setuid, 0, 1);
	case NR32_setgid: return set_ids(n, __NR_setgid, 0, 1);
	case NR32_setfsuid: return set_ids(n, __NR_setfsuid, 0, 1);
	case NR32_setfsgid: return set_ids(n, __NR_setfsgid, 0, 1);
	case NR32_setreuid: return set_ids(n, __NR_setreuid, 0, 2);
	case NR32_setregid: return set_ids(n, __NR_setregid, 0, 2);
	case NR32_setresuid: return set_ids(n, __NR_setresuid, 0, 3);
	case NR32_setresgid: return set_ids(n, __NR_setresgid, 0, 3);
	case NR32_getuid: return get_id(n, __NR_getuid);
	case NR32_getgid: return get_id(n, __NR_getgid);
	case NR32_geteuid: return get_id(n, __NR_geteuid);
	case NR32_getegid: return get_id(n, __NR_getegid);
	case NR32_getresuid: return get_ids(n, __NR_getresuid);
	case NR32_getresgid: return get_ids(n, __NR_getresgid);
	case NR32_getgroups: return get_groups(n);
	case NR32_setgroups: return set_groups(n);
	default: return GST_NARROW_EQUAL;
	}
}

long gst_narrow_old(const struct gst_narrow *n)
{
	const uint64_t *a = n->a;

	switch (n->number) {
	case NR32_pread64:
		return gst_narrow_make(n, __NR_pread64, a[0], a[1], a[2], gst_narrow_pair(a + 3), 0,
				       0);
	case NR32_pwrite64:
		return gst_narrow_make(n, __NR_pwrite64, a[0], a[1], a[2], gst_narrow_pair(a + 3),
				       0, 0);
	case NR32_fanotify_mark:
		return gst_narrow_make(n, __NR_fanotify_mark, a[0], a[1], gst_narrow_pair(a + 2),
				       a[4], a[5], 0);
	/* The kernel would walk a list of 64-bit words; the runtime walks it, but after SIGKILL. */
	case NR32_set_robust_list: return a[1] == ROBUST_LIST_HEAD32 ? 0 : -EINVAL;
	case NR32_get_robust_list: return -ENOSYS;
	default: return users(n);
	}
}
