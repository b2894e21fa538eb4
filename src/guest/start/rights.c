/* rights.c -- finds out which rights the kernel would have given the program by its file. Rules:
 * rights.h. */
#include "guest/start/rights.h"

#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>

#include "guest/gst.h"

#define MODE_SETUID	04000u
#define MODE_SETGID	02000u
#define MODE_GROUP_EXEC 010u
#define O_CLOEXEC_FLAG	02000000u
#define MOUNT_NOSUID	2u /* statfs.f_flags */

/* A capability set as one number. */
static uint64_t set_of(const uint32_t low, const uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static uint64_t bounding_set(void)
{
	uint64_t set = 0;

	for (uint64_t cap = 0; cap < 64; cap++) {
		const long ret = SYS2(prctl, PR_CAPBSET_READ, cap);

		if (ret < 0)
			break;
		set |= (uint64_t)ret << cap;
	}
	return set;
}

/* Returns 1 if the file's capabilities would add to those of the process. Root has all of them
 * anyway. */
static int adds_capabilities(const struct gst *g, int fd)
{
	struct vfs_ns_cap_data file = {0};
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct own[2] = {{0}};
	const long n = SYS4(fgetxattr, fd, "security.capability", &file, sizeof(file));
	const uint32_t revision = file.magic_etc & VFS_CAP_REVISION_MASK;
	uint64_t permitted, inheritable;

	if (n < (long)XATTR_CAPS_SZ_1 || !g->kernel.euid || SYS2(capget, &head, own))
		return 0;
	if (revision == VFS_CAP_REVISION_3 && file.rootid) /* of another namespace's root */
		return 0;
	if (revision == VFS_CAP_REVISION_1)
		file.data[1] = (__typeof__(file.data[1])){0};
	permitted = set_of(file.data[0].permitted, file.data[1].permitted) & bounding_set();
	inheritable = set_of(file.data[0].inheritable, file.data[1].inheritable) &
		      set_of(own[0].inheritable, own[1].inheritable);
	return ((permitted | inheritable) & ~set_of(own[0].permitted, own[1].permitted)) != 0;
}

/* Returns 1 when the kernel gives no process more rights by this file. */
static int is_muted(int fd)
{
	uint64_t fs[15] = {0};

	if (SYS6(prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) == 1)
		return 1;
	return !SYS2(fstatfs, fd, fs) && (fs[10] & MOUNT_NOSUID);
}

void gst_rights_look(struct gst *g)
{
	uint64_t st[18] = {0};
	const int is_open = g->exe_fd >= 0;
	const long fd = is_open ? g->exe_fd : SYS2(open, g->exe, O_CLOEXEC_FLAG);
	uint32_t mode, owner, group, missed = 0;

	g->ctl->missed_rights = 0;
	if (fd < 0)
		return;
	if (!SYS2(fstat, fd, st)) {
		mode = (uint32_t)st[3]; /* struct stat: st_mode, st_uid, st_gid from byte 24 on */
		owner = (uint32_t)(st[3] >> 32);
		group = (uint32_t)st[4];
		if ((mode & MODE_SETUID) && owner != g->kernel.euid)
			missed |= SHR_MISSED_OWNER;
		if ((mode & MODE_SETGID) && (mode & MODE_GROUP_EXEC) && group != g->kernel.egid)
			missed |= SHR_MISSED_GROUP;
		if (adds_capabilities(g, (int)fd))
			missed |= SHR_MISSED_CAPABILITIES;
		if (missed && !is_muted((int)fd))
			g->ctl->missed_rights = missed;
	}
	if (!is_open)
		SYS1(close, fd);
}
