/* machine_files.c -- makes the text of the files of /proc and /sys that show the machine. Rules:
 * machine_files.h. */
#include "guest/files/machine_files.h"

#include "guest/gst.h"

#define CPU_PATH  "/sys/devices/system/cpu/"
#define NODE_PATH "/sys/devices/system/node/"

/* The part of `path` behind `head`, or NULL. */
static const char *after_head(const char *path, const char *head)
{
	return gst_begins(path, head) ? path + gst_length(head) : NULL;
}

/* "cpu3/x" -> 3 and "x" ("" when nothing follows). Returns NULL when the name is none of a
 * processor. */
static const char *processor_part(const char *name, const char *word, uint64_t *number)
{
	const char *p = after_head(name, word);

	if (!p || *p < '0' || *p > '9')
		return NULL;
	*number = gst_number(p);
	while (*p >= '0' && *p <= '9')
		p++;
	return *p == '/' ? p + 1 : *p ? NULL : p;
}

static void add_number(struct gst_text *t, uint64_t n)
{
	gst_text_dec(t, (int64_t)n);
	gst_text_add(t, "\n");
}

/* Writes a set of processors as the kernel does: with as many digits as the set of all processors
 * takes. */
static void add_mask(const struct gst *g, struct gst_text *t, uint64_t mask)
{
	gst_text_hex(t, mask, (g->ctl->start.n_cpus + 3) / 4);
	gst_text_add(t, "\n");
}

void gst_machine_mask(const struct gst *g, struct gst_text *t, uint64_t cpus)
{
	add_mask(g, t, cpus);
}

/* Ranges, as "0-2,4". */
void gst_machine_list(struct gst_text *t, uint64_t cpus)
{
	const char *between = "";

	for (int cpu = 0; cpu < 64; cpu++) {
		int end = cpu;

		if (!(cpus >> cpu & 1))
			continue;
		while (end < 63 && cpus >> (end + 1) & 1)
			end++;
		gst_text_add(t, between);
		gst_text_dec(t, cpu);
		if (end > cpu) {
			gst_text_add(t, "-");
			gst_text_dec(t, end);
		}
		between = ",";
		cpu = end;
	}
	gst_text_add(t, "\n");
}

static const struct shr_cpuid *leaf(const struct gst *g, uint32_t number)
{
	static const struct shr_cpuid none;

	for (uint32_t i = 0; i < g->ctl->start.n_cpuid && i < 64; i++) {
		if (g->ctl->start.cpuid[i].leaf == number)
			return &g->ctl->start.cpuid[i];
	}
	return &none;
}

static void add_vendor(struct gst_text *t, const struct shr_cpuid *c)
{
	uint32_t words[4] = {c->ebx, c->edx, c->ecx, 0};

	gst_text_add(t, (const char *)words);
}

/* Names of the bits of a word from 0 on, one behind the other; "-" for a bit without a name. */
static void add_flags(struct gst_text *t, uint32_t bits, const char *names)
{
	for (; bits; bits >>= 1, names += gst_length(names) + 1) {
		if (!*names)
			return;
		if ((bits & 1) && *names != '-') {
			gst_text_add(t, " ");
			gst_text_add(t, names);
		}
	}
}

static void add_all_flags(const struct gst *g, struct gst_text *t)
{
	const struct shr_cpuid *one = leaf(g, 1), *seven = leaf(g, 7), *more = leaf(g, 0x80000001u);

	add_flags(t, one->edx,
		  "fpu\0vme\0de\0pse\0tsc\0msr\0pae\0mce\0cx8\0apic\0-\0sep\0mtrr\0pge\0mca\0"
		  "cmov\0pat\0"
		  "pse36\0pn\0clflush\0-\0dts\0acpi\0mmx\0fxsr\0sse\0sse2\0ss\0ht\0tm\0ia64\0"
		  "pbe\0");
	add_flags(t, more->edx,
		  "-\0-\0-\0-\0-\0-\0-\0-\0-\0-\0-\0syscall\0-\0-\0-\0-\0-\0-\0-\0-\0nx\0-\0"
		  "-\0-\0-\0-\0"
		  "pdpe1gb\0rdtscp\0-\0lm\0");
	add_flags(t, one->ecx,
		  "pni\0pclmulqdq\0dtes64\0monitor\0ds_cpl\0vmx\0smx\0est\0tm2\0ssse3\0cid\0"
		  "sdbg\0fma\0cx16\0"
		  "xtpr\0pdcm\0-\0pcid\0dca\0sse4_1\0sse4_2\0x2apic\0movbe\0popcnt\0"
		  "tsc_deadline_timer\0aes\0"
		  "xsave\0-\0avx\0f16c\0rdrand\0hypervisor\0");
	add_flags(t, more->ecx,
		  "lahf_lm\0-\0-\0-\0-\0abm\0-\0-\0"
		  "3dnowprefetch\0");
	add_flags(t, seven->ebx,
		  "fsgsbase\0-\0-\0bmi1\0-\0avx2\0-\0-\0bmi2\0erms\0-\0-\0-\0-\0-\0-\0"
		  "avx512f\0avx512dq\0"
		  "rdseed\0adx\0-\0-\0-\0-\0-\0-\0-\0-\0avx512cd\0-\0avx512bw\0avx512vl\0");
}

