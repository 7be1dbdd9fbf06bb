// The words of the contract in sentences.
export const CASES = {
  given: 'given by who ran it',
  example: 'the examples of the card',
  sampled: 'made from the input schema',
} as const;

export const STALE = {
  current: 'It is of the version that runs.',
  version_changed: 'Another version runs by now.',
  too_old: 'It is of the version that runs, and old.',
} as const;

export const STANDINGS = {
  proven: 'The newest proof of every skill that has one passed.',
  failing: 'The newest proof of a skill failed.',
  withdrawn: 'The owner withdrew the newest proof of a skill.',
  stale: 'No proof is of the version that runs now, or the newest is old.',
  unproven: 'Nothing was proved of this agent yet.',
} as const;
