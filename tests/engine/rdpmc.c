/* rdpmc.c -- a program that reads the performance counters of its processor; rdpmc.sh runs it.
 *
 * rdpmc seed      the published examples: what lies between two readings; of the serial one less
 *                 what making it serial takes
 * rdpmc walk N    N stretches of mixed work, with readings between them; prints each reading
 * rdpmc exact N   the same, each pair of readings behind a CPUID
 * rdpmc miss      what lies between two readings when a load between them misses all caches,
 *                 without CPUID and with it
 * rdpmc retired KIND  two operations of x87, MMX or SSE behind such a load, read without CPUID and
 *                     with it
 * rdpmc waiting   the same of two loads, the second at an address that the first one's missing
 *                 value gives, and an x87 operation on what the second one loads
 * rdpmc calibrate  the same work measured many times, less the least that measuring nothing takes:
 *                  what is left is never
 *                 negative; prints what a hundred instructions more take
 * rdpmc stamp     the same by RDTSC, as published: a hundred adds more, in ticks
 * rdpmc loop N    N readings in a row; prints the least and the greatest step, and that none was
 *                 backward
 * rdpmc idle      reads both counters once
 * rdpmc fault     what must fault, and how; prints nothing when all is right
 * rdpmc family    parent, child and thread
 * rdpmc own       does the first thread's counter hold what another thread executed? prints "own"
 *                 or "sum"
 * Exit status 1 when something is wrong by itself. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__
#define IP REG_RIP
#define AX "rax"
#define CX REG_RCX
#else
#define IP REG_EIP
#define AX "eax"
#define CX REG_ECX
#endif

static inline uint64_t rdpmc(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter) : "memory");
	return (uint64_t)high << 32 | low;
}

static inline void serialize(void)
{
	uint32_t a = 0, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory");
}

/* The published example: between the two samples lie three instructions and one RDPMC; made serial
 * by CPUID, three instructions more. The example once for nothing, then with everything in the
 * caches. */
static void seed(void)
{
	uint32_t from[3], high, to[3], serial_from[3], serial_to[3], empty_from, empty_to, serial;

	for (int i = 0; i < 3; i++) {
		__asm__ volatile("xor %%ecx, %%ecx\n\trdpmc\n\t"
				 "mov %%eax, %0\n\tmov %%edx, %1\n\tadd %%eax, %%edx\n\t"
				 "rdpmc\n\tmov %%eax, %2"
				 : "=m"(from[i]), "=m"(high), "=m"(to[i])
				 :
				 : "eax", "ecx", "edx", "cc");
		__asm__ volatile(
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\t"
		    "mov %%eax, %0\n\tmov %%edx, %1\n\tadd %%eax, %%edx\n\t"
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\tmov %%eax, %2"
		    : "=m"(serial_from[i]), "=m"(high), "=m"(serial_to[i])
		    :
		    : "eax", "ebx", "ecx", "edx", "cc");
	}
	__asm__ volatile("xor %%ecx, %%ecx\n\trdpmc\n\tmov %%eax, %%esi\n\txor %%eax, "
			 "%%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc"
			 : "=S"(empty_from), "=a"(empty_to)
			 :
			 : "ebx", "ecx", "edx", "cc");
	serial = empty_to - empty_from - 2; /* MOV and RDPMC are there in any case */
	for (int i = 1; i < 3; i++)
		printf("plain %u serial %u, less its own %u\n", to[i] - from[i],
		       serial_to[i] - serial_from[i], serial_to[i] - serial_from[i] - serial);
}

/* Seven instructions between the samples, three more with CPUID; the third is a load that misses.
 */
