/* isa_message.c -- asks CPUID for AVX2 and without it ends with a message and status 1, by
 * write(2), writev(2) or stdio on descriptor 2 or 1, as the argument says; "quiet": says nothing;
 * "fine": says it and ends with status 0. */
#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "",
		   text[] = "fatal: this program requires a processor with AVX2\n";
	struct iovec piece[3] = {
	    {(void *)text, 10}, {(void *)text, 0}, {(void *)(text + 10), sizeof(text) - 11}};
	unsigned a, b, c, d;

	__cpuid(0, a, b, c, d);
	if (a >= 7) {
		__cpuid_count(7, 0, a, b, c, d);
		if (b >> 5 & 1) {
			puts("AVX2 is there");
			return 0;
		}
	}
	if (!strcmp(how, "writev"))
		return writev(2, piece, 3) != (ssize_t)sizeof(text) - 1 ? 9 : 1;
	if (!strcmp(how, "stdout"))
		return printf("%s", text) < 0 ? 9 : 1;
	if (strcmp(how, "quiet") && write(2, text, sizeof(text) - 1) < 0)
		return 9;
	return strcmp(how, "fine") != 0;
}
