softpmu stat --ld-cache small -- true
