/* qemu.h -- what the plugin uses of QEMU's plugin interface, version 1, in declarations of our own.
 *
 * QEMU looks for qemu_plugin_version and qemu_plugin_install in a plugin, and passes the range of
 * versions that it serves; the plugin refuses any range without 1 (plugin.c).
 */
#ifndef SOFTPMU_BARE_QEMU_H
#define SOFTPMU_BARE_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_VERSION_USED 1
#define QEMU_PUBLIC	  __attribute__((visibility("default")))

typedef uint64_t qemu_id;
struct qemu_block;
struct qemu_insn;

/* What QEMU says of itself. */
struct qemu_info {
	const char *target;
	struct {
		int least, now;
	} version;
	bool is_system;
	int n_cpus, most_cpus;
};

enum qemu_registers { QEMU_NO_REGISTERS };
enum qemu_inline { QEMU_ADD_U64 };
/* QEMU 7.2 mixes reads and writes up when it is asked for one of them. */
enum qemu_access { QEMU_READ_WRITE = 3 };

typedef void qemu_on_translate(qemu_id id, struct qemu_block *block);
typedef void qemu_on_run(unsigned cpu, void *own);
typedef void qemu_on_access(unsigned cpu, uint32_t info, uint64_t address, void *own);
typedef void qemu_on_flush(qemu_id id);
typedef void qemu_on_exit(qemu_id id, void *own);

extern QEMU_PUBLIC int qemu_plugin_version;
QEMU_PUBLIC int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int argc,
				    char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_id id, qemu_on_translate *call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_block *block, qemu_on_run *call,
					  enum qemu_registers registers, void *own);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_insn *insn, enum qemu_inline what,
						void *number, uint64_t value);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_insn *insn, qemu_on_run *call,
					    enum qemu_registers registers, void *own);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_insn *insn, qemu_on_access *call,
				      enum qemu_registers registers, enum qemu_access which,
				      void *own);
void qemu_plugin_register_flush_cb(qemu_id id, qemu_on_flush *call);
void qemu_plugin_register_atexit_cb(qemu_id id, qemu_on_exit *call, void *own);

bool qemu_plugin_mem_is_store(uint32_t info);

size_t qemu_plugin_tb_n_insns(const struct qemu_block *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_block *block);
struct qemu_insn *qemu_plugin_tb_get_insn(const struct qemu_block *block, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_insn *insn); /* the caller frees it */

/* ---- a QEMU with the patch of tools/bare ----------------------------------------------------- */

/* A page that QEMU's TLB gets, as struct bare_page. */
struct qemu_page {
	uint32_t page, frame, pde, pte, flags;
};
#define QEMU_PAGE_SETS 24u /* in flags: the walk has set accessed or dirty bits */

/* The first three answer 0 (done), 1 (general-protection fault), 2 (invalid opcode) or 3 (QEMU does
 * what it does without them). */
#define QEMU_COUNTERS_USED 4
struct qemu_counters {
	int (*read_counter)(uint32_t ecx, uint64_t *value); /* RDPMC */
	int (*read_msr)(uint32_t msr, uint64_t *value);
	int (*write_msr)(uint32_t msr, uint64_t value);
	void (*interrupt)(uint32_t vector); /* it is about to be delivered; no instruction's */
	uint32_t tsc_mhz;		    /* rate of the time-stamp counter; 0: QEMU's own */
	void (*page)(const struct qemu_page *page);
	/* what the processor drops of its TLBs: enum trc_flush, linear address */
	void (*flush)(uint32_t what, uint32_t address);
};
/* All are NULL in a QEMU without the patch. The first returns 0 where `version` is not QEMU's; the
 * second the processor's hidden flags for the code that is translated: bits 0 and 1 are its
 * privilege level, and bit 4 is 1 where it is code of 32 bits. */
__attribute__((weak)) int softpmu_connect(uint32_t version, const struct qemu_counters *functions);
__attribute__((weak)) uint32_t softpmu_hflags(void);
#define QEMU_HFLAGS_RING 3u
#define QEMU_HFLAGS_32	 0x10u
/* Where the processor's EFLAGS stand, whose IF is valid when a stretch begins, and what it is asked
 * for. Called while code is translated. */
__attribute__((weak)) const uint32_t *softpmu_eflags(void);
__attribute__((weak)) const uint32_t *softpmu_requests(void);
/* Called when a stretch begins: the interrupt of a counter that has passed its end comes behind
 * that stretch; stretches from the next one on have one instruction each, or not. */
__attribute__((weak)) void softpmu_overflow(void);
__attribute__((weak)) void softpmu_step(uint32_t is_on);
#define QEMU_EFLAGS_IF	  0x200u
#define QEMU_REQUEST_INTR 2u

#endif
