softpmu completion words commands | cut -f1
softpmu completion words options explain
softpmu completion words cpus | head -2
softpmu completion words groups | sort | uniq -d
softpmu completion words tea
softpmu completion
softpmu completion zsh | head -1
softpmu completion fish | tail -1
