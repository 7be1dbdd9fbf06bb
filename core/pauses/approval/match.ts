// Which rule of an organization is about what is to be approved. Pure. Where it is uncertain whether a rule
// fits, it fits.
import type { ApprovalRule } from '#contract/orgs/approvals.ts';
import { escapeFrom } from '#contract/wire/patterns.ts';
import type { ApprovalFacts } from './model.ts';

/** The first that fits. */
export function ruleFor(rules: readonly ApprovalRule[], facts: ApprovalFacts): ApprovalRule | undefined {
  return rules.find(({ when }) => fits(when, facts));
}

function fits({ subjects, agents, skills, paths, min_amount_micros: least }: ApprovalRule['when'], facts: ApprovalFacts): boolean {
  if (subjects && !subjects.some((subject) => facts.subjects.includes(subject))) return false;
  const named = (names: readonly string[] | undefined, name: string): boolean => names === undefined || names.some((glob) => matchesGlob(glob, name));
  if (!facts.pairs.some(({ agent, skill }) => named(agents, agent) && named(skills, skill))) return false;
  if (paths && !paths.some((pattern) => facts.paths.some((asked) => overlaps(asked, pattern)))) return false;
  return least === undefined || (facts.amountMicros !== null && facts.amountMicros >= least);
}

/** Some path is matched by both, or it takes too long to say. */
export function overlaps(one: string, other: string): boolean {
  return escapeFrom({ allow: [one], deny: [] }, { allow: ['**'], deny: [other] }) !== null;
}

/** `*`: any characters. Takes time in proportion to the name. */
export function matchesGlob(glob: string, name: string): boolean {
  const [first = '', ...rest] = glob.toLowerCase().split('*');
  const text = name.toLowerCase();
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const index = text.indexOf(part, at);
    if (index === -1) return false;
    at = index + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
