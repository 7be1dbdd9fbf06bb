// Streams of the channel: ids, credit in both directions, ends. Even ids are opened by the host, odd ones by us.
#include "init.h"
#include <stdlib.h>
#include <string.h>

static struct stream *streams;

struct stream *stream_find(uint32_t id) {
  for (struct stream *s = streams; s; s = s->next)
    if (s->id == id) return s;
  return NULL;
}

struct stream *stream_new(uint32_t id, const struct stream_kind *kind) {
  struct stream *s = calloc(1, sizeof *s);
  if (!s) fatal("out of memory");
  s->id = id;
  s->kind = kind;
  s->credit = WINDOW;
  s->source.fd = -1;
  s->next = streams;
  streams = s;
  return s;
}

void stream_free(struct stream *s) {
  for (struct stream **at = &streams; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  unwatch_and_close(&s->source);
  buffer_free(&s->out);
  free(s);
}

void stream_send(struct stream *s, const void *bytes, size_t length) {
  const char *at = bytes;
  s->credit -= (uint32_t)length;
  while (length) {
    size_t piece = length > MAX_PAYLOAD ? MAX_PAYLOAD : length;
    send_frame(DATA, s->id, at, piece);
    at += piece;
    length -= piece;
  }
}

void stream_consumed(struct stream *s, size_t length) {
  s->owed += (uint32_t)length;
  if (s->owed < WINDOW / 2) return;
  send_frame(WIN, s->id, &s->owed, 4);
  s->owed = 0;
}

void stream_finish(struct stream *s) {
  if (s->guest_done) return;
  s->guest_done = 1;
  send_frame(FIN, s->id, NULL, 0);
}

void stream_reset(struct stream *s, uint32_t error) {
  send_frame(RST, s->id, &error, 4);
  stream_free(s);
}

void streams_reset(void) {
  while (streams) {
    struct stream *s = streams;
    s->kind->lost(s);
    stream_free(s);
  }
}

void streams_resume(void) {
  // A handler may free its own stream, never another one.
  for (struct stream *s = streams, *next; s; s = next) {
    next = s->next;
    s->kind->resume(s);
  }
}
