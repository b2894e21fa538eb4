/* XSAVE and its kin of 32-bit code: eight vector registers are stored and loaded, what belongs to
 * the other eight stays. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../programs/check.h"

static sigjmp_buf back;
static uint8_t area[4096] __attribute__((aligned(64))), xmm[8][16], high[8][16];

static void handler(int sig)
{
	siglongjmp(back, sig);
}

#define LOAD_ALL(from)                                                                             \
	__asm__ volatile("movups (%0), %%xmm0\n\tmovups 16(%0), %%xmm1\n\tmovups 32(%0), "         \
			 "%%xmm2\n\tmovups 48(%0), %%xmm3\n\t"                                     \
			 "movups 64(%0), %%xmm4\n\tmovups 80(%0), %%xmm5\n\tmovups 96(%0), "       \
			 "%%xmm6\n\tmovups 112(%0), %%xmm7"                                        \
			 :                                                                         \
			 : "r"(from)                                                               \
			 : "memory")
#define STORE_ALL(to)                                                                              \
	__asm__ volatile("movups %%xmm0, (%0)\n\tmovups %%xmm1, 16(%0)\n\tmovups %%xmm2, "         \
			 "32(%0)\n\tmovups %%xmm3, 48(%0)\n\t"                                     \
			 "movups %%xmm4, 64(%0)\n\tmovups %%xmm5, 80(%0)\n\tmovups %%xmm6, "       \
			 "96(%0)\n\tmovups %%xmm7, 112(%0)"                                        \
			 :                                                                         \
			 : "r"(to)                                                                 \
			 : "memory")
#define XSAVE(how, at, mask) __asm__ volatile(how " (%0)" : : "r"(at), "a"(mask), "d"(0) : "memory")

/* Executes the statement. Returns the signal that it raised, or 0. */
#define SIGNAL_OF(statement)                                                                       \
	({                                                                                         \
		int sig_ = sigsetjmp(back, 1);                                                     \
		if (!sig_) {                                                                       \
			statement;                                                                 \
		}                                                                                  \
		sig_;                                                                              \
	})

static int is_all(const uint8_t *p, unsigned n, uint8_t value)
{
	while (n && *p == value)
		p++, n--;
	return !n;
}

static void fill(void)
{
	for (unsigned i = 0; i < sizeof(xmm); i++) {
		xmm[0][i] = (uint8_t)(i * 7 + 1);
		high[0][i] = (uint8_t)(i * 5 + 2);
	}
}

static void prepare(void)
{
	memset(area, 0x5a, sizeof(area));
	memset(area + 512, 0, 64);
}

static void saves(int has_avx, int is_compact)
{
	CHECK(memcmp(area + 160, xmm, 128) == 0);
	CHECK(is_all(area + 288, 128, 0x5a));
	CHECK((area[512] & 3) == 3);
	if (has_avx) {
		CHECK(memcmp(area + 576, high, 128) == 0);
		CHECK(is_all(area + 704, 128, 0x5a));
		CHECK(area[512] & 4);
	}
	CHECK((area[527] >> 7) == is_compact);
	CHECK(is_all(area + 832, sizeof(area) - 832, 0x5a));
}

static void set_registers(int has_avx)
{
	if (has_avx)
		__asm__ volatile("vmovups (%0), %%ymm0\n\tvinsertf128 $1, (%0), %%ymm0, %%ymm0\n\t"
				 "vinsertf128 $1, 16(%0), %%ymm1, %%ymm1\n\tvinsertf128 $1, "
				 "32(%0), %%ymm2, %%ymm2\n\t"
				 "vinsertf128 $1, 48(%0), %%ymm3, %%ymm3\n\tvinsertf128 $1, "
				 "64(%0), %%ymm4, %%ymm4\n\t"
				 "vinsertf128 $1, 80(%0), %%ymm5, %%ymm5\n\tvinsertf128 $1, "
				 "96(%0), %%ymm6, %%ymm6\n\t"
				 "vinsertf128 $1, 112(%0), %%ymm7, %%ymm7"
				 :
				 : "r"(high)
				 : "memory");
	LOAD_ALL(xmm);
}

