/* shelf.c -- the shelf's memory, an anonymous mapping that forked processes share. Rules are in
 * shelf.h.
 *
 * Room is taken by a compare-and-exchange on one number and never given back. A page or block
 * becomes visible by another one on the head of its list, after all its bytes are written: a
 * reader sees all of it or nothing, and a process that is killed in between wastes some bytes at
 * most. All processes have the mapping at one address, because they are forked from the one that
 * made it; so lists are plain pointers.
 */
#include "translate/shelf.h"

#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

#define SHELF_BYTES	 (128u << 20)
#define SHELF_PAGE_BYTES 4096u
#define N_BUCKETS	 (1u << 13)

/* Pages of one key that are looked at: more are different bytes with one hash. */
#define MOST_ALIKE 16u

/* A page that somebody has met. */
struct met {
	struct met *next;
	uint64_t sign;
};

struct xlt_shelf {
	uint64_t used; /* bytes from the start of this structure on */
	struct met *met[N_BUCKETS];
	struct xlt_shelf_page *bucket[N_BUCKETS];
};

int xlt_shelf_open(struct xlt_shelf **out)
{
	void *p = mmap(NULL, SHELF_BYTES, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -SPMU_ENOMEM;
	*out = p;
	(*out)->used = (sizeof(**out) + 15) & ~(uint64_t)15;
	return 0;
}

void xlt_shelf_close(struct xlt_shelf *s)
{
	if (s)
		munmap(s, SHELF_BYTES);
}

static uint64_t hash_of(const uint8_t *bytes)
{
	uint64_t h[4] = {1, 2, 3, 4}, word;

	for (unsigned at = 0; at < SHELF_PAGE_BYTES; at += 32) {
		for (unsigned k = 0; k < 4; k++) {
			memcpy(&word, bytes + at + 8 * k, 8);
			h[k] = (h[k] ^ word) * 0x9e3779b97f4a7c15ull;
			h[k] ^= h[k] >> 29;
		}
	}
	return ((h[0] * 3 + h[1]) * 5 + h[2]) * 7 + h[3];
}

void *xlt_shelf_room(struct xlt_shelf *s, size_t bytes)
{
	uint64_t at = __atomic_load_n(&s->used, __ATOMIC_RELAXED);

	bytes = (bytes + 15) & ~(size_t)15;
	do {
		if (bytes > SHELF_BYTES - at)
			return NULL;
	} while (!__atomic_compare_exchange_n(&s->used, &at, at + bytes, 1, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return (uint8_t *)s + at;
}

static const uint8_t *copy_bytes(struct xlt_shelf *s, const uint8_t *bytes)
{
	void *p = xlt_shelf_room(s, SHELF_PAGE_BYTES);

	return p ? memcpy(p, bytes, SHELF_PAGE_BYTES) : NULL;
}

/* Was the page met before? From now on it was. */
static int is_met(struct xlt_shelf *s, uint64_t sign)
{
	struct met **bucket = &s->met[sign & (N_BUCKETS - 1)];
	struct met *first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE), *m;

	for (m = first; m; m = m->next)
		if (m->sign == sign)
			return 1;
	m = xlt_shelf_room(s, sizeof(*m));
	if (!m)
		return 0;
	*m = (struct met){first, sign};
	while (!__atomic_compare_exchange_n(bucket, &m->next, m, 0, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	return 0;
}

/* Two processes may make one each at the same time: the older one is not found any more. */
struct xlt_shelf_page *xlt_shelf_page(struct xlt_shelf *s, uint64_t addr, uint32_t kind,
				      const uint8_t *bytes)
{
	const uint64_t hash = hash_of(bytes);
	struct xlt_shelf_page **bucket =
	    &s->bucket[(addr >> 12 ^ hash ^ hash >> 32) & (N_BUCKETS - 1)];
	struct xlt_shelf_page *first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE), *p;
	const uint8_t *kept = NULL;
	unsigned alike = 0;

	for (p = first; p && alike < MOST_ALIKE; p = p->next) {
		if (p->addr != addr || p->hash != hash)
			continue;
		alike++;
		if (memcmp(p->bytes, bytes, SHELF_PAGE_BYTES) != 0)
			continue;
		if (p->kind == kind)
			return p;
		kept = p->bytes;
	}
	if (!kept && !is_met(s, (addr + kind) * 0x9e3779b97f4a7c15ull ^ hash ^ hash >> 32))
		return NULL;
	if (!kept)
		kept = copy_bytes(s, bytes);
	p = kept ? xlt_shelf_room(s, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	*p = (struct xlt_shelf_page){
	    .next = first, .addr = addr, .hash = hash, .kind = kind, .bytes = kept};
	while (!__atomic_compare_exchange_n(bucket, &p->next, p, 0, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	return p;
}

void xlt_shelf_put(struct xlt_shelf_page *p, unsigned line, struct xlt_shelved *thing)
{
	struct xlt_shelved **first = &p->first[line];

	thing->next = __atomic_load_n(first, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(first, &thing->next, thing, 0, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	__atomic_fetch_add(&p->n, 1, __ATOMIC_RELEASE);
}
