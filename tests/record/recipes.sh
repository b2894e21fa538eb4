#!/bin/bash
# recipes.sh -- the recipes of docs/HOWTO_CI.md, one for each language: two versions of a program in a checkout, of which the new one does
# more; the job says so, in which function and line, and fails.
set -u
. "$(dirname "$0")/../lib.sh"
export SOFTPMU
here=$PWD/tests/record/recipes
compare=$PWD/examples/ci/compare.sh
yml=$PWD/examples/ci/github.yml
cd "$work" || exit 1
unset GITHUB_STEP_SUMMARY GITHUB_WORKSPACE GITHUB_BASE_REF
oldhome=$HOME
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

# trees LANGUAGE: directories old and new of a checkout, as the job makes them.
trees() { (cd "$1" && git worktree add -q "../old-$1" origin/main) 2>err || bad "$1: no work tree: $(cat err)"; }

# Rust: cargo's release build with line tables. Names of version 0 stay as the linker has them; lines are lines.
if command -v cargo >/dev/null && CARGO_HOME=${CARGO_HOME:-$oldhome/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$oldhome/.rustup} cargo --version >/dev/null 2>&1; then
	export CARGO_HOME=${CARGO_HOME:-$oldhome/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$oldhome/.rustup}
	(checkout rust src/main.rs sed -i 's,word.len() // SLOWER: \(.*\),\1,') || bad "rust: no checkout"
	trees rust
	for tree in old-rust rust; do
		(cd $tree && cargo build -q --offline --release) >err 2>&1 || bad "rust: $(cat err)"
	done
	"$compare" old-rust/target/release rust/target/release -- ./prog >out 2>err
	[ $? = 3 ] && grep -q ' new  *main.rs:[345] .*prog::length' out && ok || bad "rust: length in main.rs is not named: $(cat out err)"
else
	echo "note: no cargo here: the recipe for Rust is not tested"
fi

# Python: the interpreter's functions are named, not Python's.
if command -v python3 >/dev/null; then
	(checkout python prog.py sed -i 's,^known = set(known)$,,') || bad "python: no checkout"
	trees python
	python=$(python3 -c 'import sys; print(sys.executable)')
	SOFTPMU_RECORD="-e instructions" "$compare" old-python python --limit main:instructions=1% -- "$python" -S -E prog.py >out 2>err
	[ $? = 3 ] && grep -qE '^ +\+[0-9,]+ .*(unicode|Unicode|PySequence_Contains|list_contains|PyEval|richcompare)' out && ok || bad "python: $(cat out err)"
else
	echo "note: no python3 here: its recipe is not tested"
fi

# Node: its compiler tells names.
if command -v node >/dev/null; then
	(checkout node prog.js sed -i '/ROUNDS/s/200/400/') || bad "node: no checkout"
	trees node
	SOFTPMU_RECORD="-e instructions" "$compare" old-node node --limit main:instructions=1% -- "$(command -v node)" --perf-basic-prof prog.js >out 2>err
	[ $? = 3 ] && grep -qE '^ +\+[0-9,]+ .*sum .*prog.js' out && ok || bad "node: sum is not named: $(cat out err)"
else
	echo "note: no node here: its recipe is not tested"
fi

"$compare" . . -- false >out 2>err
[ $? = 1 ] && grep -q 'nothing was compared' err && ok || bad "a command that fails: $(cat err)"
"$compare" . . >out 2>err
[ $? = 1 ] && grep -q 'compare.sh OLD NEW' err && ok || bad "no command: $(cat err)"

finish
