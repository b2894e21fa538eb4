#!/bin/bash
# demo.sh -- from a fresh checkout to the counts of a real program. Run by `make demo`.
set -eu
cd "$(dirname "$0")/.."

tools/install-deps.sh build
[ -x build/release/softpmu ] || echo "Building softpmu (one to four minutes) ..."
make -s -j"$(nproc)" all
softpmu=$PWD/build/release/softpmu

echo "What this machine allows:"
"$softpmu" doctor || exit $?

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# A text to compress that is the same on every machine.
awk 'BEGIN { for (i = 0; i < 40000; i++) { x = (x * 1103515245 + 12345) % 2147483648;
	printf "%d line %d of the demonstration, word %x\n", x % 1000, i, x % 4096 } }' >"$dir/text"

cd "$dir"
events=inst_retired,uops_retired,br_inst_retired,br_miss_pred_retired,data_mem_refs,dcu_lines_in,l2_lines_in,bus_tran_mem
echo
echo "softpmu stat -e $events -- gzip -9 -c text"
"$softpmu" stat -e "$events" -- gzip -9 -c text >text.gz
gzip -dc text.gz | cmp - text
echo "The output of gzip is what it should be ($(wc -c <text) bytes to $(wc -c <text.gz))."
echo "softpmu is $softpmu; export PATH=$(dirname "$softpmu"):\$PATH"
