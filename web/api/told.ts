// Whether this browser receives the account's events (news.ts).
let isTold = false;

export function setTold(told: boolean): void {
  isTold = told;
}

/** The refresh interval of a list: at least a minute while events arrive. @param ms the interval without events */
export function unlessTold(ms: number): () => number {
  return () => (isTold ? Math.max(ms, 60_000) : ms);
}
