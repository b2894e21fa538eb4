source <(softpmu completion bash)
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _softpmu; printf '%s =>' "$*"; printf ' %s' "${COMPREPLY[@]:0:6}"; echo " (${#COMPREPLY[@]})"; }
try softpmu st
try softpmu stat --per-
try softpmu stat -e inst_r
try softpmu stat -e cycles,llc-load
try softpmu stat --cpu pentium3-c
try softpmu stat -g d
try softpmu stat -M ip
try softpmu explain dcu_m
try softpmu list me
try softpmu completion z
try softpmu asm --att --unroll
