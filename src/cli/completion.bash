# bash completion for softpmu: source <(softpmu completion bash)
_softpmu()
{
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} kind= argument= at word text
	local -A argument_of=()
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_softpmu_words commands
		return
	fi
	case $command in
	help) _softpmu_words commands; return ;;
	completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$cur")); return ;;
	esac
	while IFS=$'\t' read -r word kind text; do
		argument_of[$word]=$kind
	done < <(softpmu completion words options "$command" 2>/dev/null | sed 's/\t\t/\tnone\t/')
	# The program begins behind -- or at the first word that is no option and no option's argument.
	for ((at = 2; at < COMP_CWORD; at++)); do
		word=${COMP_WORDS[at]}
		case $word in
		--) break ;;
		-*)
			argument=${argument_of[$word]:-none}
			[ "$argument" = none ] || at=$((at + 1)) ;;
		*) break ;;
		esac
	done
	if [ $at -gt "$COMP_CWORD" ]; then
		if [ "$argument" = file ]; then
			COMPREPLY=($(compgen -f -- "$cur"))
		else
			_softpmu_words "$argument"
		fi
	elif [ $at = "$COMP_CWORD" ] && [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "${!argument_of[*]}" -- "$cur"))
	elif [ "$command" = explain ]; then
		_softpmu_words events
	elif [ "$command" = list ]; then
		_softpmu_words lists
	elif [ "$command" = lab ]; then
		_softpmu_words lessons
	elif [ $at = "$COMP_CWORD" ] || { [ "${COMP_WORDS[at]}" = -- ] && [ $((at + 1)) = "$COMP_CWORD" ]; }; then
		COMPREPLY=($(compgen -c -- "$cur") $(compgen -d -- "$cur"))
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}

# Words of a kind that begin, in any case, with what stands behind the last comma.
_softpmu_words()
{
	local last=${cur##*,} word text
	local before=${cur%"$last"}

	while IFS=$'\t' read -r word text; do
		[[ ${word,,} == "${last,,}"* ]] && COMPREPLY+=("$before$word")
	done < <(softpmu completion words "$1" 2>/dev/null)
}
complete -F _softpmu softpmu
