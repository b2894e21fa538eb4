/* Which file a name means, what is refused, and the ISA level that ELF notes and Go ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/program/program.h"

static char dir[] = "/tmp/softpmu-test-XXXXXX";

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Write a file below dir; returns its path (static). */
static const char *put(const char *name, const void *bytes, size_t n, mode_t mode)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

/* The smallest program: header, two program headers, a property note. */
struct image {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	struct {
		Elf64_Nhdr h;
		char name[4];
		uint32_t type, size, bits, pad;
	} note;
};

static struct image image(uint32_t isa_bits)
{
	struct image i = {
	    .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		   .e_type = ET_EXEC,
		   .e_machine = EM_X86_64,
		   .e_version = EV_CURRENT,
		   .e_phoff = sizeof(Elf64_Ehdr),
		   .e_phentsize = sizeof(Elf64_Phdr),
		   .e_phnum = 2},
	    .ph = {{.p_type = PT_LOAD, .p_filesz = sizeof(struct image)},
		   {.p_type = PT_GNU_PROPERTY,
		    .p_offset = offsetof(struct image, note),
		    .p_filesz = sizeof(i.note),
		    .p_align = 8}},
	    .note = {.h = {4, 16, NT_GNU_PROPERTY_TYPE_0},
		     .name = "GNU",
		     .type = 0xc0008002u,
		     .size = 4,
		     .bits = isa_bits},
	};

	return i;
}

static int level_of(uint32_t isa_bits)
{
	struct image i = image(isa_bits);
	struct ses_program p;
	struct spmu_error err;
	int level;

	if (ses_find_program(put("prog", &i, sizeof(i), 0755), NULL, &p, &err))
		fail_msg("%s", err.text);
	level = p.isa_level;
	ses_program_free(&p);
	return level;
}

static void isa_level_is_the_highest_bit_of_the_note(void **state)
{
	assert_int_equal(level_of(0), 1);
	assert_int_equal(level_of(1), 1);
	assert_int_equal(level_of(3), 2);
	assert_int_equal(level_of(4), 3);
	assert_int_equal(level_of(15), 4);
}

static uint64_t shift_of(uint16_t type, uint64_t address, uint64_t bytes)
{
	struct image i = image(0);
	struct ses_program p;
	struct spmu_error err;
	uint64_t shift;

	i.eh.e_type = type;
	i.ph[0].p_vaddr = address;
	i.ph[0].p_memsz = bytes;
	if (ses_find_program(put("placed", &i, sizeof(i), 0755), NULL, &p, &err))
		fail_msg("%s", err.text);
	shift = p.shift;
	ses_program_free(&p);
	return shift;
}

static void areas_make_way_for_fixed_programs(void **state)
{
	const uint64_t gib = 1ull << 30;

	assert_int_equal(shift_of(ET_EXEC, 0x400000, 4096), 0);
	assert_int_equal(shift_of(ET_EXEC, 0x400000, SHR_CODE_BASE - 0x400000), 0);
	assert_int_equal(shift_of(ET_EXEC, 0x400000, SHR_CODE_BASE - 0x400000 + 1), 4 * gib);
	assert_int_equal(shift_of(ET_EXEC, 0x400000, 2 * gib), 4 * gib);
	assert_int_equal(shift_of(ET_EXEC, 0x400000, 5 * gib), 8 * gib);
	assert_int_equal(shift_of(ET_EXEC, SHR_COUNT_BASE + SHR_COUNT_BYTES - 1, 1), 4 * gib);
	assert_int_equal(shift_of(ET_EXEC, SHR_COUNT_BASE + SHR_COUNT_BYTES, gib), 0);
	assert_int_equal(shift_of(ET_EXEC, 5 * gib, gib), 0);
	assert_int_equal(shift_of(ET_DYN, 0, 5 * gib), 0); /* can be placed */
	assert_int_equal(shift_of(ET_EXEC, 0x400000, UINT64_MAX - 0x400000),
			 0); /* nowhere: the runtime refuses it */
}

