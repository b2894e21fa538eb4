#!/bin/bash
# any.sh -- the job of any service that runs a shell: installs softpmu, compares the commit that is checked out with the one that it goes to,
# ends with 3 when a limit is broken. Copy it and counts.sh beside it into your repository, put your programs in, and let the service keep
# .softpmu/base from job to job (GitLab: cache: paths:) and publish .softpmu/out (artifacts: paths:).
set -eu
cd "$(git rev-parse --show-toplevel)"
here=$(dirname "$(realpath "$0")")

# What is measured, how it is built, what may change. counts.sh tells more settings.
export SOFTPMU_COMMANDS=${SOFTPMU_COMMANDS-'prog: ./prog'}
export SOFTPMU_BUILD=${SOFTPMU_BUILD-'make'}
export SOFTPMU_LIMITS=${SOFTPMU_LIMITS-'main:inst_retired=1%'}

# The commit to compare with, as GitLab, Jenkins (the branch of a change) and Buildkite name it. None of them: this commit is measured and kept.
base=${CI_MERGE_REQUEST_DIFF_BASE_SHA-}
branch=${CHANGE_TARGET-${BUILDKITE_PULL_REQUEST_BASE_BRANCH-}}
if [ -z "$base" ] && [ -n "$branch" ]; then
	git fetch -q origin "+refs/heads/$branch:refs/remotes/origin/$branch"
	base=refs/remotes/origin/$branch
fi
export SOFTPMU_BASE=${SOFTPMU_BASE-$base}

"$here/counts.sh" install
exec "$here/counts.sh" run
