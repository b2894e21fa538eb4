/* start.c -- from the kernel's exec to the program's first instruction.
 *
 * MODELLED   what execve(2) gives a new program, at addresses that are always the same: the
 *            kernel's own stack, vdso and vvar are thrown away.
 */
#include <linux/auxvec.h>
#include <linux/personality.h>
#include <linux/prctl.h>

#include "guest/calls/seccomp.h"
#include "guest/narrow/narrow.h"
#include "guest/memory/areas.h"
#include "guest/files/digest.h"
#include "guest/files/input.h"
#include "guest/start/elf_headers.h"
#include "guest/start/exec.h"
#include "guest/gst.h"
#include "guest/files/procfs.h"
#include "guest/start/rights.h"
#include "guest/signals/signal.h"
#include "guest/threads/thread.h"

void gst_start(const uint64_t *stack);

static void read_kernel_auxv(struct gst_kernel *k, const uint64_t *auxv)
{
	k->page_bytes = GST_PAGE;
	k->clock_ticks = 100;
	for (; auxv[0] != AT_NULL; auxv += 2) {
		switch (auxv[0]) {
		case AT_PAGESZ: k->page_bytes = auxv[1]; break;
		case AT_CLKTCK: k->clock_ticks = auxv[1]; break;
		case AT_UID: k->uid = auxv[1]; break;
		case AT_EUID: k->euid = auxv[1]; break;
		case AT_GID: k->gid = auxv[1]; break;
		case AT_EGID: k->egid = auxv[1]; break;
		case AT_SECURE: k->secure = auxv[1]; break;
		case AT_HWCAP2: k->hwcap2 = auxv[1]; break;
		case AT_MINSIGSTKSZ: k->min_sigstack = auxv[1]; break;
		}
	}
}

/* How far the areas are shifted: softpmu has said it for the first program, for another one its
 * headers do. Damaged ones are gst_elf_load's to refuse. */
static uint64_t shift_of(const struct gst *g, int memory)
{
	const uint64_t start = SHR_CTL_OFF + offsetof(struct shr_ctl, start);
	struct gst_elf_headers h;
	uint64_t shift = 0, low = 0, high = 0;
	uint32_t chaos = 0;
	const char *why;

	if (g->exe_fd < 0) {
		SYS4(pread64, memory, &shift, sizeof(shift),
		     start + offsetof(struct shr_start, shift));
		return shift;
	}
	if (gst_elf_read_headers(g->exe_fd, &h, &why) || gst_elf_is_32(&h))
		return 0;
	if (h.head.e_type == ET_EXEC)
		gst_elf_range(&h, &low, &high);
	shift = shr_shift(low, high);
	SYS4(pread64, memory, &chaos, sizeof(chaos), start + offsetof(struct shr_start, chaos));
	return !shift && chaos & SHR_CHAOS_SHIFT ? SHR_SHIFT_OF_CHAOS : shift;
}

static void map_areas(struct gst *g)
{
	const int memory = gst_process_hidden(g)->fd[SHR_FD_MEMORY];
	const uint64_t shift = shift_of(g, memory);

	gst_areas_map(memory, shift, 0);
	g->code = SHR_CODE_BASE + shift;
	g->ctl = (struct shr_ctl *)SHR_CTL_BASE;
	g->tab = (const struct shr_tables *)SHR_TAB_BASE;
	if (g->ctl->magic != SHR_MAGIC || g->ctl->version != SHR_VERSION)
		gst_fail("started by another version of softpmu");
	g->ctl->start.shift = shift;
	g->ctl->guest_pid = (uint32_t)SYS0(getpid);
	if (!g->ctl->n_threads)
		g->ctl->n_threads = 1;
	g->sched.dice = (g->ctl->start.seed + 1) * 0x9e3779b97f4a7c15ull | 1;
}

