// What a line says of a span beside its name and its time.
import type { SpanOut } from '#contract/runs/traces.ts';
import { GEN_AI, SVC } from '#contract/wire/trace-conventions.ts';
import { brief, cut } from '../../../kit/brief.ts';
import { isWait } from './tree.ts';
import { number } from '../../../kit/number.ts';

export type SpanType = 'run' | 'wait' | 'model' | 'tool' | 'sandbox' | 'other';

export function typeOf(span: Pick<SpanOut, 'source' | 'attributes'>): SpanType {
  const { attributes } = span;
  if (isWait(span)) return 'wait';
  if (span.source === 'platform' && attributes[SVC.run] !== undefined) return 'run';
  if (attributes[SVC.sandbox] !== undefined) return 'sandbox';
  if (attributes[GEN_AI.requestModel] !== undefined) return 'model';
  if (attributes[GEN_AI.tool] !== undefined || attributes[GEN_AI.operation] === 'execute_tool') return 'tool';
  return 'other';
}

/** Skill, tokens, cost, outcome: short. */
export function aboutOf(span: SpanOut): string {
  const { attributes, status, message, events } = span;
  const restarts = events.filter(({ name }) => name === 'svc.run.restarted').length;
  return [
    wordOf(attributes[SVC.skill]),
    tokensOf(span),
    span.source === 'platform' ? costOf(attributes[SVC.costMicros]) : '',
    isWait(span) ? wordOf(attributes[SVC.waitState]) : '',
    attributes[SVC.runState] === 'cancelled' ? 'cancelled' : '',
    restarts > 0 ? `restarted ${restarts}×` : '',
    typeof attributes[SVC.exitCode] === 'number' && attributes[SVC.exitCode] !== 0 ? `exit ${attributes[SVC.exitCode]}` : '',
    status === 'error' ? cut(message ?? 'failed', 120) : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function tokensOf({ attributes }: Pick<SpanOut, 'attributes'>): string {
  const [input, output] = [attributes[GEN_AI.inputTokens], attributes[GEN_AI.outputTokens]];
  return typeof input === 'number' ? tokens(input, typeof output === 'number' ? output : 0) : '';
}

export const tokens = (input: number, output: number): string => `${number(input)} + ${number(output)} tokens`;

/** Of micro-dollars; null: there is no known price. */
export function costOf(micros: unknown): string {
  if (micros === null) return 'no known price';
  if (typeof micros !== 'number') return '';
  return `$${(micros / 1e6).toFixed(micros > 0 && micros < 10_000 ? 6 : 2)}`;
}

const wordOf = (value: unknown): string => (value === undefined ? '' : brief(value, 60));
