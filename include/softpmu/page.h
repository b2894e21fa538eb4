/* page.h -- read a counter without a system call: the page that the kernel shares per event, and
 * RDPMC.
 *
 * perf_event_open(2) lets a program map one page per event. While the event is on a counter of this
 * processor the page says on which (index - 1), how wide it is (pmc_width), and what to add
 * (offset). The kernel changes `lock` before and after it changes these, so they belong together
 * when `lock` was the same before and after.
 *
 * Everything here is inline: a few tens of clocks, no call, no memory but the page. Two reads of
 * the same thread are in order; RDPMC itself is not: an instruction before or behind it in the
 * program may be counted or not. spmu_serialize() between them makes it exact.
 */
#ifndef SOFTPMU_PAGE_H
#define SOFTPMU_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads hardware counter number `counter`. A program may define another SPMU_RDPMC before it
 * includes this file. The tests do, because they have no counters. */
#ifndef SPMU_RDPMC
#define SPMU_RDPMC(counter) spmu_rdpmc(counter)
#endif

/**
 * Read hardware counter `counter` (0, 1 ...) of this processor, zero-extended.
 *
 * Faults (SIGSEGV) where the system does not allow it: ask the page (cap_user_rdpmc) first.
 */
static inline uint64_t spmu_rdpmc(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter) : "memory");
	return (uint64_t)high << 32 | low;
}

/**
 * Wait until every earlier instruction has completed, and let no later one start before that. This
 * is CPUID, the only such instruction that all processors have in user mode. 100 clocks and more; a
 * microsecond and more in a virtual machine.
 */
static inline void spmu_serialize(void)
{
	uint32_t eax = 0, ecx = 0;

#if defined(__i386__) && defined(__PIC__)
	uint32_t ebx; /* EBX holds the table of addresses */

	__asm__ volatile("xchgl %%ebx, %1\n\tcpuid\n\txchgl %%ebx, %1"
			 : "+a"(eax), "=&r"(ebx), "+c"(ecx)
			 :
			 : "edx", "memory");
#else
	__asm__ volatile("cpuid" : "+a"(eax), "+c"(ecx) : : "ebx", "edx", "memory");
#endif
}

/**
 * Count of an event: what the kernel had counted, and what stands in its counter.
 *
 * offset   of the page.
 * counter  what RDPMC gave; bits above `width` are ignored, bit width - 1 is its sign.
 * width    bits of the counter, 1 to 64.
 * Sums wrap at 2^64, as the kernel's do. The kernel keeps counters negative, so that they overflow
 * into an interrupt: the sum is right on both sides of that.
 */
static inline uint64_t spmu_page_sum(int64_t offset, uint64_t counter, unsigned width)
{
	const unsigned unused = 64u - width;

	return (uint64_t)offset + (uint64_t)((int64_t)(counter << unused) >> unused);
}

/**
 * Read the count of the event whose page this is.
 *
 * page     as mapped, of an event that counts the calling thread: RDPMC reads the processor that
 *          this thread runs on.
 * count    receives the count; it is undefined when false is returned.
 * Returns  true with *count since the event was opened or reset; false when it is on no counter
 *          that user code may read just now (not enabled, software event, taken off by the
 *          scheduler, CR4.PCE clear): then read(2) on its descriptor gives the count.
 * Cost     about 15 instructions and one RDPMC; again from the start when the kernel interferes.
 */
static inline bool spmu_page_read(const volatile struct perf_event_mmap_page *page, uint64_t *count)
{
	uint32_t lock, index, width;
	uint64_t sum = 0;

	do {
		lock = page->lock;
		__asm__ volatile("" : : : "memory"); /* x86 keeps loads in order */
		index = page->index;
		width = page->pmc_width;
		if (!page->cap_user_rdpmc || width - 1 > 63)
			index = 0;
		if (index)
			sum = spmu_page_sum(page->offset, SPMU_RDPMC(index - 1), width);
		__asm__ volatile("" : : : "memory");
	} while ((lock & 1) || page->lock != lock);
	*count = sum;
	return index != 0;
}

#ifdef __cplusplus
}
#endif

#endif
