#!/bin/bash
# one.sh LINE -- one test of a suite: build it, run it natively twice, then under softpmu. Run by suites.sh.
#
# LINE: suite, number, name, judged by, seconds, options of softpmu, build command, run command. In the
# directory of the test, native holds "ok" or what went wrong natively, result the verdict: passed, failed,
# native (it does not pass natively) or unbuilt, and why.
IFS=$'\t' read -r suite number name judge limit options build run <<<"$1"
[ "$options" != - ] || options=
dir=$SUITES/run/$suite/$name
export dir
mkdir -p "$dir" || exit 1
[ ! -f "$dir/result" ] || exit 0

verdict() { printf '%s\t%s\n' "$1" "$2" >"$dir/result"; exit 0; }

# run OUT PREFIX...: the test, in a fresh directory; $status is its end
run() {
	local out=$1 words
	shift
	rm -rf "$dir/work" && mkdir -p "$dir/work"
	eval "words=($run)"
	(cd "$dir/work" && exec timeout -k 5 "$limit" "$@" "${words[@]}" </dev/null >"$dir/$out.out" 2>"$dir/$out.err")
	status=$?
	rm -rf "$dir/work"
}

# The first of both streams that differs, or what softpmu said.
reason() {
	local said
	said=$(grep -a '^softpmu:' "$dir/soft.err" | head -n 1 | cut -c10-)
	[ -n "$said" ] || said=$(sed -n 's/^ The run ended early: //p' "$dir/counts" 2>/dev/null | head -n 1)
	case $status in
	124 | 137) said="takes more than $limit s; $said" ;;
	0) [ -n "$said" ] || said=$(diff -a "$dir/native.out" "$dir/soft.out" | grep -a '^[<>]' | head -n 2 | cut -c1-90 | tr '\n' ' ') ;;
	*) said="status $status; $said $(tail -qn 1 "$dir/soft.out" "$dir/soft.err" | cut -c1-90 | tr '\n' ' ')" ;;
	esac
	echo "$said" | tr -d '\000' | tr '\t|' ' /'
}

if [ ! -f "$dir/native" ]; then
	if [ "$build" != - ] && ! (cd "$dir" && eval "$build") >"$dir/build.err" 2>&1; then
		verdict unbuilt "$(grep -am1 -E 'error|undefined' "$dir/build.err" | cut -c1-100)"
	fi
	run native
	first=$status
	run again
	if [ $first != 0 ] || [ $status != 0 ]; then
		echo "status $first, then $status" >"$dir/native"
	elif [ "$judge" = output ] && ! cmp -s "$dir/native.out" "$dir/again.out"; then
		echo "two native runs differ" >"$dir/native"
	else
		echo ok >"$dir/native"
	fi
	rm -f "$dir/again.out" "$dir/again.err"
fi
said=$(cat "$dir/native")
[ "$said" = ok ] || verdict native "$said"

events=instructions
[ $((number % 2)) = 0 ] || events=inst_retired,dcu_lines_in
run soft "$SOFTPMU" stat $options -e "$events" -o "$dir/counts" --
[ $status = 0 ] && { [ "$judge" = status ] || cmp -s "$dir/native.out" "$dir/soft.out"; } || {
	why=$(reason)
	echo "$suite $name ($events): $why" >&2
	verdict failed "$why"
}
verdict passed "$events"
