// What a caller of a skill says in headers about the answer that it takes. The agent decides by it, and the
// platform where it answers in its place.

const MAX_PATIENCE_SECONDS = 300;

/** `Prefer: wait=N` (RFC 7240), in milliseconds. */
export function preferredWaitMs(prefer: string | string[] | undefined): number {
  const [, seconds = '0'] = /(?:^|[,;\s])wait=(\d{1,3})(?=$|[,;\s])/i.exec(String(prefer ?? '')) ?? [];
  return Math.min(Number(seconds), MAX_PATIENCE_SECONDS) * 1000;
}

/**
 * A streaming skill streams unless the caller asks only for JSON; any skill streams for a caller that asks
 * for a stream.
 */
export function wantsStream(accept: string | undefined, streaming: boolean): boolean {
  if (accept?.includes('text/event-stream')) return true;
  return streaming && (accept === undefined || accept.includes('*/*') || accept.includes('text/*'));
}