static void miss(void)
{
	static uint8_t far[8 << 20];
	uint32_t from[4], to[4], serial_from[4],
	    serial_to[4]; /* printed at the end: printing empties caches */

	for (unsigned i = 0; i < 4; i++) {
		const uint8_t *at = far + i * 0x100000 + i * 0x1000;

		__asm__ volatile(
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\t"
		    "mov %%eax, %0\n\tmovzbl 64(%2), %%eax\n\tnop\n\tnop\n\tnop\n\tnop\n\t"
		    "rdpmc\n\tmov %%eax, %1"
		    : "=m"(from[i]), "=m"(to[i])
		    : "S"(at)
		    : "eax", "ebx", "ecx", "edx", "cc", "memory");
		__asm__ volatile(
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\t"
		    "mov %%eax, %0\n\tmovzbl 8192(%2), %%eax\n\tnop\n\tnop\n\tnop\n\tnop\n\t"
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\t"
		    "rdpmc\n\tmov %%eax, %1"
		    : "=m"(serial_from[i]), "=m"(serial_to[i])
		    : "S"(at)
		    : "eax", "ebx", "ecx", "edx", "cc", "memory");
	}
	for (unsigned i = 1; i < 4; i++) /* the first time its code was not there either */
		printf("plain %u serial %u\n", to[i] - from[i], serial_to[i] - serial_from[i]);
}

/* Two operations between the samples, behind a load that misses. */
#define OPERATIONS(what)                                                                           \
	for (unsigned i = 0; i < 4; i++) {                                                         \
		const uint8_t *at = far + i * 0x100000 + i * 0x1000;                               \
		__asm__ volatile("xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\t"      \
				 "mov %%eax, %0\n\tmovzbl 64(%2), %%eax\n\t" what                  \
				 "rdpmc\n\tmov %%eax, %1"                                          \
				 : "=m"(from[i]), "=m"(to[i])                                      \
				 : "S"(at)                                                         \
				 : "eax", "ebx", "ecx", "edx", "cc", "memory");                    \
		__asm__ volatile(                                                                  \
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\t"                   \
		    "mov %%eax, %0\n\tmovzbl 8192(%2), %%eax\n\t" what                             \
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\tmov %%eax, %1"      \
		    : "=m"(serial_from[i]), "=m"(serial_to[i])                                     \
		    : "S"(at)                                                                      \
		    : "eax", "ebx", "ecx", "edx", "cc", "memory");                                 \
	}

static void retired(const char *kind)
{
	static uint8_t far[8 << 20];
	uint32_t from[4], to[4], serial_from[4], serial_to[4];

	if (!strcmp(kind, "x87")) {
		__asm__ volatile("fldz");
		OPERATIONS("fadd %%st(0), %%st\n\tfadd %%st(0), %%st\n\t")
		__asm__ volatile("fstp %st");
	} else if (!strcmp(kind, "mmx")) {
		OPERATIONS("paddusb %%mm0, %%mm0\n\tpaddusb %%mm1, %%mm1\n\t")
		__asm__ volatile("emms");
	} else {
		OPERATIONS("addps %%xmm0, %%xmm0\n\taddss %%xmm1, %%xmm1\n\t")
	}
	for (unsigned i = 1; i < 4; i++)
		printf("plain %u serial %u\n", to[i] - from[i], serial_to[i] - serial_from[i]);
}

/* Lines of a page that is known: a load that misses, one that needs its value and misses too, and
 * x87 operations that need that. */
#define WAITING                                                                                    \
	"mov %%eax, %0\n\tmovzbl 64(%2), %%eax\n\tflds 1024(%2,%%" AX                              \
	")\n\tfmul %%st(0), %%st\n\tfstps 2048(%2)\n\t"

static void waiting(void)
{
	static uint8_t far[8 << 20];
	uint32_t from[4], to[4], serial_from[4], serial_to[4];

	for (unsigned i = 0; i < 4; i++) {
		uint8_t *at = far + i * 0x100000 + i * 0x1000, *serial_at = at + 0x2000;

		at[2048] = serial_at[2048] = 1;
		__asm__ volatile(
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\t" WAITING
		    "rdpmc\n\tmov %%eax, %1"
		    : "=m"(from[i]), "=m"(to[i])
		    : "S"(at)
		    : "eax", "ebx", "ecx", "edx", "cc", "memory");
		__asm__ volatile(
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\t" WAITING
		    "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\tmov %%eax, %1"
		    : "=m"(serial_from[i]), "=m"(serial_to[i])
		    : "S"(serial_at)
		    : "eax", "ebx", "ecx", "edx", "cc", "memory");
	}
	for (unsigned i = 1; i < 4; i++)
		printf("plain %u serial %u\n", to[i] - from[i], serial_to[i] - serial_from[i]);
}

