/* start.h -- what softpmu says to the guest runtime before a program begins: the machine that the
 * program sees, and how it is recorded. It lies in the control area (share.h). No libc.
 *
 * WRITERS   softpmu fills struct shr_start before the guest starts. The runtime writes the members
 *           that say so: some for its own next image across exec(2), some for softpmu to read.
 */
#ifndef SOFTPMU_TRACE_START_H
#define SOFTPMU_TRACE_START_H

#include <stdint.h>

#include "trace/timers.h"

struct shr_cpuid {
	uint32_t leaf, subleaf, has_subleaf; /* has_subleaf 0: any ECX */
	uint32_t eax, ebx, ecx, edx;
};

/* Test hooks (shr_start.chaos): the counts must not change, whatever is set. */
enum shr_chaos {
	SHR_CHAOS_NO_TABLE = 1, /* the tables of indirect branches stay empty */
	SHR_CHAOS_ONE_PAGE = 2, /* send one page per request */
	SHR_CHAOS_ONE_INSN = 4, /* blocks of one instruction */
	SHR_CHAOS_NO_AHEAD = 8, /* translate nothing ahead */
	/* forget every translation once in SHR_CHAOS_FORGET_MISSES misses */
	SHR_CHAOS_FORGET = 16,
	SHR_CHAOS_SMALL_CHUNK = 32, /* hand over the record stream after 2 KiB */
	/* interrupt the program by a signal that it must not notice, 3000/s */
	SHR_CHAOS_SIGNALS = 64,
	SHR_CHAOS_PLAIN_MODEL = 256,  /* the model takes no short cuts */
	SHR_CHAOS_NO_HOST_CODE = 512, /* the model writes no host code */
	SHR_CHAOS_NO_SHELF = 1024,    /* every process translates for itself */
	SHR_CHAOS_NO_RECALL = 2048,   /* every instruction is decoded anew */
	/* stat shows all wires at the end, and which ways the first process's model took
	 * (mdl_path) */
	SHR_CHAOS_WIRES = 4096,
	/* the model keeps timings from the first time on and writes host code from the second */
	SHR_CHAOS_EAGER = 8192,
	/* 64-bit programs: code, counters and file mappings lie 4 GiB higher */
	SHR_CHAOS_SHIFT = 16384,
	SHR_CHAOS_NO_INT80 = 32768, /* 32-bit calls are made as those of x86-64 */
};
#define SHR_CHAOS_FORGET_MISSES 64u

/* Width of the program's code: that of its addresses and of its stack. */
enum shr_mode { SHR_MODE_64 = 0, SHR_MODE_32 = 1 };

#define SHR_ISA_CPU 5u

/* What the program's clocks follow. INSNS: the time-stamp counter follows retired instructions, all
 * other clocks the host's. MODEL: all follow the modelled processor's clock. */
enum shr_clock { SHR_CLOCK_INSNS = 0, SHR_CLOCK_MODEL };

/* RDPMC in user mode. NONE: the processor has no such instruction. CLOSED: CR4.PCE is clear, so it
 * raises #GP. OPEN: it reads a counter. */
enum shr_rdpmc { SHR_RDPMC_NONE = 0, SHR_RDPMC_CLOSED, SHR_RDPMC_OPEN };
#define SHR_N_COUNTERS 2u
/* perf_event_open. NONE: there is no such call. UNUSED: neither this process nor one that it was
 * forked from has called it. USED: one has. */
enum shr_perf { SHR_PERF_NONE = 0, SHR_PERF_UNUSED, SHR_PERF_USED };

/* /etc/ld.so.cache as the program sees it. HOST: the host's. OWN: a list of the libraries that it
 * needs (REQ_LD_CACHE). HIDE: there is no such file. */
enum shr_ld_cache { SHR_LD_CACHE_HOST = 0, SHR_LD_CACHE_OWN, SHR_LD_CACHE_HIDE };

enum shr_tier { SHR_TIER_COUNT = 1, SHR_TIER_STREAM = 2 };

/* As struct rlimit64; all bits set: without limit. */
struct shr_limit {
	uint64_t now, most;
};

/* Filled by softpmu before the guest starts. */
struct shr_start {
	uint32_t tier;		 /* enum shr_tier: what translated code records */
	uint32_t mode;		 /* enum shr_mode */
	uint32_t n_host_cpus;	 /* usable processors of the host: 1 = no PAUSE turns */
	uint32_t has_line_flush; /* 1: the host has CLFLUSHOPT and several processors */
	/* shr_shift() of the program; the runtime sets it before REQ_EXEC */
	uint64_t shift;
	uint64_t seed;	       /* generator of AT_RANDOM, getrandom, RDRAND, /dev/urandom */
	uint64_t memory_bytes; /* what sysinfo and /proc/meminfo show */
	uint32_t n_cpus;       /* processors shown to the program */
	uint32_t isa_level;    /* 1..4, 0 = host, SHR_ISA_CPU = the modelled processor's own */
	uint32_t has_regions;  /* 1: client requests are asked about */
	/* 1: the runtime asks REQ_MATE at each turn of another process in its memory */
	uint32_t tells_mates;
	uint32_t has_places; /* 1: code is asked for with the records of its mapping */
	uint32_t clock;	     /* enum shr_clock */
	uint32_t rdpmc;	     /* enum shr_rdpmc */
	uint32_t ld_cache;   /* enum shr_ld_cache */
	uint32_t has_inputs; /* 1: a TRC_INPUT record for each file that the program reads */
	uint32_t has_perf;   /* enum shr_perf; the runtime sets SHR_PERF_USED */
	uint32_t quantum;    /* instructions that a thread runs before the next one may; > 0 */
	/* work that may lie in the ring, and that of one block more: elements of REP
	 * instructions, and what new blocks cost (SHR_WORK_LOG2); > 0 */
	uint32_t most_work;
	uint32_t stamp_mhz;	      /* ticks of the time-stamp counter in a microsecond, and */
	char cpu_name[48];	      /* the processor's name: both for /proc/cpuinfo */
	uint64_t xcr0;		      /* answer of XGETBV, 0 when OSXSAVE is not shown */
	uint64_t hwcap, hwcap2;	      /* AT_HWCAP, AT_HWCAP2 */
	struct shr_limit stack_limit; /* RLIMIT_STACK shown to the program */
	/* RLIMIT_AS and RLIMIT_DATA, while exec(2) is under way */
	struct shr_limit space_limit, data_limit;
	uint64_t policy; /* of memory, while exec(2) is under way */
	/* processors that the program may run on, a bit each, while exec(2) is under way; 0: all */
	uint64_t cpus;
	struct shr_timers timers; /* while exec(2) is under way */
	uint32_t has_asked_cpuid; /* the runtime: the program has executed CPUID since its exec */
	uint32_t n_cpuid;
	uint32_t max_leaf, max_ext_leaf;
	struct shr_cpuid cpuid[64];
	uint32_t n_argv, n_envp;
	uint32_t text_bytes; /* used bytes of text[] */
	uint32_t chaos;	     /* test hooks: 0 none; see docs/TESTING.md */
	/* Strings of the program, each NUL terminated: path of the executable to load, n_argv
	 * arguments, n_envp environment strings. They lie in the start area after struct
	 * shr_ctl. */
};

#endif
