/* fuzz_trace.c -- any bytes as a trace file: read to the end or refused in a sentence; the models and
 * the decoder behind the reader never crash, hang or count what was not there.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "event/events.h"
#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static struct evt_events all, timeless; /* with host code and short cuts, which time has not */
static struct ses_config cfg;

static void set_up(void)
{
	struct spmu_error err = { 0 };

	cfg.model.cpu = cat_find_cpu("pentium3");
	cfg.model.has_walks = 1;
	cfg.model.most_string_bytes = 1u << 16; /* long ones take long and show nothing new */
	cfg.model.n_cpus = 2;
	cfg.seed = 1;
	if (!cfg.model.cpu || evt_events_all(cfg.model.cpu, 3, &all, &err) != 0 ||
	    evt_events_all(cfg.model.cpu, 2, &timeless, &err) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct ses_result result = { 0 };
	struct spmu_error err = { 0 };
	char path[40];

	if (!all.n)
		set_up();
	cfg.event = n & 1 ? all.event : timeless.event;
	cfg.n_event = n & 1 ? all.n : timeless.n;
	cfg.model.host_code_after = 2;
	int fd = memfd_create("trace", 0);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (ses_replay(&cfg, path, &result, &err) != 0 && !err.text[0])
		abort();               /* refused without a word */
	ses_result_free(&result); /* what came before the damage is there all the same */
	close(fd);
	return 0;
}
