/* cpuid.c -- makes the CPUID table, XCR0 and hwcap of the presented processor. Rules: cpuid.h. */
#include "session/machine/cpuid.h"

#include <cpuid.h>
#include <string.h>

#define BIT(n) (1u << (n))

/* The level that 64-bit programs see unless --isa says otherwise. Many programs stop without
 * SSE4.2, and every processor since 2008 (Intel) or 2011 (AMD) has it. */
#define DEFAULT_LEVEL 2

/* Feature bits by level; each level adds to those below. Leaf 1 EDX of v1: FPU TSC MSR CX8 CMOV
 * CLFSH MMX FXSR SSE SSE2 (the level names SYSCALL and long mode too, see leaf 80000001H;
 * CLFLUSH came with SSE2; the JVM, for one, insists on it and on its lines of 64 bytes). */
#define CLFLUSH_LINE_BYTES 64u
static const struct level {
	uint32_t l1_ecx, l1_edx, l7_ebx, ext_ecx;
	uint64_t xcr0;
} levels[5] = {
    [1] = {.l1_edx = BIT(0) | BIT(4) | BIT(5) | BIT(8) | BIT(15) | BIT(19) | BIT(23) | BIT(24) |
		     BIT(25) | BIT(26)},
    /* SSE3 SSSE3 CX16 SSE4.1 SSE4.2 POPCNT; LAHF */
    [2] = {.l1_ecx = BIT(0) | BIT(9) | BIT(13) | BIT(19) | BIT(20) | BIT(23), .ext_ecx = BIT(0)},
    /* FMA MOVBE XSAVE OSXSAVE AVX F16C; BMI1 AVX2 BMI2; LZCNT */
    [3] = {.l1_ecx = BIT(12) | BIT(22) | BIT(26) | BIT(27) | BIT(28) | BIT(29),
	   .l7_ebx = BIT(3) | BIT(5) | BIT(8),
	   .ext_ecx = BIT(5),
	   .xcr0 = 0x7},
    /* AVX512F DQ CD BW VL */
    [4] = {.l7_ebx = BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31), .xcr0 = 0xe0},
};

static struct level level_sum(int n)
{
	struct level sum = {0};

	for (int i = 1; i <= n; i++) {
		sum.l1_ecx |= levels[i].l1_ecx;
		sum.l1_edx |= levels[i].l1_edx;
		sum.l7_ebx |= levels[i].l7_ebx;
		sum.ext_ecx |= levels[i].ext_ecx;
		sum.xcr0 |= levels[i].xcr0;
	}
	return sum;
}

static struct shr_cpuid ask_host(uint32_t leaf, uint32_t subleaf)
{
	struct shr_cpuid a = {.leaf = leaf, .subleaf = subleaf};

	__cpuid_count(leaf, subleaf, a.eax, a.ebx, a.ecx, a.edx);
	return a;
}

bool ses_host_has_line_flush(void)
{
	return ask_host(0, 0).eax >= 7 && ask_host(7, 0).ebx >> 23 & 1;
}

