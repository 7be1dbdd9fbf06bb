import type { Output } from '../../api/client.ts';

export type Approval = NonNullable<Output<'inbox', 'waits'>['items'][number]['approval']>;

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
  /** Where a rule of the organization says who approves it. */
  approval?: Approval;
}
