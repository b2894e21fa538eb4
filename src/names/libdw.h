/* libdw.h -- the functions of libdw (and of libelf behind it) that names need, loaded at run
 * time. */
#ifndef SOFTPMU_NAMES_LIBDW_H
#define SOFTPMU_NAMES_LIBDW_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* NM_FUNCTION(name): a pointer of this name and type in struct nm_libdw. */
#define NM_FUNCTIONS                                                                               \
	NM_FUNCTION(dwfl_begin)                                                                    \
	NM_FUNCTION(dwfl_end)                                                                      \
	NM_FUNCTION(dwfl_report_offline)                                                           \
	NM_FUNCTION(dwfl_report_end)                                                               \
	NM_FUNCTION(dwfl_module_getelf)                                                            \
	NM_FUNCTION(dwfl_module_build_id)                                                          \
	NM_FUNCTION(dwfl_module_getsymtab)                                                         \
	NM_FUNCTION(dwfl_module_getsym_info)                                                       \
	NM_FUNCTION(dwfl_module_getsrc)                                                            \
	NM_FUNCTION(dwfl_lineinfo)                                                                 \
	NM_FUNCTION(dwfl_line_comp_dir)                                                            \
	NM_FUNCTION(dwfl_build_id_find_elf)                                                        \
	NM_FUNCTION(dwfl_standard_find_debuginfo)                                                  \
	NM_FUNCTION(dwfl_offline_section_address)                                                  \
	NM_FUNCTION(gelf_getphdr)                                                                  \
	NM_FUNCTION(elf_getphdrnum)                                                                \
	NM_FUNCTION(elf_nextscn)                                                                   \
	NM_FUNCTION(elf_getscn)                                                                    \
	NM_FUNCTION(elf_getdata)                                                                   \
	NM_FUNCTION(elf_strptr)                                                                    \
	NM_FUNCTION(elf_getshdrstrndx)                                                             \
	NM_FUNCTION(gelf_getshdr)                                                                  \
	NM_FUNCTION(gelf_getehdr)                                                                  \
	NM_FUNCTION(gelf_getsym)                                                                   \
	NM_FUNCTION(gelf_getrel)                                                                   \
	NM_FUNCTION(gelf_getrela)                                                                  \
	NM_FUNCTION(dwfl_module_addrdie)                                                           \
	NM_FUNCTION(dwarf_child)                                                                   \
	NM_FUNCTION(dwarf_siblingof)                                                               \
	NM_FUNCTION(dwarf_ranges)                                                                  \
	NM_FUNCTION(dwarf_haspc)                                                                   \
	NM_FUNCTION(dwarf_tag)                                                                     \
	NM_FUNCTION(dwarf_diename)                                                                 \
	NM_FUNCTION(dwarf_attr)                                                                    \
	NM_FUNCTION(dwarf_attr_integrate)                                                          \
	NM_FUNCTION(dwarf_formstring)                                                              \
	NM_FUNCTION(dwarf_formudata)                                                               \
	NM_FUNCTION(dwarf_getsrcfiles)                                                             \
	NM_FUNCTION(dwarf_filesrc)

struct nm_libdw {
#define NM_FUNCTION(name) __typeof__(name) *name;
	NM_FUNCTIONS
#undef NM_FUNCTION
	char *(*demangle)(const char *mangled, char *buffer, size_t *length,
			  int *status); /* __cxa_demangle, or NULL */
	void *dw, *cxx;
};

/* Returns false when libdw is not there. */
bool nm_libdw_open(struct nm_libdw *l);
void nm_libdw_close(struct nm_libdw *l);

#endif
