softpmu stat --cpu pentium,pentium3 -x, -e '{branches,data_read},l2_ld,instructions' -- true 2>&1 | cut -d, -f1,4
softpmu stat --cpu pentium,pentium-mmx -g mmx -j -- true 2>&1 | sed 's/ : "[0-9.]*"//' | cut -d, -f1,4 | head -n 3
softpmu stat --cpu pentium,pentium3 --env clean -M cpi,taken_ratio -r 2 -- true 2>&1 | grep -A1 -E 'runs|cpi|taken_ratio' | sed 's/[0-9]\{2,\}/N/g'