/* One serialised measurement of `work`. */
#define MEASURE(work)                                                                              \
	__extension__({                                                                            \
		uint32_t from_, to_;                                                               \
		__asm__ volatile("xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc\n\tmov "  \
				 "%%eax, %%esi\n\t" work                                           \
				 "xor %%eax, %%eax\n\tcpuid\n\txor %%ecx, %%ecx\n\trdpmc"          \
				 : "=S"(from_), "=a"(to_)                                          \
				 :                                                                 \
				 : "ebx", "ecx", "edx", "edi", "cc", "memory");                    \
		to_ - from_;                                                                       \
	})

/* A hundred adds, each of which needs the one before it; and as many again. */
#define ADDS ".rept 100\n\tadd $1, %%edi\n\t.endr\n\t"

static int calibrate(void)
{
	uint32_t none = ~0u, hundred = ~0u, more = ~0u, one;

	for (int i = 0; i < 20; i++) {
		one = MEASURE("");
		none = one < none ? one : none;
	}
	for (int i = 0; i < 20; i++) {
		one = MEASURE(ADDS);
		if (one < none)
			return printf("%u is less than the least, %u\n", one, none), 1;
		hundred = one < hundred ? one : hundred;
		one = MEASURE(ADDS ADDS);
		more = one < more ? one : more;
	}
	printf("a hundred adds %u\n", more - hundred);
	return 0;
}

/* One measurement as published: serialised at both ends, in ticks. */
#define TICKS(work)                                                                                \
	__extension__({                                                                            \
		uint32_t from_, to_;                                                               \
		__asm__ volatile("xor %%eax, %%eax\n\tcpuid\n\trdtsc\n\tmov %%eax, %%esi\n\t" work \
				 "xor %%eax, %%eax\n\tcpuid\n\trdtsc"                              \
				 : "=S"(from_), "=a"(to_)                                          \
				 :                                                                 \
				 : "ebx", "ecx", "edx", "edi", "cc", "memory");                    \
		to_ - from_;                                                                       \
	})

static int stamp(void)
{
	uint32_t hundred = ~0u, more = ~0u, none = ~0u, one;

	for (int i = 0; i < 20; i++) {
		one = TICKS("");
		none = one < none ? one : none;
		one = TICKS(ADDS);
		hundred = one < hundred ? one : hundred;
		one = TICKS(ADDS ADDS);
		more = one < more ? one : more;
	}
	printf("a hundred adds %u\n", more - hundred);
	return hundred < none;
}

/* ---- work of many kinds ---------------------------------------------------------------------- */

static volatile uint32_t field[1 << 16];

static uint32_t work(uint32_t x, unsigned kind)
{
	volatile double f = x & 255;

	switch (kind & 7) {
	case 0:
		for (unsigned i = 0; i < (x & 63); i++)
			x = x & 1 ? x * 3 + 1 : x >> 1;
		return x;
	case 1:
		for (unsigned i = 0; i < (x & 31); i++)
			field[(x * 1664525u + i * 997) & 0xffff] += i;
		return x + 1;
	case 2: f = f * 1.5 + 2; return x + (uint32_t)f;
	case 3: memset((void *)field, (int)x, x & 4095); return x ^ field[x & 0xffff];
	case 4: return (x & 15) ? work(x - 1, 4) + 1 : x;
	case 5: return x / ((x & 7) + 1);
	default: return x + kind;
	}
}

static int walk(int n, int is_serial)
{
	static uint64_t kept[10000]
			    [2]; /* printing takes instructions by the digits of what is printed */
	uint32_t x = 12345;
	uint64_t last[2] = {0, 0};

	for (int i = 0; i < n; i++) {
		uint64_t now[2];

		x = x * 1103515245u + 12345;
		for (unsigned k = 0; k < (x >> 28); k++)
			x += work(x, x >> 24);
		if (is_serial)
			serialize();
		now[0] = rdpmc(0);
		now[1] = rdpmc(1);
		if (now[0] < last[0] || now[1] < last[1])
			return printf("backwards at %d\n", i), 1;
		memcpy(last, now, sizeof(last));
		memcpy(kept[i % 10000], now, sizeof(now));
	}
	for (int i = 0; i < n && i < 10000; i += 16)
		printf("%llu %llu\n", (unsigned long long)kept[i][0],
		       (unsigned long long)kept[i][1]);
	return 0;
}

