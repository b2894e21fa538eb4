softpmu stat --help | head -4
softpmu stat --help | tail -1
for c in stat run check asm list explain; do softpmu $c --help-all | awk "length > 80" ; done
softpmu help stat | grep -c chaos
softpmu run --help-all | grep -c chaos
