/* reroute.c -- replaces paths of the PMU's files in the arguments of system calls. Rules:
 * reroute.h. */
#include "guest/files/reroute.h"

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define PATH_BYTES 512u

static const char *const place[] = {
    "/sys/bus/event_source",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/devices/cpu",
    "/sys/kernel/notes",
    "/proc/sys/kernel/perf_",
    "/proc/sys/kernel/nmi_watchdog",
    "/proc/sys/kernel/kptr_restrict",
    "/proc/kallsyms",
};

/* These the runtime makes itself (procfs.c), also in runs without events. */
static const char *const own[] = {
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/possible",
    "/sys/devices/system/cpu/present",
};

static int is_rerouted(const char *path)
{
	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (gst_equal(path, own[i]))
			return 0;
	}
	for (unsigned i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
		if (gst_begins(path, place[i]))
			return 1;
	}
	return 0;
}

int gst_path_argument(const struct gst *g, uint64_t number)
{
	switch (gst_call_acts_like(g, number)) {
	case __NR_open:
	case __NR_stat:
	case __NR_lstat:
	case __NR_access:
	case __NR_readlink:
	case __NR_chdir:
	case __NR_statfs: return 0;
	case __NR_openat:
	case __NR_openat2:
	case __NR_newfstatat:
	case __NR_statx:
	case __NR_faccessat:
	case __NR_faccessat2:
	case __NR_readlinkat: return 1;
	default: return -1;
	}
}

/* The directory of softpmu's files, asked for once. NULL: there is none. */
static const char *directory(struct gst *g)
{
	struct req_box *b;

	if (g->files[0])
		return g->files;
	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	b->arg[0] = REQ_PERF_FILES;
	if (gst_ask(g, REQ_PERF) != REQ_OK || b->result[0] ||
	    gst_length((const char *)b->pages[0]) >= sizeof(g->files))
		return NULL;
	memcpy(g->files, b->pages[0], sizeof(g->files));
	return g->files;
}

void gst_reroute(struct gst *g, uint64_t *words)
{
	char path[PATH_BYTES / 2], *to = g->layout.is_32 ? (char *)gst_low_path(g) : g->path;
	struct gst_text t;
	const char *files;
	int at;

	if (!g->ctl->start.has_perf)
		return;
	at = gst_path_argument(g, words[0]);
	if (at < 0 || gst_copy_text(path, words[1 + at], sizeof(path)) < 0 || path[0] != '/' ||
	    !is_rerouted(path))
		return;
	files = directory(g);
	if (!files)
		return;
	gst_text_start(&t, to, PATH_BYTES);
	gst_text_add(&t, files);
	gst_text_add(&t, path);
	words[1 + at] = (uint64_t)to;
}
