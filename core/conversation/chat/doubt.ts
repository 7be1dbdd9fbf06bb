// Asks the person what the rules cannot decide: the open points, and the steps as far as they are known, to
// complete and send. Pure.
import type { ArgsIssue } from '../../kernel/schema-work/issues-in.ts';
import type { Clause } from './clauses.ts';
import type { FitArgs } from './fit-args.ts';
import type { Candidate } from './model.ts';
import { candidateOf, type Scored } from '../pick/pick.ts';
import type { CallableSkill } from '../../deploys/planner/skills.ts';

export interface ClarifyingQuestion {
  kind: 'ask';
  text: string;
  candidates: Candidate[];
}

export interface ClauseStep {
  clause: Clause;
  /** Undefined: in doubt. */
  found: CallableSkill | undefined;
  fit: FitArgs | undefined;
}

export type Doubt =
  | { kind: 'too many'; steps: number; most: number }
  | { kind: 'word'; word: string; meant: readonly Scored[]; message: string }
  | { kind: 'skill'; number: number; ranked: readonly Scored[] }
  | { kind: 'missing'; number: number; missing: readonly string[] }
  | { kind: 'unused'; number: number; unused: readonly string[] }
  | { kind: 'issue'; number: number; issue: ArgsIssue };

const shown = 5;
const maxText = 16_000;
const example = '@agent.skill {"argument": "value"} then @agent.skill {"argument": "$1.result"}';

export function doubtful(steps: readonly ClauseStep[], doubt: Doubt): ClarifyingQuestion {
  const text = `${reason(steps, doubt)} ${steps.length === 0 ? `Write the steps: ${example}` : `Complete and send: ${written(steps)}`}`;
  return { kind: 'ask', text: text.slice(0, maxText), candidates: candidates(steps, doubt) };
}

function reason(steps: readonly ClauseStep[], doubt: Doubt): string {
  if (doubt.kind === 'too many') return `This reads as ${doubt.steps} steps; without a language model a message has at most ${doubt.most}.`;
  if (doubt.kind === 'word') return `This reads as several steps, and "${doubt.word}" needs a language model.`;
  const step = `Step ${doubt.number} (${quoted(steps[doubt.number - 1])})`;
  switch (doubt.kind) {
    case 'missing':
      return `${step} needs ${doubt.missing.join(', ')}.`;
    case 'unused':
      return `${step} has no argument for ${doubt.unused.join(', ')}.`;
    case 'issue':
      return `${step}: ${doubt.issue.path.join('.') || 'the arguments'}: ${doubt.issue.message}.`;
    case 'skill':
      return doubt.ranked.length === 0
        ? `${step} fits no skill.`
        : `${step} may be ${doubt.ranked
            .slice(0, shown)
            .map(({ found }) => `@${found.agent}.${found.skill.id}`)
            .join(' or ')}.`;
  }
}

/**
 * Of skills in doubt. Of a step that lacks an argument there is none: its form would call it without the
 * others.
 */
function candidates(steps: readonly ClauseStep[], doubt: Doubt): Candidate[] {
  if (doubt.kind === 'word') return [...new Set(doubt.meant)].slice(0, shown).map(({ found, score }) => candidateOf(found, score, doubt.message));
  const text = doubt.kind === 'skill' ? steps[doubt.number - 1]?.clause.text : undefined;
  return doubt.kind === 'skill' && text !== undefined ? doubt.ranked.slice(0, shown).map(({ found, score }) => candidateOf(found, score, text)) : [];
}

/** As a person could have written them. */
function written(steps: readonly ClauseStep[]): string {
  return steps
    .map(({ clause, found, fit }, at) => {
      const joint = at === 0 ? '' : clause.waits ? ' then ' : '; ';
      const open = Object.fromEntries((fit?.missing ?? []).map((name) => [name, `<${name}>`]));
      return `${joint}@${found ? `${found.agent}.${found.skill.id}` : 'agent.skill'} ${JSON.stringify({ ...fit?.args, ...open })}`;
    })
    .join('');
}

function quoted(step: ClauseStep | undefined): string {
  const text = (step?.clause.text ?? '').replaceAll(/\s+/g, ' ').trim();
  return `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`;
}
