/* fuzz_trace.c -- any bytes as the streams of a trace, with checksums made right: read to the end
 * or refused in a sentence; the models and the decoder behind the reader never crash, hang or count
 * what was not there. The first 16 bytes are the head, of which the flags are taken.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "event/events.h"
#include "session/files/trace_code.h"
#include "session/files/trace_file.h"
#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static struct evt_events all, timeless; /* with host code and short cuts, which time has not */
static struct ses_config cfg;

static void set_up(void)
{
	struct spmu_error err = {0};

	cfg.model.cpu = cat_find_cpu("pentium3");
	cfg.model.has_walks = 1;
	cfg.model.most_string_bytes = 1u << 16; /* long ones take long and show nothing new */
	cfg.model.n_cpus = 2;
	cfg.seed = 1;
	if (!cfg.model.cpu || evt_events_all(cfg.model.cpu, 3, &all, &err) != 0 ||
	    evt_events_all(cfg.model.cpu, 2, &timeless, &err) != 0)
		abort();
}

/* Bytes of the whole records at p: the writer takes no others. */
static size_t whole_records(const uint8_t *p, size_t n)
{
	size_t at = 0, bytes;

	while ((bytes = trc_record_bytes(p + at, n - at)) != 0 && bytes <= SES_CODE_MOST_RECORD)
		at += bytes;
	return at;
}

/* A trace with these records at path. */
static void write_trace(const char *path, uint32_t flags, const uint8_t *bytes, size_t n)
{
	static const char text[] = "{\"cpu\": \"pentium3\", \"seen\": \"pentium3\", \"cpus\": 2, "
				   "\"argv\": [\"x\"]}";
	struct x86_store *store = NULL;
	struct ses_trace *t = NULL;
	struct spmu_error err;

	if (x86_store_open(&store) != 0 ||
	    ses_trace_create(path, store, flags, 1, text, &t, &err) != 0 ||
	    ses_trace_write(t, bytes, whole_records(bytes, n)) != 0 ||
	    ses_trace_end(t, "{}") != 0 || ses_trace_close(t) != 0)
		abort();
	x86_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct ses_result result = {0};
	struct spmu_error err = {0};
	struct trc_file_head head = {0};
	char path[40];

	if (!all.n)
		set_up();
	cfg.event = n & 1 ? all.event : timeless.event;
	cfg.n_event = n & 1 ? all.n : timeless.n;
	cfg.model.host_code_after = 2;
	int fd = memfd_create("trace", 0);
	if (fd < 0 || n < sizeof(head) || n > SES_TRACE_FRAME_BYTES)
		return close(fd);
	memcpy(&head, bytes, sizeof(head));
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	write_trace(path, head.flags, bytes + sizeof(head), n - sizeof(head));
	if (ses_replay(&cfg, path, &result, &err) != 0 && !err.text[0])
		abort();	  /* refused without a word */
	ses_result_free(&result); /* what came before the damage is there all the same */
	close(fd);
	return 0;
}
