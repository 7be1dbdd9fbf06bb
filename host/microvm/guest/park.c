// Clock and entropy after every restore, and what a clone needs besides: its programs must not repeat the random numbers of its siblings.
// Before a template is saved every program that registered (a connection to park.sock) blocks in a read of park.in; then all others are stopped.
// A clone wakes with its clock two hours ahead, which makes OpenSSL of a parked program reseed when it draws; only then is the clock right again.
// In a program: 'p' on the connection → write 'P' to park.out → read 64 hex digits from park.in → draw → write 'D' → read 'G'.
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 32
#define AHEAD (2ull * 3600 * 1000000000ull)
#define NONCE 32
#define ENTROPY 64

enum phase { IDLE, PARKING, PARKED, RESEEDING };
static struct client { struct source source; pid_t pid; } clients[CLIENTS];
static struct source listener, answers;
static int park_in;
static enum phase phase;
static unsigned expected, answered;
static int seeded;
static uint32_t pending_seq;
static uint64_t deadline, clock_base, clock_set_at;

static uint64_t monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void set_clock(uint64_t ns) {
  struct timespec t = {.tv_sec = (time_t)(ns / 1000000000ull), .tv_nsec = (long)(ns % 1000000000ull)};
  clock_settime(CLOCK_REALTIME, &t);
}

static void reseed_kernel(const char *bytes) {
  struct { struct rand_pool_info info; char bytes[ENTROPY]; } pool;
  pool.info.entropy_count = ENTROPY * 8;
  pool.info.buf_size = ENTROPY;
  memcpy(pool.info.buf, bytes, ENTROPY);
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool) || ioctl(fd, RNDRESEEDCRNG, 0)) fatal("reseed");
  close(fd);
}

static void reply(uint32_t seq, uint32_t error) { send_frame(REPLY, seq, &error, 4); }

static unsigned tell(const char *byte, int signal) {
  unsigned told = 0;
  for (int i = 0; i < CLIENTS; i++) {
    if (clients[i].source.fd < 0) continue;
    if (byte && send(clients[i].source.fd, byte, 1, MSG_NOSIGNAL) != 1) continue;
    if (signal) kill(clients[i].pid, signal);
    told++;
  }
  return told;
}

static void give(const char *bytes, size_t length) {
  for (unsigned i = 0; i < expected; i++)
    if (write(park_in, bytes, length) < 0) {}
}

// All programs go on, the clock being right.
static void go(void) {
  set_clock(clock_base + (monotonic_ns() - clock_set_at));
  if (phase == IDLE) return;
  give("G", 1);
  phase = IDLE;
  kill(-1, SIGCONT);
}

static void step(void) {
  if (answered < expected) return;
  if (phase == PARKING) {
    phase = PARKED;
    kill(-1, SIGSTOP);
    reply(pending_seq, 0);
  } else if (phase == RESEEDING) {
    go();
    reply(pending_seq, 0);
  }
}

void freeze(uint32_t seq) {
  char byte;
  while (read(answers.fd, &byte, 1) == 1 || read(park_in, &byte, 1) == 1) {}  // leftovers of an attempt that timed out
  pending_seq = seq;
  phase = PARKING;
  answered = 0;
  deadline = now_ms() + 15000;
  expected = tell("p", 0);
  step();
}

static void reseed_programs(const char *nonce) {
  static const char digits[] = "0123456789abcdef";
  char hex[NONCE * 2];
  for (int i = 0; i < NONCE; i++) {
    hex[2 * i] = digits[(unsigned char)nonce[i] >> 4];
    hex[2 * i + 1] = digits[nonce[i] & 15];
  }
  set_clock(clock_base + AHEAD);
  phase = RESEEDING;
  answered = 0;
  deadline = now_ms() + 15000;
  give(hex, sizeof hex);
  tell(NULL, SIGCONT);
  step();
}

void resume(uint32_t seq, const char *payload, size_t length) {
  if (length < 8 + NONCE + ENTROPY) {
    reply(seq, EINVAL);
    return;
  }
  const char *nonce = payload + 8, *entropy = nonce + NONCE, *name = entropy + ENTROPY;
  memcpy(&clock_base, payload, 8);
  clock_set_at = monotonic_ns();
  pending_seq = seq;
  // A machine that continues from its own memory is the one it was and repeats nothing: this is for one that just booted and for clones.
  if (phase == PARKED || !seeded) {
    seeded = 1;
    reseed_kernel(entropy);
    if (length > (size_t)(name - payload) && sethostname(name, length - (size_t)(name - payload))) {}
  }
  if (phase == PARKED) reseed_programs(nonce);
  else {
    go();
    reply(seq, 0);
  }
}

static void on_answer(struct source *s, unsigned events) {
  (void)events;
  char byte;
  while (read(s->fd, &byte, 1) == 1)
    if (byte == (phase == PARKING ? 'P' : 'D')) answered++;
  step();
}

static void on_client(struct source *s, unsigned events) {
  char bytes[64];
  if (!(events & EPOLLIN) || recv(s->fd, bytes, sizeof bytes, 0) == 0) {
    unwatch_and_close(s);
    if (expected && (phase == PARKING || phase == RESEEDING)) {
      expected--;
      step();
    }
  }
}

static void on_register(struct source *s, unsigned events) {
  (void)events;
  int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  struct ucred peer;
  socklen_t size = sizeof peer;
  for (int i = 0; fd >= 0 && i < CLIENTS; i++) {
    if (clients[i].source.fd >= 0) continue;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) break;
    clients[i] = (struct client){.source = {.fd = fd, .ready = on_client}, .pid = peer.pid};
    watch(&clients[i].source, EPOLLIN);
    return;
  }
  if (fd >= 0) close(fd);
}

int park_waits(void) { return phase == PARKING || phase == RESEEDING; }

void park_tick(void) {
  if (!park_waits() || now_ms() < deadline) return;
  // Not all answered: let every one go on, and say so; the host decides (a clone that did not reseed must not run).
  char zeros[NONCE * 2];
  memset(zeros, '0', sizeof zeros);
  if (phase == PARKING) {
    clock_base += monotonic_ns() - clock_set_at;
    clock_set_at = monotonic_ns();
    give(zeros, sizeof zeros);
  }
  go();
  reply(pending_seq, ETIMEDOUT);
}

static int fifo(const char *path) {
  unlink(path);
  if (mkfifo(path, 0666) || chmod(path, 0666)) fatal(path);
  return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

void park_start(void) {
  for (int i = 0; i < CLIENTS; i++) clients[i].source.fd = -1;
  park_in = fifo(RUN_DIR "/init/park.in");
  answers = (struct source){.fd = fifo(RUN_DIR "/init/park.out"), .ready = on_answer};
  listener = (struct source){.fd = listen_at(RUN_DIR "/init/park.sock"), .ready = on_register};
  watch(&answers, EPOLLIN);
  watch(&listener, EPOLLIN);
}
