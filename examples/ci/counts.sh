#!/bin/bash
# counts.sh install | key | run -- measure commands in a commit and in the one that it goes to, and say what changed. What action.yml calls;
# any other service can (any.sh beside it). All that it is told comes by the environment, and no name of a branch is ever part of a command:
#
#	SOFTPMU_COMMANDS  a line for each: "NAME: PROGRAM ARGUMENT...", quotes as in a shell, nothing else of a shell
#	SOFTPMU_BUILD     a script that builds the checkout, run by bash in its directory (default: nothing is built)
#	SOFTPMU_LIMITS    what may change, a line for each (default main:inst_retired=1%)
#	SOFTPMU_RECORD    more options of softpmu record, as "-e instructions --cpu pentium"
#	SOFTPMU_FROM      where softpmu comes from: a version, an address or a directory of a release, an archive of one, an executable;
#	                  empty: the PATH
#	SOFTPMU_SHA256    the sum of the archive or executable (a release has its own; this one is compared, too)
#	SOFTPMU_BASE      the commit to compare with (default: where GITHUB_BASE_REF and this one part; neither: it is measured and kept)
#	SOFTPMU_PLACE     a directory for all that is made (default: softpmu below RUNNER_TEMP, else .softpmu here): base/ is what a service keeps from job
#	                  to job, out/ what it publishes
#
# A kept baseline is used when it is of the same commit, softpmu, image, commands and directory; else that commit is measured anew. Counts of
# two softpmus are never compared. Exit status of run: 3 when a limit is broken, 1 when something failed, 0.
set -u -o pipefail
place=${RUNNER_TEMP:+$RUNNER_TEMP/softpmu}
place=$(realpath -m -- "${SOFTPMU_PLACE:-${place:-.softpmu}}")
github=${GITHUB_ACTIONS:+yes}
# The checkout may belong to another user of the runner's machine.
export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$PWD GIT_CONFIG_KEY_1=advice.detachedHead GIT_CONFIG_VALUE_1=false

# say KIND TEXT: to the log; on GitHub as an annotation (KIND: notice, warning, error)
say() {
	local text=$2
	echo "counts.sh: $text" >&2
	if [ -n "$github" ]; then
		text=${text//'%'/%25} text=${text//$'\r'/%0D} text=${text//$'\n'/%0A}
		echo "::$1 title=softpmu::$text"
	fi
}
fail() { say error "$1"; exit 1; }
output() { [ -z "${GITHUB_OUTPUT-}" ] || printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }
summary() { [ -z "${GITHUB_STEP_SUMMARY-}" ] || printf '%s\n\n' "$1" >>"$GITHUB_STEP_SUMMARY"; }
sum_of() { sha256sum "$1" | cut -d' ' -f1; }

# words TEXT: into the array `word`, split at blanks; quotes hold together
words() {
	local got
	word=()
	[ -n "${1//[[:space:]]/}" ] || return 0
	got=$(xargs printf '%s\n' <<<"$1" 2>/dev/null) || return 1
	mapfile -t word <<<"$got"
}

# ---- install ----------------------------------------------------------------------------------

# get FROM FILE: a file of an address or a directory
get() {
	case $1 in
	*://*) if command -v curl >/dev/null; then curl -fsSL -o "$2" -- "$1"; else wget -q -O "$2" -- "$1"; fi ;;
	*) cp -- "$1" "$2" ;;
	esac 2>/dev/null
}

install() {
	local from=${SOFTPMU_FROM-} wanted=${SOFTPMU_SHA256-} listed='' archive dir=$place/softpmu

	[ "$(uname -sm)" = "Linux x86_64" ] || fail "softpmu runs on Linux x86_64, and this is $(uname -sm)"
	if [[ $from =~ ^v?([0-9][0-9A-Za-z.~+]*)$ ]] && [ ! -e "$from" ]; then
		[ -n "${SOFTPMU_RELEASES-}" ] || fail "from: $from: a version needs SOFTPMU_RELEASES, the address below which releases lie"
		from=$SOFTPMU_RELEASES/v${BASH_REMATCH[1]}
	fi
	rm -rf "$dir"
	mkdir -p "$dir/bin" || fail "$dir cannot be made"
	if [ -z "$from" ]; then
		archive=$(command -v softpmu) || fail "there is no softpmu in the PATH; from: says where one is"
		ln -s "$archive" "$dir/bin/softpmu"
		[ -z "$wanted" ] || [ "$(sum_of "$archive")" = "$wanted" ] || fail "the sum of $archive is not sha256: $wanted"
	elif [ -f "$from" ] && [ -x "$from" ]; then
		[ -z "$wanted" ] || [ "$(sum_of "$from")" = "$wanted" ] || fail "the sum of $from is not sha256: $wanted"
		ln -s "$(realpath "$from")" "$dir/bin/softpmu"
	else
		case $from in
		*.tar.gz) archive=${from##*/} ;;
		*)
			get "$from/SHA256SUMS" "$dir/sums" || fail "from: $from has no SHA256SUMS, or it cannot be fetched"
			archive=$(sed -n 's/^[0-9a-f]\{64\}  \(softpmu-[^ /]*-x86_64\.tar\.gz\)$/\1/p' "$dir/sums" | head -n 1)
			[ -n "$archive" ] || fail "SHA256SUMS of $from names no archive for x86_64"
			listed=$(awk -v f="$archive" '$2 == f { print $1 }' "$dir/sums")
			from=$from/$archive ;;
		esac
		[ -n "$listed$wanted" ] || fail "from: $from: the archive needs its sum in sha256:"
		get "$from" "$dir/archive" || fail "from: $from cannot be fetched"
		[ "$(sum_of "$dir/archive")" = "${listed:-$wanted}" ] || fail "the sum of $archive is not that of ${listed:+SHA256SUMS}${listed:-sha256:}; nothing was installed"
		[ -z "$wanted" ] || [ "$(sum_of "$dir/archive")" = "$wanted" ] || fail "the sum of $archive is not sha256: $wanted; nothing was installed"
		tar -xzf "$dir/archive" --strip-components=1 --no-same-owner -C "$dir" || fail "$archive cannot be unpacked"
		rm -f "$dir/archive" "$dir/sums"
	fi
	"$dir/bin/softpmu" --version || fail "softpmu of ${from:-the PATH} does not run here"
	[ -z "${GITHUB_PATH-}" ] || echo "$dir/bin" >>"$GITHUB_PATH"
	output softpmu "$dir/bin/softpmu"
}

