// Plays one scenario on an open stage: step after step, each an event, each checked against its rule.
import type { BrokenRuleOut, ProtocolEventOut } from '#contract/studio/protocol-simulations.ts';
import type { ProtocolScenario, ProtocolStep } from '#contract/studio/protocol-steps.ts';
import type { ScenarioState } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { chargingAuthor } from '../../kernel/schema-work/ask.ts';
import { storableText } from '../../kernel/storable.ts';
import { brokenRule, PREPARATION } from './judge.ts';
import { Random } from '#contract/wire/random.ts';
import type { Stage } from './stage/model.ts';
import { perform } from './steps/index.ts';
import { NotApplicable, NotMade, type Play } from './steps/play.ts';

export interface Played {
  state: Extract<ScenarioState, 'passed' | 'failed' | 'skipped' | 'errored'>;
  events: ProtocolEventOut[];
  observed: string[];
  broken: BrokenRuleOut[];
  reason: string | null;
}

interface Of {
  stage: Stage;
  scenario: ProtocolScenario;
  seed: number;
  /** Of this playing of it. */
  label: string;
  signal: AbortSignal;
}

/**
 * What the schemas of the double take counts against who rehearses it. @throws what the platform fails with:
 * then there is no verdict
 */
export function playScenario(ctx: Ctx, of: Of): Promise<Played> {
  return chargingAuthor({ account: of.stage.userId, author: of.stage.ownerId }, () => played(ctx, of));
}

async function played(ctx: Ctx, { stage, scenario, seed, label, signal }: Of): Promise<Played> {
  const play: Play = {
    ctx,
    stage,
    signal,
    label,
    random: Random.ofText(`${seed}/${scenario.scenario}`),
    grants: new Map(),
    runs: new Map(),
    requests: new Map(),
    copies: 0,
    tokens: [],
  };
  const events: ProtocolEventOut[] = [];
  const observed: string[] = [];
  const broken: BrokenRuleOut[] = [];
  const end = (state: Played['state'], reason: string | null = null): Played => ({ state, events, observed, broken, reason });
  for (const [at, step] of scenario.steps.entries()) {
    signal.throwIfAborted();
    const made = await eventOf(play, step, at + 1);
    if ('skip' in made) return end('skipped', made.skip);
    events.push(made.event);
    if (made.observed !== undefined) observed.push(storableText(`${made.event.n}: ${made.observed}`).slice(0, 500));
    const fault = brokenRule(scenario, step, made.event);
    if (!fault) continue;
    if (fault.rule === PREPARATION) return end('errored', `Step ${at + 1} (${step.do}) prepares and was to be ${fault.expected}; it was ${fault.got}`);
    broken.push(fault);
  }
  return end(broken.length === 0 ? 'passed' : 'failed');
}

async function eventOf(play: Play, step: ProtocolStep, n: number): Promise<{ event: ProtocolEventOut; observed?: string | undefined } | { skip: string }> {
  try {
    const { outcome, code, facts = {}, observed } = await perform(play, step);
    return { event: { n, step: step.do, outcome, code: code ?? null, facts }, observed };
  } catch (error) {
    if (error instanceof NotApplicable) return { skip: error.message };
    // An earlier step came out otherwise than its author thought.
    if (error instanceof NotMade) return { event: { n, step: step.do, outcome: 'skipped', code: null, facts: {} }, observed: `${error.message} was not made` };
    throw error;
  }
}
