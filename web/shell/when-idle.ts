const AFTER_MS = 500;

/** Half a second from now at the earliest, when the browser has nothing else to do.
 *  @returns what takes it back */
export function whenIdle(act: () => void): () => void {
  // Safari has no idle callbacks.
  const timer = setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(act) : act()), AFTER_MS);
  return () => clearTimeout(timer);
}
