/* sideband.c -- what a ring says beside samples: a list of calls, and behind each the records that
 * it made (MMAP2, COMM, FORK, EXIT), as the kernel makes them: a software event that counts
 * nothing, the same natively and inside.
 *
 * sideband [data]: data: also of memory that is not executable (mmap_data). Places are the
 * program's own where it chooses them; else "somewhere". Processes are numbered in the order in
 * which they are heard of; files by the order of their birth here. Status 3: there are no events
 * here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	   4096ul
#define RING	   (256 * PAGE)
#define PLACE	   0x30000000ul /* of what it maps: nobody else is there */
#define PLACE_END  0x40000000ul
#define MOST_FILES 16u
#define MOST_TASKS 64u
#define R	   PROT_READ
#define W	   PROT_WRITE
#define X	   PROT_EXEC
#define PRIVATE	   (MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED)
#define SHARED	   (MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED)

static struct perf_event_mmap_page *page;
static int event;
static uint64_t file_inode[MOST_FILES];
static unsigned n_files;
static uint32_t task[MOST_TASKS];
static unsigned n_tasks;

static unsigned task_number(uint32_t tid)
{
	unsigned i = 0;

	while (i < n_tasks && task[i] != tid)
		i++;
	if (i == n_tasks && n_tasks < MOST_TASKS)
		task[n_tasks++] = tid;
	return i;
}

static void know_file(int fd)
{
	struct stat st;

	fstat(fd, &st);
	file_inode[n_files++ % MOST_FILES] = st.st_ino;
}

/* The inode and the generation of a file, as we know them otherwise. */
static const char *inode_text(uint64_t inode, uint32_t generation, const char *path)
{
	static char text[80];
	struct stat st;
	int number = 0, fd = open(path, O_RDONLY);

	if (fd < 0 || ioctl(fd, FS_IOC_GETVERSION, &number))
		number = (int)generation; /* nobody says it */
	snprintf(text, sizeof(text), "%s", inode ? "unknown inode" : "no inode");
	if (!strncmp(path, "SYSV", 4)) /* of shared memory: its identifier, which begins at 0 */
		snprintf(text, sizeof(text), "an identifier");
	for (unsigned i = 0; i < n_files && i < MOST_FILES; i++)
		if (inode && file_inode[i] == inode)
			snprintf(text, sizeof(text), "file %u", i);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == inode)
		snprintf(text, sizeof(text), "its inode, %s",
			 generation == (uint32_t)number ? "its generation" : "another generation");
	if (fd >= 0)
		close(fd);
	return text;
}

static void print_mapping(const uint8_t *r, uint16_t misc, bool *is_kept)
{
	struct {
		uint32_t pid, tid;
		uint64_t addr, bytes, off;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t prot, flags;
		char path[256];
	} m;
	const char *name;

	memcpy(&m, r + 8, sizeof(m));
	name = strrchr(m.path, '/') && strncmp(m.path, "//", 2) && strncmp(m.path, "/memfd", 6) &&
		       strncmp(m.path, "/dev", 4)
		   ? strrchr(m.path, '/') + 1
		   : m.path;
	/* No vdso inside; and what is not executable is placed otherwise, where nobody says where.
	 */
	*is_kept = strcmp(m.path, "[vdso]") && strncmp(m.path, "[vvar", 5) &&
		   ((m.prot & X) || (m.addr >= PLACE && m.addr < PLACE_END));
	if (!*is_kept)
		return;
	printf("  MMAP2 misc %x of %u:%u, ", misc, task_number(m.pid), task_number(m.tid));
	if (m.addr >= PLACE && m.addr < PLACE_END)
		printf("%llx", (unsigned long long)m.addr);
	else
		printf("somewhere");
	printf(" + %llx, at %s%llx, prot %x flags %x, %s, ", (unsigned long long)m.bytes,
	       m.off == m.addr ? "itself " : "", (unsigned long long)(m.off == m.addr ? 0 : m.off),
	       m.prot, m.flags, name);
	printf("%u:%u, %s\n", m.major, m.minor,
	       inode_text(m.inode, (uint32_t)m.generation, m.path));
}

static void take(const uint8_t *data, uint64_t at, void *to, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		((uint8_t *)to)[i] = data[(at + i) % RING];
}

