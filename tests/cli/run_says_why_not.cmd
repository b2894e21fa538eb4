# What a program asked perf_event_open (number 298) for and did not get is said at the end, once for each event: what, why not, what to try.
# ask TYPE,CONFIG,FLAGS...: type and config of perf_event_attr, and its bits: 1 disabled, 10 no user, 20 no kernel mode, 40 no hypervisor, 8000 precise.
cat >ask.pl <<'END'
for (@ARGV) {
	my ($type, $config, $flags) = map { hex } split /,/;
	my $attr = pack("LLQx24Qx64", $type, 112, $config, $flags);
	print syscall(298, $attr, 0, -1, -1, 0) < 0 ? $! + 0 : "open", " ";
}
print "\n";
END
ask() { echo "$*"; softpmu run $options -- perl ask.pl "$@" 2>&1 | cut -d: -f2-; }
options="--tier 2"
ask 3,2,60 3,2,60 0,9,60 0,8,60 # LLC-loads twice, ref-cycles, stalled-cycles-backend
ask 3,10201,60 4,ff,60 4,c0,50 0,1,8060 0,a,60 # prefetches of code, no code, kernel mode, precise, no number of perf's
ask 0,1,8060 0,1,60 # precise samples tried, and left away
ask 3,2,21 # only tried, as perf list does
ask 0,0,60 4,279,60 4,2000079,60 # clocks
options="--tier 3"
ask 0,0,60 4,2000079,60
options="-e cpu/event=0x79,umask=0x00,cmask=2/" # what the note says to add
ask 4,2000079,60
options="--cpu pentium --tier 2"
ask 3,2,60 0,9,60 4,3f,60
options="--tier 2"
ask $(for c in f0 f1 f3 f4 f5 f6 f9 fa fb fc; do echo 4,$c,60; done) # more than are named
# a process that the program starts asks, too
softpmu run --tier 2 -- sh -c 'perl ask.pl 3,2,60; perl ask.pl 3,2,60 0,9,60' 2>&1 | cut -d: -f2-
