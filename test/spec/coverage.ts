// What a run has proven of the specification, held against its sentences and the list of open ones.
export interface Coverage {
  /** Every sentence that is implemented. */
  sentences: ReadonlySet<string>;
  /** Sentences that no test proves yet. */
  open: ReadonlySet<string>;
  /** Cited by tests, passed or not. */
  cited: ReadonlySet<string>;
  /** Cited by tests that passed. */
  verified: ReadonlySet<string>;
  /** Every test ran: what was not verified is not proven. */
  whole: boolean;
}

/** One sentence for each fault. */
export function faultsOf({ sentences, open, cited, verified, whole }: Coverage): string[] {
  const unknown = [...cited, ...open].filter((id) => !sentences.has(id)).map((id) => `${id} is no sentence of the specification: see test/spec/sentences.ts`);
  const closed = [...open].filter((id) => verified.has(id)).map((id) => `${id} is verified now: take it off test/spec/open.ts`);
  const missing = whole
    ? [...sentences].filter((id) => !verified.has(id) && !open.has(id)).map((id) => `${id} was verified by no test that ran and passed`)
    : [];
  return [...unknown, ...closed, ...missing];
}
