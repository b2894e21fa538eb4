softpmu stat -e 0xff -- true
