import threading, queue, sqlite3, concurrent.futures
q, out, lock = queue.Queue(), [], threading.Lock()
def work():
    while (n := q.get()) is not None:
        s = sum(i * i % 7 for i in range(n))
        with lock:
            out.append((n, s))
ts = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in ts]
for n in range(100, 2100, 100):
    q.put(n)
[q.put(None) for _ in ts]
[t.join() for t in ts]
print(sorted(out)[-3:], len(out))
def db(k):
    c = sqlite3.connect(":memory:")
    c.execute("create table t(a)")
    c.executemany("insert into t values (?)", [(i * k,) for i in range(200)])
    return c.execute("select sum(a) from t").fetchone()[0]
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    print(list(pool.map(db, range(6))))
