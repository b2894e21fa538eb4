/* machine.c -- QEMU as the machine. Rules: machine.h. */
#include "bare/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_QEMU   "qemu-system-i386"
#define DEFAULT_MEMORY 256u
#define NOT_THERE      127
#define PIPE_BYTES     (1 << 20)
#define GRACE_US       20000u
#define GRACE_TURNS    50u
#define AWAIT_US       1000u
#define AWAIT_TURNS    5000u
/* Linux' set-up header (Documentation/arch/x86/boot.rst): offsets, and what stands there */
#define SETUP_MAGIC	0x202u
#define SETUP_VERSION	0x206u /* its low byte; the high one is 2 */
#define SETUP_XLOAD	0x236u
#define SETUP_BYTES	0x240u
#define SETUP_HAS_XLOAD 12u /* from version 2.12 on */
#define SETUP_IS_64	1u

/* ---- command line ---------------------------------------------------------------------------- */

/* QEMU's arguments; each is owned. */
struct arguments {
	char *arg[64];
	unsigned n;
	bool is_lost; /* no memory */
};

__attribute__((format(printf, 2, 3))) static void add(struct arguments *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (a->n + 1 >= sizeof(a->arg) / sizeof(a->arg[0]) ||
	    vasprintf(&a->arg[a->n], fmt, ap) < 0) {
		a->is_lost = true;
		if (a->n + 1 < sizeof(a->arg) / sizeof(a->arg[0]))
			a->arg[a->n] = NULL;
	} else {
		a->n++;
	}
	va_end(ap);
}

static void free_arguments(struct arguments *a)
{
	for (unsigned i = 0; i < a->n; i++)
		free(a->arg[i]);
}

/* A name in one of QEMU's lists: commas are doubled. The caller frees it. */
static char *in_list(const char *name)
{
	char *out = malloc(2 * strlen(name) + 1), *to = out;

	for (; out && *name; name++) {
		*to++ = *name;
		if (*name == ',')
			*to++ = ',';
	}
	if (out)
		*to = 0;
	return out;
}

/* QEMU's name for the processor that comes nearest. */
static const char *processor(const struct bare_config *cfg)
{
	if (cfg->is_pentium)
		return strstr(cfg->cpu, "mmx") ? "pentium" : "pentium,model=2,-mmx";
	if (!strncmp(cfg->cpu, "pentiumpro", 10))
		return "pentium2,model=1,-mmx,-hypervisor";
	if (!strncmp(cfg->cpu, "pentium2", 8) || !strncmp(cfg->cpu, "celeron-c", 9) ||
	    !strncmp(cfg->cpu, "celeron-m", 9))
		return "pentium2,-hypervisor";
	return "pentium3,-hypervisor";
}

static void add_machine(struct arguments *a, const struct bare_config *cfg)
{
	add(a, "%s", cfg->qemu ? cfg->qemu : DEFAULT_QEMU);
	add(a, "-nodefaults");
	add(a, "-no-user-config");
	add(a, "-no-reboot");
	add(a, "-machine");
	add(a, "pc,graphics=off");
	add(a, "-accel");
	add(a, "tcg,thread=single");
	add(a, "-icount");
	add(a, "shift=1,sleep=off");
	add(a, "-rtc");
	add(a, "base=2000-01-01T00:00:00,clock=vm");
	add(a, "-cpu");
	add(a, "%s", processor(cfg));
	add(a, "-m");
	add(a, "%u", cfg->memory_mb ? cfg->memory_mb : DEFAULT_MEMORY);
	add(a, "-display");
	add(a, "none");
	add(a, "-vga");
	add(a, "none");
	add(a, "-chardev");
	add(a, "stdio,id=console,signal=on");
	add(a, "-serial");
	add(a, "chardev:console");
	add(a, "-device");
	add(a, "isa-debug-exit,iobase=0xf4,iosize=4");
}

static void add_disk(struct arguments *a, const char *file)
{
	char *name = in_list(file);

	add(a, "-drive");
	add(a, "file=%s,format=raw,if=ide,index=0,snapshot=on", name ? name : "");
	a->is_lost |= !name;
	free(name);
}

static void add_open_disk(struct arguments *a, int fd)
{
	char name[40];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (fd >= 0)
		add_disk(a, name);
}

static void add_program(struct arguments *a, const struct bare_config *cfg)
{
	if (cfg->kernel) {
		add(a, "-kernel");
		add(a, "%s", cfg->kernel);
		add(a, "-append");
		add(a, "%s nokaslr", cfg->append ? cfg->append : "console=ttyS0");
	}
	if (cfg->initrd) {
		add(a, "-initrd");
		add(a, "%s", cfg->initrd);
	}
	if (cfg->image)
		add_disk(a, cfg->image);
}

