/* stream.h -- what the plugin in QEMU tells softpmu, as words of 8 bytes in shared memory.
 *
 * Shared by the plugin (src/bare/plugin) and by softpmu (src/bare); no libc. The memory is one
 * file: struct bare_share, then BARE_CHUNKS chunks of BARE_CHUNK_WORDS words. The plugin fills
 * chunks one behind the other, softpmu empties them. Records never straddle two chunks.
 *
 * LAYOUT           one word, then what it says follows. Bit 63 of the word:
 *   0   a stretch of guest code ran:  bits 0..31 its number, 32..43 how many of its counted
 *       instructions began (BARE_SIZE_COUNTED), 44..62 how many accesses follow, a word each:
 *       bits 0..31 linear address, 32 written, 33..42 number of the instruction, 43..63 the low
 *       bits of the number of the stretch that the instruction was translated in. This may be
 *       another one: QEMU translates an instruction that reaches a device once more, by itself.
 *   1   bits 56..62 enum bare_kind, 0..31 payload bytes, which follow, padded to whole words.
 * TRUST            a guest cannot write here, but QEMU may be taken over by one: softpmu checks
 *                  every number that it reads.
 */
#ifndef SOFTPMU_BARE_STREAM_H
#define SOFTPMU_BARE_STREAM_H

#include <stdint.h>

#define BARE_MAGIC	 0x45524142554d5053ull /* "SPMUBARE" */
#define BARE_VERSION	 4u
#define BARE_CHUNKS	 8u
#define BARE_CHUNK_WORDS 32768u
#define BARE_MOST_RECORD 8192u /* words of one record; a chunk with less room than this is full */
#define BARE_MOST_INSNS	 512u
#define BARE_MOST_TEXT	 4096u

enum bare_kind {
	/* struct bare_block, then n_insn bytes (size of each instruction, BARE_SIZE_COUNTED when
	 * its beginning is counted), then the code, one instruction behind the other. Precedes the
	 * first run of its number, numbers ascend by one. */
	BARE_BLOCK,
	/* u32 number: the stretches below it will not run again */
	BARE_FORGET,
	/* bytes of the console, in order: all that the code before this record has sent */
	BARE_CONSOLE,
	/* no payload: the processor waits for an interrupt (HLT) */
	BARE_IDLE,
	/* no payload: QEMU leaves in good order */
	BARE_END,
	/* struct bare_ask: the stretch that runs asks for a counter, and waits for the answer */
	BARE_ASK,
	/* u32 vector: an interrupt that no instruction asked for is accepted in front of the next
	 * run (a QEMU with softpmu's patch tells) */
	BARE_INTERRUPT,
	/* u32: bit 0: IF is 0; bit 1: ... and an interrupt waits; so it is when the next run begins
	 * (a QEMU with softpmu's patch tells) */
	BARE_MASK,
	/* struct bare_page: the processor finds this page so from the run before this record on,
	 * or, where a BARE_FLUSH stands between, from the next run on (a QEMU with softpmu's patch
	 * tells) */
	BARE_PAGE,
	/* u32 enum trc_flush, u32 linear page number: the last instruction of the run before this
	 * record has the processor drop entries of its TLBs (a QEMU with softpmu's patch tells) */
	BARE_FLUSH,
	BARE_N_KINDS
};
#define BARE_SIZE_COUNTED 0x80u
#define BARE_SPECIAL	  (1ull << 63)
#define BARE_ACCESS_WRITE (1ull << 32)
#define BARE_INSN_SHIFT	  33u
#define BARE_TAG_SHIFT	  43u
#define BARE_TAG_MASK	  ((1u << 21) - 1)
#define BARE_BEGUN_SHIFT  32u
#define BARE_COUNT_SHIFT  44u
#define BARE_COUNT_MASK	  ((1u << 19) - 1)

/* Numbers as in struct trc_page. */
struct bare_page {
	uint32_t page, frame, pde, pte, flags;
};

enum bare_width { BARE_WIDTH_UNKNOWN, BARE_WIDTH_16, BARE_WIDTH_32 };
struct bare_block {
	uint32_t number;
	uint32_t pc; /* linear */
	uint16_t n_insn;
	uint8_t width; /* enum bare_width: what QEMU's disassembler says */
	uint8_t ring;  /* privilege level 0 to 3 that it runs at, or BARE_NO_RING: not known */
	uint32_t code_bytes;
};

#define BARE_NO_RING 0xffu

/* A question about the processor's counters (a QEMU with softpmu's patch asks them). */
enum bare_what {
	BARE_READ_COUNTER,
	BARE_READ_MSR,
	BARE_WRITE_MSR,
	BARE_LOOK, /* has a counter passed its end? The value is 1 where its interrupt is due */
};
struct bare_ask {
	uint32_t what;	/* enum bare_what */
	uint32_t index; /* ECX of RDPMC, number of the MSR; LOOK: of the stretch that begins next */
	uint64_t value; /* that is written */
};
/* What became of it, in QEMU's numbers (src/bare/plugin/qemu.h). */
enum bare_answer { BARE_DONE, BARE_GPF, BARE_ILLOP, BARE_NOT_MINE };

/* The plugin sets `state` last. */
enum bare_state { BARE_NOT_THERE, BARE_READY, BARE_WRONG_VERSION, BARE_WRONG_MACHINE };

struct bare_share {
	uint64_t magic;
	uint32_t version;
	uint32_t state;		    /* plugin: enum bare_state */
	int32_t api_least, api_now; /* plugin: versions of QEMU's interface */
	/* The plugin has filled chunk number `produced` - 1 and those before; softpmu is through
	 * with `consumed` of them. Chunk number n lies at n % BARE_CHUNKS. Each side sleeps on the
	 * other one's counter, and says so. */
	uint32_t produced __attribute__((aligned(64)));
	uint32_t reader_sleeps;
	uint32_t consumed __attribute__((aligned(64)));
	uint32_t writer_sleeps;
	uint32_t is_over; /* softpmu: it reads no more */
	/* softpmu: so many questions were answered; the last one's answer and value. The plugin
	 * sleeps on their number. */
	uint32_t answers __attribute__((aligned(64)));
	uint32_t answer; /* enum bare_answer */
	uint64_t value;
	/* softpmu, with each answer BARE_DONE: the plugin looks (BARE_LOOK) when so many
	 * instructions more were executed, the one that asks included; 0: it does not */
	uint64_t look_in;
	uint32_t asker_sleeps;
	uint32_t has_counters; /* plugin: QEMU has softpmu's patch */
	uint32_t n_words[BARE_CHUNKS] __attribute__((aligned(64)));
};
#define BARE_SHARE_BYTES  4096u
#define BARE_MEMORY_BYTES (BARE_SHARE_BYTES + 8ull * BARE_CHUNK_WORDS * BARE_CHUNKS)

/* The words of chunk number n. */
static inline uint64_t *bare_chunk(struct bare_share *s, uint32_t n)
{
	return (uint64_t *)(void *)((uint8_t *)s + BARE_SHARE_BYTES) +
	       (uint64_t)(n % BARE_CHUNKS) * BARE_CHUNK_WORDS;
}

#endif