static int loop(int n)
{
	uint64_t last = rdpmc(0), least = ~0ull, most = 0;

	for (int i = 0; i < n; i++) {
		uint64_t now = rdpmc(0), step = now - last;

		if (now < last)
			return printf("backwards at %d\n", i), 1;
		least = step < least ? step : least;
		most = step > most ? step : most;
		last = now;
	}
	printf("least %llu most %llu\n", (unsigned long long)least, (unsigned long long)most);
	return 0;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static struct {
	volatile int signo, code, trap;
	volatile uintptr_t addr, ip, cx;
	uintptr_t go_on;
} fault;

static void handler(int signo, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	fault.signo = signo;
	fault.code = info->si_code;
	fault.addr = (uintptr_t)info->si_addr;
	fault.trap = (int)u->uc_mcontext.gregs[REG_TRAPNO];
	fault.ip = (uintptr_t)u->uc_mcontext.gregs[IP];
	fault.cx = (uintptr_t)u->uc_mcontext.gregs[CX];
	u->uc_mcontext.gregs[IP] = (greg_t)fault.go_on;
}

static int n_wrong;

/* Execute `bytes` with `counter` in ECX; it must raise `signo`. */
#define MUST_FAULT(what, bytes, counter, want)                                                     \
	do {                                                                                       \
		uintptr_t at;                                                                      \
		uint32_t a, d, c = (counter);                                                      \
		fault.signo = 0;                                                                   \
		__asm__ volatile(GO_ON : "=m"(at), "=m"(fault.go_on) : : "eax");                   \
		__asm__ volatile("1: " bytes "\n2:" : "=a"(a), "=d"(d), "+c"(c) : : "memory");     \
		check(what, want, at, counter);                                                    \
	} while (0)

#ifdef __x86_64__
#define GO_ON "lea 1f(%%rip), %%rax\n\tmov %%rax, %0\n\tlea 2f(%%rip), %%rax\n\tmov %%rax, %1"
#else
#define GO_ON                                                                                      \
	"call 9f\n9:\tpop %%eax\n\tlea 1f-9b(%%eax), %%eax\n\tmov %%eax, %0\n\tcall 8f\n8:\tpop "  \
	"%%eax\n\t"                                                                                \
	"lea 2f-8b(%%eax), %%eax\n\tmov %%eax, %1"
#endif

static void check(const char *what, int want, uintptr_t at, uint32_t counter)
{
	const int is_protection = want == SIGSEGV;

	if (want == 0 && fault.signo == 0)
		return;
	if (fault.signo == want && fault.ip == at && (uint32_t)fault.cx == counter &&
	    (is_protection ? fault.code == SI_KERNEL && fault.addr == 0 && fault.trap == 13
			   : fault.addr == at && fault.trap == 6))
		return;
	n_wrong++;
	printf("%s with ECX %x: signal %d code %d address %lx trap %d, ip off by %ld, ECX %lx\n",
	       what, counter, fault.signo, fault.code, (unsigned long)fault.addr, fault.trap,
	       (long)(fault.ip - at), (unsigned long)fault.cx);
}

static int faults(void)
{
	struct sigaction sa = {.sa_flags = SA_SIGINFO};

	sa.sa_sigaction = handler;
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGILL, &sa, NULL);
	MUST_FAULT("rdpmc", "rdpmc", 2, SIGSEGV);
	MUST_FAULT("rdpmc", "rdpmc", 0x10000, SIGSEGV);
	MUST_FAULT("rdpmc", "rdpmc", 0x80000001u, SIGSEGV);
	MUST_FAULT("16-bit rdpmc", ".byte 0x66, 0x0f, 0x33", 0x10001, SIGSEGV);
	MUST_FAULT("lock rdpmc", ".byte 0xf0, 0x0f, 0x33", 0, SIGILL);
	MUST_FAULT("rdmsr of CESR", "rdmsr", 0x11, SIGSEGV);
	MUST_FAULT("rdmsr of PerfEvtSel0", "rdmsr", 0x186, SIGSEGV);
	MUST_FAULT("wrmsr of CESR", "wrmsr", 0x11, SIGSEGV);
	MUST_FAULT("wrmsr of PerfEvtSel1", "wrmsr", 0x187, SIGSEGV);
	return n_wrong != 0;
}

