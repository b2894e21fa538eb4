for c in p5 i586 p6 i686 P55C; do softpmu explain $c | head -1; done
softpmu list cpus | grep also
softpmu stat --cpu i786 true
