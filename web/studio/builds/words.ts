// What the studio does, in words for people.
import type { StudioDecision, StudioRecipe, StudioReview, StudioState } from '#contract/states.ts';
import type { StudioRunOut } from '#contract/studio/studio-brief.ts';

export const DECISIONS: Record<StudioDecision, string> = {
  use_existing: 'Use an existing agent',
  compose: 'Compose existing agents',
  fork: 'Copy an agent and change the copy',
  edit_existing: 'Change an agent of yours',
  build_new: 'Build a new agent',
};

export const RECIPES: Record<StudioRecipe, string> = {
  api_wrapper: 'API wrapper: skills that call an API',
  webhook_transformer: 'Webhook transformer: takes webhooks, sends them on in another shape',
  file_retrieval: 'File retrieval: finds passages in your files',
  scheduled_digest: 'Scheduled digest: what is new in feeds',
  form_to_record: 'Form to record: a form that keeps what is filled in',
  table_report: 'Table report: sums and a chart of a table',
  mail_triage: 'Mail triage: sorts mail, answers what has an answer',
  approval_desk: 'Approval desk: asks you for each approval',
  monitor_alert: 'Monitor and alert: checks an address, notifies you when it fails',
  mcp_bridge: 'MCP bridge: calls the tools of an MCP server',
};

export const REVIEWS: Record<StudioReview, string> = {
  light: 'Light: rules check the source',
  standard: 'Standard: rules check the source, the live agent is challenged once',
  strict: 'Strict: rules, three challenges, and a language model reads the source if you give one',
};

export const WRITERS: Record<StudioRunOut['iterations'][number]['written_by'], string> = {
  recipe: 'A recipe',
  composition: 'Put together from other agents',
  copy: 'Copied from another agent',
  model: 'A language model',
};

export const percent = (share: number): string => `${Math.round(share * 100)}\u00a0%`;

/** Of one call, in micro-credits. */
// words: shown
export function priceOf(micros: number | null): string {
  if (micros === null) return 'depends on the call';
  return micros === 0 ? 'free' : `${(micros / 1e6).toFixed(4)} credits`;
}

export type PhaseState = 'done' | 'left_out' | 'now' | 'stopped' | 'later';
export interface Phase {
  label: string;
  state: PhaseState;
}

const PHASES = ['Write', 'Check', 'Review the source', 'Deploy', 'Call with samples', 'Challenge'];

/** A run as steps in their order. Until it is deployed its source is looked at, after it the live agent. */
export function phasesOf(run: Pick<StudioRunOut, 'state' | 'deploy_id' | 'iterations' | 'trials' | 'challenge_job_id'>): Phase[] {
  const isOpen = !['live', 'partial', 'failed', 'cancelled'].includes(run.state);
  const at = run.state === 'live' ? PHASES.length : isOpen ? (OPEN_AT[run.state]?.(run.deploy_id !== null) ?? -1) : stoppedAt(run);
  // The brief may have no samples, and its review no challenge.
  const isLeftOut: Record<number, boolean> = { 4: run.trials.length === 0, 5: run.challenge_job_id === null };
  return PHASES.map((label, place) => ({
    label,
    state: place < at ? (isLeftOut[place] === true ? 'left_out' : 'done') : place > at ? 'later' : isOpen ? 'now' : 'stopped',
  }));
}

const OPEN_AT: Partial<Record<StudioState, (isDeployed: boolean) => number>> = {
  building: () => 0,
  improving: () => 0,
  evaluating: (isDeployed) => (isDeployed ? 4 : 1),
  reviewing: (isDeployed) => (isDeployed ? 5 : 2),
  deploying: () => 3,
};

/** What it did not get past, as far as the run says. */
function stoppedAt({ state, deploy_id, iterations, trials }: Pick<StudioRunOut, 'state' | 'deploy_id' | 'iterations' | 'trials'>): number {
  const last = iterations.at(-1);
  if (!last) return 0;
  if (deploy_id === null) return last.checks === 'passed' ? 2 : 1;
  if (state === 'failed') return 3;
  return trials.some(({ good }) => good === false) ? 4 : 5;
}

/** A step of the event stream; undefined: not one that a person needs. */
export function stepOf(kind: string, payload: Record<string, unknown>): { who: string; message: string; refused: boolean } | undefined {
  if (kind === 'job.cancel_requested') return { who: 'You', message: 'It is being cancelled.', refused: false };
  if (kind !== 'studio.step') return undefined;
  return { who: text(payload.actor), message: text(payload.message), refused: payload.status === 'refused' };
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 500) : '');
