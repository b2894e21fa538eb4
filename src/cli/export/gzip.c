/* gzip.c -- a gzip file of stored blocks (RFC 1951, 3.2.4). No library is wanted for it. */
#include "cli/export/gzip.h"

#define MOST_BLOCK 65535u

static uint32_t crc32_of(const uint8_t *bytes, size_t n)
{
	uint32_t crc = 0xffffffffu;

	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* Low byte first. */
static void put_low_first(uint64_t value, unsigned n_bytes, FILE *out)
{
	for (unsigned i = 0; i < n_bytes; i++)
		fputc((int)(value >> 8 * i & 0xff), out);
}

void cli_put_gzip(const uint8_t *bytes, size_t n, FILE *out)
{
	/* magic, deflate, no flags, no time, no hint, unknown system */
	static const uint8_t head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
	const uint32_t crc = crc32_of(bytes, n);
	size_t left = n;

	fwrite(head, 1, sizeof(head), out);
	do {
		const size_t part = left < MOST_BLOCK ? left : MOST_BLOCK;

		put_low_first(part == left, 1, out); /* the last one? */
		put_low_first(part, 2, out);
		put_low_first(~(uint64_t)part, 2, out);
		fwrite(bytes, 1, part, out);
		bytes += part;
		left -= part;
	} while (left);
	put_low_first(crc, 4, out);
	put_low_first(n, 4, out);
}
