/* plugin.c -- the plugin that softpmu bare loads into QEMU: it tells what the machine executes.
 *
 * COUNTING RULES   each stretch of code that QEMU translates is told once (BARE_BLOCK); each run of
 *                  one is told with its accesses and with how many of its instructions began. A
 *                  stretch that stops early, at a fault or at a device that QEMU reaches only from
 *                  the end of one, so tells how far it came.
 * MODELLED         one processor, linear addresses of 32 bits.
 *                  With the patch of tools/bare: the privilege level of each stretch, interrupts
 *                  and IF, counters that softpmu answers for, pages and flushes of TLBs, and the
 *                  modelled processor's rate of the time-stamp counter.
 * NOT MODELLED     long mode; accesses of interrupts, of page walks and of segment loads that QEMU
 *                  makes outside of code.
 * TRUST            see stream.h. No glib: the heap is libc's, which QEMU's glib uses, too.
 */
#include "bare/plugin/qemu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bare/plugin/quiet.h"
#include "bare/stream.h"
#include "trace/wait.h"

QEMU_PUBLIC int qemu_plugin_version = QEMU_VERSION_USED;

#define IS_OUTPUT (1ull << 32) /* in a stretch's number: its last instruction may write a port */
#define N_SHIFT	  33u	       /* ... and from here on how many instructions it has */
#define HLT	  0xf4
#define SLEEP_NS  100000000u
#define PAGES	  4096u

/* Records of other kinds that wait until the record under way is closed, as tell() would write
 * them. */
struct waiting {
	uint64_t *word; /* owned */
	size_t n, room;
};

/* All state of the plugin. QEMU's callbacks of single instructions have no room for more than a
 * number, so that it lies at file scope; one thread, that of the processor, uses it. */
static struct {
	struct bare_share *share;
	uint64_t *at, *full; /* in the chunk that is filled: the next word, and where it is full */
	uint64_t *first;     /* its first word */
	uint64_t *head;	     /* of the record under way; NULL: none is */
	uint64_t number;     /* of its stretch, with IS_OUTPUT */
	uint64_t begun;	     /* of its counted instructions; QEMU's code counts it up */
	uint32_t n_stretch;
	uint32_t gone;	     /* stretches below this number are gone: QEMU dropped them */
	uint32_t is_due;     /* runs that begin until softpmu is told; 0: it was told */
	uint32_t store_bits; /* of what QEMU says about an access: those of a store */
	int console;	     /* what the machine's console has written; -1: none */
	struct waiting waiting;
	struct qemu_page page[PAGES]; /* those told last, by low bits of their number */
	struct qemu_counters counters;
	/* of the processor; NULL: not known */
	const uint32_t *eflags, *requests;
	uint32_t mask;	  /* payload of the last BARE_MASK */
	uint64_t look_in; /* instructions up to the next question about overflows (BARE_LOOK) */
	bool is_looking;  /* there will be one */
	bool is_stepping; /* stretches have one instruction each */
} plugin;

/* ---- chunks ---------------------------------------------------------------------------------- */

static void begin_chunk(void)
{
	plugin.first = plugin.at = bare_chunk(plugin.share, plugin.share->produced);
	plugin.full = plugin.at + BARE_CHUNK_WORDS - BARE_MOST_RECORD;
}

static bool is_over(void)
{
	return __atomic_load_n(&plugin.share->is_over, __ATOMIC_RELAXED);
}

/* Hand over what is filled, and wait for an empty chunk. */
static void hand_over(void)
{
	struct bare_share *s = plugin.share;
	struct trc_wait wait = {0};
	uint32_t consumed;

	if (plugin.at == plugin.first)
		return;
	s->n_words[s->produced % BARE_CHUNKS] = (uint32_t)(plugin.at - plugin.first);
	__atomic_store_n(&s->produced, s->produced + 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&s->reader_sleeps, __ATOMIC_SEQ_CST))
		trc_futex_wake(&s->produced);
	while (s->produced - (consumed = __atomic_load_n(&s->consumed, __ATOMIC_ACQUIRE)) >=
		   BARE_CHUNKS &&
	       !is_over()) {
		if (!trc_wait_turn(&wait))
			continue;
		__atomic_store_n(&s->writer_sleeps, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&s->consumed, __ATOMIC_SEQ_CST) == consumed)
			trc_futex_wait(&s->consumed, consumed, SLEEP_NS);
		__atomic_store_n(&s->writer_sleeps, 0, __ATOMIC_SEQ_CST);
	}
	begin_chunk();
}

