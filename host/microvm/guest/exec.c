// Programs run for the host. Host → guest: length-prefixed request, then {length, bytes} of standard input (0 ends it).
// Guest → host: {kind, length, bytes}: 1 output, 2 error output, 3 exit code, 4 could not start.
#include "init.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUEST_LIMIT (200u * 1024u)
#define BACKLOG (64u * 1024u)  // output kept while nobody listens

struct process {
  struct source in, out, err;
  struct process *next;
  struct stream *stream;
  struct buffer received;  // request or standard input, still framed
  struct buffer input, output;
  unsigned serial;
  pid_t pid;  // 0 before the start
  int attaching, exited, status, input_over, reported;
  uint32_t chunk;  // bytes of the current input piece still to come
  char name[64];
};

static struct process *processes;
static unsigned next_serial = 1;

static void pump(struct process *);

static struct process *owner_of(struct source *s, size_t offset) { return (struct process *)((char *)s - offset); }

static void forget(struct process *p) {
  for (struct process **at = &processes; *at; at = &(*at)->next)
    if (*at == p) {
      *at = p->next;
      break;
    }
  unwatch_and_close(&p->in);
  unwatch_and_close(&p->out);
  unwatch_and_close(&p->err);
  buffer_free(&p->received);
  buffer_free(&p->input);
  buffer_free(&p->output);
  if (p->pid) drop_group(p->serial);
  free(p);
}

static void report(struct process *p, char kind, const void *bytes, uint32_t length) {
  buffer_add(&p->output, &kind, 1);
  buffer_add(&p->output, &length, 4);
  if (length) buffer_add(&p->output, bytes, length);
}

static void read_pipe(struct process *p, struct source *s, char kind) {
  static char bytes[16384];
  ssize_t n = read(s->fd, bytes, sizeof bytes);
  if (n > 0 && (p->stream || p->output.length < BACKLOG)) report(p, kind, bytes, (uint32_t)n);
  if (n == 0 || (n < 0 && errno != EAGAIN)) unwatch_and_close(s);
}

static void on_out(struct source *s, unsigned events) {
  (void)events;
  struct process *p = owner_of(s, offsetof(struct process, out));
  read_pipe(p, s, 1);
  pump(p);
}

static void on_err(struct source *s, unsigned events) {
  (void)events;
  struct process *p = owner_of(s, offsetof(struct process, err));
  read_pipe(p, s, 2);
  pump(p);
}

static void feed(struct process *p) {
  while (p->input.length && p->in.fd >= 0) {
    ssize_t n = write(p->in.fd, buffer_head(&p->input), p->input.length);
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) unwatch_and_close(&p->in);
    else {
      buffer_drop(&p->input, (size_t)n);
      if (p->stream) stream_consumed(p->stream, (size_t)n);
    }
  }
  if (p->in.fd < 0 && p->input.length) {  // nobody reads any more
    if (p->stream) stream_consumed(p->stream, p->input.length);
    buffer_drop(&p->input, p->input.length);
  }
  if (p->input_over && !p->input.length) unwatch_and_close(&p->in);
  watch(&p->in, p->input.length ? EPOLLOUT : 0);
}

static void on_in(struct source *s, unsigned events) {
  (void)events;
  feed(owner_of(s, offsetof(struct process, in)));
}

// Sends what credit allows, reads on while there is room, ends the stream after the exit code. May forget the process.
static void pump(struct process *p) {
  struct stream *s = p->stream;
  if (p->exited && !p->reported) {  // what the program left in its pipes goes before its exit code
    while (p->out.fd >= 0 && p->output.length < 4 * BACKLOG) {
      size_t before = p->output.length;
      read_pipe(p, &p->out, 1);
      if (p->output.length == before) break;
    }
    while (p->err.fd >= 0 && p->output.length < 4 * BACKLOG) {
      size_t before = p->output.length;
      read_pipe(p, &p->err, 2);
      if (p->output.length == before) break;
    }
    if (p->output.length < 4 * BACKLOG) {
      uint32_t code = WIFSIGNALED(p->status) ? 128u + (uint32_t)WTERMSIG(p->status) : (uint32_t)WEXITSTATUS(p->status);
      report(p, 3, &code, 4);
      p->reported = 1;
      unwatch_and_close(&p->out);
      unwatch_and_close(&p->err);
    }
  }
  while (s && p->output.length && s->credit && !channel_congested()) {
    size_t piece = p->output.length < s->credit ? p->output.length : s->credit;
    if (piece > MAX_PAYLOAD) piece = MAX_PAYLOAD;
    stream_send(s, buffer_head(&p->output), piece);
    buffer_drop(&p->output, piece);
  }
  if (s && p->reported && !p->output.length) {
    stream_finish(s);
    stream_free(s);
    forget(p);
    return;
  }
  unsigned want = !p->exited && (!s || p->output.length < BACKLOG) ? EPOLLIN : 0;
  watch(&p->out, want);
  watch(&p->err, want);
}

