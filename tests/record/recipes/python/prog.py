"""prog.py -- takes the words that it knows out of a list of words."""
known = [f"word{i}" for i in range(40)]  # FASTER: a set
known = set(known)


def unknown(words):
    return [w for w in words if w not in known]


print(len(unknown([f"word{i % 60}" for i in range(3000)])))
