#include "guest/procfs.h"

#include <linux/prctl.h>

#include "guest/copy.h"
#include "guest/gst.h"

#define O_CLOEXEC_FLAG 02000000ull
#define O_NOFOLLOW_FLAG 0400000ull
#define O_PATH_FLAG 010000000ull
#define EXE_PATH_BYTES 4096u
#define EXE_PATH (SHR_GS_BASE + 0x390000)

static const char *last_part(const char *path)
{
	const char *name = path;

	for (; *path; path++) {
		if (*path == '/')
			name = path + 1;
	}
	return name;
}

void gst_proc_start(struct gst *g)
{
	char *path = (char *)EXE_PATH, link[40];
	struct gst_text t;
	long fd = SYS2(open, g->exe, O_CLOEXEC_FLAG | O_PATH_FLAG), n = -1;

	if (fd >= 0) {
		gst_text_start(&t, link, sizeof(link));
		gst_text_add(&t, "/proc/self/fd/");
		gst_text_dec(&t, fd);
		n = SYS3(readlink, link, path, EXE_PATH_BYTES - 1);
		SYS1(close, fd);
	}
	if (n > 0)
		path[n] = 0;
	g->exe_path = n > 0 ? path : g->exe;
	SYS2(prctl, PR_SET_NAME, last_part(g->exe));
}

const char *gst_proc_own_part(const struct gst *g, const char *path)
{
	const char *p = path + 6;

	if (!gst_begins(path, "/proc/"))
		return NULL;
	if (gst_begins(p, "self/"))
		return p + 5;
	if (gst_begins(p, "thread-self/"))
		return p + 12;
	if (gst_number(p) != g->ctl->guest_pid)
		return NULL;
	while (*p >= '0' && *p <= '9')
		p++;
	return *p == '/' ? p + 1 : NULL;
}

int gst_proc_is_exe(const struct gst *g, const char *path)
{
	const char *part = gst_proc_own_part(g, path);

	return part && gst_equal(part, "exe");
}

static void add_line_start(struct gst_text *t, const struct gst_vma *v)
{
	gst_text_hex(t, v->lo, 8);
	gst_text_add(t, "-");
	gst_text_hex(t, v->hi, 8);
	gst_text_add(t, v->prot & PROT_READ ? " r" : " -");
	gst_text_add(t, v->prot & PROT_WRITE ? "w" : "-");
	gst_text_add(t, v->prot & PROT_EXEC ? "x" : "-");
	gst_text_add(t, v->flags & MAP_SHARED ? "s " : "p ");
	gst_text_hex(t, v->flags & MAP_ANONYMOUS ? 0 : v->off, 8);
	gst_text_add(t, " ");
	gst_text_hex(t, v->dev >> 16, 2);
	gst_text_add(t, ":");
	gst_text_hex(t, v->dev & 0xffff, 2);
	gst_text_add(t, " ");
	gst_text_dec(t, (int64_t)v->ino);
}

void gst_proc_maps(const struct gst *g, struct gst_text *t)
{
	for (uint32_t i = 0; i < g->vmas.n; i++) {
		const struct gst_vma *v = &g->vmas.v[i];
		size_t start = t->used;
		const char *name = v->name ? (const char *)GST_NAMES + v->name : NULL;

		if (v->kind == GST_VMA_ENGINE)
			continue;
		if (v->kind == GST_VMA_HEAP)
			name = "[heap]";
		else if (v->kind == GST_VMA_STACK)
			name = "[stack]";
		add_line_start(t, v);
		gst_text_add(t, " ");
		while (name && t->used - start < 73)
			gst_text_add(t, " ");
		gst_text_add(t, name);
		gst_text_add(t, "\n");
	}
}

/* The strings of arguments or environment as the kernel shows them: one after the other. */
static void add_strings(const struct gst *g, struct gst_text *t, int is_env)
{
	const struct shr_start *s = &g->ctl->start;
	unsigned word = g->layout.word;
	uint64_t argv = g->auxv - word * (2ull + s->n_argv + s->n_envp);
	uint64_t p = is_env ? argv + word * (s->n_argv + 1ull) : argv;
	uint32_t n = is_env ? s->n_envp : s->n_argv;
	char *to = t->at + t->used;
	size_t room = t->room - t->used;

	for (uint32_t i = 0; i < n; i++, p += word) {
		uint64_t at = 0;
		long bytes;

		if (gst_copy_in(&at, p, word))
			return;
		bytes = gst_copy_text(to, at, room);
		if (bytes < 0)
			return;
		t->used += (size_t)bytes + 1;
		to += bytes + 1;
		room -= (size_t)bytes + 1;
	}
}

static void add_auxv(const struct gst *g, struct gst_text *t)
{
	if (gst_copy_in(t->at, g->auxv, g->auxv_bytes) == 0)
		t->used = g->auxv_bytes;
}

