// From the initial RAM disk to the real root: modules, erofs disks under a bounded tmpfs overlay, system mounts, the channel's port.
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AGENT_ID 1000

static void write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, text, strlen(text)) < 0) {}
  close(fd);
}

static int read_line(const char *path, char *line, size_t size) {
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  char *got = fgets(line, (int)size, file);
  fclose(file);
  if (!got) return -1;
  line[strcspn(line, "\n")] = 0;
  return 0;
}

// /modules.list names them in the order of their dependencies; the image builder wrote it.
void load_modules(void) {
  mkdir("/dev", 0755);
  mkdir("/proc", 0755);
  mkdir("/sys", 0755);
  mount("dev", "/dev", "devtmpfs", 0, NULL);
  mount("proc", "/proc", "proc", 0, NULL);
  mount("sys", "/sys", "sysfs", 0, NULL);
  FILE *list = fopen("/modules.list", "re");
  char name[128], path[160];
  while (list && fgets(name, sizeof name, list)) {
    name[strcspn(name, "\n")] = 0;
    snprintf(path, sizeof path, "/modules/%s", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)) fatal(path);
    close(fd);
    unlink(path);  // the RAM disk's pages are guest memory
  }
  if (list) fclose(list);
}

// Disks are found by serial number: the order of virtio-mmio devices is not ours to choose.
static int mount_disk(const char *serial, const char *at) {
  for (char letter = 'a'; letter <= 'h'; letter++) {
    char path[64], found[64];
    snprintf(path, sizeof path, "/sys/block/vd%c/serial", letter);
    if (read_line(path, found, sizeof found) || strcmp(found, serial)) continue;
    snprintf(path, sizeof path, "/dev/vd%c", letter);
    mkdir(at, 0755);
    return mount(path, at, "erofs", MS_RDONLY | MS_NODEV, NULL);
  }
  return -1;
}

static void parameter(const char *name, char *value, size_t size) {
  char line[2048];
  value[0] = 0;
  if (read_line("/proc/cmdline", line, sizeof line)) return;
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
    if (!strncmp(word, name, strlen(name))) snprintf(value, size, "%s", word + strlen(name));
}

void mount_disks(void) {
  char scratch[32], options[128];
  parameter("svc.scratch=", scratch, sizeof scratch);
  if (mount_disk("base", "/base")) fatal("base disk");
  int layered = !mount_disk("layer", "/layer"), entry = !mount_disk("guest", "/guest");
  mkdir("/scratch", 0755);
  snprintf(options, sizeof options, "mode=0755,size=%sm", scratch[0] ? scratch : "64");
  if (mount("scratch", "/scratch", "tmpfs", MS_NODEV, options)) fatal("scratch");
  mkdir("/scratch/upper", 0755);
  mkdir("/scratch/work", 0755);
  mkdir("/root-new", 0755);
  snprintf(options, sizeof options, "lowerdir=%s%s/base,upperdir=/scratch/upper,workdir=/scratch/work", layered ? "/layer:" : "",
           entry ? "/guest:" : "");
  if (mount("overlay", "/root-new", "overlay", MS_NODEV | MS_NOSUID, options)) fatal("overlay");
  if (chdir("/root-new")) fatal("new root");
  // An image of any origin may lack what the system and its programs expect.
  static const char *const expected[] = {"dev", "proc", "sys", "run", "tmp", "home", "home/agent", "workspace"};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) mkdir(expected[i], 0755);
  if (chmod("tmp", 01777) || chown("workspace", AGENT_ID, AGENT_ID)) {}
  if (mount("/dev", "dev", NULL, MS_MOVE, NULL) || mount("/proc", "proc", NULL, MS_MOVE, NULL) ||
      mount("/sys", "sys", NULL, MS_MOVE, NULL) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
    fatal("switch root");
}

void mount_system(void) {
  mkdir("/dev/pts", 0755);
  mkdir("/dev/shm", 01777);
  mount("pts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "mode=0620,ptmxmode=0666");
  mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=16m");
  mount("run", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=8m");
  mount("cgroup", "/sys/fs/cgroup", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  if (symlink("/proc/self/fd", "/dev/fd") || symlink("/proc/self/fd/0", "/dev/stdin") || symlink("/proc/self/fd/1", "/dev/stdout") ||
      symlink("/proc/self/fd/2", "/dev/stderr")) {}
  mkdir(RUN_DIR, 0755);
  mkdir(RUN_DIR "/host", 0755);
  mkdir(RUN_DIR "/init", 0755);
  if (chown(RUN_DIR, AGENT_ID, AGENT_ID)) fatal("chown " RUN_DIR);
  if (chown("/home/agent", AGENT_ID, AGENT_ID)) {}  // the disks know no owner but root
  // A fork bomb stays in its own group; the machine's first process keeps answering.
  // Programs started apart share the processor by group, so one that multiplies does not starve the others.
  write_file("/sys/fs/cgroup/cgroup.subtree_control", "+pids +cpu");
  mkdir("/sys/fs/cgroup/programs", 0755);
  write_file("/sys/fs/cgroup/programs/cgroup.subtree_control", "+cpu");
  write_file("/sys/fs/cgroup/programs/pids.max", "512");
  write_file("/proc/self/oom_score_adj", "-1000");
  write_file("/proc/sys/kernel/panic", "-1");
  // Work that is due at once after each sleep, for statistics that nothing here reads and for huge pages ahead of need.
  write_file("/proc/sys/vm/stat_interval", "3600");
  write_file("/proc/sys/vm/compaction_proactiveness", "0");
  setpriority(PRIO_PROCESS, 0, -10);
  struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    ioctl(fd, SIOCSIFFLAGS, &loopback);
    close(fd);
  }
}

// The number in its name depends on how many disks there are; we have one port, called svc.
int open_port(void) {
  char path[96], name[16];
  for (int attempt = 0; attempt < 5000; attempt++) {  // it appears a moment after its driver
    for (int device = 0; device < 8; device++) {
      snprintf(path, sizeof path, "/sys/class/virtio-ports/vport%dp1/name", device);
      if (read_line(path, name, sizeof name) || strcmp(name, "svc")) continue;
      snprintf(path, sizeof path, "/dev/vport%dp1", device);
      int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
      if (fd >= 0) return fd;
    }
    usleep(1000);
  }
  fatal("no channel port");
  return -1;
}
