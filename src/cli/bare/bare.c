/* bare.c -- which machine is counted. Rules: bare.h. */
#include "cli/bare/bare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bare/code.h"
#include "cli/cli.h"
#include "cli/options.h"

#define BOOT_SECTOR 0x7c00u
/* where QEMU's loader starts the kernel's own code: the setup at 1020:0 */
#define LINUX_SETUP 0x10200u
#define LINUX_BASE  0xc0000000u /* Debian's kernels divide 3:1 */
/* what Linux says in front of the port access that ends the machine: what runs behind it depends
 * on when QEMU looks */
#define LINUX_ENDS "reboot: "

static int set_memory(struct cli_bare *b, const char *value)
{
	char *end;
	const unsigned long n = strtoul(value, &end, 10);

	if (*end || end == value || n < 4 || n > BARE_MOST_MEMORY) {
		cli_fail("--memory %s: a number of megabytes from 4 to %u is wanted", value,
			 BARE_MOST_MEMORY);
		return -1;
	}
	b->cfg.memory_mb = (unsigned)n;
	return 1;
}

static int set_switch(const char *name, const char *value, bool *is_off)
{
	*is_off = !strcmp(value, "0");
	if (*is_off || !strcmp(value, "1"))
		return 1;
	cli_fail("--%s %s: 1 counts this mode, too, and 0 does not", name, value);
	return -1;
}

int cli_bare_option(struct cli_bare *b, int option, const char *value)
{
	switch (option) {
	case OPT_kernel: b->cfg.kernel = value; return 1;
	case OPT_initrd: b->cfg.initrd = value; return 1;
	case OPT_append_: b->cfg.append = value; return 1;
	case OPT_image: b->cfg.image = value; return 1;
	case OPT_code: b->code = value; return 1;
	case OPT_mode: b->mode = value; return 1;
	case OPT_until: b->cfg.until = value; return 1;
	case OPT_qemu: b->cfg.qemu = value; return 1;
	case OPT_memory: return set_memory(b, value);
	case OPT_os: return set_switch("os", value, &b->has_no_os);
	case OPT_usr: return set_switch("usr", value, &b->has_no_usr);
	default: return 0;
	}
}

bool cli_bare_is_meant(const struct cli_bare *b)
{
	return b->cfg.kernel || b->cfg.image || b->code;
}

/* The plugin lies beside softpmu: in the folder where both were built, or where they are
 * installed. */
static void find_plugin(struct cli_bare *b)
{
	static const char *const places[] = {"lib/libsoftpmu-bare.so", "../lib/libsoftpmu-bare.so",
					     "../lib/softpmu/libsoftpmu-bare.so"};
	char own[2000];
	const ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[n > 0 ? n : 0] = 0;
	slash = strrchr(own, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(b->plugin, sizeof(b->plugin), "%s/%s", own, places[i]);
		if (access(b->plugin, R_OK) == 0)
			break;
	}
	b->cfg.plugin = b->plugin;
}

/* The QEMU that `make bare` builds, if it is there (tools/bare/build.sh). */
static void find_qemu(struct cli_bare *b)
{
	const char *dir = getenv("SOFTPMU_QEMU_DIR"), *cache = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");

	if (b->cfg.qemu)
		return;
	if (dir)
		snprintf(b->qemu, sizeof(b->qemu), "%s/qemu-system-i386", dir);
	else if (cache)
		snprintf(b->qemu, sizeof(b->qemu), "%s/softpmu/qemu/qemu-system-i386", cache);
	else
		snprintf(b->qemu, sizeof(b->qemu), "%s/.cache/softpmu/qemu/qemu-system-i386",
			 home ? home : "");
	if (access(b->qemu, X_OK) == 0)
		b->cfg.qemu = b->qemu;
}

