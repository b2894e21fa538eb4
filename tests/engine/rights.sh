#!/bin/bash
# rights.sh -- set-uid and set-gid programs and those with file capabilities run with their caller's rights, started directly
# or by a shell; the report has one note where the kernel would have given them more, and none where it would not.
. "$(dirname "$0")/lib.sh"

chmod 755 "$work"
cp "$SOFTPMU" "$work/softpmu" && chmod 755 "$work/softpmu" # where another user finds it
SOFTPMU=$work/softpmu
prog=$work/prog
as=

# given MODE OWNER [CAPABILITIES]: a fresh file.
given() {
	rm -f "$prog"
	cp /usr/bin/id "$prog" && chown "$2" "$prog" && chmod "$1" "$prog" && { [ $# -lt 3 ] || setcap "$3" "$prog"; }
}

# runs TITLE NOTE: as its caller, with this note (a piece of it; "": none), directly, by a shell, by a script's name and by exec.
runs() {
	local n way
	id_is=$($as id)
	for way in direct shell exec; do
		case $way in
		direct) set -- "$1" "$2" "$prog" ;;
		shell) set -- "$1" "$2" sh -c "$prog; exit" ;;
		exec) set -- "$1" "$2" sh -c "exec $prog" ;;
		esac
		got=$($as timeout 900 "$SOFTPMU" stat -e "$events" --log-fd 9 -- "${@:3}" 9>"$work/report" 2>"$work/err")
		[ $? = 0 ] && [ "$got" = "$id_is" ] && [ ! -s "$work/err" ] && ok ||
			bad "$1, $way ($events): '$got', not '$id_is': $(head -n 1 "$work/err")"
		n=$(grep -c "caller's rights" "$work/report")
		if [ -z "$2" ]; then
			[ "$n" = 0 ] && ok || bad "$1, $way: a note without a reason: $(grep "caller's" "$work/report")"
		else
			[ "$n" = 1 ] && grep -q "prog is $2 and ran with its caller's rights" "$work/report" && ok ||
				bad "$1, $way: $n notes, not 1 of '$2': $(grep "caller's" "$work/report")"
		fi
	done
}

me=$(id -u) mine=$(id -g)
events=inst_retired
given 4755 $me && runs "the caller's own set-uid program" ""
events=inst_retired,dcu_lines_in
given 6755 $me:$mine && runs "owner and group are the caller's" ""
events=inst_retired
printf '#!%s\n' /usr/bin/id >"$work/script" && chmod 4755 "$work/script"
got=$("$SOFTPMU" stat --log-fd 9 -- sh -c "$work/script 2>&1; true" 9>"$work/report" 2>&1)
! grep -q "caller's rights" "$work/report" && ok || bad "set-uid script: a note"

if [ "$me" = 0 ]; then
	given 4755 65534 && runs "another owner" set-uid
	given 2755 0:65534 && runs "another group" set-gid
	given 2745 0:65534 && runs "a group that may not execute" ""
	given 6755 65534:65534 && runs "owner and group" set-uid
	if command -v setpriv >/dev/null; then
		as="setpriv --reuid=65534 --regid=65534 --clear-groups"
		given 4755 0 && runs "root's, of nobody" set-uid
		given 4755 65534 && runs "nobody's own" ""
		as="$as --no-new-privs"
		given 4755 0 && runs "root's, with no_new_privs" ""
		as=
	fi
	if command -v setcap >/dev/null && given 755 0 cap_net_raw+ep 2>"$work/err"; then
		runs "capabilities that root has" ""
		if command -v setpriv >/dev/null; then
			as="setpriv --reuid=65534 --regid=65534 --clear-groups"
			runs "capabilities that nobody has not" "a file with capabilities"
			as="$as --bounding-set=-net_raw"
			runs "capabilities that the bounding set has not" ""
			as=
		fi
	else
		skip "file capabilities: no setcap"
	fi
	# Real ones: as natively, with no note, because root owns them.
	for command in "su nobody -s /bin/sh -c id" "mount --version" "passwd --help"; do
		command -v ${command%% *} >/dev/null || continue
		want=$($command 2>&1 </dev/null); rc=$?
		got=$("$SOFTPMU" stat --log-fd 9 -- $command 9>"$work/report" 2>&1 </dev/null)
		[ $? = $rc ] && [ "$got" = "$want" ] && ok || bad "$command: $got"
		! grep -q "caller's rights" "$work/report" && ok || bad "$command: $(grep "caller's" "$work/report")"
	done
	# Several of them are one note; run says it, too; JSON has it.
	given 4755 65534
	"$SOFTPMU" stat --log-fd 9 -- sh -c "$prog; $prog; $prog" 9>"$work/report" >"$work/out" 2>&1
	[ "$(grep -c "caller's rights" "$work/report")" = 1 ] && grep -q 'prog (and 2 more programs such) is' "$work/report" && ok ||
		bad "three of them: $(grep "caller's" "$work/report")"
	"$SOFTPMU" run -- "$prog" >"$work/out" 2>"$work/err"
	[ "$(grep -c "prog is set-uid and ran with its caller's rights" "$work/err")" = 1 ] && ok || bad "run: $(cat "$work/err")"
	"$SOFTPMU" stat --json -- "$prog" 2>&1 >"$work/out" | grep -q "caller's rights" && ok || bad "no note in JSON"
else
	skip "other owners: not root"
fi
finish
