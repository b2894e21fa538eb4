#!/bin/bash
# check-engines.sh PACKAGES -- packaging/Dockerfile as Podman and Docker themselves build and run it: their namespaces, capabilities and
# filters of calls, as they come. Part of `make check-container`.
#
# PACKAGES is the directory of the packages (build/packages). Needs root and a Debian mirror (MIRROR). debian:12-slim is the bare Debian
# of check-install.sh (INSTALL_ROOT). Each engine has a store of its own, Docker a daemon of its own without a bridge, so nothing of the
# machine's containers is touched. An engine that is not here, or that cannot run that Debian here, is skipped with its reason. Not
# shown: engines without root, AppArmor and SELinux where the machine has none.
set -u
cd "$(dirname "$0")/.." || exit 1
mirror=${MIRROR:-http://deb.debian.org/debian}
base=${INSTALL_ROOT:-$PWD/build/install/bookworm}
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
skip() { echo "skip $*"; }
end() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }
[ $# = 1 ] || { echo "usage: packaging/check-engines.sh PACKAGES" >&2; exit 2; }
context=$(cd "$1" && pwd) || exit 2
work=$(mktemp -d)
daemon=
leave() {
	[ -z "$daemon" ] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null
	umount "$work"/podman/overlay "$work"/docker.run/netns/* 2>/dev/null
	rm -rf --one-file-system "$work"
}
trap leave EXIT
[ -x "$base/usr/bin/apt-get" ] || debootstrap --variant=minbase bookworm "$base" "$mirror" >"$work/log" 2>&1 </dev/null ||
	{ tail "$work/log"; bad "debootstrap fails"; end; }

# What Podman is told where its defaults are not allowed: another runtime, limits that need no right.
runtime=() limits=()
podman_() { podman --root "$work/podman" --runroot "$work/podman.run" "${runtime[@]}" "$@"; }
docker_() { docker --host "unix://$work/docker.sock" "$@"; }

# can_run ENGINE: does it run a program of the bare Debian?
can_run() { "$1_" run --rm --network none "${limits[@]}" debian:12-slim true >"$work/log" 2>&1; }

# begin ENGINE: it has debian:12-slim and runs it, or says why not
begin() {
	tar -C "$base" --exclude=./proc/* -c . | "$1_" import - debian:12-slim >"$work/log" 2>&1 && can_run "$1" && return
	if [ "$1" = podman ] && command -v runc >/dev/null; then
		runtime=(--runtime runc)
		limits=(--ulimit nofile=1024:1024 --ulimit nproc=1024:1024)
		can_run "$1" && return
	fi
	skip "$1: it cannot run a bare Debian here: $(tail -n 1 "$work/log")"
	return 1
}

# counts ENGINE: the image is built, and softpmu counts in it
counts() {
	local engine=$1 got
	in_image() { "${engine}_" run --rm --network none "${limits[@]}" "$@" 2>&1 </dev/null; }
	"${engine}_" build "${limits[@]}" --network host -t softpmu -f packaging/Dockerfile "$context" >"$work/log" 2>&1 && ok ||
		{ bad "$engine build: $(tail -n 5 "$work/log")"; return; }
	got=$(in_image --entrypoint grep softpmu -E '^(Seccomp|CapEff):' /proc/self/status)
	[ "$(grep -c 'Seccomp:.*2$\|CapEff:[^1-9a-f]*$' <<<"$got")" = 2 ] && ok || bad "$engine: not its default profile and an ordinary user: $got"
	got=$(in_image softpmu)
	grep -q '^softpmu can run programs here' <<<"$got" && ok || bad "$engine: the image's own command: $got"
	in_image softpmu stat --env clean -e instructions,l2_lines_in,cycles -- true >"$work/got"
	grep -q 'input digest [0-9a-f]*$' "$work/got" && ok || bad "$engine: stat -- true: $(cat "$work/got")"
	grep -E '^ +[0-9,]+ +[a-z]|digest' "$work/got" | grep -v seconds >"$work/$engine.counts"
	got=$(in_image --entrypoint sh softpmu -c 'cd /tmp && softpmu record -q -e inst_retired -o x.rec -- ls / && softpmu report x.rec')
	grep -q 'ld-linux\|libc.so\|ls' <<<"$got" && ok || bad "$engine: record and report: $got"
	got=$(in_image softpmu run -e inst_retired -- sh -c 'exit 7')
	[ $? = 7 ] && ok || bad "$engine: run: $got"
}

if ! command -v podman >/dev/null; then
	skip "podman: it is not here (package podman)"
elif begin podman; then
	counts podman
fi
runtime=() limits=()
if ! command -v dockerd >/dev/null || ! command -v docker >/dev/null; then
	skip "docker: it is not here (package docker.io)"
else
	dockerd --host "unix://$work/docker.sock" --data-root "$work/docker" --exec-root "$work/docker.run" --pidfile "$work/docker.pid" \
		--iptables=false --ip6tables=false --bridge=none >"$work/docker.log" 2>&1 &
	daemon=$!
	for ((i = 0; i < 120; i++)); do
		docker_ info >"$work/log" 2>&1 && break
		kill -0 $daemon 2>/dev/null || break
		sleep 0.5
	done
	if ! docker_ info >"$work/log" 2>&1; then
		skip "docker: its daemon does not start here: $(tail -n 1 "$work/docker.log")"
	elif begin docker; then
		counts docker
	fi
fi
if [ -s "$work/podman.counts" ] && [ -s "$work/docker.counts" ]; then
	cmp -s "$work/podman.counts" "$work/docker.counts" && ok || bad "counts differ: $(diff "$work/podman.counts" "$work/docker.counts")"
fi
end