static void refuse(struct process *p, const char *why) {
  report(p, 4, why, (uint32_t)strlen(why));
  p->reported = p->exited = 1;
  pump(p);
}

static struct process *named(const char *name) {
  for (struct process *p = processes; p; p = p->next)
    if (p->pid && name[0] && !strcmp(p->name, name)) return p;
  return NULL;
}

static void take_over(struct process *asking, struct process *p) {
  struct stream *s = asking->stream;
  if (p->stream) {
    struct stream *old = p->stream;
    stream_reset(old, ECONNRESET);
  }
  p->stream = s;
  s->owner = p;
  p->chunk = 0;
  buffer_free(&p->received);
  asking->stream = NULL;
  forget(asking);
  pump(p);
}

static void start(struct process *p, char *bytes, size_t length) {
  static struct request r;
  int pipes[3];
  if (p->attaching) {
    char *end = memchr(bytes, 0, length);
    struct process *other = end ? named(bytes) : NULL;
    if (other) take_over(p, other);
    else refuse(p, "ENOENT: no program of that name");
    return;
  }
  if (parse_request(bytes, length, &r) || strlen(r.name) >= sizeof p->name) {
    refuse(p, "EINVAL: request");
    return;
  }
  struct process *other = named(r.name);
  if (other && other->exited && !other->stream) forget(other);
  else if (other) {
    refuse(p, "EEXIST: a program of that name runs");
    return;
  }
  p->serial = next_serial++;
  strcpy(p->name, r.name);
  p->pid = spawn(&r, p->serial, pipes);
  if (p->pid < 0) {
    p->pid = 0;
    refuse(p, strerror(errno));
    return;
  }
  p->in = (struct source){.fd = pipes[0], .ready = on_in};
  p->out = (struct source){.fd = pipes[1], .ready = on_out};
  p->err = (struct source){.fd = pipes[2], .ready = on_err};
  pump(p);
}

static void input(struct process *p) {
  struct buffer *b = &p->received;
  while (b->length) {
    if (!p->chunk) {
      if (b->length < 4) break;
      uint32_t length;
      memcpy(&length, buffer_head(b), 4);
      buffer_drop(b, 4);
      stream_consumed(p->stream, 4);
      if (length) p->chunk = length;
      else p->input_over = 1;
      continue;
    }
    size_t piece = b->length < p->chunk ? b->length : p->chunk;
    buffer_add(&p->input, buffer_head(b), piece);
    buffer_drop(b, piece);
    p->chunk -= (uint32_t)piece;
  }
  feed(p);
}

static void on_data(struct stream *s, const char *bytes, size_t length) {
  struct process *p = s->owner;
  if (p->reported) return;
  buffer_add(&p->received, bytes, length);
  if (p->pid) {
    input(p);
    return;
  }
  uint32_t wanted;
  if (p->received.length < 4) return;
  memcpy(&wanted, buffer_head(&p->received), 4);
  if (wanted > REQUEST_LIMIT) {
    refuse(p, "E2BIG: request");
    return;
  }
  if (p->received.length < 4 + wanted) return;
  struct buffer request = p->received;
  memset(&p->received, 0, sizeof p->received);
  if (request.length > 4 + wanted && !p->attaching) buffer_add(&p->received, buffer_head(&request) + 4 + wanted, request.length - 4 - wanted);
  stream_consumed(s, 4 + wanted);
  uint32_t id = s->id;
  start(p, buffer_head(&request) + 4, wanted);
  buffer_free(&request);
  s = stream_find(id);  // refusing frees it, attaching gives it to another program
  p = s ? s->owner : NULL;
  if (p && p->pid && p->received.length) input(p);
}

static void on_fin(struct stream *s) { s->host_done = 1; }
static void on_resume(struct stream *s) { pump(s->owner); }

static void on_lost(struct stream *s) {
  struct process *p = s->owner;
  p->stream = NULL;
  if (!p->pid) forget(p);
  else if (!p->name[0]) kill_group(p->serial);
  else pump(p);
}

static const struct stream_kind exec_kind = {.data = on_data, .fin = on_fin, .resume = on_resume, .lost = on_lost};

void exec_kill(uint32_t id) {
  struct stream *s = stream_find(id);
  struct process *p = s && s->kind == &exec_kind ? s->owner : NULL;
  if (p && p->pid) kill_group(p->serial);
}

void exec_open(uint32_t id) {
  struct process *p = calloc(1, sizeof *p);
  if (!p) fatal("out of memory");
  p->in.fd = p->out.fd = p->err.fd = -1;
  p->stream = stream_new(id, &exec_kind);
  p->stream->owner = p;
  p->next = processes;
  processes = p;
}

void attach_open(uint32_t id) {
  exec_open(id);
  processes->attaching = 1;
}

void reap_children(void) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    struct process *p = processes;
    while (p && p->pid != pid) p = p->next;
    if (!p) continue;  // an orphan the kernel gave to us
    p->exited = 1;
    p->status = status;
    if (!p->stream && !p->name[0]) forget(p);
    else pump(p);
  }
}
