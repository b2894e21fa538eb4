#compdef softpmu
# zsh completion for softpmu: source <(softpmu completion zsh)
_softpmu_words()
{
	local -a words
	local line kind=${@[-1]} # _arguments puts options of its own before it
	for line in "${(@f)$(softpmu completion words $kind)}"; do
		words+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	compset -P '*,' # events and metrics are lists
	_describe -V "$kind" words
}
_softpmu()
{
	setopt local_options extended_glob
	local -a options parts
	local line
	if ((CURRENT == 2)); then
		_softpmu_words commands
		return
	fi
	case $words[2] in
	help) _softpmu_words commands; return ;;
	completion) _values shell bash zsh fish; return ;;
	esac
	for line in "${(@f)$(softpmu completion words options $words[2] 2>/dev/null)}"; do
		parts=("${(@s:	:)line}")
		[[ -z $parts[1] ]] && continue
		parts[3]=${parts[3]//(#m)[\[\]:\\]/\\$MATCH}
		case $parts[2] in
		'') options+=("$parts[1][$parts[3]]") ;;
		file) options+=("$parts[1][$parts[3]]:argument:_files") ;;
		*) options+=("*$parts[1][$parts[3]]:$parts[2]:_softpmu_words $parts[2]") ;;
		esac
	done
	local command=$words[2]
	shift words
	((CURRENT--))
	case $command in
	explain) _arguments $options '*:event:_softpmu_words events' ;;
	list) _arguments $options ':list:_softpmu_words lists' ;;
	lab) _arguments $options ':lesson:_softpmu_words lessons' ;;
	*) _arguments -S $options '*::program:_normal' ;;
	esac
}
# Read by compinit it is the function's body, else it is sourced.
if [[ $funcstack[1] = _softpmu ]]; then
	_softpmu "$@"
else
	compdef _softpmu softpmu
fi
