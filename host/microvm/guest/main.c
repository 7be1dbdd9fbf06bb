// PID 1 of a microVM. Order matters: modules, disks, system mounts, channel; then it serves until the machine ends.
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static int epoll_fd;

uint64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int nonblocking(int fd) { return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

void fatal(const char *what) {
  int log = open("/dev/kmsg", O_WRONLY);
  if (log >= 0) dprintf(log, "<0>svc init: %s: %s\n", what, strerror(errno));
  reboot(RB_AUTOBOOT);  // the host runs us with -no-reboot: this ends the machine
  _exit(1);
}

void watch(struct source *s, unsigned want) {
  if (s->fd < 0 || s->want == want) return;
  struct epoll_event event = {.events = want, .data.ptr = s};
  int op = !s->want ? EPOLL_CTL_ADD : !want ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  if (epoll_ctl(epoll_fd, op, s->fd, &event)) fatal("epoll_ctl");
  s->want = want;
}

void unwatch_and_close(struct source *s) {
  if (s->fd < 0) return;
  watch(s, 0);
  close(s->fd);
  s->fd = -1;
}

static void on_child(struct source *s, unsigned events) {
  (void)events;
  struct signalfd_siginfo info;
  while (read(s->fd, &info, sizeof info) > 0) {}
  reap_children();
}

int main(void) {
  load_modules();
  mount_disks();
  mount_system();
  signal(SIGPIPE, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  static struct source children = {.ready = on_child};
  children.fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  watch(&children, EPOLLIN);
  park_start();
  channel_start(open_port());
  for (;;) {
    struct epoll_event event;
    // One event at a time: a handler may free any other source.
    int n = epoll_wait(epoll_fd, &event, 1, channel_waits() || park_waits() ? 20 : -1);
    if (n == 1) {
      struct source *s = event.data.ptr;
      s->ready(s, event.events);
    } else if (n < 0 && errno != EINTR) {
      fatal("epoll_wait");
    }
    channel_tick();
    park_tick();
  }
}