# ---- what is compared with what ------------------------------------------------------------------

# The commit whose counts are the baseline, into `base`; is_compared: is this commit another one, to be measured, too?
find_base() {
	local ref=${GITHUB_BASE_REF-} at=${SOFTPMU_BASE-} deepen=()

	is_compared=yes
	[ "$(git rev-parse --is-shallow-repository)" != true ] || deepen=(--unshallow)
	if [ -n "$at" ]; then
		case $at in -*) fail "base: $at is no commit" ;; esac
		git rev-parse -q --verify "$at^{commit}" >/dev/null || git fetch -q --no-tags "${deepen[@]}" origin "$at" 2>/dev/null
		at=$(git rev-parse -q --verify "$at^{commit}") || fail "base: ${SOFTPMU_BASE} is not in this checkout; check out with fetch-depth: 0"
	elif [ -n "$ref" ]; then
		git check-ref-format "refs/heads/$ref" || fail "GITHUB_BASE_REF is no name of a branch"
		git fetch -q --no-tags "${deepen[@]}" origin "+refs/heads/$ref:refs/remotes/origin/$ref" 2>/dev/null
		at=$(git rev-parse -q --verify "refs/remotes/origin/$ref^{commit}") ||
			fail "the branch that this goes to cannot be fetched; check out with fetch-depth: 0"
	else
		is_compared=''
		at=HEAD
	fi
	base=$(git merge-base HEAD "$at") || fail "this commit and the one that it goes to have nothing in common here; check out with fetch-depth: 0"
}

# What a baseline must be of, to be compared with: a line each.
identity() {
	echo "softpmu $("$softpmu" --version | head -n 1)"
	echo "model $(sum_of "$(realpath "$softpmu")")"
	echo "image $({ cat /etc/os-release; dpkg-query -W || rpm -qa | sort; } 2>/dev/null | sha256sum | cut -d' ' -f1)"
	echo "job $(printf '%s\0' "${SOFTPMU_COMMANDS-}" "${SOFTPMU_BUILD-}" "${SOFTPMU_RECORD-}" | sha256sum | cut -d' ' -f1)"
	echo "place $place"
	echo "commit $base"
}

prepare() {
	softpmu=$place/softpmu/bin/softpmu
	[ -x "$softpmu" ] || fail "softpmu is not installed: counts.sh install"
	git rev-parse -q --verify HEAD >/dev/null || fail "$PWD is no checkout of git"
	find_base
	mkdir -p "$place/base" "$place/out"
	identity >"$place/wanted"
}

key() {
	prepare
	output base "$base"
	output key "softpmu-$(sum_of "$place/wanted")"
	output kept "$place/base"
	output published "$place/out"
}

# ---- measuring ---------------------------------------------------------------------------------

# The commands: arrays `names` and `lines`.
read_commands() {
	local line name n=0
	names=() lines=()
	while IFS= read -r line; do
		[ -n "${line//[[:space:]]/}" ] || continue
		n=$((n + 1)) name=$n
		if [[ $line =~ ^[[:space:]]*([A-Za-z0-9_][A-Za-z0-9_.-]*):[[:space:]]+(.*)$ ]]; then
			name=${BASH_REMATCH[1]} line=${BASH_REMATCH[2]}
		fi
		[[ " ${names[*]-} " != *" $name "* ]] || fail "commands: $name is there twice"
		words "$line" || fail "commands: $name: a quote is not closed"
		names+=("$name") lines+=("$line")
	done <<<"${SOFTPMU_COMMANDS-}"
	[ $n -gt 0 ] || fail "commands: there is none; write a line NAME: PROGRAM ARGUMENT... for each"
}

