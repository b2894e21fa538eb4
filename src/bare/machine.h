/* machine.h -- QEMU as the machine that is counted: its command line, its start, its end.
 *
 * MODELLED         a PC with one processor, a serial line that is the console, an empty PCI bus, a
 *                  disk where one is given, and QEMU's port F4H that ends the machine. Virtual
 *                  time follows instructions (-icount), clocks begin at a fixed date, and there is
 *                  no network, so that two runs are alike.
 * NOT MODELLED     several processors, long mode; input that comes while the machine runs makes
 *                  runs differ.
 */
#ifndef SOFTPMU_BARE_MACHINE_H
#define SOFTPMU_BARE_MACHINE_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "bare/ring.h"
#include "base/error.h"

#define BARE_MOST_MEMORY 2047u

/* What is run. Strings are borrowed. */
struct bare_config {
	const char *kernel, *initrd, *append; /* NULL: none */
	const char *image;		      /* a disk whose first sector is started, or NULL */
	int image_fd;			      /* the same, as a file that is open; -1: none */
	const char *cpu;		      /* the modelled processor's name */
	bool is_pentium;		      /* P5 family */
	unsigned core_mhz;		      /* rate of its time-stamp counter */
	unsigned memory_mb;		      /* 0: 256 */
	const char *qemu;		      /* program; NULL: qemu-system-i386 */
	const char *plugin;		      /* path of softpmu-bare's plugin */
	/* addresses: what is before `start` is reached first, and from `stop` on, does not
	 * count; stop 0: none */
	uint32_t start, stop;
	uint32_t kernel_base; /* where a kernel's addresses begin; 0: not known */
	const char *until;    /* text on the console that ends the run, or NULL */
	bool is_whole_line;   /* ... with the end of its line */
};

struct bare_machine {
	pid_t pid; /* 0: none */
	struct bare_ring ring;
	int complaints; /* file of QEMU's own messages, -1: none */
	bool has_terminal;
	struct termios terminal; /* as it was */
	int status;		 /* as wait(2), when it is gone */
	bool is_gone;
};

/* Start the machine. Returns 0; -SPMU_ESYS (no kernel ...), -SPMU_ENOTSUP or -SPMU_ENOMEM with a
 * sentence. The caller calls bare_machine_close() in either case. */
int bare_machine_open(struct bare_machine *m, const struct bare_config *cfg,
		      struct spmu_error *err);

/* Wait until QEMU has loaded the plugin, or is gone, a few seconds at most. Then it is known
 * whether it has counters (struct bare_share). */
void bare_machine_await(struct bare_machine *m);

/* Is QEMU gone? Then m->status says how. */
bool bare_machine_is_gone(struct bare_machine *m);

/* QEMU is gone, and no records came: say why. Returns the code with a sentence. */
int bare_machine_why(struct bare_machine *m, struct spmu_error *err);

/* End QEMU if it runs, and put the terminal back. */
void bare_machine_close(struct bare_machine *m);

#endif
