/* probes.c -- the probes of softpmu doctor, one function each. A probe that may be killed runs
 * in a child process, so it cannot end softpmu. */
#include "session/machine/probes.h"

#include <asm/prctl.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/machine/cpuid.h"
#include "session/machine/host_counters.h"
#include "session/machine/limits.h"
#include "trace/share.h"

#define HWCAP2_FSGSBASE_BIT 2
#define PROBE_STATUS	    42

static const uint8_t answer_code[] = {0xb8, PROBE_STATUS, 0, 0, 0, 0xc3}; /* mov eax,42; ret */

/* Run `body` in a child. Returns its exit status, or -1 when it died. */
static int in_child(int (*body)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct rlimit none = {0, 0};

		setrlimit(RLIMIT_CORE, &none);
		_exit(body());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* A memfd with these bytes; -1 with errno. */
static int memfd_of(const void *bytes, size_t n)
{
	int fd = (int)syscall(SYS_memfd_create, "softpmu-probe", 0), why;

	if (fd < 0)
		return -1;
	if (write(fd, bytes, n) == (ssize_t)n)
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

static int run_shared_code(void)
{
	int fd = memfd_of(answer_code, sizeof(answer_code));
	int (*code)(void);
	void *p;

	if (fd < 0)
		return 1;
	p = mmap((void *)SHR_CODE_BASE, 4096, PROT_READ | PROT_EXEC,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	if (p != (void *)SHR_CODE_BASE)
		return 2;
	memcpy(&code, &p, sizeof(code));
	return code();
}

static enum ses_verdict_of_host try_shared_code(char *text, size_t room)
{
	switch (in_child(run_shared_code)) {
	case PROBE_STATUS:
		snprintf(text, room, "a memfd can be mapped and executed at 0x%llx", SHR_CODE_BASE);
		return SES_HOST_OK;
	case 1:
		snprintf(text, room,
			 "memfd_create is refused: no program can run; allow it in the container's "
			 "system-call filter");
		return SES_HOST_FAILS;
	default:
		snprintf(text, room,
			 "shared memory cannot be executed: no program can run; a security module "
			 "(SELinux execmem, PaX) or sandbox forbids it");
		return SES_HOST_FAILS;
	}
}

/* A static program of 132 bytes that exits with PROBE_STATUS. */
static int run_descriptor(void)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph;
		uint8_t code[12];
	} file = {
	    .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		   .e_type = ET_EXEC,
		   .e_machine = EM_X86_64,
		   .e_version = EV_CURRENT,
		   .e_entry = 0x400000 + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
		   .e_phoff = sizeof(Elf64_Ehdr),
		   .e_ehsize = sizeof(Elf64_Ehdr),
		   .e_phentsize = sizeof(Elf64_Phdr),
		   .e_phnum = 1},
	    .ph = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000, .p_align = 4096},
	    /* mov edi,42; mov eax,60 (exit); syscall */
	    .code = {0xbf, PROBE_STATUS, 0, 0, 0, 0xb8, 60, 0, 0, 0, 0x0f, 0x05},
	};
	char *const none[] = {NULL};
	int fd;

	file.ph.p_filesz = file.ph.p_memsz = sizeof(file);
	fd = memfd_of(&file, sizeof(file));
	if (fd < 0)
		return 1;
	syscall(SYS_execveat, fd, "", (char *const[]){"probe", NULL}, none, AT_EMPTY_PATH);
	return errno == ENOSYS ? 2 : 3;
}

static enum ses_verdict_of_host try_descriptor(char *text, size_t room)
{
	if (in_child(run_descriptor) == PROBE_STATUS) {
		snprintf(text, room, "execveat from a descriptor works");
		return SES_HOST_OK;
	}
	snprintf(text, room,
		 "execveat from a descriptor is refused: no program can run; allow it in the "
		 "container's system-call filter, or use a kernel from 3.19 on");
	return SES_HOST_FAILS;
}

static int set_gs(void)
{
	unsigned long base = 0;

	if (syscall(SYS_arch_prctl, ARCH_SET_GS, 0x12345000ul))
		return 1;
	if (syscall(SYS_arch_prctl, ARCH_GET_GS, &base) || base != 0x12345000ul)
		return 1;
	return PROBE_STATUS;
}

