# Dictionaries, strings, objects and integer arithmetic.
import json, re, sys
n = int(sys.argv[1]) if len(sys.argv) > 1 else 50000

class Account:
    def __init__(self, name):
        self.name, self.balance = name, 0
    def move(self, amount):
        self.balance += amount
        return self.balance

accounts = [Account("a%d" % i) for i in range(50)]
for i in range(n):
    accounts[i * 7 % 50].move(i % 13 - 6)
d = {str(i): i * i % 97 for i in range(n)}
words = re.findall(r"[a-z]+\d", " ".join("w%d" % (v * v) for v in d.values()))
text = json.dumps({"d": d, "b": [a.balance for a in accounts]}, sort_keys=True)
print(len(text), len(words), sum(json.loads(text)["d"].values()))
