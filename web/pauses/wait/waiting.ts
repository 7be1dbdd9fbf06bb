import type { Output } from '../../api/client.ts';

type Item = Output<'inbox', 'waits'>['items'][number];
type Recipient = NonNullable<Item['recipient']>;
export type Approval = NonNullable<Item['approval']>;

/** One decision that waits for the reader, as a run, a turn and a thread show it. */
export interface Waiting {
  wait_id: string;
  kind: 'question' | 'input_request' | 'handoff_approval' | 'scope_request';
  prompt: string;
  schema?: Record<string, unknown>;
  request?: Record<string, unknown>;
  expires_at: string;
  agent: string;
  skill: string;
  run_id: string | null;
  /** Agents between the reader and the one that asks. */
  called_by?: string[];
  choices?: string[];
  /** Whom the question is put to, if not to the account of its run; `you`: the reader may answer. */
  recipient?: Recipient;
  /** Where a rule of the organization says who approves it. */
  approval?: Approval;
}
