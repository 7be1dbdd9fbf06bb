// Long steps say how far they are, now and then; short ones say nothing.

const everyMs = 5_000;

/** Takes the bytes so far; a line every 5 s. */
export function progress(say: (text: string) => void, what: string, now: () => number = performance.now.bind(performance)): (bytes: number) => void {
  let reportedAt = now();
  return (bytes) => {
    if (now() - reportedAt < everyMs) return;
    reportedAt = now();
    say(`${what}: ${Math.floor(bytes / 1_048_576)} MiB`);
  };
}
