// Who called, as the reading account may know it.
import type { RunRowOut } from '#contract/runs/my-runs.ts';

interface Called {
  caller_kind: string;
  caller_user_id: string | null;
  caller_agent: string | null;
}

export function callerShown({ caller_kind: kind, caller_user_id, caller_agent }: Called, reader: string): RunRowOut['caller'] {
  if (kind === 'run') return { kind: 'agent', name: caller_agent };
  if (kind === 'user') return { kind: caller_user_id === reader ? 'you' : 'account', name: null };
  if (kind === 'api_token') return { kind: 'token', name: null };
  return { kind: kind === 'platform' ? 'platform' : 'anonymous', name: null };
}
