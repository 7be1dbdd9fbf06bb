// Holds a template's memory where clones can map it and nobody can change it: a sealed memory file. Standard input is the template's file.
// Prints "<descriptor>\n", then waits until descriptor 3 ends: it goes with the process that started it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const char *what) {
  perror(what);
  return 1;
}

int main(void) {
  struct stat about;
  int memory = memfd_create("svc-template", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0 || fstat(0, &about) || ftruncate(memory, about.st_size)) return failed("memory");
  off_t at = 0, end;
  while ((at = lseek(0, at, SEEK_DATA)) >= 0) {  // holes stay holes
    end = lseek(0, at, SEEK_HOLE);
    if (end < 0 || lseek(0, at, SEEK_SET) < 0 || lseek(memory, at, SEEK_SET) < 0) return failed("seek");
    while (at < end) {
      ssize_t n = sendfile(memory, 0, NULL, (size_t)(end - at));
      if (n <= 0) return failed("copy");
      at += n;
    }
  }
  if (errno != ENXIO) return failed("seek");
  if (fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)) return failed("seal");
  printf("%d\n", memory);
  fflush(stdout);
  char byte;
  while (read(3, &byte, 1) > 0) {}
  return 0;
}
