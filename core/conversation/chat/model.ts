// A turn: one message of a person, its interpretation and its outcome.
import type { Fault } from '../../kernel/errors.ts';
import type { z } from 'zod';
import type { CandidateOut, TurnOut } from '#contract/conversation/chat.ts';
import type { ChatTurnsRow } from '#db/tables.ts';

export type Candidate = z.infer<typeof CandidateOut>;
export type TurnReading = z.infer<typeof TurnOut>['reading'];

export interface Reply {
  /** Of what was asked: the same idempotency key with something else is a mistake. */
  request_sha256: string;
  text?: string;
  candidates?: Candidate[];
  error?: Fault;
}

// Safe: begin.ts and end-turn.ts are the only writers, with this shape.
export function replyOf(row: Pick<ChatTurnsRow, 'reply'>): Reply {
  return row.reply as Reply;
}

// Safe: begin.ts is the only writer, of the contract's words.
export function readingOf(row: Pick<ChatTurnsRow, 'reading'>): TurnReading {
  return row.reading as TurnReading;
}
