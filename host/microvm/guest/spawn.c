// Starting a program: its own session, its own control group, an unprivileged user unless root of the guest is asked for.
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AGENT_ID 1000
#define GROUPS "/sys/fs/cgroup/programs"

static void group_path(char *path, size_t size, unsigned serial, const char *file) { snprintf(path, size, GROUPS "/%u%s", serial, file); }

static void write_group(unsigned serial, const char *file, const char *text) {
  char path[96];
  group_path(path, sizeof path, serial, file);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, text, strlen(text)) < 0) {}
  close(fd);
}

void kill_group(unsigned serial) { write_group(serial, "/cgroup.kill", "1"); }

void drop_group(unsigned serial) {
  char path[96];
  group_path(path, sizeof path, serial, "");
  rmdir(path);  // stays while background children live in it
}

// NUL-terminated strings: user, name, cwd, argument count, arguments …, environment ….
int parse_request(char *bytes, size_t length, struct request *r) {
  size_t count = 0, limit = sizeof r->list / sizeof *r->list;
  if (!length || bytes[length - 1]) return -1;
  static char *head[4];
  size_t at = 0;
  for (int i = 0; i < 4; i++) {
    if (at >= length) return -1;
    head[i] = bytes + at;
    at += strlen(bytes + at) + 1;
  }
  size_t argc = strtoul(head[3], NULL, 10);
  r->user = head[0];
  r->name = head[1];
  r->cwd = head[2];
  r->argv = r->list;
  for (; at < length && count < limit - 2; at += strlen(bytes + at) + 1) {
    if (count == argc) {
      r->list[count++] = NULL;
      r->env = r->list + count;
      argc = (size_t)-1;
    }
    r->list[count++] = bytes + at;
  }
  if (at < length) return -1;
  if (argc != (size_t)-1) {
    if (count != argc) return -1;
    r->list[count++] = NULL;
    r->env = r->list + count;
  }
  r->list[count] = NULL;
  return r->argv[0] ? 0 : -1;
}

static char *machine_env;
static size_t machine_env_length;

// NUL-terminated NAME=value pairs that win over a request's.
uint32_t set_environment(const char *pairs, size_t length) {
  if (length && pairs[length - 1]) return EINVAL;
  char *copy = malloc(length + 1);
  if (!copy) return ENOMEM;
  memcpy(copy, pairs, length);
  free(machine_env);
  machine_env = copy;
  machine_env_length = length;
  return 0;
}

static int same_name(const char *a, const char *b) {
  size_t length = strcspn(a, "=");
  return length == strcspn(b, "=") && !memcmp(a, b, length);
}

// The request's variables but those the machine sets, then the machine's. What does not fit is left out.
static char **environment(char **asked) {
  static char *all[2048];
  size_t count = 0, limit = sizeof all / sizeof *all - 1;
  for (; *asked && count < limit; asked++) {
    char *pair = machine_env, *end = machine_env + machine_env_length;
    while (pair < end && !same_name(pair, *asked)) pair += strlen(pair) + 1;
    if (pair >= end) all[count++] = *asked;
  }
  for (char *pair = machine_env; pair < machine_env + machine_env_length && count < limit; pair += strlen(pair) + 1) all[count++] = pair;
  all[count] = NULL;
  return all;
}

uint32_t count_programs(void) {
  char text[32] = "";
  int fd = open(GROUPS "/pids.current", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  if (read(fd, text, sizeof text - 1) < 0) {}
  close(fd);
  return (uint32_t)strtoul(text, NULL, 10);
}

uint32_t terminate_programs(void) {
  uint32_t before = count_programs();
  kill(-1, SIGTERM);
  kill(-1, SIGCONT);
  return before;
}

// Straight into its group: moving it there later would wait for a grace period of the kernel. A child like any of fork() otherwise.
static pid_t fork_into(unsigned serial) {
  char path[96];
  group_path(path, sizeof path, serial, "");
  int group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (group < 0) return -1;
  struct clone_args args = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)group};
  pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) return 0;
  int error = errno;
  close(group);
  // Its programs are as many as they may be: one that the host starts, to look or to end them, comes on top.
  if (pid < 0 && error == EAGAIN && (pid = fork()) == 0) write_group(serial, "/cgroup.procs", "0");
  return pid;
}

static void run(const struct request *r, int in, int out, int err) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  setsid();
  dup2(in, 0);
  dup2(out, 1);
  dup2(err, 2);
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0 && write(score, "0", 1) < 0) {}
  setpriority(PRIO_PROCESS, 0, 0);
  struct rlimit files = {65536, 65536};
  setrlimit(RLIMIT_NOFILE, &files);
  if (strcmp(r->user, "root") && (setgroups(0, NULL) || setgid(AGENT_ID) || setuid(AGENT_ID))) _exit(126);
  if (r->cwd[0] && chdir(r->cwd)) {
    dprintf(2, "cannot enter %s: %s\n", r->cwd, strerror(errno));
    _exit(126);
  }
  if (r->argv[0][0] == '!') {
    close_range(3, ~0u, 0);  // no exec will: among them is the writing end of our own input
    _exit(file_command(r->argv));
  }
  environ = environment(r->env);
  execvp(r->argv[0], r->argv);
  dprintf(2, "cannot run %s: %s\n", r->argv[0], strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

// Answers the pid and our ends of the three pipes, or -1.
pid_t spawn(const struct request *r, unsigned serial, int pipes[3]) {
  int in[2], out[2], err[2];
  char path[96];
  group_path(path, sizeof path, serial, "");
  mkdir(path, 0755);
  if (pipe2(in, O_CLOEXEC)) goto no_in;
  if (pipe2(out, O_CLOEXEC)) goto no_out;
  if (pipe2(err, O_CLOEXEC)) goto no_err;
  pid_t pid = fork_into(serial);
  if (pid < 0) goto no_fork;
  if (pid == 0) run(r, in[0], out[1], err[1]);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  pipes[0] = in[1];
  pipes[1] = out[0];
  pipes[2] = err[0];
  for (int i = 0; i < 3; i++) nonblocking(pipes[i]);
  return pid;
no_fork:
  close(err[0]), close(err[1]);
no_err:
  close(out[0]), close(out[1]);
no_out:
  close(in[0]), close(in[1]);
no_in:
  drop_group(serial);
  return -1;
}
