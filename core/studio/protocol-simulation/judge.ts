// Holds an event against what its step says must come of it. Pure.
import type { BrokenRuleOut, ProtocolEventOut } from '#contract/studio/protocol-simulations.ts';
import type { ProtocolScenario, ProtocolStep } from '#contract/studio/protocol-steps.ts';

/** Of a step that names no rule: it prepares what the others are about. */
export const PREPARATION = 'preparation';
const PREPARATION_SAYS = 'What a scenario needs can be made';

/** Undefined: it came out as it must. */
export function brokenRule({ rules }: Pick<ProtocolScenario, 'rules'>, step: ProtocolStep, event: ProtocolEventOut): BrokenRuleOut | undefined {
  const wrongFacts = Object.entries(step.facts ?? {}).filter(([name, value]) => event.facts[name] !== value);
  const rightCode = step.code === undefined || event.code === step.code;
  if (event.outcome === step.expect && rightCode && wrongFacts.length === 0) return undefined;
  const rule = step.rule ?? PREPARATION;
  return {
    event: event.n,
    rule,
    says: rules[rule] ?? PREPARATION_SAYS,
    expected: words(step.expect, step.code, Object.entries(step.facts ?? {})),
    got: words(
      event.outcome,
      event.code ?? undefined,
      wrongFacts.map(([name]) => [name, event.facts[name] ?? 'nothing'] as const),
    ),
  };
}

function words(outcome: string, code: string | undefined, facts: readonly (readonly [string, string | number | boolean])[]): string {
  const factTexts = facts.map(([name, value]) => `${name} ${String(value)}`);
  return [`${outcome}${code === undefined ? '' : ` (${code})`}`, ...factTexts].join(', ');
}