static enum ses_verdict_of_host try_gs(char *text, size_t room)
{
	if (in_child(set_gs) == PROBE_STATUS) {
		snprintf(text, room, "arch_prctl sets the GS base");
		return SES_HOST_OK;
	}
	snprintf(text, room,
		 "arch_prctl(ARCH_SET_GS) is refused: no program can run; the kernel or its "
		 "emulation (gVisor, WSL1) lacks it");
	return SES_HOST_FAILS;
}

static enum ses_verdict_of_host try_fsgsbase(char *text, size_t room)
{
	if (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT)
		snprintf(text, room, "the kernel enables FSGSBASE (used when there)");
	else
		snprintf(text, room,
			 "no FSGSBASE: segment bases are set by system calls, a little slower");
	return SES_HOST_OK;
}

static int run_int80(void)
{
	long pid;

	__asm__ volatile("int $0x80" : "=a"(pid) : "0"(20L) : "memory", "r8", "r9", "r10", "r11");
	return (pid_t)pid == getpid() ? PROBE_STATUS : 1;
}

static bool has_int80(void)
{
	return in_child(run_int80) == PROBE_STATUS;
}

static enum ses_verdict_of_host try_int80(char *text, size_t room)
{
	if (has_int80()) {
		snprintf(text, room, "int 0x80 is answered: 32-bit programs run");
		return SES_HOST_OK;
	}
	snprintf(text, room,
		 "no int 0x80: 32-bit programs run all the same, their calls are made as those of "
		 "x86-64");
	return SES_HOST_OK;
}

static enum ses_verdict_of_host try_isa(char *text, size_t room)
{
	int level = ses_host_isa_level();

	if (level < ses_default_isa(1)) {
		snprintf(text, room,
			 "x86-64-v%d: 64-bit programs need --isa v%d here, and those "
			 "built for a higher "
			 "level are refused",
			 level, level);
		return SES_HOST_NOTE;
	}
	snprintf(text, room, "x86-64-v%d%s", level,
		 level < 4 ? "; programs built for a higher level are refused here" : "");
	return SES_HOST_OK;
}

static enum ses_verdict_of_host try_processors(char *text, size_t room)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	if (n > 1) {
		snprintf(text, room, "%d usable: program and model run side by side", n);
		return SES_HOST_OK;
	}
	snprintf(text, room,
		 "1 usable: program and model take turns; counts are the same, runs take longer");
	return SES_HOST_NOTE;
}

/* Checks a limit as a run has it: a run raises the soft limit as far as it may. */
static enum ses_verdict_of_host check_limit(int limit, char *text, size_t room)
{
	const struct ses_limit *l = ses_limit(limit);
	const unsigned long long now = ses_limit_room(limit), least = l->least, most = l->most;

	if (now == RLIM_INFINITY)
		return snprintf(text, room, "unlimited"), SES_HOST_OK;
	if (now < least) {
		snprintf(text, room, "%llu %s, but %llu are needed: raise it (%s)", now, l->unit,
			 least, l->option);
		return SES_HOST_FAILS;
	}
	if (now >= most) {
		snprintf(text, room, "%llu %s; %llu are needed", now, l->unit, most);
		return SES_HOST_OK;
	}
	if (most == RLIM_INFINITY)
		snprintf(text, room,
			 "%llu %s: softpmu needs many times the program's own time, and ends a run "
			 "before that limit does (%s)",
			 now, l->unit, l->option);
	else
		snprintf(text, room,
			 "%llu %s; %llu are needed at least, and %llu with clocks of a P6 (%s)",
			 now, l->unit, least, most, l->option);
	return SES_HOST_NOTE;
}

static enum ses_verdict_of_host try_files(char *text, size_t room)
{
	return check_limit(SES_LIMIT_FILES, text, room);
}

static enum ses_verdict_of_host try_file_size(char *text, size_t room)
{
	return check_limit(SES_LIMIT_FILE_SIZE, text, room);
}

static enum ses_verdict_of_host try_space(char *text, size_t room)
{
	return check_limit(SES_LIMIT_SPACE, text, room);
}

static enum ses_verdict_of_host try_data(char *text, size_t room)
{
	return check_limit(SES_LIMIT_DATA, text, room);
}

static enum ses_verdict_of_host try_time(char *text, size_t room)
{
	return check_limit(SES_LIMIT_TIME, text, room);
}