/* A program with Go's build information: in a section, or where has_sections is not set in front of
 * its data. */
struct go_image {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	Elf64_Shdr sh[3];
	char names[32];
	char pad[16];
	uint8_t blob[256]; /* at a multiple of 16 */
};

static int go_level_of(const char *settings, uint8_t flags, bool has_sections)
{
	struct go_image i = {
	    .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		   .e_type = ET_EXEC,
		   .e_machine = EM_X86_64,
		   .e_version = EV_CURRENT,
		   .e_phoff = sizeof(Elf64_Ehdr),
		   .e_phentsize = sizeof(Elf64_Phdr),
		   .e_phnum = 2},
	    .ph = {{.p_type = PT_LOAD,
		    .p_flags = PF_R | PF_X,
		    .p_filesz = offsetof(struct go_image, pad)},
		   {.p_type = PT_LOAD,
		    .p_flags = PF_R | PF_W,
		    .p_offset = offsetof(struct go_image, pad),
		    .p_filesz = sizeof(i.pad) + sizeof(i.blob)}},
	    .sh = {[1] = {.sh_name = 1,
			  .sh_type = SHT_PROGBITS,
			  .sh_offset = offsetof(struct go_image, blob),
			  .sh_size = sizeof(i.blob)},
		   [2] = {.sh_name = 15,
			  .sh_type = SHT_STRTAB,
			  .sh_offset = offsetof(struct go_image, names),
			  .sh_size = sizeof(i.names)}},
	    .names = "\0.go.buildinfo\0.shstrtab",
	};
	struct ses_program p;
	struct spmu_error err;
	size_t at = 32;
	int level;

	if (has_sections) {
		i.eh.e_shoff = offsetof(struct go_image, sh);
		i.eh.e_shentsize = sizeof(Elf64_Shdr);
		i.eh.e_shnum = 3;
		i.eh.e_shstrndx = 2;
	}
	memcpy(i.blob, "\xff Go buildinf:", 14);
	i.blob[14] = 8;
	i.blob[15] = flags;
	i.blob[at++] = 6;
	memcpy(i.blob + at, "go1.19", 6);
	at += 6;
	i.blob[at++] = (uint8_t)(strlen(settings) | 0x80); /* in two bytes */
	i.blob[at++] = 0;
	memcpy(i.blob + at, settings, strlen(settings));
	if (ses_find_program(put("go", &i, sizeof(i), 0755), NULL, &p, &err))
		fail_msg("%s", err.text);
	level = p.isa_level;
	ses_program_free(&p);
	return level;
}

static void go_programs_say_their_level(void **state)
{
	for (int has_sections = 0; has_sections < 2; has_sections++) {
		assert_int_equal(go_level_of("path\tx\nbuild\tGOAMD64=v1\n", 2, has_sections), 1);
		assert_int_equal(go_level_of("path\tx\nbuild\tGOAMD64=v3\n", 2, has_sections), 3);
		assert_int_equal(
		    go_level_of("path\tx\nbuild\tCGO=1\nbuild\tGOAMD64=v4", 2, has_sections), 4);
		/* No level that there is; another setting; the text cut off; the form before
		 * Go 1.18. */
		assert_int_equal(go_level_of("path\tx\nbuild\tGOAMD64=v7\n", 2, has_sections), 1);
		assert_int_equal(go_level_of("path\tx\nbuild\tOLDGOAMD64=v3\n", 2, has_sections),
				 1);
		assert_int_equal(go_level_of("path\tx\nbuild\tGOAMD64=v", 2, has_sections), 1);
		assert_int_equal(go_level_of("path\tx\nbuild\tGOAMD64=v3\n", 0, has_sections), 1);
	}
}

/* The smallest 32-bit program. */
struct image32 {
	Elf32_Ehdr eh;
	Elf32_Phdr ph[2];
	char interpreter[8];
};

