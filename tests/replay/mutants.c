/* mutants.c -- mutants TRACE N [SEED]: N changed copies of the first records of a trace, with
 * checksums made right, each counted by a model. A reader that crashes, hangs or takes memory
 * without bound is told with the number of its mutant. Prints "N mutants, M refused".
 *
 * A copy is written by the writer itself, so that only what the records say is wrong; or else the
 * code of the records is changed, and the records are right. Names of JIT code, paths of objects
 * and the texts of head and end are odd in many copies.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zstd.h>

#include "event/events.h"
#include "session/files/trace_code.h"
#include "session/files/trace_file.h"
#include "session/serve/gate.h"
#include "session/session.h"

#define MOST_BYTES 40000u
#define BATCH	   50
#define SECONDS	   120 /* of processor time for a batch */

static uint64_t state;

static uint32_t draw(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

/* The first records of the program, at most MOST_BYTES; returns their bytes. */
static size_t first_records(const char *path, uint8_t *out, uint32_t *flags)
{
	static uint8_t code[SES_CODE_MOST(SES_TRACE_FRAME_BYTES)],
	    records[2 * SES_CODE_MOST_RECORD];
	struct ses_guess *guess = ses_guess_new();
	struct ses_code_in reading;
	struct ses_trace_in in;
	struct spmu_error err;
	size_t n_frame, n = 0, bytes;
	const struct ses_trace_frame *f;
	long some;

	if (ses_trace_look(path, &in, &err) != 0) {
		printf("%s\n", err.text);
		exit(1);
	}
	f = ses_trace_frames(&in, in.first, &n_frame);
	if (!n_frame || ses_trace_unpack(&in, f, code) != 0 ||
	    ses_code_open(&reading, guess, code, f->raw, SES_TRACE_FRAME_BYTES) != 0)
		exit(1);
	some = ses_code_get(&reading, records, sizeof(records));
	while (some > 0 && (bytes = trc_record_bytes(records + n, (size_t)some - n)) != 0 &&
	       n + bytes < MOST_BYTES)
		n += bytes;
	memcpy(out, records, n);
	*flags = in.flags;
	ses_guess_free(guess);
	ses_trace_shut(&in);
	return n;
}

/* Where the code of the first block among n bytes of records lies; 0 = there is none. */
static uint64_t first_pc(const uint8_t *p, size_t n)
{
	struct trc_block block = {0};
	size_t bytes;

	for (size_t at = 0; (bytes = trc_record_bytes(p + at, n - at)) != 0; at += bytes) {
		uint32_t head;

		memcpy(&head, p + at, sizeof(head));
		if (head != TRC_SPECIAL + TRC_BLOCK || bytes < 8 + sizeof(block))
			continue;
		memcpy(&block, p + at + 8, sizeof(block));
		return block.pc;
	}
	return 0;
}

/* Where record number `which` of n bytes begins. */
static size_t record_at(const uint8_t *p, size_t n, uint32_t which)
{
	size_t at = 0, bytes;

	while (which-- && (bytes = trc_record_bytes(p + at, n - at)) != 0 && at + bytes < n)
		at += bytes;
	return at;
}

/* Change p, which has room for MOST_BYTES + 4096; returns the bytes. */
static size_t change(uint8_t *p, size_t n)
{
	static const uint32_t odd[] = {0,
				       1,
				       0x7fffffff,
				       0x80000000,
				       0xffffffff,
				       TRC_SPECIAL,
				       TRC_SPECIAL + TRC_BIRTH,
				       TRC_SPECIAL + TRC_FORGET_ALL,
				       TRC_SPECIAL + TRC_PIECE,
				       TRC_SPECIAL + TRC_THREAD,
				       TRC_SPECIAL + TRC_MEMBER,
				       TRC_MEMBER_BACK};
	const size_t at = record_at(p, n, draw(200));
	const size_t bytes = trc_record_bytes(p + at, n - at);
	const uint64_t birth[2] = {(uint64_t)8 << 32 | (TRC_SPECIAL + TRC_BIRTH), draw(3)};

	switch (draw(8)) {
	case 0: p[draw((uint32_t)n)] ^= (uint8_t)(1u << draw(8)); return n;
	case 1: memcpy(p + (draw((uint32_t)n - 4) & ~3u), &odd[draw(12)], 4); return n;
	case 2: /* a field of the record */
		memcpy(p + at + (bytes > 8 ? (draw((uint32_t)bytes - 4) & ~3u) : 0), &odd[draw(12)],
		       4);
		return n;
	case 3: /* without the record */
		memmove(p + at, p + at + bytes, n - at - bytes);
		return n - bytes;
	case 4: /* twice */
		if (bytes > 2048)
			return n;
		memmove(p + at + bytes, p + at, n - at);
		return n + bytes;
	case 5: /* a birth, also one of itself */
		memmove(p + at + sizeof(birth), p + at, n - at);
		memcpy(p + at, birth, sizeof(birth));
		return n + sizeof(birth);
	case 6: { /* a mark of a region, also one that is none */
		const uint32_t mark[] = {TRC_SPECIAL + TRC_REGION, 12, draw(8), draw(3),
					 draw(8) ? 'a' + draw(2) : 0x61616161};

		memmove(p + at + sizeof(mark), p + at, n - at);
		memcpy(p + at, mark, sizeof(mark));
		return n + sizeof(mark);
	}
	default: return draw((uint32_t)n) + 1;
	}
}

/* Bytes of the whole records at p: the writer takes no others. */
static size_t whole_records(const uint8_t *p, size_t n)
{
	size_t at = 0, bytes;

	while ((bytes = trc_record_bytes(p + at, n - at)) != 0 && bytes <= SES_CODE_MOST_RECORD)
		at += bytes;
	return at;
}

/* Lines of names of JIT code, most of them odd; pc is an address that the records have. Returns
 * the bytes. */
static size_t odd_names(char *out, size_t room, uint64_t pc)
{
	static const char *const line[] = {"%llx 40 a\n",
					   "%llx 0 empty\n",
					   "%llx ffffffffffffffff all\n",
					   "0 %llx low\n",
					   "ffffffffffffffff1 10 %llx\n",
					   "%llx 40\n",
					   "%llx 40 py::f:/x.py\n",
					   "%llx 40 a\001\033[2J\n",
					   "\n%llx",
					   "%llx 40 LazyCompile:*f /x.js:1:1\n"};
	size_t n = 0;

	for (uint32_t k = draw(40) + 1; k-- && n + 100 < room;)
		n += (size_t)snprintf(out + n, room - n, line[draw(10)],
				      (unsigned long long)(pc + draw(64) - draw(64)));
	if (draw(4) == 0) { /* a name as long as there is room */
		n += (size_t)snprintf(out + n, room - n, "%llx 40 ", (unsigned long long)pc);
		memset(out + n, 'n', room - n);
		n = room;
	}
	for (uint32_t k = draw(4); k--;)
		out[draw((uint32_t)n)] = (char)draw(256);
	out[n - 1] = '\n'; /* the writer takes whole lines */
	return n;
}

/* A text of the head (is_head) or of the end with one odd value, in out. */
static void odd_text(char *out, size_t room, bool is_head)
{
	static const char *const key[] = {"isa_level", "cpus",	       "quantum",
					  "argv",      "processes",    "wait_status",
					  "seed",      "instructions", "interrupt_signal"};
	static const char *const value[] = {"1",	"0",	"-1",	 "18446744073709551615",
					    "1e308",	"null", "\"x\"", "[]",
					    "[[1], 2]", "{}"};

	if (is_head)
		snprintf(out, room,
			 "{\"cpu\": \"pentium3\", \"seen\": \"pentium3\", \"cpus\": 1, "
			 "\"argv\": [\"x\"], \"%s\": %s}",
			 key[draw(9)], value[draw(10)]);
	else
		snprintf(out, room, "{\"%s\": %s}", key[draw(9)], value[draw(10)]);
}

static void write_trace(const char *path, const uint8_t *p, size_t n, uint32_t flags, uint64_t pc)
{
	static const char *const object[] = {"/proc/self/exe", "/proc/self/exe", "/", "",
					     "/no/such"};
	static char names[70000];
	const size_t n_names = odd_names(names, draw(8) ? 4000 : sizeof(names), pc);
	char text[300] = "{\"cpu\": \"pentium3\", \"seen\": \"pentium3\", \"cpus\": 1, \"argv\": "
			 "[\"x\"]}",
	     end[200] = "{}";
	struct x86_store *store = NULL;
	struct ses_trace *t = NULL;
	struct spmu_error err;

	if (draw(8) == 0)
		odd_text(text, sizeof(text), true);
	if (draw(4) == 0)
		odd_text(end, sizeof(end), false);
	if (x86_store_open(&store) != 0 ||
	    ses_trace_create(path, store, flags, 1, text, &t, &err) != 0 ||
	    ses_trace_write(t, p, whole_records(p, n)) != 0 ||
	    ses_trace_object(t, object[draw(5)]) != 0 || ses_trace_names(t, names, n_names) != 0 ||
	    ses_trace_end(t, end) != 0 || ses_trace_close(t) != 0)
		exit(3);
	x86_store_close(store);
}

/* Change the code of the records in a trace, with lengths and checksum made right. */
static void bend_code(const char *path)
{
	static uint8_t code[SES_CODE_MOST(MOST_BYTES + 65536)],
	    file[2 * SES_CODE_MOST(MOST_BYTES + 65536)];
	struct trc_frame_head head;
	struct ses_trace_in in;
	struct spmu_error err;
	size_t n_frame, from, tail;
	const struct ses_trace_frame *f;
	ZSTD_CCtx *packer = ZSTD_createCCtx();

	if (ses_trace_look(path, &in, &err) != 0 || in.bytes > sizeof(file) / 2)
		exit(3);
	f = ses_trace_frames(&in, in.first, &n_frame);
	if (!n_frame) {
		ses_trace_shut(&in);
		ZSTD_freeCCtx(packer);
		return;
	}
	if (ses_trace_unpack(&in, f, code) != 0 ||
	    pread(in.fd, file, in.bytes, 0) != (ssize_t)in.bytes)
		exit(3);
	for (uint32_t k = draw(3) + 1; k--;)
		if (draw(4))
			code[draw(f->raw)] ^= (uint8_t)(1u << draw(8));
		else /* the counts of what was guessed, and codes of slots, are small numbers */
			code[draw(f->raw)] = (uint8_t)(draw(2) ? draw(6) : 255);
	from = f->at - sizeof(head);
	tail = in.bytes - f->at - f->packed;
	memmove(file + sizeof(file) / 2, file + f->at + f->packed, tail);
	memcpy(&head, file + from, sizeof(head));
	ZSTD_CCtx_setParameter(packer, ZSTD_c_checksumFlag, 1);
	head.frame.packed =
	    (uint32_t)ZSTD_compress2(packer, file + f->at, sizeof(file) / 2 - f->at, code, f->raw);
	memcpy(file + from, &head, sizeof(head));
	memmove(file + f->at + head.frame.packed, file + sizeof(file) / 2, tail);
	from = f->at + head.frame.packed + tail;
	ses_trace_shut(&in);
	ZSTD_freeCCtx(packer);
	if (truncate(path, 0) != 0)
		exit(3);
	{
		FILE *out = fopen(path, "w");

		if (!out || fwrite(file, 1, from, out) != from || fclose(out) != 0)
			exit(3);
	}
}

/* Counts mutants [from, to); returns how many were refused. */
static int batch(const char *path, const uint8_t *whole, size_t n, uint32_t flags, uint64_t seed,
		 int from, int to)
{
	const uint64_t pc = first_pc(whole, n);
	static const char *const cpu[] = {"pentium3", "pentium-mmx"};
	static const struct ses_gate_config gate = {-1, -1, 0, "a"};
	static uint8_t copy[MOST_BYTES + 65536];
	int refused = 0;

	for (int i = from; i < to; i++) {
		struct ses_config cfg = {.model = {.has_walks = 1, .n_cpus = 1}};
		struct evt_events events = {0};
		struct ses_result result;
		struct spmu_error err = {0};
		size_t bytes = n;

		state = seed + (uint64_t)i * 0x9e3779b97f4a7c15ull;
		memcpy(copy, whole, n);
		for (uint32_t k = i & 4 ? 0 : draw(3) + 1; k-- && bytes > 64;)
			bytes = change(copy, bytes);
		write_trace(path, copy, bytes, flags, pc);
		if (i & 4)
			bend_code(path);
		cfg.model.cpu = cat_find_cpu(cpu[i & 1]);
		cfg.model.most_string_bytes = 1u << 16;
		if (evt_events_all(cfg.model.cpu, i & 2 ? 3 : 2, &events, &err) != 0)
			exit(3);
		cfg.event = events.event;
		cfg.n_event = events.n;
		cfg.keeps_processes = cfg.keeps_threads = i % 3 == 1; /* told apart */
		cfg.keeps_regions = i % 5 == 1;
		cfg.gate = i % 10 == 1 ? &gate : NULL;
		if (i % 5 == 2) { /* a part, by marks */
			cfg.from_mark = (struct ses_end_mark){"a", "a", draw(3)};
			cfg.to_mark = (struct ses_end_mark){"b", "b", draw(2)};
			cfg.is_alone = true;
		}
		cfg.keeps_places = i % 3 != 0;
		cfg.keeps_paths = i % 3 == 2 && !(i & 2);
		if (ses_replay(&cfg, path, &result, &err) != 0) {
			refused++;
			if (!err.text[0])
				exit(4); /* refused without a word */
		}
		ses_result_free(&result);
		evt_events_free(&events);
	}
	return refused;
}

int main(int argc, char **argv)
{
	static uint8_t whole[MOST_BYTES];
	const struct rlimit room = {3ull << 30, 3ull << 30}, time = {SECONDS, SECONDS};
	const int n_mutant = argc > 2 ? atoi(argv[2]) : 0;
	const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	int *refused =
	    mmap(NULL, sizeof(*refused), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char path[40];
	uint32_t flags;
	size_t n;

	if (!n_mutant)
		return 2;
	n = first_records(argv[1], whole, &flags);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memfd_create("mutant", 0));
	for (int from = 0; from < n_mutant; from += BATCH) {
		const int to = from + BATCH < n_mutant ? from + BATCH : n_mutant;
		const pid_t pid = fork();
		int status;

		if (!pid) {
			setrlimit(RLIMIT_AS, &room);
			setrlimit(RLIMIT_CPU, &time);
			*refused += batch(path, whole, n, flags, seed, from, to);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status) {
			printf("mutants %d to %d: status %x\n", from, to - 1, status);
			return 1;
		}
	}
	printf("%d mutants, %d refused\n", n_mutant, *refused);
	return *refused == 0;
}
