# pmc_events.awk -- <softpmu/pmc_events.h>: codes of events by their names, from the tables of the P6 and the Pentium.
BEGIN {
	FS = "\t"
	print "/* pmc_events.h -- codes of events by name, for <softpmu/pmc_lib.h>: those of the P6, or with PMC_P5"
	print " * defined those of the Pentium. Made from the catalog of softpmu. */"
	print "#ifndef SOFTPMU_PMC_EVENTS_H\n#define SOFTPMU_PMC_EVENTS_H\n\n#ifndef PMC_P5"
}
FNR == 1 && NR > 1 { print "#else" }
$1 ~ /^0x..$/ && $2 != "-" {
	name = $3
	gsub(/[^A-Z0-9_]/, "_", name)
	printf "#define %s %su\n", name, $1
}
END { print "#endif\n\n#endif" }
