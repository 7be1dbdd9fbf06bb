// How long each stretch of a longer work took; for the host's log.

/** Call it at the end of each stretch; answers whole milliseconds by name so far. */
export function stopwatch(): (name: string) => Record<string, number> {
  const laps: Record<string, number> = {};
  let before = performance.now();
  return (name) => {
    const now = performance.now();
    laps[name] = Math.round(now - before);
    before = now;
    return laps;
  };
}
