softpmu stat --raw -q -e 0xff -- true
