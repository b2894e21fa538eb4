#!/bin/bash
# gvisor.sh -- under gVisor, which lacks what softpmu needs, each command that runs a program says which thing that is, in
# the words of softpmu doctor, and ends with 125. Skipped without runsc (Debian's package).
. "$(dirname "$0")/lib.sh"
command -v runsc >/dev/null || { skip "gVisor: no runsc here"; finish; }
cat >"$work/end.c" <<-'END'
	int test_main(long argc, char **argv)
	{
		return 0;
	}
END
bare "$work/end" "$work/end.c" || exit 1
inside() { timeout 100 runsc --platform=ptrace --network=none --ignore-cgroups --root="$work/runsc" do "$@"; }
[ "$(inside echo hello 2>"$work/err")" = hello ] || { skip "gVisor: runsc does not run here: $(tail -n 1 "$work/err")"; finish; }

inside "$SOFTPMU" doctor >"$work/doctor" 2>&1
[ $? = 125 ] && ok || bad "doctor: status"
grep -q '^softpmu cannot run programs here' "$work/doctor" && ok || bad "doctor: $(tail -n 1 "$work/doctor")"
# The sentence without the columns: "GS base: arch_prctl(...".
want=$(sed -n 's/^FAIL  *//p' "$work/doctor" | head -n 1 | sed 's/   */: /')
[ -n "$want" ] && ok || bad "doctor names nothing that fails"
for command in "stat" "run" "record -q -o /tmp/r"; do
	inside "$SOFTPMU" $command -- "$work/end" >"$work/out" 2>&1
	[ $? = 125 ] && ok || bad "$command: status"
	[ "$(grep -c . "$work/out")" = 1 ] && grep -qF "softpmu: $want; 'softpmu doctor' " "$work/out" && ok ||
		bad "$command: $(head -n 2 "$work/out"), not: $want"
done
finish
