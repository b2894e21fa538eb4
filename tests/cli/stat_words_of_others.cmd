# A program, or what other tools call a command, in the place of a command; a file of --json; files that are no programs.
echo 'int x;' >words.cpp
for c in ./prog profile compare 'help ci' 'perf stat ls' papi 'stat ./words.cpp' 'stat --json base.json /bin/true' 'stat --cpu skylake true' \
	'stat --against words.cpp true' 'stat --against nosuch.json true'; do
	softpmu $c
	echo "status $?"
done
printf '#!/bin/sh\n' >plain.sh
softpmu stat ./plain.sh
echo "status $?"