int main(void)
{
	uint8_t got[8][16];
	uint8_t *end;
	int has_avx, how;

	signal(SIGILL, handler);
	signal(SIGSEGV, handler);
	fill();
	has_avx = SIGNAL_OF(__asm__ volatile("vxorps %ymm0, %ymm0, %ymm0")) == 0;
	__asm__ volatile("fninit\n\tfldpi");
	prepare();
	if (SIGNAL_OF(XSAVE("xsave", area, 7))) {
		puts("no XSAVE");
		return 0;
	}
	prepare();
	set_registers(has_avx);
	XSAVE("xsave", area, 7);
	saves(has_avx, 0);
	CHECK(area[32 + 9] == 0x40 && area[4] != 0x5a); /* pi */

	/* Back again, changed, with other registers in between. */
	area[160] ^= 0xff;
	memset(got, 0, sizeof(got));
	LOAD_ALL(got);
	XSAVE("xrstor", area, 7);
	STORE_ALL(got);
	CHECK(got[0][0] == (uint8_t)(xmm[0][0] ^ 0xff));
	got[0][0] ^= 0xff;
	CHECK(memcmp(got, xmm, sizeof(xmm)) == 0);

	/* A part alone. */
	prepare();
	XSAVE("xsave", area, 1);
	CHECK(is_all(area + 160, 256, 0x5a) && is_all(area + 576, 256, 0x5a) && area[512] == 1);
	prepare();
	XSAVE("xsave", area, 2);
	CHECK(is_all(area + 32, 128, 0x5a) && is_all(area, 24, 0x5a) && area[512] == 2);

	/* The initial state, which two of them do not store, where the processor knows it. */
	prepare();
	memset(area + 24, 0, 8);
	area[25] = 0x1f, area[24] = 0x80;
	XSAVE("xrstor", area, 7);
	STORE_ALL(got);
	CHECK(is_all(got[0], sizeof(got), 0));
	prepare();
	how = SIGNAL_OF(XSAVE("xsaveopt", area, 7));
	CHECK(how ||
	      (is_all(area + 160, 128, area[512] & 2 ? 0 : 0x5a) && is_all(area + 288, 128, 0x5a)));
	prepare();
	how = SIGNAL_OF(XSAVE("xsavec", area, 7));
	CHECK(how || (is_all(area + 160, 128, area[512] & 2 ? 0 : 0x5a) &&
		      is_all(area + 288, 128, 0x5a) && area[527] == 0x80));
	__asm__ volatile("fninit\n\tfldpi");
	prepare();
	how = SIGNAL_OF(set_registers(has_avx); XSAVE("xsavec", area, 7));
	if (!how)
		saves(has_avx, 1);
	memset(got, 0, sizeof(got));
	LOAD_ALL(got);
	if (!how) {
		XSAVE("xrstor", area, 7);
		STORE_ALL(got);
		CHECK(memcmp(got, xmm, sizeof(xmm)) == 0);
	}

	/* What is not right. */
	CHECK(SIGNAL_OF(XSAVE("xsave", area + 16, 7)) == SIGSEGV);
	prepare();
	area[512 + 20] = 1;
	memset(area + 24, 0, 8);
	CHECK(SIGNAL_OF(XSAVE("xrstor", area, 7)) == SIGSEGV);
	end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(end + 4096, 4096);
	CHECK(SIGNAL_OF(XSAVE("xsave", end + 4096 - 576, 3)) == 0);
	CHECK(SIGNAL_OF(XSAVE("xsave", end + 4096 - 64, 3)) == SIGSEGV);
	mprotect(end, 4096, PROT_READ);
	CHECK(SIGNAL_OF(XSAVE("xsave", end, 3)) == SIGSEGV);
	CHECK(SIGNAL_OF(XSAVE("xsave", NULL, 3)) == SIGSEGV);
	return check_end();
}
