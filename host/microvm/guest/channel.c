// Frames over the virtio-serial port. The host is trusted here; a half-read frame of a host that went away is skipped up to the next HELLO.
#include "init.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define HEADER 12
#define CONGESTED (128u * 1024u)

static const char hello_mark[16] = "svc-channel-v1\r\n";
static struct source port;
static struct buffer out;
static char in[HEADER + MAX_PAYLOAD + 65536];
static size_t in_length;
static int scanning = 1, host_gone, was_congested;

static uint32_t u32(const char *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}

static void header(char *to, enum frame_type type, uint32_t id, uint32_t length) {
  memcpy(to, (char[]){(char)type, 'S', 'V', 'C'}, 4);
  memcpy(to + 4, &id, 4);
  memcpy(to + 8, &length, 4);
}

int channel_congested(void) { return out.length > CONGESTED; }
int channel_waits(void) { return host_gone; }

static void interest(void) {
  if (!host_gone) watch(&port, EPOLLIN | (out.length ? EPOLLOUT : 0));
}

static void flush(void) {
  while (out.length && !host_gone) {
    ssize_t n = write(port.fd, buffer_head(&out), out.length > 65536 ? 65536 : out.length);
    if (n <= 0) break;
    buffer_drop(&out, (size_t)n);
  }
  interest();
}

void send_frame(enum frame_type type, uint32_t id, const void *payload, size_t length) {
  char head[HEADER];
  header(head, type, id, (uint32_t)length);
  buffer_add(&out, head, HEADER);
  if (length) buffer_add(&out, payload, length);
  if (channel_congested()) was_congested = 1;
  flush();
}

// A new host (or the same one after a restart): whatever was in flight belongs to nobody.
static void welcome(const char *payload) {
  streams_reset();
  buffer_free(&out);
  char answer[sizeof hello_mark + 8];
  memcpy(answer, hello_mark, sizeof hello_mark);
  memcpy(answer + sizeof hello_mark, payload + sizeof hello_mark, 8);
  send_frame(WELCOME, 0, answer, sizeof answer);
}

static size_t scan(void) {
  char mark[HEADER + sizeof hello_mark];
  header(mark, HELLO, 0, sizeof hello_mark + 8);
  memcpy(mark + HEADER, hello_mark, sizeof hello_mark);
  char *found = memmem(in, in_length, mark, sizeof mark);
  if (!found) return in_length < sizeof mark ? 0 : in_length - sizeof mark + 1;
  scanning = 0;
  return (size_t)(found - in);
}

static size_t parse(void) {
  size_t at = 0;
  while (!scanning && in_length - at >= HEADER) {
    const char *p = in + at;
    uint32_t length = u32(p + 8);
    if (memcmp(p + 1, "SVC", 3) || length > MAX_PAYLOAD) {
      scanning = 1;
      break;
    }
    if (in_length - at < HEADER + length) break;
    at += HEADER + length;
    if (p[0] == HELLO && length == sizeof hello_mark + 8) welcome(p + HEADER);
    else handle_frame((enum frame_type)p[0], u32(p + 4), p + HEADER, length);
  }
  return at;
}

static void on_port(struct source *s, unsigned events) {
  if (events & EPOLLHUP) {  // reported without end while the host is away: poll instead
    host_gone = 1;
    watch(s, 0);
    return;
  }
  if (events & EPOLLIN) {
    ssize_t n;
    do {  // the driver hands out one page at a time; a full one means that more may wait
      n = read(s->fd, in + in_length, sizeof in - in_length);
      if (n > 0) in_length += (size_t)n;
    } while (n == 4096 && sizeof in - in_length >= 4096);
    size_t used;
    int before;
    do {
      before = scanning;
      used = scanning ? scan() : parse();
      memmove(in, in + used, in_length - used);
      in_length -= used;
    } while (in_length && (used || scanning != before));
  }
  flush();
}

void channel_tick(void) {
  // Not from flush(): resuming may free the very stream whose handler is sending.
  if (was_congested && out.length < CONGESTED / 2) {
    was_congested = 0;
    streams_resume();
  }
  if (!host_gone) return;
  struct pollfd state = {.fd = port.fd, .events = POLLIN};
  if (poll(&state, 1, 0) >= 0 && !(state.revents & POLLHUP)) {
    host_gone = 0;
    flush();
  }
}

void channel_start(int fd) {
  port = (struct source){.fd = fd, .ready = on_port};
  interest();
}