/* Write a record of the other kinds. No record may be under way. */
static void tell(enum bare_kind kind, const void *payload, uint32_t bytes)
{
	const uint32_t words = (bytes + 7) / 8;

	if (plugin.at >= plugin.full)
		hand_over();
	*plugin.at++ = BARE_SPECIAL | (uint64_t)kind << 56 | bytes;
	if (words)
		plugin.at[words - 1] = 0;
	memcpy(plugin.at, payload, bytes);
	plugin.at += words;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void tell_console(void)
{
	char text[BARE_MOST_TEXT];
	ssize_t n;

	while (plugin.console >= 0 && (n = read(plugin.console, text, sizeof(text))) > 0)
		tell(BARE_CONSOLE, text, (uint32_t)n);
}

/* The record under way has come to its end. */
static void close_record(void)
{
	const uint64_t n = (uint64_t)(plugin.at - plugin.head - 1);

	if (!plugin.head)
		return;
	*plugin.head =
	    (plugin.number & UINT32_MAX) | plugin.begun << BARE_BEGUN_SHIFT | n << BARE_COUNT_SHIFT;
	plugin.head = NULL;
	if (plugin.number & IS_OUTPUT)
		tell_console();
}

/* Returns where the payload of a record that waits is written. */
static uint8_t *wait_to_tell(enum bare_kind kind, uint32_t bytes)
{
	const size_t words = 1 + (bytes + 7) / 8;
	struct waiting *w = &plugin.waiting;

	if (w->n + words > w->room) {
		w->room = 2 * (w->n + words);
		w->word = realloc(w->word, w->room * sizeof(*w->word));
		if (!w->word)
			abort(); /* as QEMU does without memory */
	}
	w->word[w->n] = (uint64_t)kind << 56 | bytes;
	w->n += words;
	return (uint8_t *)&w->word[w->n - words + 1];
}

static void tell_waiting(void)
{
	struct waiting *w = &plugin.waiting;

	for (size_t i = 0; i < w->n;) {
		const uint32_t bytes = (uint32_t)w->word[i];

		tell((enum bare_kind)(w->word[i] >> 56), &w->word[i + 1], bytes);
		i += 1 + (bytes + 7) / 8;
	}
	w->n = 0;
}

/* QEMU has thrown its translations away. The run under way is one of those that are gone; softpmu
 * looks at it when the next one begins. */
static void tell_gone(void)
{
	if (--plugin.is_due == 0)
		tell(BARE_FORGET, &plugin.gone, sizeof(plugin.gone));
}

/* Tell whether interrupts are disabled, and whether one waits, where that has changed. */
static void tell_mask(void)
{
	const uint32_t waits = *plugin.requests & QEMU_REQUEST_INTR ? 3 : 1,
		       mask = *plugin.eflags & QEMU_EFLAGS_IF ? 0 : waits;

	if (mask == plugin.mask)
		return;
	plugin.mask = mask;
	tell(BARE_MASK, &mask, sizeof(mask));
}

static int ask(enum bare_what what, uint32_t index, uint64_t *value);

/* Where the place comes near that softpmu looks at, stretches get short. */
static void choose_step(void)
{
	const bool is_near = plugin.is_looking && plugin.look_in <= BARE_MOST_INSNS;

	if (is_near != plugin.is_stepping)
		softpmu_step(is_near);
	plugin.is_stepping = is_near;
}

/* Stretch `number` of n instructions begins: look for overflows, if those in front of it were the
 * last that were to run before. */
static void look(uint32_t number, uint32_t n)
{
	uint64_t is_due = 0;

	if (plugin.is_looking && !plugin.look_in && ask(BARE_LOOK, number, &is_due) == BARE_DONE &&
	    is_due)
		softpmu_overflow();
	plugin.look_in -= n < plugin.look_in ? n : plugin.look_in;
	choose_step();
}

/* A stretch begins to run. */
static void on_run(unsigned cpu, void *own)
{
	close_record();
	if (plugin.eflags)
		tell_mask();
	if (plugin.waiting.n)
		tell_waiting();
	if (plugin.is_due)
		tell_gone();
	if (plugin.is_looking || plugin.is_stepping)
		look((uint32_t)(uintptr_t)own, (uint32_t)((uintptr_t)own >> N_SHIFT));
	if (plugin.at >= plugin.full)
		hand_over();
	plugin.head = plugin.at++;
	plugin.number = (uint64_t)(uintptr_t)own;
	plugin.begun = 0;
}

/* own: all of the word but the address and whether it was written. */
static void on_access(unsigned cpu, uint32_t info, uint64_t address, void *own)
{
	if (!plugin.head || plugin.at - plugin.head >= BARE_MOST_RECORD)
		return;
	*plugin.at++ = (uint32_t)address | (uint64_t)(uintptr_t)own |
		       (info & plugin.store_bits ? BARE_ACCESS_WRITE : 0);
}

/* HLT begins, which nothing of its stretch follows. QEMU counts it behind this call. */
static void on_halt(unsigned cpu, void *own)
{
	plugin.begun++;
	close_record();
	tell_waiting();
	tell(BARE_IDLE, NULL, 0);
	hand_over();
}

static void on_flush(qemu_id id)
{
	plugin.gone = plugin.n_stretch;
	plugin.is_due = 2;
}

static void on_end(qemu_id id, void *own)
{
	if (!plugin.first)
		return;
	close_record();
	tell_waiting();
	tell_console();
	tell(BARE_END, NULL, 0);
	hand_over();
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Ask softpmu, and wait for the answer. What ran before is closed, so that softpmu knows all of it.
 * Returns enum bare_answer. */
static int ask(enum bare_what what, uint32_t index, uint64_t *value)
{
	struct bare_share *s = plugin.share;
	const struct bare_ask question = {what, index, *value};
	const uint32_t answers = __atomic_load_n(&s->answers, __ATOMIC_RELAXED);
	struct trc_wait wait = {0};

	close_record();
	tell(BARE_ASK, &question, sizeof(question));
	hand_over();
	while (__atomic_load_n(&s->answers, __ATOMIC_ACQUIRE) == answers && !is_over()) {
		if (!trc_wait_turn(&wait))
			continue;
		__atomic_store_n(&s->asker_sleeps, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&s->answers, __ATOMIC_SEQ_CST) == answers)
			trc_futex_wait(&s->answers, answers, SLEEP_NS);
		__atomic_store_n(&s->asker_sleeps, 0, __ATOMIC_SEQ_CST);
	}
	if (is_over())
		return BARE_NOT_MINE;
	*value = s->value;
	if (s->answer == BARE_DONE) {
		plugin.is_looking = s->look_in != 0;
		plugin.look_in = s->look_in - (s->look_in && what != BARE_LOOK);
		choose_step();
	}
	return (int)s->answer;
}

static int read_counter(uint32_t ecx, uint64_t *value)
{
	*value = 0;
	return ask(BARE_READ_COUNTER, ecx, value);
}

static int read_msr(uint32_t msr, uint64_t *value)
{
	*value = 0;
	return ask(BARE_READ_MSR, msr, value);
}

static int write_msr(uint32_t msr, uint64_t value)
{
	return ask(BARE_WRITE_MSR, msr, &value);
}

static void interrupt(uint32_t vector)
{
	close_record();
	tell(BARE_INTERRUPT, &vector, sizeof(vector));
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* QEMU's TLB gets a page, in front of the access that uses it. It had most of them before. */
static void on_page(const struct qemu_page *p)
{
	struct qemu_page *known = &plugin.page[p->page % PAGES];

	/* a walk that sets bits is told each time */
	if (p->flags & QEMU_PAGE_SETS || memcmp(known, p, sizeof(*p)) != 0)
		memcpy(wait_to_tell(BARE_PAGE, sizeof(*p)), p, sizeof(*p));
	*known = *p;
}

static void on_tlb_flush(uint32_t what, uint32_t address)
{
	const uint32_t flush[2] = {what, address >> 12};

	memcpy(wait_to_tell(BARE_FLUSH, sizeof(flush)), flush, sizeof(flush));
}

/* ---- translation ----------------------------------------------------------------------------- */

/* What QEMU's disassembler takes the width of the code for, from the names of registers; one
 * instruction whose operands have the width of the code says it. The QEMU of `make bare` has no
 * disassembler; it says the width itself. */
static enum bare_width width_of(const struct qemu_insn *insn)
{
	const uint8_t op = *(const uint8_t *)qemu_plugin_insn_data(insn);
	enum bare_width width = BARE_WIDTH_UNKNOWN;
	char *text;

	if (!bare_shows_width(op))
		return width;
	text = qemu_plugin_insn_disas(insn);
	if (text)
		width = strstr(text, "%e") ? BARE_WIDTH_32 : BARE_WIDTH_16;
	free(text);
	return width;
}

/* Announce a stretch. size[n] are those of stream.h. */
static void announce(const struct qemu_block *block, struct bare_block *b, const uint8_t *size)
{
	const uint32_t bytes = (uint32_t)sizeof(*b) + b->n_insn + b->code_bytes;
	uint8_t *to = wait_to_tell(BARE_BLOCK, bytes);

	memcpy(to, b, sizeof(*b));
	to += sizeof(*b);
	memcpy(to, size, b->n_insn);
	to += b->n_insn;
	for (size_t i = 0; i < b->n_insn; i++) {
		const struct qemu_insn *insn = qemu_plugin_tb_get_insn(block, i);

		memcpy(to, qemu_plugin_insn_data(insn), size[i] & ~BARE_SIZE_COUNTED);
		to += size[i] & ~BARE_SIZE_COUNTED;
	}
}

/* Have QEMU tell of one instruction's accesses and, if it may stop, of its beginning. */
static void watch(struct qemu_insn *insn, size_t i, uint32_t number, bool is_counted)
{
	const uint64_t own = (uint64_t)i << BARE_INSN_SHIFT | (uint64_t)(number & BARE_TAG_MASK)
								  << BARE_TAG_SHIFT;

	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_NO_REGISTERS, QEMU_READ_WRITE,
					 (void *)(uintptr_t)own);
	if (is_counted)
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_ADD_U64, &plugin.begun, 1);
	if (*(const uint8_t *)qemu_plugin_insn_data(insn) == HLT)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_halt, QEMU_NO_REGISTERS, NULL);
}

