/* Code that changes: written once, rewritten, patched while it runs, toggled between write and
 * execute, on the stack, read from a file over old code. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

#include "check.h"

typedef int (*fn)(void);

/* mov eax, imm32; ret */
static void put(unsigned char *at, int value)
{
	at[0] = 0xb8;
	memcpy(at + 1, &value, 4);
	at[5] = 0xc3;
}

static unsigned char *pages(int n, int prot)
{
	return mmap(NULL, (size_t)n * 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void test_rewrite(void)
{
	unsigned char *p = pages(1, PROT_READ | PROT_WRITE | PROT_EXEC);
	int bad = 0;

	for (int i = 0; i < 100; i++) {
		put(p, i);
		if (((fn)p)() != i)
			bad++;
	}
	CHECK(bad == 0);
	for (int i = 0; i < 100; i++) { /* data beside code on one page */
		p[2048] = (unsigned char)i;
		if (((fn)p)() != 99 || p[2048] != i)
			bad++;
	}
	CHECK(bad == 0);
	for (int i = 0; i < 50; i++) { /* many functions on one page */
		put(p + 16 * i, 1000 + i);
		for (int k = 0; k <= i; k++)
			if (((fn)(p + 16 * k))() != 1000 + k)
				bad++;
	}
	CHECK(bad == 0);
	munmap(p, 4096);
}

static void test_toggle(void)
{
	unsigned char *p = pages(2, PROT_READ | PROT_WRITE);
	int bad = 0;

	for (int i = 0; i < 30; i++) {
		mprotect(p, 8192, PROT_READ | PROT_WRITE);
		put(p, i);
		put(p + 4096, 2 * i);
		mprotect(p, 8192, PROT_READ | PROT_EXEC);
		if (((fn)p)() != i || ((fn)(p + 4096))() != 2 * i)
			bad++;
	}
	CHECK(bad == 0);
	munmap(p, 8192);
}

static void test_remap(void)
{
	int bad = 0;

	for (int i = 0; i < 20; i++) { /* the same address, new code each time */
		unsigned char *p = pages(1, PROT_READ | PROT_WRITE | PROT_EXEC);

		put(p, i);
		if (((fn)p)() != i)
			bad++;
		munmap(p, 4096);
	}
	CHECK(bad == 0);
	unsigned char *p = pages(1, PROT_READ | PROT_WRITE | PROT_EXEC), *q;

	put(p, 5);
	CHECK(((fn)p)() == 5);
	q = mremap(p, 4096, 8192, MREMAP_MAYMOVE);
	CHECK(((fn)q)() == 5);
	put(q, 6);
	put(q + 4096, 7);
	CHECK(((fn)q)() == 6 && ((fn)(q + 4096))() == 7);
	CHECK(mmap(q, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == q);
	put(q, 8);
	CHECK(((fn)q)() == 8);
}

static void test_read_over(void)
{
	unsigned char *p = pages(2, PROT_READ | PROT_WRITE | PROT_EXEC), code[6];
	int fd[2], bad = 0;

	CHECK(pipe(fd) == 0);
	for (int i = 0; i < 20; i++) {
		put(p, -1);
		put(p + 4096, -1);
		if (((fn)p)() != -1 || ((fn)(p + 4096))() != -1)
			bad++;
		put(code, i);
		if (write(fd[1], code, 6) != 6 || read(fd[0], p, 6) != 6)
			bad++;
		if (((fn)p)() != i)
			bad++;
		p[4095] = 1; /* both pages guarded again, one read over the border */
		((fn)(p + 4096))();
		if (write(fd[1], code, 6) != 6 || read(fd[0], p + 4096, 6) != 6)
			bad++;
		if (((fn)(p + 4096))() != i)
			bad++;
	}
	CHECK(bad == 0);
}

/* A loop that changes the immediate of its own instruction each time round. */
static void test_self(void)
{
	unsigned char *p = pages(1, PROT_READ | PROT_WRITE | PROT_EXEC);
	static const unsigned char code[] = {
	    0x31, 0xc0,				/* xor eax, eax */
	    0xb9, 50,	0,    0,    0,		/* mov ecx, 50 */
	    0x05, 1,	0,    0,    0,		/* 7: add eax, 1 */
	    0xff, 0x05, 0xf6, 0xff, 0xff, 0xff, /* inc dword [7 + 1] */
	    0xff, 0xc9,				/* dec ecx */
	    0x75, 0xf1,				/* jnz 7 */
	    0xc3,
	};

	memcpy(p, code, sizeof(code));
	CHECK(((fn)p)() == 50 * 51 / 2);
}

static void test_stack(void)
{
	unsigned char code[64];
	uintptr_t page = (uintptr_t)code & ~4095ul;
	int bad = 0;

	mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (int i = 0; i < 40; i++) {
		put(code, i);
		if (((fn)code)() != i)
			bad++;
	}
	CHECK(bad == 0);
}

/* One memory, two mappings: written through one, executed through the other. */
static void test_two_mappings(void)
{
	int fd = memfd_create("code", 0), bad = 0;
	unsigned char *w, *x;

	CHECK(ftruncate(fd, 4096) == 0);
	w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	x = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (x == MAP_FAILED)
		return;
	for (int i = 0; i < 50; i++) {
		put(w, i);
		put(w + 64 * (i % 32), i);
		if (((fn)x)() != i || ((fn)(x + 64 * (i % 32)))() != i)
			bad++;
	}
	CHECK(bad == 0);
	close(fd);
}

int main(void)
{
	test_two_mappings();
	test_rewrite();
	test_toggle();
	test_remap();
	test_read_over();
	test_self();
	test_stack();
	return check_end();
}
