/* bytes.c -- appends and reads numbers, and the room of a reader. Rules: bytes.h. */
#include "record/bytes.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 4096u
#define MOST_BYTES 10u /* of a number */

void rec_put(struct rec_bytes *b, const void *bytes, size_t n)
{
	if (!n)
		return;
	if (b->room - b->n < n) {
		size_t room = b->room ? b->room : FIRST_ROOM;
		void *p;

		while (room - b->n < n)
			room *= 2;
		p = realloc(b->at, room);
		if (!p) {
			b->is_lost = true;
			return;
		}
		b->at = p;
		b->room = room;
	}
	memcpy(b->at + b->n, bytes, n);
	b->n += n;
}

void rec_put_number(struct rec_bytes *b, uint64_t n)
{
	uint8_t byte[MOST_BYTES];
	size_t k = 0;

	while (n > 127) {
		byte[k++] = (uint8_t)(n | 128);
		n >>= 7;
	}
	byte[k++] = (uint8_t)n;
	rec_put(b, byte, k);
}

void rec_put_signed(struct rec_bytes *b, int64_t n)
{
	rec_put_number(b, (uint64_t)n << 1 ^ (n < 0 ? UINT64_MAX : 0));
}

void rec_put_text(struct rec_bytes *b, const char *text)
{
	rec_put_number(b, strlen(text));
	rec_put(b, text, strlen(text));
}

void rec_bytes_free(struct rec_bytes *b)
{
	free(b->at);
	*b = (struct rec_bytes){0};
}

uint64_t rec_get_number(struct rec_reader *r)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < MOST_BYTES && r->at < r->end; k++) {
		const uint8_t byte = *r->at++;

		n |= (uint64_t)(byte & 127) << 7 * k;
		if (byte < 128)
			return n;
	}
	r->is_bad = true;
	return 0;
}

int64_t rec_get_signed(struct rec_reader *r)
{
	const uint64_t n = rec_get_number(r);

	return (int64_t)(n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
}

char *rec_get_text(struct rec_reader *r, size_t most)
{
	const uint64_t n = rec_get_number(r);
	char *text;

	if (r->is_bad || n > most || n > (size_t)(r->end - r->at) || memchr(r->at, 0, n)) {
		r->is_bad = true;
		return NULL;
	}
	text = malloc(n + 1);
	if (!text) {
		r->is_bad = true;
		return NULL;
	}
	memcpy(text, r->at, n);
	text[n] = 0;
	r->at += n;
	return text;
}

char *rec_get_name(struct rec_reader *r, size_t most)
{
	char *name = rec_get_text(r, most);

	for (char *c = name; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return name;
}

void *rec_get_room(struct rec_reader *r, uint64_t n, size_t size)
{
	void *p;

	if (r->is_bad || n > (size_t)(r->end - r->at)) {
		r->is_bad = true;
		return NULL;
	}
	p = calloc(n + 1, size);
	r->is_bad = !p;
	return p;
}

int64_t *rec_get_cells(struct rec_reader *r, uint64_t n, uint64_t *left)
{
	int64_t *p = NULL;

	if (!r->is_bad && n <= *left)
		p = calloc(n + 1, sizeof(*p));
	if (p)
		*left -= n;
	r->is_bad |= !p;
	return p;
}

uint32_t rec_crc(uint32_t crc, const uint8_t *bytes, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		for (unsigned k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return ~crc;
}
