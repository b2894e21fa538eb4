import ctypes, mmap, os, signal, subprocess, sys, tempfile
r = subprocess.run(["sort", "-r"], input="b\na\nc\n", capture_output=True, text=True)
print(r.stdout.split(), r.returncode)
p = subprocess.Popen("echo from sh; exit 3", shell=True, stdout=subprocess.PIPE)
print(p.communicate()[0], p.returncode)
try:
    subprocess.run(["/nowhere/at/all"])
except FileNotFoundError as e:
    print("missing", e.errno)
got = []
signal.signal(signal.SIGUSR1, lambda s, f: got.append(s))
os.kill(os.getpid(), signal.SIGUSR1)
print(got)
m = mmap.mmap(-1, 8192)
m[:5] = b"hello"
pid = os.fork()
if pid == 0:
    m[5:10] = b"child"
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), m[:10])
libc = ctypes.CDLL(None)
print(libc.abs(-5), ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1)(41))
