# Readers of --json and -j find every field where it was: new ones stand at the end of their object, and notes behind older notes.
cat >p.S <<'end'
	.globl _start
_start:	mov $1000, %ecx
1:	paddw %mm1, %mm0
	addps %xmm1, %xmm0
	lea 1(%rdx), %rsi
	dec %ecx
	jnz 1b
	mov $231, %eax
	xor %edi, %edi
	syscall
end
${CC:-gcc} -nostdlib -static -o p p.S
json() { softpmu stat --env clean --json -o /dev/stdout "$@" -- ./p; }
keys='[paths(type == "object")] as $p | [[], $p[]] | unique_by(map(if type == "number" then 0 else . end)) | .[]'
show() { jq -r ". as \$all | $keys as \$at | \"\(\$at | map(tostring) | join(\".\")): \(\$all | getpath(\$at) | keys_unsorted | join(\" \"))\"" | grep -v '^inputs.environment'; }
echo "= stat --json"; json -e INST_RETIRED:u,l2_rqsts:i -M ipc | show
echo "= stat --json, columns"; json --cpu pentium,pentium3 -e instructions | show
echo "= stat --json -r 2 --per-process"; json -r 2 --per-process -e instructions | show
echo "= stat -j"; softpmu stat --env clean -j -o /dev/stdout -e instructions -M ipc -- ./p | jq -cs '.[] | keys_unsorted'
echo "= stat -x"; softpmu stat --env clean -x\; -o /dev/stdout -e instructions,cycles -M ipc -- ./p | tr -dc ';\n'
echo "= list"; for l in "events" "cpus" "groups" "metrics" "relations" "figures"; do softpmu list $l --json | jq -c '.[0] | keys_unsorted'; done
echo "= asm"; softpmu asm --json 'add eax, ebx; inc ecx; mul edx' | jq -c 'keys_unsorted, (.lines[] | keys_unsorted), .lines[-1].alone'
softpmu asm --cpu p6 --json 'add eax, ebx' | jq -c 'keys_unsorted, (.lines[] | keys_unsorted)'
echo "= notes"; json --cpu pentium --all | jq -r '.notes[]' | cut -c1-60
