/* bytes.h -- numbers as bytes: 7 bits each, low ones first, the last byte below 128; signed ones as
 * 0, -1, 1, -2 ...
 *
 * TRUST   a reader stops at the end of its bytes; what is read behind it, or is no number, is 0 and
 *         sets is_bad.
 */
#ifndef SOFTPMU_RECORD_BYTES_H
#define SOFTPMU_RECORD_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow. All 0 is empty. */
struct rec_bytes {
	uint8_t *at; /* owned; rec_bytes_free() */
	size_t n, room;
	bool is_lost; /* memory was out: something is missing */
};

void rec_put(struct rec_bytes *b, const void *bytes, size_t n);
void rec_put_number(struct rec_bytes *b, uint64_t n);
void rec_put_signed(struct rec_bytes *b, int64_t n);
/* Its length in front. */
void rec_put_text(struct rec_bytes *b, const char *text);
void rec_bytes_free(struct rec_bytes *b);

/* Bytes that are read. */
struct rec_reader {
	const uint8_t *at, *end; /* borrowed */
	bool is_bad;
};

uint64_t rec_get_number(struct rec_reader *r);
int64_t rec_get_signed(struct rec_reader *r);
/* A copy with a 0 behind it, owned by the caller; NULL without memory or when it is bad. most:
 * bytes at most. */
char *rec_get_text(struct rec_reader *r, size_t most);
/* As rec_get_text(), for a name that is shown: control characters, which could end a line of a
 * report or move a terminal's cursor, become '?'. */
char *rec_get_name(struct rec_reader *r, size_t most);
/* Returns room, all 0, for n things of `size` bytes, owned by the caller; NULL without memory, or
 * where the reader has not a byte for each. */
void *rec_get_room(struct rec_reader *r, uint64_t n, size_t size);

/* Returns room for n counts, all 0, owned by the caller, and takes them off *left; NULL without
 * memory, or when fewer are left. */
#define REC_MOST_COUNTS (256u << 20)
int64_t *rec_get_cells(struct rec_reader *r, uint64_t n, uint64_t *left);

/* CRC-32C (Castagnoli) of n bytes; crc: of those before them, 0 at the beginning. */
uint32_t rec_crc(uint32_t crc, const uint8_t *bytes, size_t n);

#endif
