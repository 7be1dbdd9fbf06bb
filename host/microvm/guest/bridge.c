// Streams to and from unix sockets of the guest, so that any language reaches the host without a library.
#include "init.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static uint32_t next_id = 1;

static void interest(struct stream *s) {
  unsigned want = 0;
  if (!s->guest_done && s->credit && !channel_congested()) want |= EPOLLIN;
  if (s->out.length) want |= EPOLLOUT;
  watch(&s->source, want);
}

static void done_if_over(struct stream *s) {
  if (s->guest_done && s->host_done && !s->out.length) stream_free(s);
  else interest(s);
}

static void drain(struct stream *s) {
  while (s->out.length) {
    ssize_t n = send(s->source.fd, buffer_head(&s->out), s->out.length, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) {
      stream_reset(s, (uint32_t)errno);
      return;
    }
    buffer_drop(&s->out, (size_t)n);
    stream_consumed(s, (size_t)n);
  }
  if (!s->out.length && s->host_done) shutdown(s->source.fd, SHUT_WR);
  done_if_over(s);
}

static void on_socket(struct source *source, unsigned events) {
  struct stream *s = (struct stream *)source;  // first member
  if (events & EPOLLOUT) {
    drain(s);
    return;
  }
  if (s->guest_done || !s->credit) {
    if (events & (EPOLLERR | EPOLLHUP)) stream_reset(s, ECONNRESET);
    return;
  }
  static char bytes[65536];
  size_t room = s->credit < sizeof bytes ? s->credit : sizeof bytes;
  ssize_t n = recv(s->source.fd, bytes, room, 0);
  if (n > 0) stream_send(s, bytes, (size_t)n);
  else if (n == 0) stream_finish(s);
  else if (errno != EAGAIN) {
    stream_reset(s, (uint32_t)errno);
    return;
  }
  done_if_over(s);
}

static void on_data(struct stream *s, const char *bytes, size_t length) {
  buffer_add(&s->out, bytes, length);
  drain(s);
}

static void on_fin(struct stream *s) {
  s->host_done = 1;
  drain(s);
}

static void on_lost(struct stream *s) { (void)s; }

static const struct stream_kind socket_kind = {.data = on_data, .fin = on_fin, .resume = interest, .lost = on_lost};

static int valid(const char *service) {
  size_t length = strlen(service);
  return length > 0 && length <= 32 && strspn(service, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static void adopt(uint32_t id, int fd) {
  struct stream *s = stream_new(id, &socket_kind);
  s->source.fd = fd;
  s->source.ready = on_socket;
  interest(s);
}

void bridge_open(uint32_t id, const char *service) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  snprintf(to.sun_path, sizeof to.sun_path, RUN_DIR "/%s.sock", service);
  int fd = valid(service) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) {
    uint32_t error = ECONNREFUSED;
    if (fd >= 0) close(fd);
    send_frame(RST, id, &error, 4);
    return;
  }
  adopt(id, fd);
}

int listen_at(const char *path) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  unlink(path);
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || chmod(path, 0666) || listen(fd, 128)) fatal(path);
  return fd;
}

static void on_accept(struct source *source, unsigned events) {
  (void)events;
  int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  uint32_t id = next_id;
  next_id += 2;
  const char *service = (const char *)(source + 1);
  send_frame(OPEN, id, service, strlen(service));
  adopt(id, fd);
}

// For programs that know no unix sockets (HTTP_PROXY): the service `tcp-3128` listens on that port of the loopback interface. -1 while taken.
static int listen_on_port(int port) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  if (fd < 0) return -1;
  if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) && !bind(fd, (struct sockaddr *)&at, sizeof at) && !listen(fd, 128)) return fd;
  close(fd);
  return -1;
}

void bridge_listen(const char *service) {
  char path[96];
  snprintf(path, sizeof path, RUN_DIR "/host/%s.sock", service);
  struct stat already;
  if (!valid(service) || !lstat(path, &already)) return;
  int port = strncmp(service, "tcp-", 4) ? 0 : atoi(service + 4);
  int fd = port > 0 && port < 65536 ? listen_on_port(port) : listen_at(path);
  if (fd < 0) return;
  struct source *s = calloc(1, sizeof *s + strlen(service) + 1);
  if (!s) fatal("out of memory");
  strcpy((char *)(s + 1), service);
  s->ready = on_accept;
  s->fd = fd;
  watch(s, EPOLLIN);
}
