// Sentences that no test cites yet, each with the reason. This list only shrinks: an entry that a test
// verifies fails the run.
import type { SentenceId } from './verifies.ts';

export const OPEN: Partial<Record<SentenceId, string>> = {};
