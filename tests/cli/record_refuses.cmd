for o in '-r 2' '-x,' '-j' '--json' '--cpu pentium,pentium3' '-e resource_stalls:c=1' '-e task-clock' '--cpu toy' '--sort nothing' '--timeout x'; do softpmu record $o -- true; echo "= $?"; done
