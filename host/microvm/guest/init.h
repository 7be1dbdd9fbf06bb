// The guest's first process: mounts the disks, owns the channel to the host, starts programs. One thread, one epoll loop.
#ifndef SVC_INIT_H
#define SVC_INIT_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- event loop (main.c)
struct source {
  int fd;
  unsigned want;  // epoll events asked for; 0 while not registered
  void (*ready)(struct source *, unsigned events);
};
void watch(struct source *, unsigned want);
void unwatch_and_close(struct source *);
uint64_t now_ms(void);            // monotonic
void fatal(const char *what);     // reports through the kernel log and ends the machine
int nonblocking(int fd);

// ---- growing byte queue (buffer.c)
struct buffer { char *bytes; size_t start, length, capacity; };
void buffer_add(struct buffer *, const void *bytes, size_t length);
void buffer_drop(struct buffer *, size_t length);
void buffer_free(struct buffer *);
static inline char *buffer_head(struct buffer *b) { return b->bytes + b->start; }

// ---- boot (boot.c)
void load_modules(void);
void mount_disks(void);
void mount_system(void);
int open_port(void);

// ---- channel (channel.c): 12-byte header {type, "SVC", stream id, length}, little endian
enum frame_type { OPEN = 1, DATA, FIN, RST, WIN, PING, PONG, CONTROL, REPLY, HELLO, WELCOME, LISTEN };
#define MAX_PAYLOAD 32768u
#define WINDOW (256u * 1024u)
void channel_start(int fd);
void channel_tick(void);
int channel_waits(void);          // 1 while the host is gone and the port must be polled
int channel_congested(void);
void send_frame(enum frame_type, uint32_t id, const void *payload, size_t length);
void handle_frame(enum frame_type, uint32_t id, const char *payload, size_t length);  // control.c

// ---- streams (stream.c)
struct stream;
struct stream_kind {
  void (*data)(struct stream *, const char *, size_t);
  void (*fin)(struct stream *);    // the host sends no more
  void (*resume)(struct stream *); // credit or room came back
  void (*lost)(struct stream *);   // reset by the host or by a new host; the stream is freed afterwards
};
struct stream {
  struct source source;            // socket streams
  const struct stream_kind *kind;
  struct stream *next;
  uint32_t id, credit, owed;       // credit: bytes we may send; owed: bytes consumed but not yet granted back
  struct buffer out;               // towards the socket
  int host_done, guest_done;
  void *owner;                     // exec streams: their struct process
};
struct stream *stream_new(uint32_t id, const struct stream_kind *);
struct stream *stream_find(uint32_t id);
void stream_send(struct stream *, const void *, size_t);  // at most `credit` bytes
void stream_consumed(struct stream *, size_t);
void stream_finish(struct stream *);                      // we send no more
void stream_reset(struct stream *, uint32_t error);
void stream_free(struct stream *);
void streams_reset(void);
void streams_resume(void);

// ---- sockets of the guest (bridge.c)
#define RUN_DIR "/run/svc"
void bridge_open(uint32_t id, const char *service);
void bridge_listen(const char *service);
int listen_at(const char *path);

// ---- programs (exec.c, spawn.c)
void exec_open(uint32_t id);
void attach_open(uint32_t id);
void exec_kill(uint32_t id);  // out of band: standard input may be stuck
void reap_children(void);
struct request { const char *user, *name, *cwd; char **argv, **env; char *list[1024]; };
int parse_request(char *bytes, size_t length, struct request *);
pid_t spawn(const struct request *, unsigned serial, int pipes[3]);
void kill_group(unsigned serial);
void drop_group(unsigned serial);
uint32_t set_environment(const char *pairs, size_t length);  // of every program from now on; an error number
uint32_t terminate_programs(void);                           // asks all to end; answers how many there were
uint32_t count_programs(void);

// ---- files of /workspace (files.c): run in a program's place when its name begins with '!'
int file_command(char **argv);

// ---- clock, entropy, clones (park.c)
#define FREEZE_OP 1
#define RESUME_OP 2
#define POWER_OP 3
#define KILL_OP 4
#define ENV_OP 5
#define TERM_OP 6
#define COUNT_OP 7
void park_start(void);
void park_tick(void);
int park_waits(void);
void freeze(uint32_t seq);
void resume(uint32_t seq, const char *payload, size_t length);
#endif