/* Descriptors that QEMU gets under the numbers that they have here. */
struct inherited {
	int memory, console[2], image;
};

static void add_plugin(struct arguments *a, const struct bare_config *cfg,
		       const struct inherited *in)
{
	char *name = in_list(cfg->plugin);

	add(a, "-plugin");
	add(a, "%s,memory=%d,console=%d,mhz=%u", name ? name : "", in->memory, in->console[0],
	    cfg->core_mhz);
	a->is_lost |= !name;
	free(name);
}

/* ---- start ----------------------------------------------------------------------------------- */

static int look_for(const char *what, const char *path, struct spmu_error *err)
{
	struct stat st;

	if (!path)
		return 0;
	if (access(path, R_OK) != 0 || stat(path, &st) != 0)
		return spmu_fail(err, SPMU_ESYS, "--%s %s: %s", what, path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return spmu_fail(err, SPMU_ESYS, "--%s %s: a directory, where a file is wanted",
				 what, path);
	return 0;
}

/* QEMU starts other files as well, or waits for ever; the counts begin at Linux' own set-up code.
 */
static int look_at_kernel(const char *path, struct spmu_error *err)
{
	uint8_t head[SETUP_BYTES] = {0};
	const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n;

	if (fd < 0)
		return path ? spmu_fail(err, SPMU_ESYS, "--kernel %s: %s", path, strerror(errno))
			    : 0;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	if (n < (ssize_t)sizeof(head) || memcmp(head + SETUP_MAGIC, "HdrS", 4) != 0)
		return spmu_fail(err, SPMU_ENOTSUP,
				 "--kernel %s: no Linux kernel for PCs (bzImage), as "
				 "/boot/vmlinuz-* are; a disk's image is given by --image",
				 path);
	if (head[SETUP_VERSION] >= SETUP_HAS_XLOAD && head[SETUP_XLOAD] & SETUP_IS_64)
		return spmu_fail(err, SPMU_ENOTSUP,
				 "--kernel %s: a kernel for x86-64, and the machine has 32 bits; "
				 "Debian's linux-image-686 is one for i386",
				 path);
	return 0;
}

static void keep(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFD, 0);
}

/* In the child: becomes QEMU, never returns. Its console goes into the pipe that the plugin reads;
 * input comes from a terminal or from nowhere, because other input comes when the host pleases. */
__attribute__((noreturn)) static void become(const struct arguments *a, const struct inherited *in,
					     int complaints, pid_t parent)
{
	const int nowhere = open("/dev/null", O_RDONLY);

	keep(in->memory);
	keep(in->console[0]);
	keep(in->image);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent ||
	    (!isatty(0) && dup2(nowhere, 0) < 0) || dup2(in->console[1], 1) < 0 ||
	    dup2(complaints, 2) < 0)
		_exit(NOT_THERE - 1);
	setenv("LC_ALL", "C", 1); /* its complaints are read */
	execvp(a->arg[0], a->arg);
	_exit(errno == ENOENT ? NOT_THERE : NOT_THERE - 1);
}

static int open_pipes(struct bare_machine *m, struct inherited *in, struct spmu_error *err)
{
	m->complaints = memfd_create("softpmu-bare-messages", MFD_CLOEXEC);
	if (m->complaints < 0 || pipe2(in->console, O_CLOEXEC | O_NONBLOCK) != 0)
		return spmu_fail(err, SPMU_ESYS, "no pipe to the machine's console: %s",
				 strerror(errno));
	fcntl(in->console[1], F_SETPIPE_SZ, PIPE_BYTES); /* more is better, not needed */
	return 0;
}

static int start(struct bare_machine *m, const struct arguments *a, const struct inherited *in,
		 struct spmu_error *err)
{
	const pid_t parent = getpid();

	m->has_terminal = isatty(0) && tcgetattr(0, &m->terminal) == 0;
	m->pid = fork();
	if (m->pid == 0)
		become(a, in, m->complaints, parent);
	if (m->pid > 0)
		return 0;
	m->pid = 0;
	return spmu_fail(err, SPMU_ESYS, "no process for the machine: %s", strerror(errno));
}

