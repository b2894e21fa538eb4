#!/bin/bash
# run.sh -- the action (action.yml, examples/ci/counts.sh) as GitHub's runner would execute it: its steps with their environment, the
# files of the runner, events of a push, of a pull request and of a fork. What cannot be had here is GitHub's cache: the directory that it
# keeps stays or goes by hand.
. "$(dirname "$0")/../lib.sh"
top=$PWD
export SOFTPMU
for tool in git gcc curl jq; do
	command -v $tool >/dev/null || { skip "the action: no $tool here"; finish; }
done
unset "${!GITHUB_@}" "${!SOFTPMU_@}" CI
export GIT_CONFIG_GLOBAL=$work/gitconfig HOME=$work
git config --global user.name a
git config --global user.email a@b
git config --global init.defaultBranch main
cd "$work" || exit 1

# ---- the runner ------------------------------------------------------------------------------------
declare -A in=() context=([github.server_url]=file://$work/server [github.action_repository]=some/softpmu)
# step ID: run the step of action.yml with that id in the checkout `tree`, its inputs from `in`
step() {
	local kind key value run='' pairs=()
	while IFS=$'\t' read -r kind key value; do
		while [[ $value =~ ^(.*)\$\{\{\ ([a-z0-9_.]+)\ \}\}(.*)$ ]]; do
			local name=${BASH_REMATCH[2]}
			case $name in inputs.*) name=${in[${name#inputs.}]-} ;; *) name=${context[$name]-} ;; esac
			value=${BASH_REMATCH[1]}$name${BASH_REMATCH[3]}
		done
		if [ "$kind" = run ]; then run=$value; else pairs+=("$key=$value"); fi
	done < <(awk -v id="$1" '
		/^    - / { here = 0 }
		/^    - id: / { here = $3 == id }
		here && /^      run: / { sub(/^      run: \x27?/, ""); sub(/\x27$/, ""); print "run\t-\t" $0 }
		here && /^        [A-Z0-9_]+: / { key = $1; sub(/:$/, "", key); sub(/^ *[A-Z0-9_]+: /, ""); print "env\t" key "\t" $0 }' "$top/action.yml")
	[ -n "$run" ] || { bad "action.yml has no step $1 with a run:"; return 1; }
	(cd "$tree" && env "${pairs[@]}" GITHUB_ACTIONS=true GITHUB_ACTION_PATH="$top" GITHUB_WORKSPACE="$PWD" RUNNER_TEMP="$work/temp" GITHUB_OUTPUT="$work/output" \
		GITHUB_PATH="$work/path" GITHUB_STEP_SUMMARY="$work/summary" GITHUB_EVENT_PATH="$work/event.json" GITHUB_HEAD_REF="${head_ref-}" \
		GITHUB_BASE_REF="${base_ref-}" bash --noprofile --norc -e -o pipefail -c "$run") >>out 2>>err
}
# job: all steps, as far as they go; sets `status`
job() {
	: >out; : >err; : >output; : >path; : >summary
	step install && step key && step run
	status=$?
}
has_output() { grep -qxF "$1" output && ok || bad "$2: no output $1, but: $(cat output err)"; }
check() { if eval "$1"; then ok; else bad "$2 (status $status): $(tail -n 5 out err)"; fi; } # the text is the test's own

for s in run key install; do
	awk -v id=$s '/^    - / { here = 0 } /^    - id: / { here = $3 == id } here && /^      run: /' "$top/action.yml" | grep -qF '${{' &&
		bad "step $s: an expression in a script is evaluated by the shell" || ok
done

# ---- a repository, whose branches have names that a shell would like to evaluate ----------------------
base='main$(touch${IFS}'$work'/pwned);`touch${IFS}'$work'/pwned`'
mkdir -p origin && cd origin && git init -q -b "$base" || exit 1
cat >prog.c <<'END'
#include <stdio.h>

static volatile int sink;

static void __attribute__((noinline)) work(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	work(10000);
	printf("::error::%s\n", argc > 1 ? argv[1] : "none");
	return 0;
}
END
git add . && git commit -qm old && git checkout -qb 'pull/$(touch${IFS}pwned)' && sed -i 's/10000/12000/' prog.c && git commit -qam '$(touch pwned)'
git checkout -q "$base" && git checkout -qb same && echo text >README && git add README && git commit -qm same
git checkout -q "$base" && git checkout -qb fails && sed -i 's/return 0/return 1/' prog.c && git commit -qam fails
git checkout -q "$base"
cd ..
printf '{"pull_request": {"title": "\\"; $(touch %s/pwned) #", "number": 1}}' "$work" >event.json
in[from]=$SOFTPMU
in[record]='-e instructions'
in[build]='${CC:-gcc} -O1 -g -o prog prog.c'
in[commands]="plain: ./prog
quoted: ./prog '\$(touch $work/pwned)  and more'"
in[limits]='main:instructions=1%'
branch() { rm -rf tree; git clone -q origin tree; (cd tree && git checkout -q "$1"); }
tree=tree

# A push: measured and kept.
branch "$base"
job
check '[ $status = 0 ]' "a push"
has_output result=kept "a push"
has_output measured=yes "a push"
grep -qx "kept=$work/temp/softpmu/base" output && grep -qx "published=$work/temp/softpmu/out" output && ok || bad "the directories of key: $(cat output)"
for f in plain.rec plain.html quoted.rec quoted.html; do
	[ -s temp/softpmu/out/$f ] && ok || bad "a push leaves no $f: $(ls temp/softpmu/out)"
done
grep -qF -- '$(touch '"$work/pwned)  and more" temp/softpmu/base/records/quoted.out && ok || bad "a quoted argument: $(cat temp/softpmu/base/records/quoted.out)"
[ "$(cd temp/softpmu/base/tree && find . -type f)" = ./prog ] && ok || bad "more is kept than the program: $(cd temp/softpmu/base/tree && find . | head)"
key=$(grep ^key= output)
[ "$(cat path)" = "$work/temp/softpmu/softpmu/bin" ] && ok || bad "GITHUB_PATH: $(cat path)"

# A pull request that does more: the kept baseline, a limit, a marked line.
base_ref=$base head_ref='pull/$(touch${IFS}pwned)'
branch "$head_ref"
cp -r temp/softpmu/base kept
job
check '[ $status = 3 ]' "a pull request that does more"
[ "$(grep ^key= output)" = "$key" ] && ok || bad "the key of a pull request is not that of the push: $(cat output)"
for o in result=broken "broken=plain quoted" baseline=kept; do has_output "$o" "a pull request"; done
grep -q '^::error file=prog.c,line=[78],title=instructions' out && ok || bad "no line of work() is marked: $(grep '^::' out)"
[ "$(grep -c '^::error' out)" -le 8 ] && ! grep -q '^::error::' out && ok || bad "the program's own output is a command to the runner: $(grep '^::' out)"
grep -q '^### quoted' summary && grep -q '`work`' summary && ok || bad "the summary does not name work: $(cat summary)"
for f in plain.old.rec plain.new.rec plain.html plain.txt; do
	[ -s temp/softpmu/out/$f ] && ok || bad "a pull request leaves no $f: $(ls temp/softpmu/out)"
done
# shows_rise WHERE: 2000 turns of the loop are more on the published page, too.
shows_rise() {
	local said
	said=$(sed -n 's/^<script type="application\/json" id="data">\(.*\)<\/script>$/\1/p' temp/softpmu/out/plain.html |
		jq -c '[.events[0].total > .events[0].old, (.rows[] | select(.f == "work") | .c[0] - .b[0] >= 2000)]')
	[ "$said" = "[true,true]" ] && grep -q '<dt>old</dt><dd><bdi>.*/base/records/plain.rec</bdi>' temp/softpmu/out/plain.html &&
		! grep -q 'id="order"' temp/softpmu/out/plain.html && ok || bad "the page of $1 swaps old and new: $said $(grep '<dt>\(old\|new\)</dt>' temp/softpmu/out/plain.html)"
}
shows_rise "a pull request"

# The same from a fork: a shallow checkout of the merge, nothing kept, nothing to write to.
rm -rf temp tree
(cd origin && git checkout -q --detach && git merge -q --no-ff -m merge "$head_ref" && git update-ref refs/pull/1/merge HEAD && git checkout -q "$base")
git init -q tree && (cd tree && git remote add origin "file://$work/origin" && git fetch -q --depth 1 origin refs/pull/1/merge && git checkout -q FETCH_HEAD)
GITHUB_TOKEN='' job
check '[ $status = 3 ]' "a fork's pull request"
has_output baseline=measured "a fork's pull request"
shows_rise "a fork's pull request"
"$SOFTPMU" diff temp/softpmu/base/records/plain.rec kept/records/plain.rec --limit=instructions=+0 --both-ways >/dev/null 2>said && ok ||
	bad "the baseline of the merge base is not that of the push: $(cat said)"

# One that changes no program.
branch same
job
check '[ $status = 0 ]' "a pull request that changes nothing"
has_output result=same "a pull request that changes nothing"

# Another softpmu: the kept counts are not compared.
cp "$SOFTPMU" other && echo >>other
in[from]=$work/other
job
check '[ $status = 0 ]' "another softpmu"
has_output baseline=measured "another softpmu"
grep -q 'kept differs in: model$' out && ok || bad "another softpmu is not named: $(cat out)"
in[from]=$SOFTPMU

# What goes wrong.
branch fails
job
check '[ $status = 1 ] && grep -q "^::error title=softpmu::plain ended with status 1" out' "a command that fails"
in[build]='if grep -q 10000 prog.c; then echo a sentence of the compiler >&2; exit 1; fi; gcc -O1 -g -o prog prog.c'
branch "$head_ref"
job
check '[ $status = 0 ] && grep -q "^::warning title=softpmu::nothing was compared: .*%0\?A\?a sentence of the compiler\|^::warning title=softpmu::nothing was compared: .*a sentence" out' "an old commit that does not build"
has_output result=none "an old commit that does not build"
in[build]=
for wrong in "plain: ./prog 'open" '' $'a: ./prog\na: ./prog'; do
	in[commands]=$wrong
	job
	check '[ $status = 1 ] && grep -q "^::error title=softpmu::commands: " out' "commands '$wrong'"
done
in[commands]='plain: ./prog'
for wrong in -x '$(touch pwned)' 0000000000000000000000000000000000000000; do
	in[base]=$wrong
	job
	check '[ $status = 1 ] && grep -q "^::error title=softpmu::base: " out' "base $wrong"
done
in[base]=

# ---- where softpmu comes from ----------------------------------------------------------------------------
release=server/some/softpmu/releases/download/v1.2.3
mkdir -p "$release" softpmu-1.2.3-x86_64/bin && printf '#!/bin/sh\nexec %s "$@"\n' "$SOFTPMU" >softpmu-1.2.3-x86_64/bin/softpmu && chmod +x softpmu-1.2.3-x86_64/bin/softpmu
tar -czf "$release/softpmu-1.2.3-x86_64.tar.gz" softpmu-1.2.3-x86_64
(cd "$release" && sha256sum ./*.tar.gz | sed 's,\./,,' >SHA256SUMS)
sum=$(cut -d' ' -f1 "$release/SHA256SUMS")
from() { in[from]=$1 in[sha256]=$2; : >out; : >err; : >path; step install; status=$?; }
for f in 1.2.3 v1.2.3 "$work/$release" "file://$work/$release"; do
	from "$f" ''
	check '[ $status = 0 ] && grep -q "^softpmu " out' "from $f"
	from "$f" "$sum"
	check '[ $status = 0 ]' "from $f with its sum"
	from "$f" 0123
	check '[ $status = 1 ] && grep -q "nothing was installed" out && [ ! -e temp/softpmu/softpmu/bin/softpmu ]' "from $f with another sum"
done
from "$work/$release/softpmu-1.2.3-x86_64.tar.gz" "$sum"
check '[ $status = 0 ]' "an archive with its sum"
from "file://$work/$release/softpmu-1.2.3-x86_64.tar.gz" ''
check '[ $status = 1 ] && grep -q "needs its sum" out' "an archive without a sum"
from 9.9.9 ''
check '[ $status = 1 ] && grep -q "has no SHA256SUMS" out' "a version that is not there"
echo more >>"$release/softpmu-1.2.3-x86_64.tar.gz"
from 1.2.3 ''
check '[ $status = 1 ] && grep -q "is not that of SHA256SUMS" out' "a damaged archive"
PATH=$work/softpmu-1.2.3-x86_64/bin:$PATH from '' ''
check '[ $status = 0 ]' "softpmu of the PATH"

[ ! -e pwned ] && [ ! -e tree/pwned ] && ok || bad "a name was evaluated by the shell"

# ---- the template for other services, and the files themselves ----------------------------------------------
branch same
mkdir -p tree/.ci && cp "$top/examples/ci/counts.sh" "$top/examples/ci/any.sh" tree/.ci/
(cd tree && PATH=$work/softpmu-1.2.3-x86_64/bin:$PATH CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse origin/HEAD) SOFTPMU_COMMANDS='plain: ./prog' \
	SOFTPMU_BUILD='gcc -O1 -g -o prog prog.c' SOFTPMU_RECORD='-e instructions' SOFTPMU_LIMITS='main:instructions=1%' .ci/any.sh) >out 2>err
status=$?
check '[ $status = 0 ] && [ -s tree/.softpmu/out/plain.html ] && ! grep -q "^::" out' "any.sh"
if command -v shellcheck >/dev/null; then
	shellcheck "$top"/examples/ci/*.sh && ok || bad "shellcheck of examples/ci"
else
	skip "shellcheck: not installed here"
fi
validator=$(command -v action-validator || echo "$top/build/npm/node_modules/.bin/action-validator")
if [ ! -x "$validator" ] && [ "${CHECK_LEVEL-}" = all ] && command -v npm >/dev/null; then
	npm install --silent --no-audit --no-fund --prefix "$top/build/npm" @action-validator/core @action-validator/cli >/dev/null 2>&1
fi
if [ -x "$validator" ]; then
	mkdir -p .github/workflows && cp "$top/examples/ci/github.yml" "$top/examples/ci/workflow.yml" .github/workflows/
	for f in "$top/action.yml" .github/workflows/*.yml; do
		"$validator" "$f" >out 2>&1 && ok || bad "the validator of actions: $f: $(cat out)"
	done
	sed 's/^  using: .*//' "$top/action.yml" >action.yml
	"$validator" action.yml >out 2>&1 && bad "the validator of actions takes everything" || ok
else
	skip "validator of YAML: @action-validator/cli is not installed (make check-all installs it by npm)"
fi
finish
