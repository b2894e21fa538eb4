/* files.c -- writes the files that show the PMU into a directory of their own. Rules: files.h. */
#include "perfev/files.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfev/attr.h"
#include "perfev/what.h"

/* Not in the headers of older systems; both have these numbers on every processor. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Write text to a file below the directory; folders on the way are made. */
static void put_file(const struct pev_board *b, const char *path, const char *text)
{
	char name[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", b->files, path);
	for (char *p = name + strlen(b->files) + 1; *p; p++)
		if (*p == '/') {
			*p = 0;
			mkdir(name, 0755);
			*p = '/';
		}
	f = fopen(name, "we");
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
}

static void put_number(const struct pev_board *b, const char *path, long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", n);
	put_file(b, path, text);
}

#define DEVICES "sys/bus/event_source/devices/"

/* Generic events that the kernel's driver shows as files. */
static const struct {
	const char *file, *name;
} shown[] = {
    {"cpu-cycles", "cycles"},
    {"instructions", "instructions"},
    {"cache-references", "cache-references"},
    {"cache-misses", "cache-misses"},
    {"branch-instructions", "branches"},
    {"branch-misses", "branch-misses"},
    {"bus-cycles", "bus-cycles"},
    {"stalled-cycles-frontend", "stalled-cycles-frontend"},
};

static void put_events(const struct pev_board *b, const struct cat_cpu *cpu)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		uint8_t umask = 0;
		const struct cat_event *e = cat_find_driver(cpu, shown[i].name, &umask);
		char path[128], text[64];

		if (!e)
			continue;
		snprintf(path, sizeof(path), DEVICES "cpu/events/%s", shown[i].file);
		if (umask)
			snprintf(text, sizeof(text), "event=0x%02x,umask=0x%02x\n", e->code, umask);
		else
			snprintf(text, sizeof(text), "event=0x%02x\n", e->code);
		put_file(b, path, text);
	}
}

static void put_pmu(const struct pev_board *b, const struct cat_cpu *cpu)
{
	put_number(b, DEVICES "cpu/type", PEV_PMU_TYPE);
	put_number(b, DEVICES "cpu/rdpmc", 1);
	put_number(b, DEVICES "cpu/caps/max_precise", 0);
	if (cpu->family == CAT_P5) {
		put_file(b, DEVICES "cpu/format/event", "config:0-5\n");
		put_file(b, DEVICES "cpu/format/counters", "config:8-9\n");
		put_file(b, DEVICES "cpu/format/occ", "config:16\n");
		put_file(b, DEVICES "cpu/format/clk", "config:17\n");
	} else {
		put_file(b, DEVICES "cpu/format/event", "config:0-7\n");
		put_file(b, DEVICES "cpu/format/umask", "config:8-15\n");
		put_file(b, DEVICES "cpu/format/edge", "config:18\n");
		put_file(b, DEVICES "cpu/format/pc", "config:19\n");
		put_file(b, DEVICES "cpu/format/inv", "config:23\n");
		put_file(b, DEVICES "cpu/format/cmask", "config:24-31\n");
	}
	put_events(b, cpu);
	put_number(b, DEVICES "software/type", PERF_TYPE_SOFTWARE);
}

static void put_cache(const struct pev_board *b, unsigned which_cpu, unsigned index,
		      const struct cat_cache *c, int level, const char *type)
{
	char folder[96], path[160], text[64];

	if (!c->size_bytes || !c->ways || !c->line_bytes)
		return;
	snprintf(folder, sizeof(folder), "sys/devices/system/cpu/cpu%u/cache/index%u", which_cpu,
		 index);
	snprintf(path, sizeof(path), "%s/level", folder);
	put_number(b, path, level);
	snprintf(path, sizeof(path), "%s/type", folder);
	snprintf(text, sizeof(text), "%s\n", type);
	put_file(b, path, text);
	snprintf(path, sizeof(path), "%s/size", folder);
	snprintf(text, sizeof(text), "%uK\n", c->size_bytes / 1024);
	put_file(b, path, text);
	snprintf(path, sizeof(path), "%s/coherency_line_size", folder);
	put_number(b, path, c->line_bytes);
	snprintf(path, sizeof(path), "%s/ways_of_associativity", folder);
	put_number(b, path, c->ways);
	snprintf(path, sizeof(path), "%s/number_of_sets", folder);
	put_number(b, path, c->size_bytes / c->ways / c->line_bytes);
	snprintf(path, sizeof(path), "%s/physical_line_partition", folder);
	put_number(b, path, 1);
	snprintf(path, sizeof(path), "%s/shared_cpu_list", folder);
	put_number(b, path, (long)which_cpu);
	snprintf(path, sizeof(path), "%s/shared_cpu_map", folder);
	snprintf(text, sizeof(text), "%x\n", 1u << which_cpu);
	put_file(b, path, text);
}

static void put_topology(const struct pev_board *b, unsigned cpu)
{
	static const char *const maps[] = {"thread_siblings", "core_siblings", "core_cpus",
					   "die_cpus",	      "package_cpus",  "cluster_cpus"};
	char path[160], text[32];

	for (unsigned i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s", cpu,
			 maps[i]);
		snprintf(text, sizeof(text), "%x\n", 1u << cpu);
		put_file(b, path, text);
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s_list", cpu,
			 maps[i]);
		put_number(b, path, (long)cpu);
	}
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
	put_number(b, path, 0);
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/physical_package_id",
		 cpu);
	put_number(b, path, (long)cpu);
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/die_id", cpu);
	put_number(b, path, 0);
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/online", cpu);
	put_number(b, path, 1);
}

