#!/bin/bash
# recipes.sh -- the recipes of docs/HOWTO_CI.md, one for each language: two versions of a program in a checkout, of which the new one does
# more; the job says so, in which function and line, and fails.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build/release}
SOFTPMU=$(realpath "${SOFTPMU:-$BUILD/softpmu}")
export SOFTPMU
here=$PWD/tests/record/recipes
compare=$PWD/examples/ci/compare.sh
yml=$PWD/examples/ci/github.yml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
cd "$work" || exit 1
unset GITHUB_STEP_SUMMARY GITHUB_WORKSPACE GITHUB_BASE_REF
export GIT_CONFIG_GLOBAL=$work/gitconfig HOME=$work
git config --global user.name a && git config --global user.email a@b && git config --global init.defaultBranch main

# checkout LANGUAGE FILE COMMAND...: a clone whose origin/main has the old version, and whose HEAD the new one, which COMMAND makes of FILE.
checkout() {
	local language=$1 file=$2
	shift 2
	cp -r "$here/$language" "$language.git"
	(cd "$language.git" && git init -q && git add . && git commit -qm old) &&
		git clone -q "$language.git" "$language" && cd "$language" && git checkout -qb faster && "$@" "$file" && git commit -qam new
}

# The whole job of github.yml, as it stands there.
if command -v cmake >/dev/null; then
	(checkout cmake prog.cpp sed -i 's,(const std::string &word) /\* SLOWER: \(.*\) \*/,(\1),' &&
		mkdir -p .github/workflows && cp "$compare" .github/workflows/ &&
		sed -n '/^      - run: |$/,$ { /- run/d; s/^          //p; }' "$yml" >../job.sh) || bad "cmake: no checkout"
	(cd cmake && GITHUB_ACTIONS=true GITHUB_BASE_REF=main GITHUB_WORKSPACE=$PWD GITHUB_STEP_SUMMARY=$work/summary bash -e ../job.sh) >out 2>err
	code=$?
	[ $code = 3 ] && grep -q 'limit main:inst_retired=1% is broken' err && ok || bad "cmake: status $code: $(tail -n 5 out err)"
	grep -q '`operator new(unsigned long)`' summary && ok || bad "cmake: the summary does not name operator new: $(cat summary)"
	line=$(grep -n 'count(word);' cmake/prog.cpp | cut -d: -f1) # the copy is inlined there
	grep '^::error' out | head -n 1 | grep -q "file=prog.cpp,line=$line,title=INST_RETIRED" && ok || bad "cmake: line $line of prog.cpp is not marked: $(grep '^::' out)"
	(cd cmake && "$compare" build build -- ./prog) >out 2>err && ok || bad "cmake: a build differs from itself: $(cat out err)"
else
	echo "note: no cmake here: its recipe is not tested"
fi

"$compare" . . -- false >out 2>err
[ $? = 1 ] && grep -q 'nothing was compared' err && ok || bad "a command that fails: $(cat err)"
"$compare" . . >out 2>err
[ $? = 1 ] && grep -q 'compare.sh OLD NEW' err && ok || bad "no command: $(cat err)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
