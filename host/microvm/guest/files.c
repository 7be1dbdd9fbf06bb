// Files in and out of the working folder without any program of the image: records on standard input and output, little endian.
//   !put            in  {u32 path length, u32 size, path, bytes} …
//   !list LIMIT     out {u32 path length, u32 size, u64 inode, u64 changed at (ns), path} … of every regular file, no link followed
//   !get            in  {u32 path length, path} …                out {u32 size or all ones, bytes} …
#include "init.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NONE 0xffffffffu
#define DEEPEST 64

static char path[4096];

static int read_all(void *to, size_t length) {
  char *at = to;
  while (length) {
    ssize_t n = read(0, at, length);
    if (n <= 0) return -1;
    at += n;
    length -= (size_t)n;
  }
  return 0;
}

static int write_all(int fd, const void *from, size_t length) {
  const char *at = from;
  while (length) {
    ssize_t n = write(fd, at, length);
    if (n <= 0) return -1;
    at += n;
    length -= (size_t)n;
  }
  return 0;
}

static int read_path(uint32_t length) {
  if (!length || length >= sizeof path || read_all(path, length)) return -1;
  path[length] = 0;
  return 0;
}

static int failed(const char *what) {
  dprintf(2, "%s: %s\n", what, strerror(errno));
  return 1;
}

static int below(const char *at, int flags) {
  struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC, .mode = flags & O_CREAT ? 0644 : 0,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, at, &how, sizeof how);
}

static int put(void) {
  static char bytes[65536];
  uint32_t head[2];
  while (!read_all(head, sizeof head)) {
    if (read_path(head[0])) return failed("path");
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
      *slash = 0;
      if (mkdir(path, 0755) && errno != EEXIST) return failed(path);
      *slash = '/';
    }
    int fd = below(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0) return failed(path);
    for (uint32_t left = head[1]; left;) {
      size_t piece = left < sizeof bytes ? left : sizeof bytes;
      if (read_all(bytes, piece)) return failed("bytes");
      if (write_all(fd, bytes, piece)) return failed(path);
      left -= (uint32_t)piece;
    }
    close(fd);
  }
  return 0;
}

static int list(int folder, size_t length, int depth, long *room) {
  DIR *dir = fdopendir(folder);
  if (!dir) return failed(path);
  struct dirent *entry;
  int result = 0;
  while (!result && (entry = readdir(dir))) {
    size_t name = strlen(entry->d_name);
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || length + name + 2 > sizeof path) continue;
    memcpy(path + length, entry->d_name, name + 1);
    struct stat about;
    if (fstatat(dirfd(dir), entry->d_name, &about, AT_SYMLINK_NOFOLLOW)) continue;
    if (S_ISDIR(about.st_mode) && depth < DEEPEST) {
      int next = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (next < 0) continue;
      path[length + name] = '/';
      result = list(next, length + name + 1, depth + 1, room);
    } else if (S_ISREG(about.st_mode)) {
      if (--*room < 0) return 3;
      uint32_t head[2] = {(uint32_t)(length + name), about.st_size >= NONE ? NONE : (uint32_t)about.st_size};
      uint64_t identity[2] = {about.st_ino, (uint64_t)about.st_ctim.tv_sec * 1000000000ull + (uint64_t)about.st_ctim.tv_nsec};
      char record[24 + sizeof path];
      memcpy(record, head, 8);
      memcpy(record + 8, identity, 16);
      memcpy(record + 24, path, length + name);
      result = write_all(1, record, 24 + length + name);
    }
  }
  closedir(dir);
  return result;
}

static int send_file(int fd) {
  static char bytes[65536];
  struct stat about;
  uint32_t size = NONE;
  if (fd >= 0 && !fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size < NONE) size = (uint32_t)about.st_size;
  if (write_all(1, &size, 4)) return 1;
  for (uint32_t left = size == NONE ? 0 : size; left;) {
    ssize_t n = read(fd, bytes, left < sizeof bytes ? left : sizeof bytes);
    if (n <= 0) {  // it became shorter meanwhile: zeros keep the record whole
      memset(bytes, 0, sizeof bytes);
      n = left < sizeof bytes ? (ssize_t)left : (ssize_t)sizeof bytes;
    }
    if (write_all(1, bytes, (size_t)n)) return 1;
    left -= (uint32_t)n;
  }
  return 0;
}

static int get(void) {
  uint32_t length;
  while (!read_all(&length, sizeof length)) {
    if (read_path(length)) return failed("path");
    int fd = below(path, O_RDONLY | O_NONBLOCK);
    if (send_file(fd)) return failed(path);
    if (fd >= 0) close(fd);
  }
  return 0;
}

int file_command(char **argv) {
  if (!strcmp(argv[0], "!put")) return put();
  if (!strcmp(argv[0], "!get")) return get();
  long room = argv[1] ? atol(argv[1]) : 0;
  int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return strcmp(argv[0], "!list") || here < 0 ? 127 : list(here, 0, 0, &room);
}