static void add_cpu_list(const struct gst *g, struct gst_text *t)
{
	gst_text_add(t, "0");
	if (g->ctl->start.n_cpus > 1) {
		gst_text_add(t, "-");
		gst_text_dec(t, g->ctl->start.n_cpus - 1);
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
	uint32_t words[4] = { c->ebx, c->edx, c->ecx, 0 };

	gst_text_add(t, (const char *)words);
}

static void add_flags(struct gst_text *t, uint32_t edx, uint32_t ecx)
{
	static const char names[] = "fpu\0vme\0de\0pse\0tsc\0msr\0pae\0mce\0cx8\0apic\0-\0sep\0mtrr\0pge\0mca\0"
	                            "cmov\0pat\0pse36\0pn\0clflush\0-\0dts\0acpi\0mmx\0fxsr\0sse\0sse2\0ss\0"
	                            "ht\0tm\0ia64\0pbe\0pni\0pclmulqdq\0dtes64\0monitor\0ds_cpl\0vmx\0smx\0"
	                            "est\0tm2\0ssse3\0cid\0sdbg\0fma\0cx16\0xtpr\0pdcm\0-\0pcid\0dca\0sse4_1\0"
	                            "sse4_2\0x2apic\0movbe\0popcnt\0tsc_deadline_timer\0aes\0xsave\0-\0avx\0"
	                            "f16c\0rdrand\0hypervisor";
	const char *p = names;
	uint64_t bits = (uint64_t)ecx << 32 | edx;

	for (unsigned i = 0; i < 64; i++) {
		if ((bits >> i & 1) && p[0] != '-') {
			gst_text_add(t, " ");
			gst_text_add(t, p);
		}
		p += gst_length(p) + 1;
	}
}

/* Size of the L2 cache in KB by the descriptors of CPUID 2; 0 = none. */
static uint32_t l2_kbytes(const struct gst *g)
{
	const struct shr_cpuid *c = leaf(g, 2);
	uint32_t words[4] = { c->eax & ~0xffu, c->ebx, c->ecx, c->edx };

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
		gst_text_add(t, "\nmodel name\t: softpmu\nstepping\t: ");
		gst_text_dec(t, one->eax & 15);
		gst_text_add(t, "\ncpu MHz\t\t: 1000.000\ncache size\t: ");
		gst_text_dec(t, l2_kbytes(g));
		gst_text_add(t, " KB\nphysical id\t: ");
		gst_text_dec(t, cpu);
		gst_text_add(t, "\nsiblings\t: 1\ncore id\t\t: 0\n"
		                "cpu cores\t: 1\nfpu\t\t: yes\nwp\t\t: yes\nflags\t\t:");
		add_flags(t, one->edx, one->ecx);
		gst_text_add(t, "\nclflush size\t: 64\naddress sizes\t: 46 bits physical, 48 bits virtual\n\n");
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

/* Fill t with the content of `path`. Returns 0 when the path is not ours. */
static int make(const struct gst *g, struct gst_text *t, const char *path)
{
	const char *own = gst_proc_own_part(g, path);

	if (own && gst_equal(own, "maps"))
		gst_proc_maps(g, t);
	else if (own && gst_equal(own, "cmdline"))
		add_strings(g, t, 0);
	else if (own && gst_equal(own, "environ"))
		add_strings(g, t, 1);
	else if (own && gst_equal(own, "auxv"))
		add_auxv(g, t);
	else if (gst_equal(path, "/proc/cpuinfo"))
		add_cpuinfo(g, t);
	else if (gst_equal(path, "/proc/meminfo"))
		add_meminfo(g, t);
	else if (gst_equal(path, "/proc/stat"))
		add_stat(g, t);
	else if (gst_equal(path, "/sys/devices/system/cpu/online") ||
	         gst_equal(path, "/sys/devices/system/cpu/possible") ||
	         gst_equal(path, "/sys/devices/system/cpu/present"))
		add_cpu_list(g, t);
	else
		return 0;
	return 1;
}

long gst_proc_open(struct gst *g, const char *path, uint64_t flags)
{
	struct gst_text t;
	size_t done = 0;
	long fd;

	if (!gst_begins(path, "/proc/") && !gst_begins(path, "/sys/devices/system/cpu/"))
		return GST_PROC_NOT_OURS;
	if (gst_proc_is_exe(g, path) && !(flags & O_NOFOLLOW_FLAG))
		return SYS3(open, g->exe_path, flags, 0);
	gst_text_start(&t, (char *)GST_SCRATCH, GST_SCRATCH_BYTES);
	if ((flags & 3) || !make(g, &t, path))
		return GST_PROC_NOT_OURS;
	fd = SYS2(memfd_create, last_part(path), flags & O_CLOEXEC_FLAG ? 1 : 0);
	if (fd < 0)
		return fd;
	while (done < t.used) {
		long n = SYS3(write, fd, t.at + done, t.used - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	SYS3(lseek, fd, 0, 0);
	return fd;
}
