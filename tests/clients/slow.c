/* slow.c -- samples where each instruction takes far more clocks than usual: a chase through pages
 * that no cache and no TLB holds.
 *
 * slow ring|stop CONFIG PERIOD: samples raw event CONFIG. ring: an address alone, so that nothing
 * stops the program; stop ('s' is odd): with a register, so that each overflow does. Prints where
 * each sample lies in the loop, in bytes from its first instruction. Status 1: no such event here.
 */
#define _GNU_SOURCE
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
#define STRIDE	   4160u /* a page and a line */
#define PLACES	   2048u
#define TURNS	   1500u
#define BYTES	   (PLACES * STRIDE + 8192u)

void chase(void *first, unsigned turns);
extern const char chase_first[];
#if __SIZEOF_POINTER__ == 8
#define D     "%rdi"
#define ENTER "mov %esi, %ecx\n"
#else
#define D     "%edx"
#define ENTER "mov 4(%esp), %edx\n\tmov 8(%esp), %ecx\n"
#endif
__asm__(".text\n.globl chase, chase_first\n"
	"chase:\n\t" ENTER "chase_first:\n\tmov (" D "), " D "\n\tmov 4092(" D
	"), %eax\n\tlock; incl 4094(" D ")\n\tincl 8190(" D ")\n\t"
	"dec %ecx\n\tjnz chase_first\n\tret\n");

static char *make_chain(void)
{
	char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(5);
	memset(at, 0, BYTES);
	for (unsigned i = 0; i < PLACES; i++)
		*(char **)(at + i * STRIDE) = at + (i * 1021 + 7) % PLACES * STRIDE;
	return at;
}

int main(int argc, char **argv)
{
	struct perf_event_attr a = {.type = PERF_TYPE_RAW,
				    .size = sizeof(a),
				    .sample_type = PERF_SAMPLE_IP,
				    .disabled = 1,
				    .exclude_kernel = 1};
	char *chain = make_chain();
	const struct perf_event_mmap_page *page;
	const uint8_t *data;
	int fd;

	if (argc < 4)
		return 2;
	a.config = strtoull(argv[2], NULL, 0);
	a.sample_period = strtoull(argv[3], NULL, 0);
	a.sample_regs_user = *argv[1] & 1; /* the way to the loop is the same */
	a.sample_type |= PERF_SAMPLE_REGS_USER * a.sample_regs_user;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0ul);
	page = fd < 0 ? MAP_FAILED
		      : mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return 1;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	chase(chain, TURNS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	data = (const uint8_t *)page + page->data_offset;
	for (uint64_t at = 0; at < page->data_head;) {
		uint16_t size;
		uint64_t ip;

		memcpy(&size, data + at + 6, 2);
		memcpy(&ip, data + at + 8, 8);
		printf("%ld\n", (long)((uintptr_t)ip - (uintptr_t)chase_first));
		at += size;
	}
	return 0;
}