static int check(const struct cli_bare *b)
{
	const int n = (b->cfg.kernel != NULL) + (b->cfg.image != NULL) + (b->code != NULL);
	static const char *const modes[] = {"real", "v86", "protected16", "protected32", "ring3"};

	if (n != 1)
		return cli_fail(n ? "bare: one of --kernel, --image and --code says what the "
				    "machine starts; leave the others away"
				  : "bare: what does the machine start? --kernel FILE, --image "
				    "FILE or --code 'INSTRUCTIONS' says it");
	if ((b->cfg.initrd || b->cfg.append) && !b->cfg.kernel)
		return cli_fail("--initrd and --append say something about --kernel; leave them "
				"away");
	if (b->mode && !b->code)
		return cli_fail("--mode %s says something about --code; leave it away", b->mode);
	if (b->cfg.until && !*b->cfg.until)
		return cli_fail("--until: the text is empty");
	for (size_t i = 0; b->mode && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(b->mode, modes[i]))
			return 0;
	return b->mode
		   ? cli_fail("--mode %s: there are real, v86, protected16, protected32 and ring3",
			      b->mode)
		   : 0;
}

/* What is run, in the words of the report. */
static void name(struct cli_bare *b, struct cli_run *r)
{
	unsigned n = 0;

	b->words[n++] = "bare";
	b->words[n++] = b->cfg.kernel ? b->cfg.kernel : b->cfg.image ? b->cfg.image : b->code;
	if (b->cfg.initrd)
		b->words[n++] = b->cfg.initrd;
	r->cfg.argv = (char *const *)b->words;
	r->cfg.envp = (char *const *)(b->words + n);
}

int cli_bare_open(struct cli_bare *b, struct cli_run *r, int argc, char **argv, int first)
{
	int code = check(b);

	b->cfg.image_fd = -1;
	if (!code && first < argc)
		code = cli_fail("bare: '%s' is no option, and bare runs no program", argv[first]);
	if (code)
		return code;
	find_plugin(b);
	find_qemu(b);
	b->cfg.cpu = r->cfg.model.cpu->name;
	b->cfg.is_pentium = r->cfg.model.cpu->family == CAT_P5;
	b->cfg.core_mhz = r->cfg.model.cpu->core_mhz;
	b->cfg.start = b->code ? CODE_START : b->cfg.image ? BOOT_SECTOR : LINUX_SETUP;
	b->cfg.kernel_base = b->cfg.kernel ? LINUX_BASE : 0;
	b->cfg.is_whole_line = b->cfg.kernel && !b->cfg.until;
	if (b->cfg.is_whole_line)
		b->cfg.until = LINUX_ENDS;
	if (b->code)
		code = cli_bare_code(b->code, b->mode ? b->mode : "real", &b->cfg.image_fd,
				     &b->cfg.stop);
	name(b, r);
	r->cfg.bare = &b->cfg;
	return code ? code : cli_run_geometry(r);
}

int cli_bare_modes(const struct cli_bare *b, struct evt_events *events)
{
	const char *level = b->has_no_os ? ":u" : ":k";

	if (b->has_no_os && b->has_no_usr)
		return cli_fail(
		    "--os 0 and --usr 0: neither in user nor in kernel mode anything is "
		    "counted; leave one of them away");
	for (size_t i = 0; i < events->n && (b->has_no_os || b->has_no_usr); i++) {
		struct evt_event *e = &events->event[i];
		const size_t n = strlen(e->name);

		if (e->software)
			continue;
		if (b->has_no_os ? !e->user : !e->kernel)
			return cli_fail("%s 0 and -e %s: it counts nothing; leave one of them away",
					b->has_no_os ? "--os" : "--usr", e->name);
		if (e->user == e->kernel && n + strlen(level) < sizeof(e->name))
			memcpy(e->name + n, level, strlen(level) + 1);
		e->user &= !b->has_no_usr;
		e->kernel &= !b->has_no_os;
	}
	return 0;
}

void cli_bare_close(struct cli_bare *b)
{
	if (b->code && b->cfg.image_fd > 0)
		close(b->cfg.image_fd);
}
