/* bytes.h -- memory and text without a libc.
 *
 * memcpy, memset, memmove and memcmp have the standard meaning; the compiler calls them too.
 */
#ifndef SOFTPMU_GUEST_BYTES_H
#define SOFTPMU_GUEST_BYTES_H

#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

/* Length of a NUL terminated text in bytes. */
size_t gst_length(const char *text);

/* True when the texts are equal. */
int gst_equal(const char *a, const char *b);

/* True when `text` begins with `head`. */
int gst_begins(const char *text, const char *head);

/* Text under construction in a buffer of the caller; what does not fit is dropped, the text is
 * always NUL terminated. */
struct gst_text {
	char *at;
	size_t used, room; /* room includes the NUL */
};

/* Start an empty text in buf[room], room >= 1. */
void gst_text_start(struct gst_text *t, char *buf, size_t room);

/* Append a text; NULL appends nothing. */
void gst_text_add(struct gst_text *t, const char *s);

/* Append a number in decimal. */
void gst_text_dec(struct gst_text *t, int64_t n);

/* Append a number in hexadecimal, at least `digits` digits, without 0x. */
void gst_text_hex(struct gst_text *t, uint64_t n, unsigned digits);

/* Append decimal, right-aligned by blanks to `width`. */
void gst_text_dec_width(struct gst_text *t, uint64_t n, unsigned width);

/* Read a decimal number; stops at the first other character. */
uint64_t gst_number(const char *s);

#endif