static void put_node(const struct pev_board *b, uint64_t memory_bytes)
{
	const unsigned long long kib = memory_bytes / 1024;
	char text[160];

	snprintf(text, sizeof(text),
		 "Node 0 MemTotal: %14llu kB\nNode 0 MemFree:  %14llu kB\nNode "
		 "0 MemUsed:  %14llu kB\n",
		 kib, kib / 2, kib / 2);
	put_file(b, "sys/devices/system/node/node0/meminfo", text);
	put_file(b, "sys/devices/system/node/node0/distance", "10\n");
	put_file(b, "sys/devices/system/node/online", "0\n");
	put_file(b, "sys/devices/system/node/possible", "0\n");
	put_file(b, "sys/devices/system/node/has_cpu", "0\n");
	put_file(b, "sys/devices/system/node/has_memory", "0\n");
	put_file(b, "sys/devices/system/node/has_normal_memory", "0\n");
}

static void put_machine(const struct pev_board *b, const struct cat_cpu *cpu, unsigned n_cpus,
			uint64_t memory_bytes)
{
	char list[32], map[32];

	snprintf(list, sizeof(list), n_cpus > 1 ? "0-%u\n" : "0\n", n_cpus - 1);
	snprintf(map, sizeof(map), "%x\n", (1u << n_cpus) - 1);
	put_file(b, "sys/devices/system/cpu/online", list);
	put_file(b, "sys/devices/system/cpu/possible", list);
	put_file(b, "sys/devices/system/cpu/present", list);
	put_file(b, "sys/devices/system/cpu/offline", "\n");
	put_number(b, "sys/devices/system/cpu/kernel_max", 63);
	for (unsigned i = 0; i < n_cpus; i++) {
		const struct cat_cache *l1i = &cpu->l1i, *l1d = &cpu->l1d;

		put_topology(b, i);
		put_cache(b, i, 0, l1d, 1, "Data");
		put_cache(b, i, 1, l1i, 1, "Instruction");
		put_cache(b, i, 2, &cpu->l2, 2, "Unified");
	}
	put_node(b, memory_bytes);
	put_file(b, "sys/devices/system/node/node0/cpulist", list);
	put_file(b, "sys/devices/system/node/node0/cpumap", map);
}

static void put_settings(const struct pev_board *b)
{
	put_number(b, "proc/sys/kernel/perf_event_paranoid", 2);
	put_number(b, "proc/sys/kernel/nmi_watchdog", 0);
	put_number(b, "proc/sys/kernel/perf_event_max_sample_rate", PEV_MOST_RATE);
	/* as a kernel starts: 512 KiB and a page */
	put_number(b, "proc/sys/kernel/perf_event_mlock_kb", 516);
	put_number(b, "proc/sys/kernel/perf_event_max_stack", PEV_MOST_CALLERS);
	put_number(b, "proc/sys/kernel/kptr_restrict", 1);
	/* A kernel of no bytes, where one lies that was not moved: perf record looks for the
	 * first of its symbols and warns when there is none. Nothing of it is ever sampled. */
	put_file(
	    b, "proc/kallsyms",
	    "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000000 T _etext\n");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	remove(path);
	return 0;
}

static void remove_all(const char *directory)
{
	nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Without anything that others wait for to be closed, till process `first` is gone. */
__attribute__((noreturn)) static void watch(int first, const char *directory)
{
	struct pollfd p = {.fd = 0, .events = POLLIN};

	setsid();
	if (dup2(first, 0) == 0 && syscall(SYS_close_range, 1, ~0u, 0) == 0) {
		while (poll(&p, 1, -1) < 0 && errno == EINTR)
			;
		remove_all(directory);
	}
	_exit(0);
}

/* See to it that the directory goes when the first server is killed. (clone: as servers do, see
 * session/serve/family.c; twice, so that nobody has to wait for the process.) */
static void start_watching(const struct pev_board *b)
{
	const int first = (int)syscall(SYS_pidfd_open, b->first, 0);
	long pid;

	if (first < 0)
		return;
	pid = syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (pid == 0) {
		if (syscall(SYS_clone, 0, 0, 0, 0, 0) == 0)
			watch(first, b->files);
		_exit(0);
	}
	if (pid > 0)
		waitpid((pid_t)pid, NULL, (int)__WCLONE);
	close(first);
}

int pev_files_make(struct pev_board *b, const struct cat_cpu *cpu, unsigned n_cpus,
		   uint64_t memory_bytes)
{
	const char *tmp = getenv("TMPDIR");
	char name[sizeof(b->files)];

	if (b->files[0])
		return 0;
	if (!tmp || *tmp != '/' || strlen(tmp) > 64)
		tmp = "/tmp";
	snprintf(name, sizeof(name), "%s/softpmu-files-XXXXXX", tmp);
	if (!mkdtemp(name))
		return -ENOENT;
	chmod(name, 0755);
	memcpy(b->files, name, sizeof(name));
	start_watching(b);
	put_pmu(b, cpu);
	put_machine(b, cpu, n_cpus, memory_bytes);
	put_settings(b);
	return 0;
}

void pev_files_remove(struct pev_board *b)
{
	if (b->files[0])
		remove_all(b->files);
	b->files[0] = 0;
}
