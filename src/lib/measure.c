/* measure.c -- take counts, and what lies between two takings.
 *
 * The counters run all the time; a measurement is a difference, so starting and stopping is
 * reading. What is read first at the end and last at the beginning is in the measurement:
 * calibration goes the same way.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <softpmu/page.h>

#include "lib/lib.h"

/* All counts by one read(2) of the group. Returns `way`. */
static int take_by_call(const struct spmu_thread *t, uint64_t *value, enum lib_way way)
{
	struct {
		uint64_t n, value[SPMU_MOST_EVENTS];
	} got;
	const ssize_t n = read(t->fd[t->leader], &got, sizeof(got));

	if (n < (ssize_t)((1 + t->n) * sizeof(uint64_t)) || got.n != t->n)
		return -SPMU_ESYS; /* 0 bytes: pinned, but no counter was free */
	for (size_t i = 0; i < t->n; i++)
		value[i] = got.value[t->place[i]];
	return (int)way;
}

static int take_inline(const struct spmu_thread *t,
		       const volatile struct perf_event_mmap_page *const *page, uint64_t *value)
{
	for (size_t i = 0; i < t->n; i++)
		if (!spmu_page_read(page[i], &value[i]))
			return take_by_call(t, value, LIB_FALLBACK);
	return LIB_INLINE;
}

int lib_take(struct spmu_thread *t, int end, uint64_t *value)
{
	const volatile struct perf_event_mmap_page *const *page = t->look[end];
	int rc;

	if (!t->session->is_serial)
		return page ? take_inline(t, page, value) : take_by_call(t, value, LIB_CALL);
	spmu_serialize();
	rc = page ? take_inline(t, page, value) : take_by_call(t, value, LIB_CALL);
	spmu_serialize();
	return rc;
}

/* value becomes value - before - least, and no less than 0. */
static void subtract(uint64_t *value, const uint64_t *before, const uint64_t *least, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t all = value[i] - before[i];

		value[i] = all > least[i] ? all - least[i] : 0;
	}
}

int spmu_start(struct spmu_thread *t)
{
	const int way = lib_take(t, LIB_BEGIN, t->start);

	if (way < 0)
		return way;
	t->start_way = (enum lib_way)way;
	return 0;
}

int spmu_read(struct spmu_thread *t, uint64_t *value)
{
	const int way = lib_take(t, LIB_END, value);

	if (way < 0)
		return way;
	subtract(value, t->start, t->least[t->start_way][way], t->n);
	return 0;
}

/* Stop, and nobody wants to know. */
static __attribute__((noinline)) int stop_only(struct spmu_thread *t)
{
	uint64_t nobody[SPMU_MOST_EVENTS];

	return spmu_read(t, nobody);
}

/* Room for counts is made elsewhere: what is done here before the counters are read would be
 * counted. */
int spmu_stop(struct spmu_thread *t, uint64_t *value)
{
	return value ? spmu_read(t, value) : stop_only(t);
}

void lib_add_entry(struct spmu_total *to, const uint64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to->sum[i] += value[i];
		if (!to->entries || value[i] < to->least[i])
			to->least[i] = value[i];
		if (value[i] > to->most[i])
			to->most[i] = value[i];
	}
	to->entries++;
}

void lib_add_total(struct spmu_total *to, const struct spmu_total *from, size_t n)
{
	if (!from->entries)
		return;
	for (size_t i = 0; i < n; i++) {
		to->sum[i] += from->sum[i];
		if (!to->entries || from->least[i] < to->least[i])
			to->least[i] = from->least[i];
		if (from->most[i] > to->most[i])
			to->most[i] = from->most[i];
	}
	to->entries += from->entries;
}

/* Have slots for all regions that there are. */
static int grow(struct spmu_thread *t)
{
	struct lib_slot *slot;
	size_t n;
	int rc = 0;

	pthread_mutex_lock(&t->session->lock);
	n = t->session->n_region;
	pthread_mutex_unlock(&t->session->lock);
	pthread_mutex_lock(&t->lock);
	slot = realloc(t->slot, n * sizeof(*slot));
	if (slot) {
		memset(slot + t->n_slot, 0, (n - t->n_slot) * sizeof(*slot));
		t->slot = slot;
		t->n_slot = n;
	} else {
		rc = -SPMU_ENOMEM;
	}
	pthread_mutex_unlock(&t->lock);
	return rc;
}

int spmu_begin(struct spmu_thread *t, int region)
{
	int way;

	if (region < t->first_region)
		return -SPMU_EINVAL;
	if ((size_t)region >= t->n_slot) {
		int rc = grow(t);

		if (rc)
			return rc;
		if ((size_t)region >= t->n_slot)
			return -SPMU_EINVAL;
	}
	if (t->slot[region].depth++)
		return 0;
	way = lib_take(t, LIB_BEGIN, t->slot[region].entry);
	if (way < 0) { /* the region has not begun */
		t->slot[region].depth = 0;
		return way;
	}
	t->slot[region].entry_way = (enum lib_way)way;
	return 0;
}

int spmu_end(struct spmu_thread *t, int region)
{
	uint64_t value[SPMU_MOST_EVENTS];
	struct lib_slot *slot;
	int way;

	if (region < t->first_region || (size_t)region >= t->n_slot || !t->slot[region].depth)
		return -SPMU_EINVAL;
	slot = &t->slot[region];
	if (slot->depth > 1) {
		slot->depth--;
		return 0;
	}
	way = lib_take(t, LIB_END, value);
	slot->depth = 0;
	if (way < 0)
		return way;
	subtract(value, slot->entry, t->least_region[slot->entry_way][way], t->n);
	pthread_mutex_lock(&t->lock);
	lib_add_entry(&slot->total, value, t->n);
	pthread_mutex_unlock(&t->lock);
	return 0;
}
