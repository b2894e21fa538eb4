#!/bin/bash
# lab-programs.sh -- build the programs of the lessons, and the table through which softpmu carries them and the lessons inside.
# usage: lab-programs.sh DIRECTORY TABLE.S LESSON...   AS and LD: assembler and linker, of the binutils
# A program whose text is what it was is not built again.
set -eu
out=$1 table=$2
shift 2
here=$(dirname "$0")/../src/lab
mkdir -p "$out/new"
rm -f "$out"/new/*

# Text of each program: its symbols, the prelude, its lines (or those of the program before it), the epilogue.
for lesson; do
	awk -v out="$out/new" -v here="$here" '
		function finish(   i) {
			if (name == "")
				return
			if (lines != "")
				body = lines
			file = out "/" number "-" name ".s"
			printf "\t.set wide, %d\n%s", bits == 64, symbols >file
			while ((getline line <(here "/prelude.s")) > 0)
				print line >file
			close(here "/prelude.s")
			printf "%s", body >file
			while ((getline line <(here "/epilogue.s")) > 0)
				print line >file
			close(here "/epilogue.s")
			close(file)
			name = ""
		}
		FNR == 1 { number = FILENAME; sub(/.*\//, "", number); sub(/-.*/, "", number) }
		/^program / {
			finish()
			name = $2; bits = 64; symbols = ""; lines = ""
			for (i = 3; i <= NF; i++) {
				split($i, part, "=")
				if (part[1] == "bits")
					bits = part[2]
				else
					symbols = symbols "\t.set " part[1] ", " part[2] "\n"
			}
			next
		}
		/^\t/ && name != "" { lines = lines $0 "\n"; next }
		/^[^#\t]/ { finish() }
		END { finish() }' "$lesson"
done

for text in "$out"/new/*.s; do
	program=$out/$(basename "$text" .s)
	if cmp -s "$text" "$program.s" && [ -e "$program" ]; then
		continue
	fi
	if head -n 1 "$text" | grep -q 'wide, 1'; then
		width=--64 form=elf_x86_64
	else
		width=--32 form=elf_i386
	fi
	"${AS:-as}" $width -o "$program.o" "$text" || { echo "lab-programs.sh: $text" >&2; exit 1; }
	"${LD:-ld}" -m $form -nostdlib -static -z noexecstack -z noseparate-code --no-warn-rwx-segments -s -o "$program" "$program.o"
	rm -f "$program.o"
	cp "$text" "$program.s"
done

# carry NAME FILE: a row of the table, and the file's bytes
n=0
carry() {
	n=$((n + 1))
	printf '\t.quad 1f, 2f, 3f\n\t.section .rodata\n1:\t.asciz "%s"\n\t.balign 16\n2:\t.incbin "%s"\n3:\t.byte 0\n\t.section .data.rel.ro, "aw", %%progbits\n' \
		"$1" "$2"
}
{
	printf '# Made by tools/lab-programs.sh.\n\t.section .data.rel.ro, "aw", %%progbits\n\t.balign 8\n\t.globl lab_files\n\t.hidden lab_files\nlab_files:\n'
	for lesson; do
		carry "$(basename "$lesson")" "$lesson"
	done
	for text in "$out"/new/*.s; do
		name=$(basename "$text" .s)
		carry "$name" "$out/$name"
	done
	carry prelude.s "$here/prelude.s"
	carry epilogue.s "$here/epilogue.s"
	printf '\t.quad 0, 0, 0\n\t.section .note.GNU-stack, "", %%progbits\n'
} >"$table"
