# one sentence: the disk is full, memory is not out
softpmu stat -e instructions,cycles,branches --json -o /dev/full -- true
