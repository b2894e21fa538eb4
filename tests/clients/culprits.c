/* culprits.c -- samples lie at the instruction that made the event: a loop in which one instruction
 * can have done it.
 *
 * culprits LABEL CONFIG PERIOD [SHARE]: samples raw event CONFIG of this process while the loop
 * runs; at least SHARE percent of the samples in it (100 without) lie at that label, and there are
 * as many as periods. Prints the count; exit status 0 when it is so; else 1 and a line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_BYTES (64u * 4096u)
#define TURNS	   20000u
#define STRIDE	   "64"

#if __SIZEOF_POINTER__ == 8
#define ADDRESS "(%rdi)"
#define NEXT	"add $" STRIDE ", %rdi\n\t"
#define LATE	"add $0, %rdi\n"
#define ENTER	"push %rbx\n\tmov %esi, %ecx\n\t"
#define LEAVE	"pop %rbx\n\tret\n"
#else
#define ADDRESS "(%edi)"
#define NEXT	"add $" STRIDE ", %edi\n\t"
#define LATE	"add $0, %edi\n"
#define ENTER	"push %ebx\n\tpush %edi\n\tmov 12(%esp), %edi\n\tmov 16(%esp), %ecx\n\t"
#define LEAVE	"pop %edi\n\tpop %ebx\n\tret\n"
#endif

/* One load, to a line that is nowhere, whose address comes late; one branch that nobody can
 * predict; one multiplication; one read of a register of which a part was written; one
 * floating-point add. */
void loop(const char *lines, unsigned turns);
extern const char at_load[], at_mul[], at_guess[], at_fadd[], at_part[], loop_first[], loop_last[];
__asm__(".text\n.globl loop, at_load, at_mul, at_guess, at_fadd, at_part, loop_first, loop_last\n"
	"loop:\n\t" ENTER "mov $12345, %edx\n\tfld1\n\tfldz\n"
	"loop_first:\n\tadd $1, %eax\n\tadd $2, %ebx\n\t" LATE "at_load:\n\tmov " ADDRESS
	", %eax\n\tadd %eax, %ebx\n"
	"at_mul:\n\timul $1103515245, %edx, %edx\n\tadd $12345, %edx\n\t"
	"mov %edx, %eax\n\tshr $16, %eax\n\ttest $1, %al\n"
	"at_guess:\n\tjz 1f\n\tadd $1, %ebx\n\tnop\n"
	"1:\tmov $3, %al\n"
	"at_part:\tadd %eax, %ebx\n"
	"at_fadd:\n\tfadd %st(1), %st\n\t" NEXT "dec %ecx\n\tjnz loop_first\n"
	"loop_last:\n\tfstp %st(0)\n\tfstp %st(0)\n\t" LEAVE);

static uint64_t sampled, inside, hit;
static uint64_t strange;

static void read_ring(struct perf_event_mmap_page *page, const char *label)
{
	const uint8_t *data = (const uint8_t *)page + page->data_offset;

	while (page->data_tail != page->data_head) {
		struct perf_event_header head;
		uint64_t ip = 0;

		for (unsigned i = 0; i < sizeof(head); i++)
			((uint8_t *)&head)[i] = data[(page->data_tail + i) % RING_BYTES];
		for (unsigned i = 0; i < 8; i++)
			((uint8_t *)&ip)[i] =
			    data[(page->data_tail + sizeof(head) + i) % RING_BYTES];
		page->data_tail += head.size;
		if (head.type != PERF_RECORD_SAMPLE)
			continue;
		sampled++;
		if (ip < (uintptr_t)loop_first || ip >= (uintptr_t)loop_last)
			continue;
		inside++;
		hit += ip == (uintptr_t)label;
		strange = ip == (uintptr_t)label ? strange : ip - (uintptr_t)loop_first;
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *at;
	} labels[] = {{"load", at_load},
		      {"mul", at_mul},
		      {"guess", at_guess},
		      {"fadd", at_fadd},
		      {"part", at_part}};
	struct perf_event_attr a = {
	    .type = PERF_TYPE_RAW, .size = sizeof(a), .sample_type = PERF_SAMPLE_IP};
	const unsigned share = argc > 4 ? (unsigned)atoi(argv[4]) : 100;
	struct perf_event_mmap_page *page;
	const char *label = NULL;
	uint64_t count = 0;
	char *lines;
	int fd;

	for (unsigned i = 0; argc > 3 && i < sizeof(labels) / sizeof(labels[0]); i++)
		label = strcmp(argv[1], labels[i].name) ? label : labels[i].at;
	if (!label)
		return 2;
	a.config = strtoull(argv[2], NULL, 0);
	a.sample_period = strtoull(argv[3], NULL, 0);
	a.exclude_kernel = a.exclude_hv = a.disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0ul);
	page = fd < 0 ? MAP_FAILED
		      : mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	lines = mmap(NULL, TURNS * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || lines == MAP_FAILED) {
		printf("open and mmap: %s\n", strerror(errno));
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(lines, TURNS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return 1;
	read_ring(page, label);
	if (sampled != count / a.sample_period || inside < 20 || hit * 100 < inside * share) {
		printf("%s, event %s: count %llu, %llu samples, %llu in the loop, %llu there; "
		       "another at +%llx\n",
		       argv[1], argv[2], (unsigned long long)count, (unsigned long long)sampled,
		       (unsigned long long)inside, (unsigned long long)hit,
		       (unsigned long long)strange);
		return 1;
	}
	printf("count %llu\n", (unsigned long long)count);
	return 0;
}