#define WORKERS 2u /* of a run with clocks of a P6; the child stands for the guest */

static int start_threads(void)
{
	return ses_can_start_threads(WORKERS) ? PROBE_STATUS : 1;
}

/* Processes and threads count alike. A run has a process more, one for each that the program
 * starts, and with clocks threads. */
static enum ses_verdict_of_host try_processes(char *text, size_t room)
{
	const int status = in_child(start_threads);
	struct rlimit r = {RLIM_INFINITY, RLIM_INFINITY};

	if (status == PROBE_STATUS) {
		getrlimit(RLIMIT_NPROC, &r);
		if (r.rlim_cur == RLIM_INFINITY)
			snprintf(text, room, "unlimited");
		else
			snprintf(text, room,
				 "%llu for all that this user runs, and there is room for a run's",
				 (unsigned long long)r.rlim_cur);
		return SES_HOST_OK;
	}
	if (status < 0) {
		snprintf(text, room, "this user may start no more: raise it (ulimit -u)");
		return SES_HOST_FAILS;
	}
	snprintf(text, room,
		 "room for few more: one thread works clocks out, which takes longer (ulimit -u)");
	return SES_HOST_NOTE;
}

static enum ses_verdict_of_host try_counters(char *text, size_t room)
{
	const int rc = ses_host_counters();

	if (!rc) {
		snprintf(text, room,
			 "this machine has some: softpmu stat --backend hw counts with them");
	} else if (rc == -EACCES || rc == -EPERM) {
		snprintf(text, room,
			 "not allowed here (perf_event_paranoid or filter); softpmu does not need "
			 "them");
	} else {
		snprintf(text, room, "none; softpmu does not need them");
	}
	return SES_HOST_OK;
}

static enum ses_verdict_of_host try_seccomp(char *text, size_t room)
{
	int mode = prctl(PR_GET_SECCOMP);

	if (mode <= 0)
		snprintf(text, room, "no system-call filter");
	else
		snprintf(text, room,
			 "a system-call filter is in force (mode %d); what it forbids fails in the "
			 "program as it would without softpmu",
			 mode);
	return SES_HOST_OK;
}

static enum ses_verdict_of_host try_kernel(char *text, size_t room)
{
	struct utsname u;

	if (uname(&u))
		return snprintf(text, room, "unknown"), SES_HOST_OK;
	snprintf(text, room, "%s %s %s", u.sysname, u.release, u.machine);
	return SES_HOST_OK;
}

static enum ses_verdict_of_host try_proc(char *text, size_t room)
{
	if (access("/proc/self/maps", R_OK)) {
		snprintf(text, room,
			 "/proc is not mounted: a record has no names of files and functions, and "
			 "programs that read /proc fail");
		return SES_HOST_NOTE;
	}
	snprintf(text, room, "/proc is there");
	return SES_HOST_OK;
}

static const struct ses_probe probes[] = {
    {"kernel", try_kernel, false},
    {"processes and threads", try_processes, true}, /* first: other probes need a process */
    {"executable shared memory", try_shared_code, false},
    {"start from a descriptor", try_descriptor, false},
    {"GS base", try_gs, false},
    {"FSGSBASE", try_fsgsbase, false},
    {"32-bit calls", try_int80, false},
    {"instruction set", try_isa, false},
    {"processors", try_processors, false},
    {"files of processes", try_proc, false},
    {"open files", try_files, false},
    {"file size", try_file_size, false},
    {"address space", try_space, false},
    {"data", try_data, false},
    {"processor time", try_time, false},
    {"hardware counters", try_counters, false},
    {"system-call filter", try_seccomp, false},
};

const struct ses_probe *ses_probes(size_t *n)
{
	*n = sizeof(probes) / sizeof(probes[0]);
	return probes;
}

void ses_probes_explain(struct spmu_error *err)
{
	char text[256];
	size_t n;

	for (const struct ses_probe *p = ses_probes(&n), *end = p + n; p < end; p++) {
		if (p->try(text, sizeof(text)) != SES_HOST_FAILS)
			continue;
		spmu_fail(err, SPMU_ENOTSUP, "%s: %s; 'softpmu doctor' looks at the rest", p->name,
			  text);
		return;
	}
}
