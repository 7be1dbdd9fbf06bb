// Whether the page that is drawn was reached by Back or Forward: then it is drawn whole at once, so that the
// router finds the place to which it scrolls.
let returning = false;

/** Of the browser's history: `BACK`, `FORWARD` and `GO` return. */
export function noteNavigation(action: string): void {
  returning = action === 'BACK' || action === 'FORWARD' || action === 'GO';
}

export const isReturning = (): boolean => returning;