/* Size of the L2 cache in KB by the descriptors of CPUID 2; 0 = none. */
static uint32_t l2_kbytes(const struct gst *g)
{
	const struct shr_cpuid *c = leaf(g, 2);
	uint32_t words[4] = {c->eax & ~0xffu, c->ebx, c->ecx, c->edx};

	for (unsigned i = 0; i < 16; i++) {
		uint32_t byte = words[i / 4] >> i % 4 * 8 & 0xff;

		if (byte >= 0x41 && byte <= 0x45) /* 4-way, 128 KB to 2 MB */
			return 128u << (byte - 0x41);
		if (byte >= 0x81 && byte <= 0x85) /* 8-way */
			return 128u << (byte - 0x81);
	}
	return 0;
}

static void add_cpuinfo(const struct gst *g, struct gst_text *t)
{
	const struct shr_cpuid *one = leaf(g, 1);
	uint32_t family = one->eax >> 8 & 15, model = one->eax >> 4 & 15;

	if (family == 15)
		family += one->eax >> 20 & 255;
	if (family >= 6)
		model |= one->eax >> 12 & 0xf0;
	for (uint32_t cpu = 0; cpu < g->ctl->start.n_cpus; cpu++) {
		gst_text_add(t, "processor\t: ");
		gst_text_dec(t, cpu);
		gst_text_add(t, "\nvendor_id\t: ");
		add_vendor(t, leaf(g, 0));
		gst_text_add(t, "\ncpu family\t: ");
		gst_text_dec(t, family);
		gst_text_add(t, "\nmodel\t\t: ");
		gst_text_dec(t, model);
		gst_text_add(t, "\nmodel name\t: ");
		gst_text_add(t, g->ctl->start.cpu_name);
		gst_text_add(t, "\nstepping\t: ");
		gst_text_dec(t, one->eax & 15);
		gst_text_add(t, "\ncpu MHz\t\t: ");
		gst_text_dec(t, g->ctl->start.stamp_mhz);
		gst_text_add(t, ".000\ncache size\t: ");
		gst_text_dec(t, l2_kbytes(g));
		gst_text_add(t, " KB\nphysical id\t: ");
		gst_text_dec(t, cpu);
		gst_text_add(t, "\nsiblings\t: 1\ncore id\t\t: 0\n"
				"cpu cores\t: 1\nfpu\t\t: yes\nwp\t\t: yes\nflags\t\t:");
		add_all_flags(g, t);
		gst_text_add(t, "\nclflush size\t: 64\naddress sizes\t: 46 bits physical, 48 bits "
				"virtual\n\n");
	}
}

static void add_memory_line(struct gst_text *t, const char *name, uint64_t bytes)
{
	gst_text_add(t, name);
	gst_text_dec_width(t, bytes / 1024, 24 - (unsigned)gst_length(name));
	gst_text_add(t, " kB\n");
}

static void add_meminfo(const struct gst *g, struct gst_text *t)
{
	uint64_t ram = g->ctl->start.memory_bytes;

	add_memory_line(t, "MemTotal:", ram);
	add_memory_line(t, "MemFree:", ram / 2);
	add_memory_line(t, "MemAvailable:", ram / 2);
	add_memory_line(t, "Buffers:", 0);
	add_memory_line(t, "Cached:", 0);
	add_memory_line(t, "SwapTotal:", 0);
	add_memory_line(t, "SwapFree:", 0);
}

static void add_stat(const struct gst *g, struct gst_text *t)
{
	gst_text_add(t, "cpu  0 0 0 0 0 0 0 0 0 0\n");
	for (uint32_t cpu = 0; cpu < g->ctl->start.n_cpus; cpu++) {
		gst_text_add(t, "cpu");
		gst_text_dec(t, cpu);
		gst_text_add(t, " 0 0 0 0 0 0 0 0 0 0\n");
	}
	gst_text_add(t, "ctxt 0\nbtime 0\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n");
}

