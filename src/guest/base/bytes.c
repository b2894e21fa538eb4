/* bytes.c -- memory and text functions, because the runtime has no libc. memcpy, memmove, memset
 * and memcmp have their standard names: the compiler calls them, too. */
#include "guest/base/bytes.h"

void *memcpy(void *to, const void *from, size_t bytes)
{
	void *ret = to;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
	return ret;
}

void *memmove(void *to, const void *from, size_t bytes)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	if (d <= s || d >= s + bytes)
		return memcpy(to, from, bytes);
	while (bytes >= 8) { /* backwards by words: the lists of the runtime move this way */
		uint64_t word;

		bytes -= 8;
		__builtin_memcpy(&word, s + bytes, 8);
		__builtin_memcpy(d + bytes, &word, 8);
	}
	while (bytes) {
		bytes--;
		((volatile unsigned char *)d)[bytes] = s[bytes];
	}
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	void *ret = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
	return ret;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < bytes; i++) {
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

size_t gst_length(const char *text)
{
	size_t n = 0;

	while (((const volatile char *)text)[n])
		n++;
	return n;
}

int gst_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

int gst_begins(const char *text, const char *head)
{
	while (*head && *text == *head)
		text++, head++;
	return !*head;
}

void gst_text_start(struct gst_text *t, char *buf, size_t room)
{
	t->at = buf;
	t->used = 0;
	t->room = room;
	buf[0] = 0;
}

void gst_text_add(struct gst_text *t, const char *s)
{
	if (!s)
		return;
	while (*s && t->used + 1 < t->room)
		t->at[t->used++] = *s++;
	t->at[t->used] = 0;
}

void gst_text_dec(struct gst_text *t, int64_t n)
{
	char buf[24];
	size_t i = sizeof(buf) - 1;
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	buf[i] = 0;
	do {
		buf[--i] = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (n < 0)
		buf[--i] = '-';
	gst_text_add(t, buf + i);
}

void gst_text_hex(struct gst_text *t, uint64_t n, unsigned digits)
{
	char buf[20];
	size_t i = sizeof(buf) - 1;

	buf[i] = 0;
	do {
		buf[--i] = "0123456789abcdef"[n & 15];
		n >>= 4;
		if (digits)
			digits--;
	} while ((n || digits) && i);
	gst_text_add(t, buf + i);
}

void gst_text_dec_width(struct gst_text *t, uint64_t n, unsigned width)
{
	unsigned digits = 1;

	for (uint64_t u = n; u >= 10; u /= 10)
		digits++;
	while (digits++ < width)
		gst_text_add(t, " ");
	gst_text_dec(t, (int64_t)n);
}

uint64_t gst_number(const char *s)
{
	uint64_t n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + (uint64_t)(*s++ - '0');
	return n;
}
