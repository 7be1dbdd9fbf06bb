// The moves of a line: accrued → held → owed → in_run → paid or failed. A line that failed is taken by the
// next run; one that came to nothing is cancelled. What is paid stays paid: of money that comes back from the
// processor there is a line of its own, which begins as held.

/** A cent, in micro-credits: transfers are of whole cents. */
export const CENT = 10_000;