static uint64_t host_xcr0(void)
{
	uint32_t low, high;

	if (!(ask_host(1, 0).ecx & BIT(27)))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

static bool has_level(int n)
{
	struct level want = level_sum(n);
	struct shr_cpuid l1 = ask_host(1, 0), ext = {0}, l7 = {0};

	if (ask_host(0x80000000u, 0).eax >= 0x80000001u)
		ext = ask_host(0x80000001u, 0);
	if (ask_host(0, 0).eax >= 7)
		l7 = ask_host(7, 0);
	return (l1.ecx & want.l1_ecx) == want.l1_ecx && (l1.edx & want.l1_edx) == want.l1_edx &&
	       (l7.ebx & want.l7_ebx) == want.l7_ebx && (ext.ecx & want.ext_ecx) == want.ext_ecx &&
	       (host_xcr0() & want.xcr0) == want.xcr0;
}

int ses_host_isa_level(void)
{
	int n = 1;

	while (n < 4 && has_level(n + 1))
		n++;
	return n;
}

int ses_default_isa(int asked)
{
	return asked > DEFAULT_LEVEL ? asked : DEFAULT_LEVEL;
}

int ses_check_isa(int isa_level, int asked, int host, struct spmu_error *err)
{
	static const char *const lacks[] = {"", "", "SSE4.2", "AVX2", "AVX-512"};

	if (isa_level <= 1 || isa_level > 4 || host >= isa_level)
		return 0;
	if (asked && asked <= host)
		return spmu_fail(err, SPMU_ENOTSUP,
				 "64-bit programs see a processor of ISA level v%d, and this "
				 "machine executes "
				 "instructions up to v%d only (no %s); run this one with --isa v%d",
				 isa_level, host, lacks[host + 1], host);
	return spmu_fail(err, SPMU_ENOTSUP,
			 "ISA level v%d: this machine executes instructions up to v%d only (no "
			 "%s); run on a "
			 "newer machine, or use a program built for v%d with --isa v%d",
			 isa_level, host, lacks[host + 1], host, host);
}

/* ---- leaf by leaf ------------------------------------------------------------------------- */

static void add_leaf(struct shr_start *s, struct shr_cpuid a, bool has_subleaf)
{
	a.has_subleaf = has_subleaf;
	if (s->n_cpuid < sizeof(s->cpuid) / sizeof(s->cpuid[0]))
		s->cpuid[s->n_cpuid++] = a;
}

/* Descriptor bytes of leaf 2 (SDM table 3-12). 0 = none fits. */
static uint8_t l1i_descriptor(uint32_t bytes)
{
	return bytes == 8192 ? 0x06 : bytes == 16384 ? 0x08 : 0;
}

static uint8_t l1d_descriptor(uint32_t bytes)
{
	return bytes == 8192 ? 0x0a : bytes == 16384 ? 0x0c : 0;
}

static uint8_t l2_descriptor(const struct cat_cache *l2)
{
	if (!l2->size_bytes)
		return 0x40; /* no L2 */
	if (l2->ways == 8) {
		switch (l2->size_bytes >> 10) {
		case 256: return 0x82;
		case 512: return 0x83;
		case 1024: return 0x84;
		case 2048: return 0x85;
		}
	}
	for (unsigned i = 0; i < 5; i++)
		if (l2->size_bytes == (128u << 10) << i)
			return (uint8_t)(0x41 + i);
	return 0;
}

static struct shr_cpuid leaf_2(const struct cat_cpu *cpu)
{
	const uint32_t l1i = l1i_descriptor(cpu->l1i.size_bytes),
		       l1d = l1d_descriptor(cpu->l1d.size_bytes);
	const uint32_t l1 = cpu->cpu_model == 1 ? l1i << 24 | l1d << 8 : l1d << 24 | l1i << 8;

	/* AL: ask once. ITLB 4 KB 32 entries (01), 4 MB 2 entries (02), DTLB 4 KB 64 entries
	 * (03), 4 MB 8 entries (04). The order of the others as CPUID dumps of a Pentium Pro
	 * (06040A42) and of later ones (0C040843) have it. */
	return (struct shr_cpuid){
	    .leaf = 2, .eax = 0x03020101, .edx = l1 | 0x04 << 16 | l2_descriptor(&cpu->l2)};
}

static void add_brand(struct shr_start *s, const char *text)
{
	char brand[48] = {0};
	size_t n = strlen(text);

	memcpy(brand, text, n < sizeof(brand) - 1 ? n : sizeof(brand) - 1);
	for (uint32_t i = 0; i < 3; i++) {
		struct shr_cpuid a = {.leaf = 0x80000002u + i};

		memcpy(&a.eax, brand + 16 * i, 4);
		memcpy(&a.ebx, brand + 16 * i + 4, 4);
		memcpy(&a.ecx, brand + 16 * i + 8, 4);
		memcpy(&a.edx, brand + 16 * i + 12, 4);
		add_leaf(s, a, false);
	}
}

/* XSAVE area. Its size is fixed at the largest layout that hosts use for the components up to 9
 * (2696 bytes): a program that saves with the host's XCR0 must not write past its buffer, and the
 * size must not depend on the host. */
static void add_xsave(struct shr_start *s, uint64_t xcr0)
{
	struct shr_cpuid a = {.leaf = 0xd, .eax = (uint32_t)xcr0, .ebx = 2696, .ecx = 2696};

	add_leaf(s, a, true);
	add_leaf(s, (struct shr_cpuid){.leaf = 0xd, .subleaf = 1}, true);
	for (uint32_t i = 2; i < 8; i++) {
		struct shr_cpuid part;

		if (!(xcr0 & BIT(i)))
			continue;
		part = ask_host(0xd, i);
		part.ecx = 0;
		part.edx = 0;
		add_leaf(s, part, true);
	}
}

/* "GenuineIntel" */
static void add_vendor(struct shr_start *s)
{
	add_leaf(s,
		 (struct shr_cpuid){.leaf = 0,
				    .eax = s->max_leaf,
				    .ebx = 0x756e6547,
				    .ecx = 0x6c65746e,
				    .edx = 0x49656e69},
		 false);
}

static uint32_t signature_of(const struct cat_cpu *cpu)
{
	return (uint32_t)cpu->cpu_family << 8 | (uint32_t)cpu->cpu_model << 4 | cpu->cpu_stepping;
}

/* Features that the modelled processor itself shows in leaf 1 EDX; APIC and serial number left
 * out. */
static uint32_t own_features(const struct cat_cpu *cpu)
{
	/* FPU VME DE PSE TSC MSR MCE CX8 */
	uint32_t edx = 0x1bf;

	if (cpu->family == CAT_P6)
		edx |= BIT(6) | BIT(12) | BIT(13) | BIT(14) | BIT(15); /* PAE MTRR PGE MCA CMOV */
	if (cpu->has_mmx)
		edx |= BIT(23);
	if (cpu->family == CAT_P6 && cpu->has_mmx)
		edx |= BIT(11); /* SEP: works from the Pentium II on */
	if (cpu->family == CAT_P6 && cpu->cpu_model >= 5)
		edx |= BIT(16) | BIT(17) | BIT(24); /* PAT PSE36 FXSR: from Deschutes on */
	if (cpu->has_sse)
		edx |= BIT(25);
	return edx;
}

/* The modelled processor as it was: no extended leaves, no caches in leaf 2 before the P6. */
static void fill_own(const struct cat_cpu *cpu, struct shr_start *s)
{
	uint32_t edx = own_features(cpu);

	s->max_leaf = cpu->family == CAT_P6 ? 2 : 1;
	s->max_ext_leaf = 0;
	s->xcr0 = 0;
	s->hwcap = edx;
	add_vendor(s);
	add_leaf(s, (struct shr_cpuid){.leaf = 1, .eax = signature_of(cpu), .edx = edx}, false);
	if (s->max_leaf >= 2)
		add_leaf(s, leaf_2(cpu), false);
}

static void fill_level(const struct cat_cpu *cpu, int isa_level, struct shr_start *s)
{
	struct level f = level_sum(isa_level);

	s->max_leaf = isa_level >= 3 ? 0xd : 2;
	s->max_ext_leaf = 0x80000008u;
	s->xcr0 = f.xcr0;
	s->hwcap = f.l1_edx;
	add_vendor(s);
	add_leaf(s,
		 (struct shr_cpuid){.leaf = 1,
				    .eax = signature_of(cpu),
				    .ebx = CLFLUSH_LINE_BYTES / 8 << 8,
				    .ecx = f.l1_ecx,
				    .edx = f.l1_edx},
		 false);
	add_leaf(s, leaf_2(cpu), false);
	if (isa_level >= 3) {
		add_leaf(s, (struct shr_cpuid){.leaf = 7, .ebx = f.l7_ebx}, true);
		add_xsave(s, f.xcr0);
	}
	add_leaf(s, (struct shr_cpuid){.leaf = 0x80000000u, .eax = s->max_ext_leaf}, false);
	/* SYSCALL, NX, long mode */
	add_leaf(s,
		 (struct shr_cpuid){
		     .leaf = 0x80000001u, .ecx = f.ext_ecx, .edx = BIT(11) | BIT(20) | BIT(29)},
		 false);
	add_brand(s, cpu->text);
	if (cpu->l2.size_bytes)
		add_leaf(s,
			 (struct shr_cpuid){.leaf = 0x80000006u,
					    .ecx = cpu->l2.size_bytes >> 10 << 16 |
						   (cpu->l2.ways == 8 ? 6u : 4u) << 12 |
						   cpu->l2.line_bytes},
			 false);
	/* 36 bits physical, 48 linear */
	add_leaf(s, (struct shr_cpuid){.leaf = 0x80000008u, .eax = 48 << 8 | 36}, false);
}

/* The host's own answers without what the engine hides: FSGSBASE, transactional memory, CET,
 * protection keys, AMX, LAM, RDPID, user-level waits and interrupts; one processor, no
 * hypervisor. */
static void fill_host(struct shr_start *s)
{
	uint32_t most = ask_host(0, 0).eax, most_ext = ask_host(0x80000000u, 0).eax;
	uint64_t xcr0 = host_xcr0() & 0xe7;
	struct shr_cpuid a;

	s->max_leaf = most > 0xd ? 0xd : most;
	s->max_ext_leaf = most_ext > 0x80000008u ? 0x80000008u : most_ext;
	s->xcr0 = xcr0;
	a = ask_host(0, 0);
	a.eax = s->max_leaf;
	add_leaf(s, a, false);
	a = ask_host(1, 0);
	a.ebx &= 0x0000ffff;
	a.ecx &= ~(BIT(2) | BIT(3) | BIT(5) | BIT(6) | BIT(15) | BIT(24) | BIT(31));
	a.edx &= ~(BIT(21) | BIT(28));
	s->hwcap = a.edx;
	add_leaf(s, a, false);
	add_leaf(s, ask_host(2, 0), false);
	for (uint32_t i = 0; most >= 4 && i < 8; i++) {
		a = ask_host(4, i);
		if (!(a.eax & 0x1f))
			break;
		a.eax &= 0x3fff;
		add_leaf(s, a, true);
	}
	if (most >= 7) {
		a = ask_host(7, 0);
		a.eax = 0;
		a.ebx &= ~(BIT(0) | BIT(4) | BIT(11) | BIT(14) | BIT(25));
		a.ecx &= ~(BIT(3) | BIT(4) | BIT(5) | BIT(7) | BIT(16) | BIT(22) | BIT(23));
		a.edx &= ~(BIT(5) | BIT(11) | BIT(13) | BIT(20) | BIT(22) | BIT(24) | BIT(25));
		add_leaf(s, a, true);
	}
	if (most >= 0xd)
		add_xsave(s, xcr0);
	for (uint32_t leaf = 0x80000000u; leaf <= s->max_ext_leaf; leaf++) {
		a = ask_host(leaf, 0);
		if (leaf == 0x80000000u)
			a.eax = s->max_ext_leaf;
		if (leaf == 0x80000001u)
			a.edx &= ~BIT(27); /* RDTSCP reads the processor's number */
		if (leaf == 0x80000008u)
			a.ecx = 0;
		add_leaf(s, a, false);
	}
}

void ses_fill_cpuid(const struct cat_cpu *cpu, int isa_level, struct shr_start *start)
{
	memset(start->cpuid, 0, sizeof(start->cpuid));
	start->n_cpuid = 0;
	start->hwcap2 = 0;
	start->isa_level = (uint32_t)isa_level;
	if (isa_level == 0)
		fill_host(start);
	else if (isa_level == SHR_ISA_CPU)
		fill_own(cpu, start);
	else
		fill_level(cpu, isa_level, start);
}

uint16_t ses_xsave_bytes(int isa_level)
{
	uint64_t xcr0 = isa_level ? level_sum(isa_level).xcr0 : host_xcr0();

	if (xcr0 & 0xe0) /* AVX-512: masks, upper halves, upper registers */
		return 2688;
	return xcr0 & 4 ? 832 : 576;
}
