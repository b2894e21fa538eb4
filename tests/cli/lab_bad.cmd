softpmu lab 0 2>&1 | sed 's/to [0-9]*/to N/'
softpmu lab 1000 2>&1 | sed 's/to [0-9]*/to N/'
softpmu lab 1x 2>&1 | sed 's/to [0-9]*/to N/'
softpmu lab 1 2
softpmu lab 1 --all
softpmu lab --save here
softpmu lab 5 --cpu pentium
softpmu lab 28 --cpu pentium
softpmu lab 39 --cpu pentiumpro
softpmu lab 1 --cpu pentium33
softpmu lab 1 --walks off
TMPDIR=/none softpmu lab 1
softpmu lab 1 --save /dev/null/here
