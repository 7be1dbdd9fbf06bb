// Prints the rate of the time stamp counter in kHz, measured against the raw monotonic clock over 100 ms.
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static void sample(uint64_t *ticks, uint64_t *ns) {
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < 50; i++) {  // the tightest pair of readings is the one that was not interrupted
    struct timespec t;
    uint64_t before = __rdtsc();
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    uint64_t after = __rdtsc();
    if (after - before >= best) continue;
    best = after - before;
    *ticks = before + best / 2;
    *ns = (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
  }
}

int main(void) {
  uint64_t ticks[2], ns[2];
  sample(&ticks[0], &ns[0]);
  usleep(100000);
  sample(&ticks[1], &ns[1]);
  printf("%llu\n", (unsigned long long)((__uint128_t)(ticks[1] - ticks[0]) * 1000000 / (ns[1] - ns[0])));
  return 0;
}
