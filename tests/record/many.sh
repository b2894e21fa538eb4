#!/bin/sh
# many.sh N TIMES DIRECTORY -- a program there of N functions in N files; function k goes round k * TIMES times.
mkdir "$3" && cd "$3" || exit 1
printf 'int main(void)\n{\n' >main.c
for k in $(seq "$1"); do
	printf 'void f%s(void)\n{\n\tunsigned n = %s;\n\n\t__asm__ volatile("1: dec %%0; jnz 1b" : "+r"(n));\n}\n' "$k" $((k * $2)) >"f$k.c"
	sed -i "1i void f$k(void);" main.c
	printf '\tf%s();\n' "$k" >>main.c
done
printf '\treturn 0;\n}\n' >>main.c
"${CC:-cc}" -O1 -g -o many ./*.c