# measure TREE RECORDS: build there, and record every command. Returns 1 with `why` set.
measure() {
	local i options
	mkdir -p "$2"
	if [ -n "${SOFTPMU_BUILD-}" ] && ! (cd "$1" && env -u GIT_CONFIG_COUNT bash -e -o pipefail -c "$SOFTPMU_BUILD") >"$2/build.log" 2>&1 </dev/null; then
		why="the build failed: $(tail -n 3 "$2/build.log")"
		return 1
	fi
	words "${SOFTPMU_RECORD-}" || fail "record: a quote is not closed"
	options=("${word[@]}")
	for i in "${!names[@]}"; do
		words "${lines[i]}"
		# Both builds run under one name from their own directories: paths lie on a program's stack, and are counted.
		(cd "$1" && "$softpmu" record -q --env clean "${options[@]}" -o "$2/${names[i]}.rec" -- "${word[@]}") \
			>"$2/${names[i]}.out" 2>"$2/${names[i]}.err" </dev/null || {
			why="${names[i]} ended with status $?: $(tail -n 3 "$2/${names[i]}.err")"
			return 1
		}
	done
}

# keep_little: of the baseline's build only the files that its records name; the rest would be kept from job to job for nothing
keep_little() {
	local rec
	for rec in "$place"/base/records/*.rec; do
		"$softpmu" report --by object --json "$rec" | tr '"' '\n' | awk -v tree="$place/base/tree/" 'index($0, tree) == 1'
	done | sort -u >"$place/files"
	find "$place/base/tree" ! -type d | grep -vxF -f "$place/files" | tr '\n' '\0' | xargs -0 -r rm -f --
	find "$place/base/tree" -type d -empty -delete
}

measure_base() {
	rm -rf "$place/base"
	mkdir -p "$place/base"
	git worktree prune
	git worktree add -q -f --detach "$place/base/tree" "$base" || fail "git makes no work tree of $base"
	if ! measure "$place/base/tree" "$place/base/records"; then
		rm -rf "$place/base"
		return 1
	fi
	cp "$place/wanted" "$place/base/identity"
	keep_little
	git worktree prune
	output measured yes
}

run() {
	local name worst=0 status limits=() line broken=''

	prepare
	read_commands
	while IFS= read -r line; do
		[ -z "${line//[[:space:]]/}" ] || limits+=("--limit=${line//[[:space:]]/}")
	done <<<"${SOFTPMU_LIMITS-main:inst_retired=1%}"
	rm -rf "$place/out" "$place/new" && mkdir -p "$place/out"
	if cmp -s "$place/wanted" "$place/base/identity"; then
		echo "the baseline is that which was kept of $base"
		output baseline kept
	else
		if [ -f "$place/base/identity" ]; then
			echo "the baseline that was kept differs in: $(diff "$place/wanted" "$place/base/identity" | sed -n 's/^< \([a-z]*\) .*/\1/p' | xargs)"
		fi
		echo "measuring $base"
		output baseline measured
		if ! measure_base; then
			[ -n "$is_compared" ] || fail "$why"
			say warning "nothing was compared: in the commit that this goes to, $why"
			output result none
		fi
	fi
	if [ -z "$is_compared" ]; then
		cp "$place"/base/records/*.rec "$place/out/"
		"$softpmu" report "$place/base/records/${names[0]}.rec" || fail "the record of ${names[0]} cannot be read"
		for name in "${names[@]}"; do
			"$softpmu" html -o "$place/out/$name.html" "$place/base/records/$name.rec" || fail "no page of $name"
		done
		output result kept
		return 0
	fi
	measure . "$place/new" || fail "$why"
	[ -d "$place/base/records" ] || return 0
	for name in "${names[@]}"; do
		cp "$place/new/$name.rec" "$place/out/$name.new.rec"
		cp "$place/base/records/$name.rec" "$place/out/$name.old.rec"
		echo "== $name"
		summary "### $name"
		"$softpmu" diff ${github:+--github} "${limits[@]}" "$place/base/records/$name.rec" "$place/new/$name.rec" | tee "$place/out/$name.txt"
		status=$?
		case $status in
		0) ;;
		3) broken="$broken $name" ;;
		*) say error "$name: the two cannot be compared (status $status)"; worst=1 ;;
		esac
		# html takes the new record first, other than diff.
		"$softpmu" html -o "$place/out/$name.html" "$place/new/$name.rec" "$place/base/records/$name.rec" || worst=1
	done
	if [ $worst = 0 ] && [ -n "$broken" ]; then
		output result broken
		output broken "${broken# }"
		return 3
	fi
	[ $worst != 0 ] || output result same
	return $worst
}

case ${1-} in
install | key | run) "$1" ;;
*) sed -n '2,18s/^# \{0,1\}//p' "$0" >&2; exit 1 ;;
esac