/* Memory of the runtime that the kernel's 32-bit calls reach. */
static void map_low(void)
{
	long ret = SYS6(mmap, SHR_LOW_BASE, SHR_LOW_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (ret != (long)SHR_LOW_BASE)
		gst_fail("cannot map memory below 4 GiB");
}

static void take_range(struct gst *g, uint64_t lo, uint64_t hi)
{
	struct gst_vma v = {
	    .lo = lo, .hi = hi, .flags = MAP_SHARED | MAP_ANONYMOUS, .kind = GST_VMA_ENGINE};

	gst_vma_add(&g->vmas, &v);
}

static uint64_t hex_number(const char **p)
{
	uint64_t n = 0;

	for (;; (*p)++) {
		char c = **p;

		if (c >= '0' && c <= '9')
			n = n * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n * 16 + (uint64_t)(c - 'a' + 10);
		else
			return n;
	}
}

/* One by one, by the list of the kernel; what it has sealed stays and is kept clear of. */
static int clear_by_list(struct gst *g)
{
	char *text = (char *)GST_SCRATCH;
	long fd = SYS2(open, "/proc/self/maps", 0), used = 0, n;

	if (fd < 0)
		return -1;
	while ((n = SYS3(read, fd, text + used, GST_SCRATCH_BYTES - 1 - (uint64_t)used)) > 0)
		used += n;
	SYS1(close, fd);
	text[used] = 0;
	for (const char *p = text; *p;) {
		uint64_t lo = hex_number(&p), hi = *p == '-' ? (p++, hex_number(&p)) : 0;

		if (hi > lo && lo < GST_TASK_END &&
		    (hi <= SHR_ENGINE_LOW || lo >= SHR_ENGINE_HIGH) && SYS2(munmap, lo, hi - lo))
			take_range(g, lo, hi);
		while (*p && *p++ != '\n')
			;
	}
	return 0;
}

/* Throw away what the kernel mapped: stack, vdso, vvar. */
static void clear_address_space(struct gst *g)
{
	long err = SYS2(munmap, SHR_ENGINE_HIGH, GST_TASK_END - SHR_ENGINE_HIGH);

	if (!err)
		err = SYS2(munmap, 0x10000, SHR_RT_BASE - 0x10000);
	if (err && clear_by_list(g))
		gst_fail("cannot clear the address space: this kernel seals its own mappings, and "
			 "/proc is missing");
}

/* GS base by the way that the kernel offers. */
static void set_gs(struct gst *g)
{
	if (g->kernel.hwcap2 & 2)
		__asm__ volatile("wrgsbase %0" : : "r"(SHR_GS_BASE));
	else
		SYS2(arch_prctl, 0x1001 /* ARCH_SET_GS */, SHR_GS_BASE);
}

/* PR_SET_TSC is kept over exec. */
static uint32_t is_tsc_closed(void)
{
	int32_t mode = 0;

	return SYS2(prctl, PR_GET_TSC, &mode) == 0 && mode == PR_TSC_SIGSEGV;
}

/* The user's RLIMIT_AS and RLIMIT_DATA are meant for the program: the kernel's are lifted as far
 * as they go (the memory shared with softpmu and the runtime's own count there), and the runtime
 * keeps to the user's. */
static void lift_limit(int which, struct shr_limit *own)
{
	uint64_t limit[2] = {~0ull, ~0ull}, lifted[2] = {~0ull, ~0ull};

	SYS4(prlimit64, 0, which, NULL, limit);
	*own = (struct shr_limit){limit[0], limit[1]};
	if (limit[0] == ~0ull || SYS4(prlimit64, 0, which, lifted, NULL) == 0)
		return;
	lifted[0] = lifted[1] = limit[1];
	SYS4(prlimit64, 0, which, lifted, NULL);
}

static void load_program(struct gst *g)
{
	const long personality = SYS1(personality, 0xffffffff);
	uint64_t sp;
	struct shr_gs *gs = g->gs;

	if (g->layout.is_32)
		gst_call_page_map(g);
	if (g->layout.is_32 && personality & ADDR_LIMIT_3GB)
		gst_layout_lower(&g->layout);
	gst_rights_look(g);
	gst_elf_load(g, g->exe, &g->program, SHR_PIE_BASE);
	gst_proc_start(g);
	if (g->program.interp[0])
		gst_elf_load(g, g->program.interp, &g->interp, 0);
	if (personality & MMAP_PAGE_ZERO)
		gst_map_kernels(g, 0, GST_PAGE, PROT_READ | PROT_EXEC);
	gst_brk_start(g);
	sp = gst_stack_build(g);
	memset(gs->gpr, 0, sizeof(gs->gpr));
	gs->guest_r15 = 0;
	gst_segments_start(g);
	gs->gpr[4] = sp;
	gst_proc_arguments(g);
	gs->rflags = EFLAGS_IF | EFLAGS_ONE;
	gs->pc = g->program.interp[0] ? g->interp.entry : g->program.entry;
}

/* First C function: stack is the kernel's initial stack. */
void gst_start(const uint64_t *stack)
{
	struct gst *g = GST;
	int fd[SHR_N_FDS] = {0}, is_first;
	uint32_t first[2] = {0, 0};
	uint64_t argc = stack[0];
	const uint64_t *p = stack + 1;

	if (argc < 1 + SHR_N_FDS)
		gst_fail("this is a part of softpmu and not a command");
	for (int i = 0; i < SHR_N_FDS; i++)
		fd[i] = (int)gst_number((const char *)p[1 + i]);
	for (p += argc + 1; *p; p++)
		;
	read_kernel_auxv(&g->kernel, p + 1);
	g->exe_fd = gst_exec_arrive(argc, stack + 1);
	is_first = g->exe_fd < 0;
	g->t = gst_thread_slot(0);
	if (!g->t)
		gst_fail("cannot get memory for the first thread");
	g->t->tid = (int32_t)SYS0(gettid);
	gst_process_start(g, g->t);
	gst_sched_start(g, g->t);
	gst_hidden_start(g, fd);
	gst_life_listen(g);
	if (is_first)
		SYS2(prctl, PR_SET_PDEATHSIG, 0);
	if (gst_is_abandoned(gst_process_hidden(g)))
		SYS1(exit_group, REQ_GAVE_UP);
	g->vmas.v = (struct gst_vma *)GST_VMAS;
	g->vmas.room = GST_VMAS_BYTES / sizeof(struct gst_vma);
	clear_address_space(g);
	lift_limit(9 /* RLIMIT_AS */, &g->space_limit);
	lift_limit(2 /* RLIMIT_DATA */, &g->data_limit);
	g->gs = (struct shr_gs *)SHR_GS_BASE;
	map_areas(g);
	g->exe = (const char *)(SHR_CTL_BASE + SHR_START_OFF);
	if (!is_first)
		gst_exec_settle(g);
	gst_layout_set(&g->layout, g->ctl->start.mode == SHR_MODE_32, g->code - SHR_CODE_BASE);
	g->call_narrow = gst_call_narrow;
	if (g->layout.is_32)
		map_low();
	set_gs(g);
	g->gs->runtime = (uint64_t)gst_entry;
	g->gs->rt_stack = GST_STACK_TOP;
	gst_ib_clear(g);
	gst_ring_start(g);
	gst_sched_show(g);
	gst_seccomp_arrive(g);
	g->t->is_tsc_closed = is_tsc_closed();
	g->t->policy = is_first ? 0 : (uint32_t)g->ctl->start.policy;
	g->t->cpus = is_first || !g->ctl->start.cpus ? gst_all_cpus(g)
						     : g->ctl->start.cpus & gst_all_cpus(g);
	g->names_used = 1;
	if (is_first) {
		gst_digest_start(g);
	} else {
		gst_ring_event(g, TRC_EXEC, NULL, 0);
		first[1] = gst_thread_cpu(g, g->t) + 1;
		gst_ring_event(g, TRC_THREAD, first, sizeof(first));
	}
	g->random = g->ctl->start.seed;
	take_range(g, g->code,
		   g->code - SHR_CODE_BASE + SHR_COUNT_BASE + SHR_COUNT_BYTES +
		       (g->layout.is_32 ? SHR_LOW_BYTES : 0));
	take_range(g, SHR_ENGINE_LOW, SHR_ENGINE_HIGH);
	gst_signal_start(g);
	g->stack_limit = g->ctl->start.stack_limit;
	if (!is_first) {
		g->space_limit = g->ctl->start.space_limit;
		g->data_limit = g->ctl->start.data_limit;
	}
	load_program(g);
	if (is_first)
		gst_input_file(g, 0, "", TRC_INPUT_STANDARD);
	else
		gst_timers_arrive(g);
	gst_ring_word(g, TRC_GO, g->gs->pc);
	gst_go(g);
	gst_leave();
}
