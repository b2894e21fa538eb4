/* narrow_ipc.c -- i386 calls about System V objects (semaphores, shared memory, messages) on a
 * kernel without INT 80h. Rules: narrow.h. Shared memory is mapped by the runtime itself.
 *
 * LIMITS  A message has MOST_MESSAGE bytes at most. What an object looks like (IPC_STAT, IPC_SET,
 *         IPC_INFO and their kind) has no conversion: ENOSYS.
 */
#include "guest/narrow/narrow.h"

#include "guest/memory/copy.h"

#define MOST_MESSAGE	8192u
#define IPC_64_FLAG	0x100u
#define IPC_RMID_CODE	0u
#define SEM_GETPID	11u /* to SETVAL: values and arrays of shorts, of one layout */
#define SEM_SETVAL	17u
#define SHM_LOCK_CODE	11u
#define SHM_UNLOCK_CODE 12u

/* Numbers of the ipc(2) multiplexer. */
enum {
	SEMOP = 1,
	SEMGET,
	SEMCTL,
	SEMTIMEDOP,
	MSGSND = 11,
	MSGRCV,
	MSGGET,
	MSGCTL,
	SHMGET = 23,
	SHMCTL
};

static long send(const struct gst_narrow *n, uint64_t id, uint64_t from, uint64_t bytes,
		 uint64_t flags)
{
	struct {
		int64_t type;
		uint8_t text[MOST_MESSAGE];
	} m;
	int32_t type;

	if ((uint32_t)bytes > MOST_MESSAGE)
		return -EINVAL;
	if (gst_copy_in(&type, from, sizeof(type)) ||
	    gst_copy_in(m.text, from + 4, (uint32_t)bytes))
		return -EFAULT;
	m.type = type;
	return gst_narrow_make(n, __NR_msgsnd, id, (uint64_t)&m, (uint32_t)bytes, flags, 0, 0);
}

static long receive(const struct gst_narrow *n, uint64_t id, uint64_t to, uint64_t bytes,
		    uint64_t wanted, uint64_t flags)
{
	struct {
		int64_t type;
		uint8_t text[MOST_MESSAGE];
	} m;
	int32_t type;
	long ret;

	if ((int32_t)bytes < 0)
		return -EINVAL;
	bytes = (uint32_t)bytes > MOST_MESSAGE ? MOST_MESSAGE : (uint32_t)bytes;
	ret = gst_narrow_make(n, __NR_msgrcv, id, (uint64_t)&m, bytes, gst_narrow_signed(wanted),
			      flags, 0);
	if (ret < 0)
		return ret;
	type = (int32_t)m.type;
	return gst_copy_out(to, &type, sizeof(type)) || gst_copy_out(to + 4, m.text, (size_t)ret)
		   ? -EFAULT
		   : ret;
}

static long control_semaphore(const struct gst_narrow *n, uint64_t id, uint64_t which,
			      uint64_t command, uint64_t value)
{
	command &= ~(uint64_t)IPC_64_FLAG;
	if (command != IPC_RMID_CODE && (command < SEM_GETPID || command > SEM_SETVAL))
		return -ENOSYS;
	return gst_narrow_make(n, __NR_semctl, id, which, command, value, 0, 0);
}

static long control_memory(const struct gst_narrow *n, uint64_t id, uint64_t command)
{
	command &= ~(uint64_t)IPC_64_FLAG;
	if (command != IPC_RMID_CODE && command != SHM_LOCK_CODE && command != SHM_UNLOCK_CODE)
		return -ENOSYS;
	return gst_narrow_make(n, __NR_shmctl, id, command, 0, 0, 0, 0);
}

static long control_queue(const struct gst_narrow *n, uint64_t id, uint64_t command)
{
	command &= ~(uint64_t)IPC_64_FLAG;
	return command == IPC_RMID_CODE ? gst_narrow_make(n, __NR_msgctl, id, command, 0, 0, 0, 0)
					: -ENOSYS;
}

static long operate(const struct gst_narrow *n, uint64_t id, uint64_t from, uint64_t number,
		    uint64_t time_at)
{
	int64_t time[GST_NARROW_TIME_WORDS];

	if (time_at && gst_narrow_take_words(time, time_at, GST_NARROW_TIME_WORDS))
		return -EFAULT;
	return gst_narrow_make(n, __NR_semtimedop, id, from, number, time_at ? (uint64_t)time : 0,
			       0, 0);
}

/* ipc(call, first, second, third, pointer, fifth) */
static long multiplexed(const struct gst_narrow *n)
{
	const uint64_t *a = n->a;
	uint32_t pair[2] = {0};

	switch ((uint32_t)a[0] & 0xffff) {
	case SEMOP: return operate(n, a[1], a[4], a[2], 0);
	case SEMTIMEDOP: return operate(n, a[1], a[4], a[2], a[5]);
	case SEMGET: return gst_narrow_make(n, __NR_semget, a[1], a[2], a[3], 0, 0, 0);
	case SEMCTL:
		if (gst_copy_in(pair, a[4], 4))
			return -EFAULT;
		return control_semaphore(n, a[1], a[2], a[3], pair[0]);
	case MSGSND: return send(n, a[1], a[4], a[2], a[3]);
	case MSGRCV:
		if ((uint32_t)a[0] >> 16) /* the newer form has the type as an argument */
			return receive(n, a[1], a[4], a[2], a[5], a[3]);
		if (gst_copy_in(pair, a[4], sizeof(pair)))
			return -EFAULT;
		return receive(n, a[1], pair[0], a[2], pair[1], a[3]);
	case MSGGET: return gst_narrow_make(n, __NR_msgget, a[1], a[2], 0, 0, 0, 0);
	case MSGCTL: return control_queue(n, a[1], a[2]);
	case SHMGET: return gst_narrow_make(n, __NR_shmget, a[1], a[2], a[3], 0, 0, 0);
	case SHMCTL: return control_memory(n, a[1], a[2]);
	default: return -ENOSYS;
	}
}

long gst_narrow_ipc(const struct gst_narrow *n)
{
	const uint64_t *a = n->a;

	switch (n->number) {
	case NR32_ipc: return multiplexed(n);
	case NR32_semget: return gst_narrow_make(n, __NR_semget, a[0], a[1], a[2], 0, 0, 0);
	case NR32_semctl: return control_semaphore(n, a[0], a[1], a[2], a[3]);
	case NR32_shmget: return gst_narrow_make(n, __NR_shmget, a[0], a[1], a[2], 0, 0, 0);
	case NR32_shmctl: return control_memory(n, a[0], a[1]);
	case NR32_msgget: return gst_narrow_make(n, __NR_msgget, a[0], a[1], 0, 0, 0, 0);
	case NR32_msgsnd: return send(n, a[0], a[1], a[2], a[3]);
	case NR32_msgrcv: return receive(n, a[0], a[1], a[2], a[3], a[4]);
	case NR32_msgctl: return control_queue(n, a[0], a[1]);
	default: return -ENOSYS;
	}
}
