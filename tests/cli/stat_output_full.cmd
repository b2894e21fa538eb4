softpmu stat -e instructions -o /dev/full -- true
