#!/bin/bash
# machine.sh -- the presented machine, on every way to it: as many processors as --cpus says, in calls, files,
# directories and by relative paths; the program's own arguments, as others see them too.
. "$(dirname "$0")/lib.sh"

# shows TITLE WANT OPTIONS -- COMMAND...: what the program prints under softpmu
shows() {
	local title=$1 want=$2 got options=()
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	got=$(timeout 900 "$SOFTPMU" stat "${options[@]}" -e instructions -o "$work/stat" "$@" 2>"$work/err" | tr '\0' ' ')
	[ "$got" = "$want" ] && ok || bad "$title ${options[*]}: '$got', not '$want'; $(head -n 1 "$work/err")"
}

# The processor by its name, and the ticks of its time-stamp counter: one per instruction, or the clocks of the model.
for pair in "pentium:Pentium (P54C):133" "pentiumpro:Pentium Pro:200" "pentium3:Pentium III (Katmai):450"; do
	IFS=: read -r cpu name mhz <<<"$pair"
	shows "model name" "$name" --cpu $cpu -- sed -n 's/^model name\t: \([^,]*\).*/\1/p' /proc/cpuinfo
	shows "MHz" 1000.000 --cpu $cpu -- sed -n 's/^cpu MHz\t*: //p' /proc/cpuinfo
	shows "MHz" $mhz.000 --cpu $cpu --clock model -- sed -n 's/^cpu MHz\t*: //p' /proc/cpuinfo
done
for n in 1 3; do
	list=0 mask=1 cpus=cpu0
	[ $n = 3 ] && list=0-2 mask=7
	shows "sched_getaffinity" $n --cpus $n -- nproc
	shows "sysconf" $n --cpus $n -- getconf _NPROCESSORS_CONF
	shows "cpuinfo" $n --cpus $n -- grep -c ^processor /proc/cpuinfo
	shows "cpuinfo by a relative path" $n --cpus $n -- sh -c 'cd /proc && grep -c ^processor cpuinfo'
	shows "cpuinfo by .." $n --cpus $n -- grep -c ^processor /proc/sys/../cpuinfo
	ln -sf /proc/cpuinfo "$work/link"
	shows "cpuinfo by a link" $n --cpus $n -- sh -c "cd $work && grep -c ^processor link"
	shows "status" "Cpus_allowed_list:	$list" --cpus $n -- grep Cpus_allowed_list /proc/self/status
	shows "status" "Cpus_allowed:	$mask" --cpus $n -- grep Cpus_allowed: /proc/self/status
	for f in online possible present; do
		[ -r /sys/devices/system/cpu/$f ] || continue
		shows "$f" $list --cpus $n -- cat /sys/devices/system/cpu/$f
		shows "$f by a relative path" $list --cpus $n -- sh -c "cd /sys/devices/system/cpu && cat $f"
	done
	[ -d /sys/devices/system/cpu/cpu0 ] || continue
	[ $n = 3 ] && cpus="cpu0 cpu1 cpu2" # those of the virtual PMU's files, however many the host has
	shows "directory" "$cpus" --cpus $n -- sh -c 'echo $(ls /sys/devices/system/cpu | grep "^cpu[0-9]")'
	shows "topology" 0 --cpus $n -- cat /sys/devices/system/cpu/cpu0/topology/core_siblings_list
	command -v lscpu >/dev/null && shows "lscpu" $n --cpus $n -- sh -c 'lscpu | sed -n "s/^CPU(s): *//p"'
done
[ -d /sys/devices/system/node/node0 ] && shows "node" "0 0" -- sh -c 'echo $(cd /sys/devices/system/node; cat online node0/cpulist)'

# Arguments and environment of a process, read by another one.
begun='until [ "$(cat /proc/$!/comm)" = sleep ]; do sleep 0.1; done; sleep 0.3'
shows "arguments" "sleep 47.11 " -- sh -c 'sleep 47.11 & '"$begun"'; tr "\0" " " </proc/$!/cmdline; kill $!'
mkfifo "$work/fifo"
shows "arguments of a forked child" "sh -c" -- sh -c '(read x <"$0"; :) & tr "\0" " " </proc/$!/cmdline | cut -c1-5; echo >"$0"; wait' "$work/fifo"
shows "environment" "X=1" -- sh -c 'X=1 sleep 47.11 & '"$begun"'; tr "\0" "\n" </proc/$!/environ | grep ^X=; kill $!'
shows "no environment" 0 -- sh -c 'env -i sleep 47.11 & '"$begun"'; wc -c </proc/$!/environ; kill $!'
shows "own arguments by a relative path" "cat cmdline " -- sh -c 'cd /proc/self && exec cat cmdline'
finish
