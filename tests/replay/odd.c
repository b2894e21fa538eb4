/* odd.c -- a program for grid.sh: whatever machines of a group do apart from each other. Stores
 * into lines of code, strings, references over line ends, locks, prefetches, stores past the
 * caches, and walks through more than a small L2 holds. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned char far_away[1 << 18];
static unsigned char near_by[4096] __attribute__((aligned(4096)));

/* Code beside data: each round writes into the line that runs, and into the one behind it. */
static int code_and_data(void)
{
	/* mov eax, 1; lea rcx, [rip]; mov [rcx + 24], eax, this line or the next;
	 * mov edx, [rcx + 88]; add eax, edx; nop; nop; ret */
	static const unsigned char body[] = "\xb8\1\0\0\0\x48\x8d\x0d\0\0\0\0\x89\x41\x18"
					    "\x8b\x51\x58\x01\xd0\x90\x90\xc3";
	unsigned char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	for (int at = 0; at < 60; at += 4) {
		memcpy(page + at, body, sizeof(body));
		for (int i = 0; i < 5; i++) {
			sum += ((int (*)(void))(void *)(page + at))();
			page[at + 1] = (unsigned char)i; /* the number that is added */
			page[2048 + at] += (unsigned char)i;
		}
	}
	return sum;
}

static unsigned long scattered(int n)
{
	unsigned long s = 1;

	for (int i = 0; i < n; i++) {
		s = s * 1103515245 + 12345;
		far_away[(s >> 8) % sizeof(far_away)] += (unsigned char)(s >> 16);
		near_by[s % 512]++;
		if (!(i % 7))
			*(volatile unsigned long *)(near_by + 27 + s % 64) +=
			    s; /* over line ends */
		if (!(i % 11))
			__asm__ volatile("lock; addl $1, %0" : "+m"(near_by[i % 256 * 4]));
		if (!(i % 13))
			__asm__ volatile("lock; addl $1, %0" : "+m"(near_by[30]));
		if (!(i % 17))
			__asm__ volatile("prefetchnta %0; prefetcht1 %1"
					 :
					 : "m"(far_away[s % 65536]), "m"(far_away[s % 32768]));
		if (!(i % 19))
			__asm__ volatile("movntiq %1, %0"
					 : "=m"(far_away[(s >> 3) % 4096 * 8])
					 : "r"(s));
		if (!(i % 191))
			__asm__ volatile("mfence" ::: "memory");
	}
	return s;
}

static void strings(void)
{
	for (int i = 0; i < 24; i++) {
		void *to = far_away + 8192 + 13 * i, *from = near_by + (i & 7);
		unsigned long n = 100 + 41 * (unsigned long)i;

		__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
		to = near_by + 1024;
		n = 90;
		__asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(i) : "memory");
	}
}

int main(void)
{
	unsigned long s = code_and_data() + scattered(6000);

	if (!fork()) {
		strings();
		_exit(scattered(1500) & 1);
	}
	wait(NULL);
	strings();
	return s + scattered(1500) ? 0 : 1;
}