/* What happened since the last time. */
static void print_records(const char *what)
{
	const uint8_t *data = (const uint8_t *)page + PAGE;
	static uint8_t r[8192];
	struct perf_event_header h;
	bool is_kept;
	uint64_t key;

	ioctl(
	    event, PERF_EVENT_IOC_ID,
	    &key); /* whoever asks something of an event finds in its ring all that has happened */
	printf("%s:\n", what);
	for (; page->data_tail < page->data_head; page->data_tail += h.size) {
		uint32_t word[4], id[2];

		take(data, page->data_tail, &h, sizeof(h));
		take(data, page->data_tail, r, h.size < sizeof(r) ? h.size : sizeof(r));
		memcpy(word, r + 8, sizeof(word));
		memcpy(id, r + h.size - 16, sizeof(id)); /* task, time */
		is_kept = true;
		if (h.type == PERF_RECORD_MMAP2)
			print_mapping(r, h.misc, &is_kept);
		else if (h.type == PERF_RECORD_COMM)
			printf("  COMM misc %x of %u:%u, %s", h.misc, task_number(word[0]),
			       task_number(word[1]), (const char *)r + 16);
		else if (h.type == PERF_RECORD_FORK || h.type == PERF_RECORD_EXIT)
			printf("  %s of %u:%u, parent %u:%u",
			       h.type == PERF_RECORD_FORK ? "FORK" : "EXIT", task_number(word[0]),
			       task_number(word[2]), task_number(word[1]), task_number(word[3]));
		else
			printf("  type %u misc %x, %u bytes", h.type, h.misc, h.size);
		if (is_kept && h.type != PERF_RECORD_MMAP2)
			printf(", by %u:%u\n", task_number(id[0]), task_number(id[1]));
	}
}