static void on_translate(qemu_id id, struct qemu_block *block)
{
	const size_t n = qemu_plugin_tb_n_insns(block);
	const uint32_t hflags = softpmu_hflags ? softpmu_hflags() : 0;
	struct bare_block b = {.number = plugin.n_stretch++,
			       .pc = (uint32_t)qemu_plugin_tb_vaddr(block),
			       .n_insn = (uint16_t)n,
			       .ring = softpmu_hflags ? hflags & QEMU_HFLAGS_RING : BARE_NO_RING,
			       .width = !softpmu_hflags		  ? BARE_WIDTH_UNKNOWN
					: hflags & QEMU_HFLAGS_32 ? BARE_WIDTH_32
								  : BARE_WIDTH_16};
	uint8_t size[BARE_MOST_INSNS];
	uint64_t own = b.number | (uint64_t)n << N_SHIFT;
	bool is_behind = false; /* one that may fault late: the next one's beginning tells */

	if (plugin.share->has_counters && !plugin.eflags) {
		plugin.eflags = softpmu_eflags();
		plugin.requests = softpmu_requests();
	}
	for (size_t i = 0; i < n && i < BARE_MOST_INSNS; i++) {
		struct qemu_insn *insn = qemu_plugin_tb_get_insn(block, i);
		const uint8_t *code = qemu_plugin_insn_data(insn);
		const size_t bytes = qemu_plugin_insn_size(insn);
		const bool is_counted = is_behind || !bare_is_quiet(code, bytes);

		is_behind = bare_faults_late(code, bytes);
		size[i] = (uint8_t)(bytes | (is_counted ? BARE_SIZE_COUNTED : 0u));
		b.code_bytes += size[i] & ~BARE_SIZE_COUNTED;
		if (b.width == BARE_WIDTH_UNKNOWN)
			b.width = (uint8_t)width_of(insn);
		watch(insn, i, b.number, is_counted);
		if (bare_writes_port(code, bytes))
			own |= IS_OUTPUT;
	}
	announce(block, &b, size);
	qemu_plugin_register_vcpu_tb_exec_cb(block, on_run, QEMU_NO_REGISTERS,
					     (void *)(uintptr_t)own);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Returns the number behind "name=" in the arguments, or -1. */
static int argument(int argc, char **argv, const char *name)
{
	const size_t n = strlen(name);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], name, n) && argv[i][n] == '=')
			return atoi(argv[i] + n + 1);
	return -1;
}

