// What each frame asks for.
#include "init.h"
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

static void open_stream(uint32_t id, const char *payload, size_t length) {
  char service[64];
  if (length >= sizeof service || stream_find(id)) return;
  memcpy(service, payload, length);
  service[length] = 0;
  if (!strcmp(service, "!exec")) exec_open(id);
  else if (!strcmp(service, "!attach")) attach_open(id);
  else bridge_open(id, service);
}

static void reply(uint32_t seq, uint32_t value) { send_frame(REPLY, seq, &value, 4); }

static void control(uint32_t seq, const char *payload, size_t length) {
  if (length && payload[0] == FREEZE_OP) freeze(seq);
  else if (length && payload[0] == RESUME_OP) resume(seq, payload + 1, length - 1);
  else if (length == 5 && payload[0] == KILL_OP) {
    uint32_t id;
    memcpy(&id, payload + 1, 4);
    exec_kill(id);
  } else if (length && payload[0] == ENV_OP) reply(seq, set_environment(payload + 1, length - 1));
  else if (length && payload[0] == TERM_OP) reply(seq, terminate_programs());
  else if (length && payload[0] == COUNT_OP) reply(seq, count_programs());
  else if (length && payload[0] == POWER_OP) {
    sync();
    reboot(RB_AUTOBOOT);
  }
}

void handle_frame(enum frame_type type, uint32_t id, const char *payload, size_t length) {
  struct stream *s;
  char service[64];
  uint32_t credit;
  switch (type) {
    case OPEN: open_stream(id, payload, length); return;
    case PING: send_frame(PONG, id, NULL, 0); return;
    case CONTROL: control(id, payload, length); return;
    case LISTEN:
      if (length >= sizeof service) return;
      memcpy(service, payload, length);
      service[length] = 0;
      bridge_listen(service);
      return;
    default: break;
  }
  if (!(s = stream_find(id))) return;  // closed on our side while this was under way
  switch (type) {
    case DATA: s->kind->data(s, payload, length); return;
    case FIN: s->kind->fin(s); return;
    case RST:
      s->kind->lost(s);
      stream_free(s);
      return;
    case WIN:
      if (length != 4) return;
      memcpy(&credit, payload, 4);
      s->credit += credit;
      s->kind->resume(s);
      return;
    default: return;
  }
}
