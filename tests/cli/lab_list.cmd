softpmu lab | sed -n '1,3p;$p'
# a word: the lessons that it is in the title of
softpmu lab address
softpmu lab AGI
softpmu lab nosuch 2>&1 | sed 's/to [0-9]*/to N/'
