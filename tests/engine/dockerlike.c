/* dockerlike.c -- runs a program the way an unprivileged container does, or an old kernel.
 *
 * dockerlike [-u UID] [-n DESCRIPTORS] [-s] [-k] -- PROGRAM [ARGS...]
 *   -u  give up root for this user and group
 *   -n  RLIMIT_NOFILE
 *   -s  install a system-call filter: what Docker's default profile allows on x86-64 without extra
 *       capabilities; everything else answers EPERM (CLONE3: ENOSYS, as there)
 *   -k  Linux 4.15: every system call that came later answers ENOSYS, of either width
 *
 * SOURCES  the last calls of 4.15: STATX (332) on x86-64, ARCH_PRCTL (384) on i386, syscall_64.tbl
 *          and syscall_32.tbl; the allow-list of moby's default profile (names are facts), kernel
 *          4.8 or later; CLONE without namespace flags; PERSONALITY 0, 8, 20000h, 20008h,
 *          ffffffffh; SOCKET except AF_VSOCK.
 */
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint16_t allowed[] = {
#define A(name) SYS_##name
    A(accept),
    A(accept4),
    A(access),
    A(adjtimex),
    A(alarm),
    A(arch_prctl),
    A(bind),
    A(brk),
    A(capget),
    A(capset),
    A(chdir),
    A(chmod),
    A(chown),
    A(clock_getres),
    A(clock_gettime),
    A(clock_nanosleep),
    A(close),
    A(close_range),
    A(connect),
    A(copy_file_range),
    A(creat),
    A(dup),
    A(dup2),
    A(dup3),
    A(epoll_create),
    A(epoll_create1),
    A(epoll_ctl),
    A(epoll_ctl_old),
    A(epoll_pwait),
    A(epoll_pwait2),
    A(epoll_wait),
    A(epoll_wait_old),
    A(eventfd),
    A(eventfd2),
    A(execve),
    A(execveat),
    A(exit),
    A(exit_group),
    A(faccessat),
    A(faccessat2),
    A(fadvise64),
    A(fallocate),
    A(fanotify_mark),
    A(fchdir),
    A(fchmod),
    A(fchmodat),
    A(fchown),
    A(fchownat),
    A(fcntl),
    A(fdatasync),
    A(fgetxattr),
    A(flistxattr),
    A(flock),
    A(fork),
    A(fremovexattr),
    A(fsetxattr),
    A(fstat),
    A(fstatfs),
    A(fsync),
    A(ftruncate),
    A(futex),
    A(futimesat),
    A(getcpu),
    A(getcwd),
    A(getdents),
    A(getdents64),
    A(getegid),
    A(geteuid),
    A(getgid),
    A(getgroups),
    A(getitimer),
    A(getpeername),
    A(getpgid),
    A(getpgrp),
    A(getpid),
    A(getppid),
    A(getpriority),
    A(getrandom),
    A(getresgid),
    A(getresuid),
    A(getrlimit),
    A(get_robust_list),
    A(getrusage),
    A(getsid),
    A(getsockname),
    A(getsockopt),
    A(get_thread_area),
    A(gettid),
    A(gettimeofday),
    A(getuid),
    A(getxattr),
    A(inotify_add_watch),
    A(inotify_init),
    A(inotify_init1),
    A(inotify_rm_watch),
    A(io_cancel),
    A(ioctl),
    A(io_destroy),
    A(io_getevents),
    A(io_pgetevents),
    A(ioprio_get),
    A(ioprio_set),
    A(io_setup),
    A(io_submit),
    A(kill),
    A(landlock_add_rule),
    A(landlock_create_ruleset),
    A(landlock_restrict_self),
    A(lchown),
    A(lgetxattr),
    A(link),
    A(linkat),
    A(listen),
    A(listxattr),
    A(llistxattr),
    A(lremovexattr),
    A(lseek),
    A(lsetxattr),
    A(lstat),
    A(madvise),
    A(membarrier),
    A(memfd_create),
    A(memfd_secret),
    A(mincore),
    A(mkdir),
    A(mkdirat),
    A(mknod),
    A(mknodat),
    A(mlock),
    A(mlock2),
    A(mlockall),
    A(mmap),
    A(modify_ldt),
    A(mprotect),
    A(mq_getsetattr),
    A(mq_notify),
    A(mq_open),
    A(mq_timedreceive),
    A(mq_timedsend),
    A(mq_unlink),
    A(mremap),
    A(msgctl),
    A(msgget),
    A(msgrcv),
    A(msgsnd),
    A(msync),
    A(munlock),
    A(munlockall),
    A(munmap),
    A(name_to_handle_at),
    A(nanosleep),
    A(newfstatat),
    A(open),
    A(openat),
    A(openat2),
    A(pause),
    A(pidfd_open),
    A(pidfd_send_signal),
    A(pipe),
    A(pipe2),
    A(pkey_alloc),
    A(pkey_free),
    A(pkey_mprotect),
    A(poll),
    A(ppoll),
    A(prctl),
    A(pread64),
    A(preadv),
    A(preadv2),
    A(prlimit64),
    A(process_mrelease),
    A(process_vm_readv),
    A(process_vm_writev),
    A(pselect6),
    A(ptrace),
    A(pwrite64),
    A(pwritev),
    A(pwritev2),
    A(read),
    A(readahead),
    A(readlink),
    A(readlinkat),
    A(readv),
    A(recvfrom),
    A(recvmmsg),
    A(recvmsg),
    A(remap_file_pages),
    A(removexattr),
    A(rename),
    A(renameat),
    A(renameat2),
    A(restart_syscall),
    A(rmdir),
    A(rseq),
    A(rt_sigaction),
    A(rt_sigpending),
    A(rt_sigprocmask),
    A(rt_sigqueueinfo),
    A(rt_sigreturn),
    A(rt_sigsuspend),
    A(rt_sigtimedwait),
    A(rt_tgsigqueueinfo),
    A(sched_getaffinity),
    A(sched_getattr),
    A(sched_getparam),
    A(sched_get_priority_max),
    A(sched_get_priority_min),
    A(sched_getscheduler),
    A(sched_rr_get_interval),
    A(sched_setaffinity),
    A(sched_setattr),
    A(sched_setparam),
    A(sched_setscheduler),
    A(sched_yield),
    A(seccomp),
    A(select),
    A(semctl),
    A(semget),
    A(semop),
    A(semtimedop),
    A(sendfile),
    A(sendmmsg),
    A(sendmsg),
    A(sendto),
    A(setfsgid),
    A(setfsuid),
    A(setgid),
    A(setgroups),
    A(setitimer),
    A(setpgid),
    A(setpriority),
    A(setregid),
    A(setresgid),
    A(setresuid),
    A(setreuid),
    A(setrlimit),
    A(set_robust_list),
    A(setsid),
    A(setsockopt),
    A(set_thread_area),
    A(set_tid_address),
    A(setuid),
    A(setxattr),
    A(shmat),
    A(shmctl),
    A(shmdt),
    A(shmget),
    A(shutdown),
    A(sigaltstack),
    A(signalfd),
    A(signalfd4),
    A(socketpair),
    A(splice),
    A(stat),
    A(statfs),
    A(statx),
    A(symlink),
    A(symlinkat),
    A(sync),
    A(sync_file_range),
    A(syncfs),
    A(sysinfo),
    A(tee),
    A(tgkill),
    A(time),
    A(timer_create),
    A(timer_delete),
    A(timer_getoverrun),
    A(timer_gettime),
    A(timer_settime),
    A(timerfd_create),
    A(timerfd_gettime),
    A(timerfd_settime),
    A(times),
    A(tkill),
    A(truncate),
    A(umask),
    A(uname),
    A(unlink),
    A(unlinkat),
    A(utime),
    A(utimensat),
    A(utimes),
    A(vfork),
    A(vmsplice),
    A(wait4),
    A(waitid),
    A(write),
    A(writev),
#undef A
};

