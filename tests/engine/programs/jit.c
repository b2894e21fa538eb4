/* What code generators do: change single bytes of code that keeps changing, let the kernel write
 * into pages with code, reserve a lot of address space and use a little, map one memory twice. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "check.h"

typedef int (*fn)(void);

#define PAGE 4096ul

/* mov eax, imm32; ret */
static void put(unsigned char *at, int value)
{
	at[0] = 0xb8;
	memcpy(at + 1, &value, 4);
	at[5] = 0xc3;
}

static unsigned char *pages(size_t n, int prot)
{
	unsigned char *p =
	    mmap(NULL, n * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Blocks of every length, each byte of them changed and changed back, on a page that was written
 * and executed so often that nobody watches its stores any more. */
static void test_every_byte(void)
{
	unsigned char *p = pages(1, PROT_READ | PROT_WRITE | PROT_EXEC);
	int bad = 0;

	for (int i = 0; i < 30; i++) {
		put(p + 2048, i);
		bad += ((fn)(p + 2048))() != i;
	}
	for (int n = 0; n < 24; n++) {
		memcpy(p, "\x31\xc0", 2);		  /* xor eax, eax: clears CF */
		memset(p + 2, 0x90, (size_t)n);		  /* nop */
		memcpy(p + 2 + n, "\x83\xd0\x00\xc3", 4); /* adc eax, 0; ret */
		bad += ((fn)p)() != 0;
		for (int i = 0; i < n; i++) {
			p[2 + i] = 0xf9; /* stc */
			bad += ((fn)p)() != 1;
			p[2 + i] = 0x90;
			bad += ((fn)p)() != 0;
		}
		p[2 + n + 2] = 5; /* the immediate, near the end */
		bad += ((fn)p)() != 5;
	}
	CHECK(bad == 0);
	/* One byte alone in its block: RET, then a longer block in its place. */
	p[0] = 0xc3;
	((fn)p)();
	put(p, 77);
	CHECK(((fn)p)() == 77);
	munmap(p, PAGE);
}

/* Code that a page holds when the kernel writes to it. */
static unsigned char *with_code(unsigned char *p)
{
	put(p, -1);
	return ((fn)p)() == -1 ? p : NULL;
}

static void test_files(void)
{
	unsigned char *p = pages(2, PROT_READ | PROT_WRITE | PROT_EXEC), code[8];
	struct iovec io[2] = {{p + 64, 3}, {p + 67, 3}};
	int fd = memfd_create("source", 0), bad = 0;

	for (int i = 0; i < 20; i++) {
		put(code, i);
		bad += pwrite(fd, code, 6, 0) != 6;
		bad += !with_code(p + 64) || pread(fd, p + 64, 6, 0) != 6 || ((fn)(p + 64))() != i;
		put(code, i + 1000);
		bad += pwrite(fd, code, 6, 0) != 6;
		bad +=
		    !with_code(p + 64) || preadv(fd, io, 2, 0) != 6 || ((fn)(p + 64))() != i + 1000;
		put(code, i + 2000);
		bad += pwrite(fd, code, 6, 0) != 6 || lseek(fd, 0, SEEK_SET) != 0;
		bad += !with_code(p + 64) || readv(fd, io, 2) != 6 || ((fn)(p + 64))() != i + 2000;
	}
	CHECK(bad == 0);
	close(fd);
	munmap(p, 2 * PAGE);
}

/* A datagram is gone when it was received once; its buffers lie on pages with code. */
static void test_datagrams(void)
{
	unsigned char *p = pages(4, PROT_READ | PROT_WRITE | PROT_EXEC), code[8];
	int s[2], bad = 0;

	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0);
	for (int i = 0; i < 20; i++) {
		struct iovec *io = (void *)(p + PAGE + 512);
		struct msghdr *m = (void *)(p + 2 * PAGE + 512);
		struct mmsghdr *mm = (void *)(p + 3 * PAGE + 512);

		put(code, i);
		bad += send(s[0], code, 6, 0) != 6;
		bad += !with_code(p) || recv(s[1], p, 6, MSG_DONTWAIT) != 6 || ((fn)p)() != i;

		put(code, i + 1000);
		bad += send(s[0], code, 6, 0) != 6;
		*io = (struct iovec){p, 6};
		*m = (struct msghdr){.msg_iov = io, .msg_iovlen = 1};
		bad += !with_code(p) || !with_code(p + PAGE) || !with_code(p + 2 * PAGE);
		bad += recvmsg(s[1], m, MSG_DONTWAIT) != 6 || ((fn)p)() != i + 1000;

		put(code, i + 2000);
		bad += send(s[0], code, 6, 0) != 6;
		*mm = (struct mmsghdr){.msg_hdr = {.msg_iov = io, .msg_iovlen = 1}};
		bad += !with_code(p) || !with_code(p + 3 * PAGE);
		bad += recvmmsg(s[1], mm, 1, MSG_DONTWAIT, NULL) != 1 || mm->msg_len != 6 ||
		       ((fn)p)() != i + 2000;
	}
	CHECK(bad == 0);
	close(s[0]);
	close(s[1]);
	munmap(p, 4 * PAGE);
}

static void test_directory(void)
{
	unsigned char *p = pages(1, PROT_READ | PROT_WRITE | PROT_EXEC);
	int again = open("/", O_RDONLY | O_DIRECTORY);
	long plain, n;
	static char buffer[2048];

	CHECK(again >= 0 && with_code(p + 3000));
	plain = syscall(SYS_getdents64, again, buffer, 2048);
	lseek(again, 0, SEEK_SET);
	n = syscall(SYS_getdents64, again, p, 2048);
	CHECK(n == plain && memcmp(p, buffer, (size_t)n) == 0);
	close(again);
	munmap(p, PAGE);
}

/* Addresses that are really bad, again and again, with code on writable pages nearby. */
static void test_bad_addresses(void)
{
	unsigned char *p = pages(1, PROT_READ | PROT_WRITE | PROT_EXEC);
	void *volatile nowhere = (void *)1;
	int fd = open("/dev/zero", O_RDONLY), bad = 0;

	CHECK(fd >= 0);
	for (int i = 0; i < 200; i++) {
		bad += !with_code(p);
		bad += read(fd, nowhere, 8) != -1 || errno != EFAULT;
		bad += read(fd, (void *)(uintptr_t)&put, 8) != -1 || errno != EFAULT;
		bad += ((fn)p)() != -1;
	}
	CHECK(bad == 0);
	close(fd);
	munmap(p, PAGE);
}

/* A terabyte reserved, a few pages of it used as code, far from everything. */
static void test_reservation(void)
{
	const size_t all = 1ul << 40;
	unsigned char *p = pages(all / PAGE, PROT_NONE);
	int bad = 0;

	CHECK(p != NULL);
	if (!p)
		return;
	for (size_t at = 0; at < all; at += all / 8) {
		unsigned char *q = p + at + 16 * PAGE;

		bad += mprotect(q, 4 * PAGE, PROT_READ | PROT_WRITE) != 0;
		for (int i = 0; i < 3; i++) {
			put(q, (int)(at >> 32) + i);
			put(q + 3 * PAGE, i);
			bad += mprotect(q, 4 * PAGE, PROT_READ | PROT_EXEC) != 0;
			bad += ((fn)q)() != (int)(at >> 32) + i || ((fn)(q + 3 * PAGE))() != i;
			bad += mprotect(q, 4 * PAGE, PROT_READ | PROT_WRITE) != 0;
		}
		bad += mprotect(q, 4 * PAGE, PROT_NONE) != 0;
	}
	CHECK(bad == 0);
	CHECK(madvise(p, all, MADV_DONTNEED) == 0);
	CHECK(munmap(p, all) == 0);
}

/* As many mappings as the kernel allows by default, nearly: every other page of a range. */
static void test_many_mappings(void)
{
	const size_t n = 60000;
	unsigned char *p = pages(n, PROT_NONE);
	int bad = 0;

	CHECK(p != NULL);
	for (size_t i = 1; i < n / 4; i += 2)
		bad += mprotect(p + i * PAGE, PAGE,
				i % 4 == 1 ? PROT_READ | PROT_WRITE : PROT_READ) != 0;
	CHECK(bad == 0);
	for (size_t i = 1; i < n / 4; i += 4)
		p[i * PAGE] = (unsigned char)i;
	for (size_t i = 1; i < n / 4; i += 4)
		bad += p[i * PAGE] != (unsigned char)i;
	CHECK(bad == 0);
	CHECK(munmap(p, n * PAGE) == 0);
}

/* Shared memory: the view that writes comes and goes, the one that executes stays. */
static void test_views(void)
{
	int fd = memfd_create("code", 0), bad = 0;
	unsigned char *x, *far, *w;

	CHECK(ftruncate(fd, 2 * PAGE) == 0);
	x = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	far = mmap((void *)0x123456780000ul, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, PAGE);
	if (x == MAP_FAILED)
		return; /* the machine allows no executable shared memory */
	CHECK(far != MAP_FAILED);
	for (int i = 0; i < 40; i++) {
		w = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		put(w + 16 * (i % 8), i);
		put(w + PAGE, 2 * i);
		munmap(w, 2 * PAGE);
		bad += ((fn)(x + 16 * (i % 8)))() != i || ((fn)(x + PAGE))() != 2 * i ||
		       ((fn)far)() != 2 * i;
		w = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, PAGE);
		put(w, 3 * i);
		bad += ((fn)far)() != 3 * i; /* while both views exist */
		munmap(w, PAGE);
	}
	for (int i = 0; i < 20; i++) { /* through the file itself */
		unsigned char code[6];

		put(code, i);
		bad += pwrite(fd, code, 6, 128) != 6 || ((fn)(x + 128))() != i;
	}
	CHECK(bad == 0);
	munmap(x, 2 * PAGE);
	munmap(far, PAGE);
	close(fd);
}

int main(void)
{
	test_every_byte();
	test_files();
	test_datagrams();
	test_directory();
	test_bad_addresses();
	test_reservation();
	test_many_mappings();
	test_views();
	return check_end();
}
