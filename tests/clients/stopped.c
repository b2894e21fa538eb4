/* stopped.c -- whether the guest is stopped at overflows changes nothing: not what is counted, not
 * the clocks, not where samples lie.
 *
 * stopped HOW CONFIG PERIOD: runs a loop with branches, loads that miss, divisions and parts of
 * registers under raw event CONFIG, and prints its count, the clocks, and a line per sample: its
 * place in the loop. HOW: quiet (no overflow), ring (samples only), async (and signals, which are
 * blocked), state (samples with registers, which must stand where the sample is).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_BYTES (64u * 4096u)
#define TURNS	   100u /* stopped at each instruction it takes long on a busy machine */

#if __SIZEOF_POINTER__ == 8
#define ENTER  "push %rbx\n\tmov %esi, %ecx\n\t"
#define LEAVE  "pop %rbx\n\tret\n"
#define REG(x) "%r" #x
#define AT(x)  x "(%rdi)"
#define MOVE   "add $192, %rdi\n\t"
#else
#define ENTER  "push %ebx\n\tpush %edi\n\tmov 12(%esp), %edi\n\tmov 16(%esp), %ecx\n\t"
#define LEAVE  "pop %edi\n\tpop %ebx\n\tret\n"
#define REG(x) "%e" #x
#define AT(x)  x "(%edi)"
#define MOVE   "add $192, %edi\n\t"
#endif

void loop(const char *lines, unsigned turns);
extern const char loop_first[], loop_last[];
/* clang-format off */
__asm__(".text\n.globl loop, loop_first, loop_last\n"
	"loop:\n\t" ENTER "mov $12345, %edx\n\tfld1\n\tfldz\n"
	"loop_first:\n\tadd $1, %eax\n\tadd $2, %ebx\n\tmov " AT("") ", %eax\n\t"
	"mov " AT("64") ", %ebx\n\tadd %eax, %ebx\n\t"
	"imul $1103515245, %edx, %edx\n\tadd $12345, %edx\n\tmov %edx, %eax\n\t"
	"shr $16, %eax\n\ttest $1, %al\n\t"
	"jz 1f\n\tadd $1, %ebx\n\tincl " AT("8") "\n\tnop\n"
	"1:\tmov $3, %al\n\tadd %eax, %ebx\n\tfadd %st(1), %st\n\t"
	"mov %ebx, " AT("128") "\n\tmov " AT("128") ", %eax\n\t"
	"push " REG(dx) "\n\tpop " REG(ax) "\n\tadd %eax, " AT("4") "\n\t"
	"push " REG(ax) "\n\tcall 2f\n\tpop " REG(ax) "\n\t"
	MOVE "dec %ecx\n\tjnz loop_first\n"
	"loop_last:\n\tfstp %st(0)\n\tfstp %st(0)\n\t" LEAVE
	"2:\tfmul %st(1), %st\n\tfxch %st(1)\n\tadd $1, %eax\n\tfadd %st(1), %st\n\t"
	"add $3, %ebx\n\tret\n");
/* clang-format on */

static int open_event(uint64_t type, uint64_t config, uint64_t period, uint64_t sample_type)
{
	struct perf_event_attr a = {
	    .type = (uint32_t)type, .size = sizeof(a), .sample_type = sample_type};

	a.config = config;
	a.sample_period = period;
	a.sample_regs_user = 1u << 8; /* ip */
	a.exclude_kernel = a.exclude_hv = 1;
	a.disabled = period != 0;
	return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0ul);
}

static int wrong;

static void print_samples(struct perf_event_mmap_page *page, int has_state)
{
	const uint8_t *data = (const uint8_t *)page + page->data_offset;

	while (page->data_tail != page->data_head) {
		struct perf_event_header head;
		uint64_t word[3] = {0, 0, 0}; /* ip, ABI of registers, ip */

		for (unsigned i = 0; i < sizeof(head); i++)
			((uint8_t *)&head)[i] = data[(page->data_tail + i) % RING_BYTES];
		for (unsigned i = 0; i < head.size - sizeof(head) && i < sizeof(word); i++)
			((uint8_t *)word)[i] =
			    data[(page->data_tail + sizeof(head) + i) % RING_BYTES];
		page->data_tail += head.size;
		if (head.type != PERF_RECORD_SAMPLE)
			continue;
		wrong += has_state && word[2] != word[0];
		printf("%lld\n", (long long)(word[0] - (uintptr_t)loop_first));
	}
}

static uint64_t value_of(int fd)
{
	uint64_t count = 0;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

int main(int argc, char **argv)
{
	const struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
	struct perf_event_mmap_page *page;
	int fd, clocks, has_state, flags;
	uint64_t begin, count, period;
	sigset_t set;
	char *lines;

	if (argc < 4)
		return 2;
	/* by the first letter, and without a branch: what comes before the loop must be the same
	 * each time */
	has_state = *argv[1] == 's';
	flags = O_NONBLOCK | O_ASYNC * (*argv[1] == 'a');
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	clocks = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0);
	if (clocks < 0) /* a run without clocks */
		clocks = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0);
	period = strtoull(argv[3], NULL, 0) + ((uint64_t)(*argv[1] == 'q') << 40);
	fd = open_event(PERF_TYPE_RAW, strtoull(argv[2], NULL, 0), period,
			PERF_SAMPLE_IP | (uint64_t)has_state * PERF_SAMPLE_REGS_USER);
	page = fd < 0 ? MAP_FAILED
		      : mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	lines = mmap(NULL, TURNS * 192 + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (clocks < 0 || page == MAP_FAILED || lines == MAP_FAILED) {
		printf("open and mmap: %s\n", strerror(errno));
		return 1;
	}
	memset(lines, 1, TURNS * 192 + 4096);
	if (fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETSIG, SIGRTMIN + 2) ||
	    fcntl(fd, F_SETFL, flags))
		return 1;
	begin = value_of(clocks);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(lines, TURNS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	begin = value_of(clocks) - begin;
	count = value_of(fd);
	printf("count %llu, clocks %llu\n", (unsigned long long)count, (unsigned long long)begin);
	print_samples(page, has_state);
	if (wrong)
		printf("%d samples show registers of somewhere else\n", wrong);
	return wrong != 0;
}