int bare_machine_open(struct bare_machine *m, const struct bare_config *cfg, struct spmu_error *err)
{
	struct inherited in = {-1, {-1, -1}, cfg->image_fd};
	struct arguments a = {.n = 0};
	int rc;

	memset(m, 0, sizeof(*m));
	m->complaints = -1;
	rc = bare_ring_open(&m->ring, err);
	rc = rc ? rc : look_for("kernel", cfg->kernel, err);
	rc = rc ? rc : look_at_kernel(cfg->kernel, err);
	rc = rc ? rc : look_for("initrd", cfg->initrd, err);
	rc = rc ? rc : look_for("image", cfg->image, err);
	if (!rc && access(cfg->plugin, R_OK) != 0)
		rc = spmu_fail(err, SPMU_ENOTSUP,
			       "softpmu's plugin for QEMU, '%s', is not there: make builds it, and "
			       "make install puts it beside softpmu",
			       cfg->plugin);
	rc = rc ? rc : open_pipes(m, &in, err);
	in.memory = m->ring.fd;
	if (!rc) {
		add_machine(&a, cfg);
		add_program(&a, cfg);
		add_open_disk(&a, cfg->image_fd);
		add_plugin(&a, cfg, &in);
		rc = a.is_lost ? spmu_fail(err, SPMU_ENOMEM, "out of memory")
			       : start(m, &a, &in, err);
	}
	free_arguments(&a);
	for (int i = 0; i < 2; i++)
		if (in.console[i] >= 0)
			close(in.console[i]);
	return rc;
}

/* ---- end ------------------------------------------------------------------------------------- */

bool bare_machine_is_gone(struct bare_machine *m)
{
	if (m->pid && !m->is_gone)
		m->is_gone = waitpid(m->pid, &m->status, WNOHANG) == m->pid;
	return m->is_gone;
}

void bare_machine_await(struct bare_machine *m)
{
	for (unsigned i = 0; i < AWAIT_TURNS && !bare_machine_is_gone(m); i++) {
		if (__atomic_load_n(&m->ring.share->state, __ATOMIC_ACQUIRE) != BARE_NOT_THERE)
			return;
		usleep(AWAIT_US);
	}
}

/* QEMU's last words on one line. */
static void last_words(const struct bare_machine *m, char *out, size_t room)
{
	ssize_t n = pread(m->complaints, out, room - 1, 0);
	char *end;

	out[n > 0 ? n : 0] = 0;
	end = strchr(out, '\n');
	if (end)
		*end = 0;
	for (char *c = out; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

int bare_machine_why(struct bare_machine *m, struct spmu_error *err)
{
	const uint32_t state = m->ring.share->state;
	char words[300];

	last_words(m, words, sizeof(words));
	if (WIFEXITED(m->status) && WEXITSTATUS(m->status) == NOT_THERE)
		return spmu_fail(
		    err, SPMU_ENOTSUP,
		    "there is no %s, which softpmu bare runs the machine with: install "
		    "Debian's package qemu-system-x86, write --qemu PROGRAM, or have make bare "
		    "build one",
		    DEFAULT_QEMU);
	if (state == BARE_WRONG_VERSION)
		return spmu_fail(err, SPMU_ENOTSUP,
				 "this QEMU serves versions %d to %d of its plugin interface, and "
				 "softpmu's plugin needs version 1: install Debian 12's "
				 "qemu-system-x86",
				 m->ring.share->api_least, m->ring.share->api_now);
	if (state == BARE_WRONG_MACHINE)
		return spmu_fail(err, SPMU_ENOTSUP,
				 "this QEMU is none for a PC of 32 bits, which softpmu bare needs: "
				 "qemu-system-i386");
	if (strstr(words, "-plugin"))
		return spmu_fail(err, SPMU_ENOTSUP,
				 "this QEMU was built without plugins, which softpmu bare needs: "
				 "install Debian's package qemu-system-x86");
	if (WIFSIGNALED(m->status))
		return spmu_fail(err, SPMU_ESYS, "QEMU was ended by signal %d",
				 WTERMSIG(m->status));
	if (*words)
		return spmu_fail(err, SPMU_ESYS, "QEMU did not run: %s", words);
	return spmu_fail(err, SPMU_ESYS, "QEMU ended with status %d", WEXITSTATUS(m->status));
}

void bare_machine_close(struct bare_machine *m)
{
	if (m->ring.share)
		bare_ring_stop(&m->ring);
	if (m->pid && !bare_machine_is_gone(m)) {
		kill(m->pid, SIGTERM);
		for (unsigned i = 0; i < GRACE_TURNS && !bare_machine_is_gone(m); i++)
			usleep(GRACE_US);
		if (!m->is_gone) {
			kill(m->pid, SIGKILL);
			while (waitpid(m->pid, &m->status, 0) < 0 && errno == EINTR)
				;
			m->is_gone = true;
		}
	}
	if (m->has_terminal)
		tcsetattr(0, TCSADRAIN, &m->terminal);
	if (m->complaints >= 0)
		close(m->complaints);
	bare_ring_close(&m->ring);
}
