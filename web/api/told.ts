// Whether this browser is told at once what changes for the account (news.ts).
let isTold = false;

export function setTold(told: boolean): void {
  isTold = told;
}

/** For a list: how often it is read anew. Hardly ever, while one is told. @param ms as long as one is not */
export function unlessTold(ms: number): () => number {
  return () => (isTold ? Math.max(ms, 60_000) : ms);
}