#define AT(n) ((void *)(PLACE + (n)*PAGE))
#define STEP(...)                                                                                  \
	do {                                                                                       \
		const long rc = (long)(__VA_ARGS__);                                               \
		const int error = errno;                                                           \
		print_records(#__VA_ARGS__);                                                       \
		if (rc == -1)                                                                      \
			printf("  %s\n", strerrorname_np(error));                                  \
	} while (0)

static void anonymous(void)
{
	STEP(mmap(AT(0), 4 * PAGE, R | X, PRIVATE, -1, 0));
	STEP(mmap(AT(4), 4 * PAGE, R | X, PRIVATE, -1, 0)); /* one with it */
	STEP(mmap(AT(16), 4 * PAGE, R | W | X, PRIVATE, -1, 0));
	STEP(mmap(AT(32), 16 * PAGE, R | W, PRIVATE, -1, 0));
	STEP(mprotect(AT(32), 16 * PAGE, R | X));
	STEP(mprotect(AT(32), 16 * PAGE, R | X)); /* no change */
	STEP(mprotect(AT(36), 4 * PAGE, R | W));
	STEP(mprotect(AT(36), 4 * PAGE, R | X)); /* all one again */
	STEP(mprotect(AT(34), 2 * PAGE, R | W | X));
	STEP(mprotect(AT(33), 6 * PAGE, R | W));
	STEP(mprotect(AT(32), 8 * PAGE, R | X));
	STEP(mprotect(AT(32), 8 * PAGE, 0));
	STEP(munmap(AT(36), 2 * PAGE));
	STEP(mprotect(AT(32), 8 * PAGE, R | X)); /* up to the hole */
	STEP(mmap(AT(36), 2 * PAGE, R | X, PRIVATE, -1, 0));
	STEP(munmap(AT(0), 48 * PAGE));
	STEP(mmap(AT(32), 2 * PAGE, R | X, PRIVATE, -1, 0)); /* the place again */
	STEP(munmap(AT(32), 2 * PAGE));
	STEP(mmap(AT(32), 2 * PAGE, X, PRIVATE, -1, 0));
	STEP(mprotect(AT(32), 1, R | X)); /* less than a page is one */
	STEP(munmap(AT(32), 2 * PAGE));
	STEP(mmap(AT(64), 4 * PAGE, R | X, SHARED, -1, 0));
	STEP(mprotect(AT(65), PAGE, R | W | X));
	STEP(munmap(AT(64), 4 * PAGE));
	STEP(mmap(AT(64), 4 * PAGE, R | X, PRIVATE | MAP_LOCKED, -1, 0));
	STEP(munmap(AT(64), 4 * PAGE));
	STEP(mmap(AT(64), 4 * PAGE, R | W | X, PRIVATE | MAP_NORESERVE | MAP_POPULATE | MAP_STACK,
		  -1, 0));
	STEP(mlock(AT(64), 4 * PAGE));
	STEP(mprotect(AT(64), 4 * PAGE, R | X));
	STEP(munlock(AT(64), 4 * PAGE));
	STEP(madvise(AT(64), 4 * PAGE, MADV_DONTNEED));
	STEP(munmap(AT(64), 4 * PAGE));
	STEP(mmap(AT(64), PAGE + 1, R | X, PRIVATE, -1, 0));
	STEP(munmap(AT(64), 2 * PAGE));
}

static void moved(void)
{
	STEP(mmap(AT(0), 4 * PAGE, R | X, PRIVATE, -1, 0));
	STEP(mremap(AT(0), 4 * PAGE, 8 * PAGE, 0));
	STEP(mremap(AT(0), 8 * PAGE, 2 * PAGE, 0));
	STEP(mremap(AT(0), 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, AT(16)));
	STEP(mprotect(AT(16), 2 * PAGE, R | W | X));
	STEP(mremap(AT(16), 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, AT(32)));
	STEP(mprotect(AT(32), 4 * PAGE, R | X));
	STEP(mremap(AT(32), 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | 4 /* DONTUNMAP */,
		    AT(64)));
	STEP(mprotect(AT(32), PAGE, R | W | X));
	STEP(munmap(AT(0), 128 * PAGE));
}

static void files(const char *directory)
{
	char path[300], other[300];
	int fd;

	snprintf(path, sizeof(path), "%s/mapped", directory);
	snprintf(other, sizeof(other), "%s/named", directory);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
	if (fd < 0 || ftruncate(fd, 16 * PAGE))
		return;
	know_file(fd);
	STEP(mmap(AT(0), 4 * PAGE, R | X, MAP_PRIVATE | MAP_FIXED, fd, 0));
	STEP(mmap(AT(4), 4 * PAGE, R | X, MAP_PRIVATE | MAP_FIXED, fd, 4 * PAGE)); /* one with it */
	STEP(mmap(AT(8), 4 * PAGE, R | X, MAP_PRIVATE | MAP_FIXED, fd, 4 * PAGE)); /* not with it */
	STEP(mmap(AT(16), 4 * PAGE, R | W, MAP_SHARED | MAP_FIXED, fd, 2 * PAGE));
	STEP(mprotect(AT(17), 2 * PAGE, R | X));
	STEP(mprotect(AT(16), PAGE, R | X));
	STEP(mremap(AT(0), 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, AT(40)));
	STEP(mprotect(AT(41), PAGE, R | W | X));
	STEP(mprotect(AT(41), PAGE, R | X)); /* apart: it could be written */
	STEP(mprotect(AT(16), 2 * PAGE, R | W));
	rename(path, other);
	STEP(mmap(AT(24), 2 * PAGE, R | X, MAP_PRIVATE | MAP_FIXED, fd, 0));
	unlink(other);
	STEP(mmap(AT(32), 2 * PAGE, R | X, MAP_PRIVATE | MAP_FIXED, fd, 0));
	close(fd);
	STEP(mprotect(AT(32), PAGE, R | W));
	STEP(munmap(AT(0), 64 * PAGE));
	STEP(fd = memfd_create("code", 0));
	ftruncate(fd, 8 * PAGE);
	know_file(fd);
	STEP(mmap(AT(0), 4 * PAGE, R | W, MAP_SHARED | MAP_FIXED, fd, 0));
	STEP(mmap(AT(8), 4 * PAGE, R | X, MAP_SHARED | MAP_FIXED, fd, 0));
	STEP(mmap(AT(16), 4 * PAGE, R | X, MAP_PRIVATE | MAP_FIXED, fd, 4 * PAGE));
	STEP(mprotect(AT(0), 4 * PAGE, R | X));
	STEP(munmap(AT(0), 64 * PAGE));
	close(fd);
	fd = open("/dev/zero", O_RDWR);
	STEP(mmap(AT(0), 4 * PAGE, R | X, MAP_PRIVATE | MAP_FIXED, fd, 0));
	STEP(munmap(AT(0), 64 * PAGE));
	close(fd);
}

static void huge(void)
{
	const size_t bytes = 2u << 20;
	void *const at = (void *)(PLACE + 4 * bytes);

	STEP(mmap(at, bytes, R | X, PRIVATE | MAP_HUGETLB, -1, 0));
	STEP(mprotect(at, bytes, R | W | X));
	STEP(munmap(at, bytes));
	STEP(mmap(at, 2 * bytes, R | X, PRIVATE, -1, 0));
	STEP(madvise(at, 2 * bytes, MADV_HUGEPAGE));
	STEP(mprotect(at, bytes, R | W));
	STEP(mprotect(at, bytes, R | X));
	STEP(munmap(at, 2 * bytes));
}

static void segments(void)
{
	const int id = shmget(IPC_PRIVATE, 4 * PAGE, IPC_CREAT | 0600);

	if (id < 0)
		return;
	STEP(shmat(id, AT(0), 0) == (void *)-1 ? -1 : 0);
	STEP(shmdt(AT(0)));
	STEP(shmat(id, AT(0), SHM_EXEC) == (void *)-1 ? -1 : 0);
	STEP(mprotect(AT(0), PAGE, R | W));
	STEP(mprotect(AT(0), PAGE, R | W | X));
	STEP(shmdt(AT(0)));
	shmctl(id, IPC_RMID, NULL);
}

static void heap(void)
{
	STEP(sbrk((intptr_t)(64 * PAGE)) == (void *)-1 ? -1 : 0);
	STEP(mprotect((void *)((uintptr_t)((char *)sbrk(0) - 8 * PAGE) & -PAGE), PAGE, R | W | X));
}

static void *work(void *name)
{
	prctl(PR_SET_NAME, name);
	mmap(AT(200), PAGE, R | X, PRIVATE, -1, 0);
	return NULL;
}

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int with_thread(const char *name)
{
	pthread_t t;

	return pthread_create(&t, NULL, work, (void *)name) || pthread_join(t, NULL);
}

static int with_child(int how, const char *self)
{
	const pid_t pid = how == 2 ? vfork() : fork();

	if (!pid && how) {
		execl(self, self, "inside", NULL);
		_exit(1);
	}
	if (!pid) {
		mprotect(AT(200), PAGE, R | W | X);
		prctl(PR_SET_NAME, "child");
		_exit(with_thread("of child"));
	}
	return wait_for(pid);
}

static void tasks(const char *self)
{
	STEP(with_thread("first"));
	STEP(prctl(PR_SET_NAME, "a name that is too long"));
	STEP(prctl(PR_SET_NAME, "a name that is too long")); /* the same */
	STEP(with_child(0, self));
	STEP(with_child(1, self));
	STEP(with_child(2, self));
	STEP(with_thread("last"));
}

int main(int argc, char **argv)
{
	struct perf_event_attr a = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(a), .config = PERF_COUNT_SW_DUMMY};
	const bool has_data = argc > 1 && !strcmp(argv[1], "data");
	char self[300], directory[] = "/tmp/sideband.XXXXXX";
	cpu_set_t one;

	if (argc > 1 && !strcmp(argv[1], "inside")) {
		mmap(AT(0), 4 * PAGE, R | X, PRIVATE, -1, 0);
		return 0;
	}
	a.disabled = a.inherit = a.task = a.comm = a.comm_exec = a.mmap = a.mmap2 =
	    a.sample_id_all = a.exclude_kernel = a.watermark = 1;
	a.mmap_data = has_data;
	a.wakeup_watermark = 1;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	event = (int)syscall(SYS_perf_event_open, &a, 0, 0, -1,
			     0); /* inherited with a ring: of one processor */
	page = mmap(NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (event < 0 || page == MAP_FAILED || sched_setaffinity(0, sizeof(one), &one) ||
	    !mkdtemp(directory)) {
		printf("no event on processor 0: %s\n", strerror(errno));
		return 3;
	}
	self[readlink("/proc/self/exe", self, sizeof(self) - 1)] = 0;
	setvbuf(stdout, malloc(1 << 20), _IOFBF, 1 << 20); /* now: so it maps nothing later */
	task_number((uint32_t)getppid());
	task_number((uint32_t)getpid());
	print_records("begin");
	ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	anonymous();
	moved();
	files(directory);
	huge();
	segments();
	heap();
	fflush(stdout);
	tasks(self);
	rmdir(directory);
	return 0;
}