/* RDPMC of counter 0 must fault so (0: not at all). */
static int one_fault(int want)
{
	struct sigaction sa = {.sa_flags = SA_SIGINFO};

	sa.sa_sigaction = handler;
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGILL, &sa, NULL);
	MUST_FAULT("rdpmc", "rdpmc", 0, want);
	return n_wrong != 0;
}

/* 16-bit operand size makes no difference. */
static int wide(void)
{
	uint32_t a = 0xdead0000u, d = 0xdead0000u;
	uint64_t before = rdpmc(0), after;

	__asm__ volatile(".byte 0x66, 0x0f, 0x33" : "+a"(a), "+d"(d) : "c"(0) : "memory");
	after = rdpmc(0);
	if (a < (uint32_t)before || a > (uint32_t)after || d) {
		printf("16-bit rdpmc: %x:%x between %llx and %llx\n", d, a,
		       (unsigned long long)before, (unsigned long long)after);
		return 1;
	}
	return 0;
}

/* ---- processes and threads ------------------------------------------------------------------- */

static void *in_thread(void *out)
{
	*(uint64_t *)out = rdpmc(0);
	return NULL;
}

static int family(void)
{
	uint64_t before = rdpmc(0), in_child = 0, inside = 0, after;
	pthread_t thread;
	int status, fd[2];

	if (pipe(fd))
		return 1;
	if (fork() == 0) {
		in_child = rdpmc(0);
		exit(write(fd[1], &in_child, sizeof(in_child)) != sizeof(in_child));
	}
	if (wait(&status) < 0 || status ||
	    read(fd[0], &in_child, sizeof(in_child)) != sizeof(in_child))
		return 1;
	pthread_create(&thread, NULL, in_thread, &inside);
	pthread_join(thread, NULL);
	after = rdpmc(0);
	if (in_child <= before || inside <= before || after <= inside) {
		printf("before %llu child %llu thread %llu after %llu\n",
		       (unsigned long long)before, (unsigned long long)in_child,
		       (unsigned long long)inside, (unsigned long long)after);
		return 1;
	}
	return 0;
}

static void *million(void *unused)
{
	unsigned long n = 1000000;
	uint64_t from = rdpmc(0);

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
	return rdpmc(0) - from < 2000000 || rdpmc(0) - from > 2000050 ? "wrong" : unused;
}

static int own(void)
{
	uint64_t from = rdpmc(0);
	void *wrong = NULL;
	pthread_t t;

	pthread_create(&t, NULL, million, NULL);
	pthread_join(t, &wrong);
	from = rdpmc(0) - from;
	puts(from < 100000 ? "own" : from >= 2000000 ? "sum" : "neither");
	return wrong != NULL;
}

static int idle(void)
{
	const int first = rdpmc(0) != 0, second = rdpmc(1) != 0;

	printf("%d %d\n", first, second);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "seed"))
		return seed(), 0;
	if (!strcmp(what, "walk"))
		return walk(n, 0);
	if (!strcmp(what, "calibrate"))
		return calibrate();
	if (!strcmp(what, "exact"))
		return walk(n, 1);
	if (!strcmp(what, "miss"))
		return miss(), 0;
	if (!strcmp(what, "waiting"))
		return waiting(), 0;
	if (!strcmp(what, "retired"))
		return retired(argc > 2 ? argv[2] : ""), 0;
	if (!strcmp(what, "stamp"))
		return stamp();
	if (!strcmp(what, "loop"))
		return loop(n);
	if (!strcmp(what, "idle"))
		return idle();
	if (!strcmp(what, "fault"))
		return faults() || wide();
	if (!strcmp(what, "one"))
		return one_fault(n);
	if (!strcmp(what, "own"))
		return own();
	if (!strcmp(what, "family"))
		return family();
	return 2;
}
