#!/bin/sh
# compare.sh OLD NEW [LIMITS] -- COMMAND [ARGS...] -- record COMMAND in two directories, an old build and a new one, and say what changed.
# LIMITS are options of softpmu diff (default --limit main:inst_retired=1%). Exit status: that of softpmu diff, 3 when a limit is broken;
# 1 when COMMAND fails. In a job of GitHub's the step gets a summary, and lines that broke a limit an annotation.
# Another softpmu than that of the PATH: SOFTPMU=/path/to/softpmu. More options for it: SOFTPMU_RECORD="--cpu pentium -e instructions".
set -u
usage() { sed -n '2,5s/^# //p' "$0"; }
case ${1-} in -h | --help) usage; exit 0 ;; esac
if [ $# -lt 3 ]; then usage >&2; exit 1; fi
old=$1 new=$2
shift 2
limits=
while [ $# -gt 0 ] && [ "$1" != -- ]; do limits="$limits $1"; shift; done
if [ $# -lt 2 ]; then usage >&2; exit 1; fi
shift

for build in "$old" "$new"; do
	# Both run under one name from their own directories: paths lie on a program's stack, and are counted.
	# shellcheck disable=SC2086 # SOFTPMU_RECORD is a list of options
	(cd "$build" && "${SOFTPMU:-softpmu}" record -q --env clean ${SOFTPMU_RECORD-} -o softpmu.rec -- "$@") >"$build/softpmu.out" 2>"$build/softpmu.err" </dev/null
	status=$?
	if [ $status -ne 0 ]; then
		echo "compare.sh: in $build the command ended with status $status; nothing was compared" >&2
		cat "$build/softpmu.err" >&2
		exit 1
	fi
done
# shellcheck disable=SC2086 # limits are a list of options
exec "${SOFTPMU:-softpmu}" diff ${GITHUB_ACTIONS:+--github} "$old/softpmu.rec" "$new/softpmu.rec" ${limits:---limit main:inst_retired=1%}
