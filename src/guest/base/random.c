/* random.c -- the seeded generator behind AT_RANDOM, getrandom, /dev/urandom and RDRAND.
 *
 * The same seed gives the same bytes: programs that hash or shuffle by them count the same.
 * NOT MODELLED   unpredictability: a program run under softpmu must not make keys that matter.
 * SOURCES        Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (SplitMix64).
 */
#include "guest/gst.h"

uint64_t gst_random(struct gst *g)
{
	uint64_t z;

	g->random += 0x9e3779b97f4a7c15ull;
	z = g->random;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

void gst_random_fill(struct gst *g, void *to, size_t bytes)
{
	unsigned char *p = to;

	while (bytes) {
		uint64_t word = gst_random(g);
		size_t n = bytes < 8 ? bytes : 8;

		memcpy(p, &word, n);
		p += n;
		bytes -= n;
	}
}
