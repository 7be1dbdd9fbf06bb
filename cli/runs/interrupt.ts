// Ctrl-C while a run is watched: a durable run continues, and a second Ctrl-C cancels it; any other run ends.

/** How long a second Ctrl-C is waited for, milliseconds. */
const SECOND_MS = 3_000;

export interface Choices {
  /** It continues without this command. */
  goesOn: () => boolean;
  /** What a second one would do. */
  say: () => void;
  leave: () => void;
  cancel: () => void;
}

/** Answers with how to stop listening. */
export function onInterrupt({ goesOn, say, leave, cancel }: Choices): () => void {
  let timer: NodeJS.Timeout | undefined;
  let cancelling = false;
  const hear = (): void => {
    if (cancelling || !goesOn()) return leave();
    if (!timer) {
      timer = setTimeout(leave, SECOND_MS);
      return say();
    }
    clearTimeout(timer);
    cancelling = true;
    cancel();
  };
  process.on('SIGINT', hear);
  return () => {
    clearTimeout(timer);
    process.off('SIGINT', hear);
  };
}