static void programs_of_32_bits_are_known(void **state)
{
	struct image32 i = {
	    .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
		   .e_type = ET_DYN,
		   .e_machine = EM_386,
		   .e_phoff = offsetof(struct image32, ph),
		   .e_phentsize = sizeof(Elf32_Phdr),
		   .e_phnum = 2},
	    .ph = {{.p_type = PT_LOAD, .p_filesz = sizeof(i)},
		   {.p_type = PT_INTERP,
		    .p_offset = offsetof(struct image32, interpreter),
		    .p_filesz = 8}},
	    .interpreter = "/bin/sh",
	};
	struct ses_program p;
	struct spmu_error err = {0};

	assert_int_equal(ses_find_program(put("prog32", &i, sizeof(i), 0755), NULL, &p, &err), 0);
	assert_true(p.is_32);
	assert_int_equal(p.elf_type, ET_DYN);
	assert_string_equal(p.interpreter, "/bin/sh");
	ses_program_free(&p);
	i.ph[0].p_filesz = sizeof(i) + 1;
	assert_int_equal(ses_find_program(put("prog32", &i, sizeof(i), 0755), NULL, &p, &err),
			 -SPMU_EEXEC);
	assert_non_null(strstr(err.text, "cut off"));
	ses_program_free(&p);
}

static void refused(const char *path, int code, const char *piece)
{
	struct ses_program p;
	struct spmu_error err = {0};
	int rc = ses_find_program(path, NULL, &p, &err);

	ses_program_free(&p);
	if (rc != -code || !strstr(err.text, piece))
		fail_msg("%s: %d, %s", path, rc, err.text);
}

static void what_is_no_program_is_refused_in_a_sentence(void **state)
{
	struct image i = image(1);
	char path[128];

	refused("", SPMU_ENOENT, "empty");
	refused("no-such-program-anywhere", SPMU_ENOENT, "not found in PATH");
	refused("/no/such/file", SPMU_ENOENT, "no such file");
	refused("/", SPMU_EEXEC, "directory");
	refused("/dev/null", SPMU_EEXEC, "not a regular file");
	refused(put("empty", "", 0, 0755), SPMU_EEXEC, "empty");
	refused(put("text", "hello\n", 6, 0755), SPMU_EEXEC,
		"neither an ELF program nor a #! script");
	refused(put("cut", &i, 40, 0755), SPMU_EEXEC, "cut off");
	refused(put("cut", &i, sizeof(i) - 8, 0755), SPMU_EEXEC, "cut off");
	snprintf(path, sizeof(path), "%s", put("plain", &i, sizeof(i), 0644));
	if (access(path, X_OK))
		refused(path, SPMU_EEXEC, "chmod +x");
	i.eh.e_machine = EM_AARCH64;
	refused(put("arm", &i, sizeof(i), 0755), SPMU_EEXEC, "AArch64");
	i.eh.e_machine = EM_386; /* with 64-bit headers */
	refused(put("i386", &i, sizeof(i), 0755), SPMU_EEXEC, "i386");
	i.eh.e_ident[EI_CLASS] = ELFCLASS32; /* not those of a 32-bit file */
	refused(put("i386", &i, sizeof(i), 0755), SPMU_EEXEC, "damaged");
	i.eh.e_machine = EM_X86_64;
	refused(put("x32", &i, sizeof(i), 0755), SPMU_EEXEC, "x32");
	i = image(1);
	i.eh.e_type = ET_REL;
	refused(put("object", &i, sizeof(i), 0755), SPMU_EEXEC, "link it");
	i = image(1);
	i.eh.e_phnum = 0;
	refused(put("damaged", &i, sizeof(i), 0755), SPMU_EEXEC, "damaged");
	i = image(1);
	i.ph[1].p_type = PT_INTERP;
	refused(put("interp", &i, sizeof(i), 0755), SPMU_ENOENT, "interpreter");
	i.ph[1].p_filesz = 1;
	refused(put("interp", &i, sizeof(i), 0755), SPMU_EEXEC, "damaged");
}

