#!/bin/bash
# syscall-table.sh -- print docs/SYSCALL_TABLE.md: every x86-64 system call and who does it.
#
# From the runtime's own list (src/guest/calls/syscalls.def) and the numbers below, which are the kernel's
# (asm/unistd_64.h of Linux 6.1, guest/later_calls.h) so that the table is the same on every machine.
cd "$(dirname "$0")/.." || exit 1

cat <<'HEAD'
# Every system call

Written by tools/syscall-table.sh from src/guest/calls/syscalls.def; `make check` compares.
SYSCALLS.md says what the emulated ones do.

* *passed*: the kernel does it with the program's arguments.
* *passed, may wait*: the same; other threads of the program run while it waits.
* *emulated*: the runtime answers, or changes what the kernel is asked or answers.
* *ENOSYS*, *EPERM*: absent, or not allowed; programs fall back. A number that is not here is ENOSYS.

| number | call | |
|---|---|---|
HEAD
awk '
	FNR == NR {
		if ($0 !~ /^CALL\(/)
			next
		split(substr($0, 6), part, /, */)
		how[part[1]] = part[2]
		next
	}
	{
		h = how[$2]
		if (h == "" || h == "nosys") text = "ENOSYS"
		else if (h == "pass") text = "passed"
		else if (h == "wait") text = "passed, may wait"
		else if (h == "eperm") text = "EPERM"
		else if (h == "ptrace") text = "EPERM, with a sentence"
		else text = "emulated"
		printf "| %d | %s | %s |\n", $1, $2, text
		delete how[$2]
	}
	END {
		for (name in how) {
			print "syscall-table.sh: no number for " name >"/dev/stderr"
			exit 1
		}
	}' src/guest/calls/syscalls.def tools/syscalls.tsv