/* QEMU answers questions about an access by calls. The one that is asked at every access is worked
 * out once: which bits mean a store. */
static uint32_t find_store_bits(void)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 32; i++)
		if (qemu_plugin_mem_is_store(1u << i))
			bits |= 1u << i;
	return bits;
}

int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int argc, char **argv)
{
	const int memory = argument(argc, argv, "memory"), mhz = argument(argc, argv, "mhz");
	struct bare_share *s;

	if (memory < 0)
		return -1;
	s = mmap(NULL, BARE_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	close(memory);
	if (s == MAP_FAILED || s->magic != BARE_MAGIC || s->version != BARE_VERSION)
		return -1;
	s->api_least = info->version.least;
	s->api_now = info->version.now;
	if (info->version.least > QEMU_VERSION_USED || info->version.now < QEMU_VERSION_USED)
		s->state = BARE_WRONG_VERSION;
	else if (!info->is_system || strcmp(info->target, "i386") != 0)
		s->state = BARE_WRONG_MACHINE;
	if (s->state != BARE_NOT_THERE)
		return -1;
	plugin.share = s;
	plugin.counters = (struct qemu_counters){
	    read_counter, read_msr,    write_msr, interrupt, mhz > 0 ? (uint32_t)mhz : 0,
	    on_page,	  on_tlb_flush};
	s->has_counters = softpmu_connect && softpmu_connect(QEMU_COUNTERS_USED, &plugin.counters);
	plugin.store_bits = find_store_bits();
	plugin.console = argument(argc, argv, "console");
	begin_chunk();
	__atomic_store_n(&s->state, BARE_READY, __ATOMIC_RELEASE);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_flush_cb(id, on_flush);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}