#define N_ALLOWED	    (sizeof(allowed) / sizeof(allowed[0]))
#define NAMESPACES	    0x7e020000u /* CLONE_NEW* except time */
#define LOAD(field)	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what)	    BPF_STMT(BPF_RET | BPF_K, what)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

static int install_filter(void)
{
	static struct sock_filter code[2 * N_ALLOWED + 64];
	struct sock_fprog prog = {.filter = code};
	static const uint32_t personalities[] = {0, 8, 0x20000, 0x20008, 0xffffffff};
	unsigned n = 0, i;

#define EMIT(...) code[n++] = (struct sock_filter)__VA_ARGS__
	EMIT(LOAD(arch));
	EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
	EMIT(RETURN(SECCOMP_RET_ERRNO | EPERM));
	EMIT(LOAD(nr));
	for (i = 0; i < N_ALLOWED; i++) {
		EMIT(UNLESS(allowed[i], 1));
		EMIT(RETURN(SECCOMP_RET_ALLOW));
	}
	EMIT(UNLESS(SYS_clone3, 1));
	EMIT(RETURN(SECCOMP_RET_ERRNO | ENOSYS));
	EMIT(UNLESS(SYS_clone, 4));
	EMIT(LOAD(args[0]));
	EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 1, 0));
	EMIT(RETURN(SECCOMP_RET_ALLOW));
	EMIT(RETURN(SECCOMP_RET_ERRNO | EPERM));
	EMIT(UNLESS(SYS_socket, 4));
	EMIT(LOAD(args[0]));
	EMIT(UNLESS(40, 1)); /* AF_VSOCK */
	EMIT(RETURN(SECCOMP_RET_ERRNO | EPERM));
	EMIT(RETURN(SECCOMP_RET_ALLOW));
	EMIT(UNLESS(SYS_personality, 1 + 2 * sizeof(personalities) / sizeof(personalities[0])));
	EMIT(LOAD(args[0]));
	for (i = 0; i < sizeof(personalities) / sizeof(personalities[0]); i++) {
		EMIT(UNLESS(personalities[i], 1));
		EMIT(RETURN(SECCOMP_RET_ALLOW));
	}
	EMIT(RETURN(SECCOMP_RET_ERRNO | EPERM));
