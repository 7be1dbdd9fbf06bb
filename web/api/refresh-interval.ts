// Whether this browser receives the account's events (news.ts).
let isReceivingEvents = false;

export function setReceivingEvents(told: boolean): void {
  isReceivingEvents = told;
}

/**
 * The refresh interval of a list: at least a minute while events arrive. @param ms the interval without
 * events
 */
export function refreshInterval(ms: number): () => number {
  return () => (isReceivingEvents ? Math.max(ms, 60_000) : ms);
}