/* Files of /sys/devices/system/cpu/cpuN/topology: every processor is a package of its own. Returns
 * 0 if there is no file `name`. */
static int add_topology(const struct gst *g, struct gst_text *t, const char *name, uint64_t cpu)
{
	static const char *const masks[] = {"core_siblings", "thread_siblings", "core_cpus",
					    "die_cpus",	     "package_cpus",	"cluster_cpus"};

	if (gst_equal(name, "core_id") || gst_equal(name, "die_id")) {
		add_number(t, 0);
		return 1;
	}
	if (gst_equal(name, "physical_package_id")) {
		add_number(t, cpu);
		return 1;
	}
	for (unsigned i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		const char *more = after_head(name, masks[i]);

		if (!more || (*more && !gst_equal(more, "_list")))
			continue;
		if (*more)
			add_number(t, cpu);
		else
			add_mask(g, t, 1ull << cpu);
		return 1;
	}
	return 0;
}

static void add_node_memory(const struct gst *g, struct gst_text *t)
{
	const uint64_t ram = g->ctl->start.memory_bytes;

	add_memory_line(t, "Node 0 MemTotal:", ram);
	add_memory_line(t, "Node 0 MemFree:", ram / 2);
	add_memory_line(t, "Node 0 MemUsed:", ram / 2);
}

static int add_cpu_file(const struct gst *g, struct gst_text *t, const char *name)
{
	uint64_t cpu;
	const char *part = processor_part(name, "cpu", &cpu);

	if (gst_equal(name, "online") || gst_equal(name, "possible") || gst_equal(name, "present"))
		gst_machine_list(t, gst_all_cpus(g));
	else if (gst_equal(name, "offline") || gst_equal(name, "isolated"))
		gst_text_add(t, "\n");
	else if (gst_equal(name, "kernel_max"))
		add_number(t, g->ctl->start.n_cpus - 1);
	else
		return part && (part = after_head(part, "topology/")) &&
		       add_topology(g, t, part, cpu);
	return 1;
}

static int add_node_file(const struct gst *g, struct gst_text *t, const char *name)
{
	if (gst_equal(name, "node0/cpulist"))
		gst_machine_list(t, gst_all_cpus(g));
	else if (gst_equal(name, "node0/cpumap"))
		gst_machine_mask(g, t, gst_all_cpus(g));
	else if (gst_equal(name, "node0/meminfo"))
		add_node_memory(g, t);
	else if (gst_equal(name, "node0/distance"))
		add_number(t, 10);
	else if (gst_equal(name, "online") || gst_equal(name, "possible") ||
		 gst_begins(name, "has_"))
		add_number(t, 0);
	else
		return 0;
	return 1;
}

int gst_machine_file(const struct gst *g, struct gst_text *t, const char *path)
{
	const char *name;

	if (gst_equal(path, "/proc/cpuinfo"))
		add_cpuinfo(g, t);
	else if (gst_equal(path, "/proc/meminfo"))
		add_meminfo(g, t);
	else if (gst_equal(path, "/proc/stat"))
		add_stat(g, t);
	else if ((name = after_head(path, CPU_PATH)))
		return add_cpu_file(g, t, name);
	else if ((name = after_head(path, NODE_PATH)))
		return add_node_file(g, t, name);
	else
		return 0;
	return 1;
}

/* Returns 1 if the presented machine does not have this entry of the directory (CPU_PATH, NODE_PATH
 * or a node). */
static int lacks(const struct gst *g, const char *directory, const char *name)
{
	uint64_t n;
	const char *part;

	if ((part = processor_part(name, "cpu", &n)))
		return n >= g->ctl->start.n_cpus || gst_begins(part, "cache") ||
		       gst_begins(part, "node");
	if (gst_equal(directory, CPU_PATH))
		return gst_begins(name, "smt");
	if ((part = processor_part(name, "node", &n)))
		return n > 0 || gst_begins(part, "memory") || (*part && lacks(g, "", part));
	return processor_part(name, "memory", &n) != NULL;
}

int gst_machine_lacks(const struct gst *g, const char *path)
{
	const char *name;

	if ((name = after_head(path, CPU_PATH)))
		return lacks(g, CPU_PATH, name);
	return (name = after_head(path, NODE_PATH)) && lacks(g, NODE_PATH, name);
}
