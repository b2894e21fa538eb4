#!/bin/bash
# instead.sh COMMAND... -- PROGRAM...: run COMMAND where a race would run PROGRAM.
words=()
for word; do
	[ "$word" = -- ] && break
	words+=("$word")
done
exec "${words[@]}"
