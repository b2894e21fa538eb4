# examples/ci/counts.sh: writes, holds, notices more work, and says when there is nothing to compare
marks() { sed -E 's/ +-?[0-9]+( |$)/ /g; s/ +[+][0-9.]+ %/ more/'; }
counts.sh -e instructions,branch-misses:k kept seq 1000
counts.sh -e instructions,branch-misses:k kept seq 1000 | sed -E "s, +[0-9]+,,g"
counts.sh -e instructions kept seq 2000 | marks
counts.sh -t 1000 -e instructions kept seq 2000 >/dev/null; echo "by less than ten times: $?"
counts.sh -e uops_retired kept seq 1000 | marks
counts.sh -e instructions kept false 2>&1 | sed -n 1p
counts.sh kept
