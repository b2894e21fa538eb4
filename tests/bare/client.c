/* client.c -- a program for a machine with counters: perf_event_open counts its loop and samples
 * it.
 *
 * It writes one line: how many instructions 1,000,000 turns of four have more than none; how many
 * samples a period of 50,000 gives in 1,000,000 turns; how many of them lie in the loop. No libc.
 */
#include <stdint.h>

#define TURNS	1000000u
#define PERIOD	50000u
#define PAGE	4096u
#define PAGES	8u
#define ENABLE	0x2400u
#define DISABLE 0x2401u

enum {
	SYS_exit = 1,
	SYS_read = 3,
	SYS_write = 4,
	SYS_ioctl = 54,
	SYS_mmap2 = 192,
	SYS_perf_event_open = 336
};

struct attr {
	uint32_t type, size;
	uint64_t config, period, sample_type, read_format, flags;
	uint32_t wakeup, breakpoint;
	uint64_t config1;
};

static long call(long n, long a, long b, long c, long d, long e)
{
	long result;

	/* the sixth argument is 0 */
	__asm__ volatile("push %%ebp\n\txor %%ebp, %%ebp\n\tint $0x80\n\tpop %%ebp"
			 : "=a"(result)
			 : "a"(n), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
	return result;
}

extern char loop_begin[], loop_end[];
__attribute__((noinline)) static void loop(uint32_t n)
{
	__asm__ volatile("test %0, %0\n\tjz 2f\n"
			 ".globl loop_begin\nloop_begin:\n"
			 "1: push %0\n\tpop %%edx\n\tdec %0\n\tjnz 1b\n"
			 ".globl loop_end\nloop_end:\n2:"
			 : "+r"(n)
			 :
			 : "edx", "memory");
}

/* Count what `turns` turns retire in user mode. */
static uint64_t count(int fd, uint32_t turns)
{
	uint64_t before = 0, after = 0;

	call(SYS_read, fd, (long)&before, sizeof(before), 0, 0);
	call(SYS_ioctl, fd, ENABLE, 0, 0, 0);
	loop(turns);
	call(SYS_ioctl, fd, DISABLE, 0, 0, 0);
	call(SYS_read, fd, (long)&after, sizeof(after), 0, 0);
	return after - before;
}

static int open_event(uint64_t period)
{
	struct attr a = {.type = 4,
			 .size = 64,
			 .config = 0xc0,
			 .period = period,
			 .sample_type = 1,
			 .flags = 1 | 1 << 5 | 1 << 6};

	return (int)call(SYS_perf_event_open, (long)&a, 0, -1, -1, 0);
}

static char text[200];
static unsigned n_text;

static void put(const char *s)
{
	while (*s)
		text[n_text++] = *s++;
}

static void put_number(uint32_t n)
{
	char digit[12], *at = digit + 11;

	for (*at = 0; n || !at[0]; n /= 10)
		*--at = (char)('0' + n % 10);
	put(at);
}

void _start(void)
{
	const int counter = open_event(0), sampler = open_event(PERIOD);
	const uint64_t base = count(counter, 0), more = count(counter, TURNS);
	uint8_t *ring = (uint8_t *)call(SYS_mmap2, 0, (1 + PAGES) * PAGE, 3, 1, sampler);
	uint32_t samples = 0, inside = 0;

	put("client: ");
	if (counter < 0 || sampler < 0 || (uintptr_t)ring > 0xfffff000u) {
		put("no counter");
	} else {
		const volatile uint64_t *head = (const volatile uint64_t *)(ring + 1024);

		count(sampler, TURNS);
		for (uint32_t at = 0; at < (uint32_t)*head;) {
			const uint32_t *record = (const uint32_t *)(ring + PAGE + at);
			const uint32_t bytes = record[1] >> 16, ip = record[2];

			samples += record[0] == 9;
			inside +=
			    record[0] == 9 && ip >= (uint32_t)loop_begin && ip < (uint32_t)loop_end;
			at += bytes ? bytes : PAGE * PAGES;
		}
		put_number((uint32_t)(more - base));
		put(" instructions, ");
		put_number(samples);
		put(" samples, ");
		put_number(inside);
		put(" in the loop");
	}
	put("\n");
	call(SYS_write, 1, (long)text, (long)n_text, 0, 0);
	call(SYS_exit, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