#undef EMIT
	prog.len = (unsigned short)n;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

#define LAST_OF_4_15	332 /* STATX */
#define LAST_OF_4_15_32 384 /* ARCH_PRCTL */

static int be_old(void)
{
	static struct sock_filter code[] = {
	    LOAD(arch),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2),
	    LOAD(nr),
	    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_OF_4_15, 2, 3),
	    LOAD(nr),
	    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_OF_4_15_32, 0, 1),
	    RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	    RETURN(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return -1;
	/* It does what it says: the first call of 4.18 is gone, STATX is there. */
	if (syscall(LAST_OF_4_15 + 1) != -1 || errno != ENOSYS)
		return -1;
	return syscall(LAST_OF_4_15, -1, NULL, 0, 0, NULL) == -1 && errno != ENOSYS ? 0 : -1;
}

int main(int argc, char **argv)
{
	int opt, has_filter = 0, is_old = 0;
	long uid = -1, n_files = -1;

	while ((opt = getopt(argc, argv, "+u:n:sk")) != -1) {
		switch (opt) {
		case 'u': uid = atol(optarg); break;
		case 'n': n_files = atol(optarg); break;
		case 's': has_filter = 1; break;
		case 'k': is_old = 1; break;
		default: return 125;
		}
	}
	if (n_files > 0) {
		struct rlimit r = {(rlim_t)n_files, (rlim_t)n_files};

		if (setrlimit(RLIMIT_NOFILE, &r))
			goto fail;
	}
	if (uid >= 0 && getuid() == 0 &&
	    (setgroups(0, NULL) || setgid((gid_t)uid) || setuid((uid_t)uid)))
		goto fail;
	if ((has_filter && install_filter()) || (is_old && be_old()))
		goto fail;
	if (optind >= argc)
		return 125;
	execvp(argv[optind], argv + optind);
	perror(argv[optind]);
	return 127;
fail:
	perror("dockerlike");
	return 125;
}
