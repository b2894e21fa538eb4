# fish completion for softpmu: softpmu completion fish | source
function __softpmu_list --argument kind
	set -l before (string replace -r '[^,]*$' '' -- (commandline -ct))
	softpmu completion words $kind 2>/dev/null | string replace -r '^' -- "$before"
end
complete -c softpmu -n __fish_use_subcommand -f -a '(softpmu completion words commands)'
complete -c softpmu -n '__fish_seen_subcommand_from help' -f -a '(softpmu completion words commands)'
complete -c softpmu -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'
complete -c softpmu -n '__fish_seen_subcommand_from explain' -f -a '(__softpmu_list events)'
complete -c softpmu -n '__fish_seen_subcommand_from list' -f -a '(softpmu completion words lists)'
complete -c softpmu -n '__fish_seen_subcommand_from lab' -f -a '(softpmu completion words lessons)'
for command in (softpmu completion words commands | string replace -r '\t.*' '')
	for line in (softpmu completion words options $command 2>/dev/null)
		set -l part (string split \t -- $line)
		set -l how -c softpmu -n "__fish_seen_subcommand_from $command" -d $part[3]
		if string match -q -- '--*' $part[1]
			set -a how -l (string sub -s 3 -- $part[1])
		else
			set -a how -s (string sub -s 2 -- $part[1])
		end
		switch $part[2]
			case ''
				complete $how
			case file
				complete $how -r
			case '*'
				complete $how -x -a "(__softpmu_list $part[2])"
		end
	end
end
