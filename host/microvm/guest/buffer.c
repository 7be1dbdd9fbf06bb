#include "init.h"
#include <stdlib.h>
#include <string.h>

void buffer_add(struct buffer *b, const void *bytes, size_t length) {
  if (b->start && b->start + b->length + length > b->capacity) {
    memmove(b->bytes, b->bytes + b->start, b->length);
    b->start = 0;
  }
  if (b->length + length > b->capacity) {
    size_t wanted = b->capacity ? b->capacity : 4096;
    while (wanted < b->length + length) wanted *= 2;
    b->bytes = realloc(b->bytes, wanted);
    if (!b->bytes) fatal("out of memory");
    b->capacity = wanted;
  }
  memcpy(b->bytes + b->start + b->length, bytes, length);
  b->length += length;
}

void buffer_drop(struct buffer *b, size_t length) {
  b->start += length;
  b->length -= length;
  if (b->length) return;
  b->start = 0;
  // A burst must not pin its memory for the life of the machine.
  if (b->capacity > 64 * 1024) buffer_free(b);
}

void buffer_free(struct buffer *b) {
  free(b->bytes);
  memset(b, 0, sizeof *b);
}