static void scripts_run_their_interpreter(void **state)
{
	struct image i = image(1);
	char interpreter[128], line[256], script[128];
	struct ses_program p;
	struct spmu_error err;
	char *args[] = {"s", "one", NULL}, **v;

	snprintf(interpreter, sizeof(interpreter), "%s", put("interp", &i, sizeof(i), 0755));
	snprintf(line, sizeof(line), "#! %s  -x  -y \nrest", interpreter);
	snprintf(script, sizeof(script), "%s", put("script", line, strlen(line), 0755));
	if (ses_find_program(script, NULL, &p, &err))
		fail_msg("%s", err.text);
	assert_string_equal(p.path, interpreter);
	assert_string_equal(p.found, script);
	assert_int_equal(ses_program_argv(&p, args, NULL, &v, NULL), 0);
	assert_string_equal(v[0], interpreter);
	assert_string_equal(v[1], "-x  -y");
	assert_string_equal(v[2], script);
	assert_string_equal(v[3], "one");
	assert_null(v[4]);
	free(v);
	ses_program_free(&p);
}

static void a_script_may_be_run_by_a_script(void **state)
{
	struct image i = image(1);
	char interpreter[128], line[256], inner[128], outer[128];
	struct ses_program p;
	char *args[] = {"s", NULL}, **v;

	snprintf(interpreter, sizeof(interpreter), "%s", put("interp", &i, sizeof(i), 0755));
	snprintf(line, sizeof(line), "#!%s a\n", interpreter);
	snprintf(inner, sizeof(inner), "%s", put("inner", line, strlen(line), 0755));
	snprintf(line, sizeof(line), "#!%s b\n", inner);
	snprintf(outer, sizeof(outer), "%s", put("outer", line, strlen(line), 0755));
	assert_int_equal(ses_find_program(outer, NULL, &p, NULL), 0);
	assert_int_equal(ses_program_argv(&p, args, NULL, &v, NULL), 0);
	assert_string_equal(v[0], interpreter);
	assert_string_equal(v[1], "a");
	assert_string_equal(v[2], inner);
	assert_string_equal(v[3], "b");
	assert_string_equal(v[4], outer);
	assert_null(v[5]);
	free(v);
	ses_program_free(&p);
	snprintf(line, sizeof(line), "#!%s\n", outer);
	put("outer", line, strlen(line), 0755); /* runs itself */
	refused(outer, SPMU_EEXEC, "nested too deep");
	refused(put("none", "#!  \n", 5, 0755), SPMU_EEXEC, "names no interpreter");
	refused(put("gone", "#!/no/such/sh\n", 14, 0755), SPMU_ENOENT, "interpreter");
}

static void the_path_is_searched_in_order(void **state)
{
	struct image i = image(1);
	struct ses_program p;
	char path_env[256], expected[128];

	put("tool", &i, sizeof(i), 0755);
	snprintf(path_env, sizeof(path_env), "/nowhere:%s:/bin", dir);
	snprintf(expected, sizeof(expected), "%s/tool", dir);
	assert_int_equal(ses_find_program("tool", path_env, &p, NULL), 0);
	assert_string_equal(p.path, expected);
	ses_program_free(&p);
	assert_int_equal(ses_find_program("sh", NULL, &p, NULL), 0);
	assert_string_equal(p.path, "/bin/sh");
	ses_program_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(programs_of_32_bits_are_known),
	    cmocka_unit_test(isa_level_is_the_highest_bit_of_the_note),
	    cmocka_unit_test(areas_make_way_for_fixed_programs),
	    cmocka_unit_test(go_programs_say_their_level),
	    cmocka_unit_test(what_is_no_program_is_refused_in_a_sentence),
	    cmocka_unit_test(scripts_run_their_interpreter),
	    cmocka_unit_test(a_script_may_be_run_by_a_script),
	    cmocka_unit_test(the_path_is_searched_in_order),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
