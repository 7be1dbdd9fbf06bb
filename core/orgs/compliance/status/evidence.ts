// Each piece of evidence: what there is of it, why that is enough or not, and what to do next.
import { EVIDENCE, type EvidenceName } from '#contract/orgs/controls.ts';
import { EU_RETENTION_DAYS } from '#contract/orgs/compliance-limits.ts';
import type { EvidenceOut } from '#contract/orgs/compliance.ts';
import type { ControlState } from '#contract/states.ts';
import type { AgentComplianceFacts, ComplianceFacts } from './facts.ts';

const DAY_MS = 86_400_000;

interface EvidenceAssessment {
  state: ControlState;
  reason: string;
  next?: string;
}

const met = (reason: string): EvidenceAssessment => ({ state: 'met', reason });
const none = (reason: string): EvidenceAssessment => ({ state: 'not_applicable', reason });
const partly = (reason: string, next: string): EvidenceAssessment => ({ state: 'partly', reason, next });
const notMet = (reason: string, next: string): EvidenceAssessment => ({ state: 'not_met', reason, next });

/** Of these agents, how many are well. */
function each(agents: readonly AgentComplianceFacts[], which: string, isWell: (agent: AgentComplianceFacts) => boolean, next: string): EvidenceAssessment {
  if (agents.length === 0) return none(`There is no ${which}.`);
  const bad = agents.filter((agent) => !isWell(agent)).map(({ name }) => name);
  if (bad.length === 0) return met(`All of ${agents.length}.`);
  const reason = `${agents.length - bad.length} of ${agents.length}; not: ${listed(bad)}.`;
  return bad.length === agents.length ? notMet(reason, next) : partly(reason, next);
}

const listed = (names: readonly string[]): string => (names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', '));
const within = (at: Date | null, now: number, days: number): boolean => at !== null && now - at.getTime() <= days * DAY_MS;

const LIVE = 'live agent';
const AGENT = 'agent';

const LOOK: Record<EvidenceName, (facts: ComplianceFacts) => EvidenceAssessment> = {
  records: ({ agents, receipts }) =>
    receipts.looked_at > 0 ? met('Every call is sealed as it ends.') : agents.some(({ called }) => called) ? notMet('Agents were called, and there is no receipt.', 'Ask the operators of this installation.') : none('No agent has been called.'), // prettier-ignore
  signatures: ({ receipts: { looked_at, invalid } }) =>
    looked_at === 0 ? none('There is no receipt yet.') : invalid.length === 0 ? met(`The last ${looked_at} receipts hold.`) : notMet(`${invalid.length} of the last ${looked_at} do not hold: ${listed(invalid)}.`, 'Look at these records, and ask the operators how they were changed.'), // prettier-ignore
  retention: ({ policy }) => {
    const { version, retention_days: days } = policy;
    if (version === 0) return notMet('No policy is saved.', 'Save a policy (svc compliance policy).');
    if (days < EU_RETENTION_DAYS) return partly(`Contents are kept for ${days} days; receipts forever.`, `Keep contents for ${EU_RETENTION_DAYS} days.`);
    return met(`Contents are kept for ${days} days, receipts forever${policy.legal_hold ? '; a legal hold keeps all' : ''}.`);
  },
  enforcement: ({ policy, enforced_at, now }) => {
    if (policy.legal_hold) return none('A legal hold keeps everything.');
    if (within(enforced_at, now, 2)) return met(`Last on ${enforced_at?.toISOString().slice(0, 10)}.`);
    return policy.version === 0 ? notMet('Nothing is removed: no policy is saved.', 'Save a policy (svc compliance policy).') : notMet('It did not run in two days.', 'Start it (svc compliance enforce), and ask the operators why the night did not.'); // prettier-ignore
  },
  risk_tiers: ({ agents }) => each(agents, AGENT, (one) => one.risk_tier !== 'unclassified', 'Rate each agent (svc compliance agents).'),
  purposes: ({ agents }) => each(agents, AGENT, (one) => one.intended_purpose !== '', 'Write down what each agent is for.'),
  oversight: ({ agents, asks_people }) => {
    const high = agents.filter(({ risk_tier }) => risk_tier === 'high');
    if (high.length > 0 && !asks_people)
      return notMet('No rule asks a person.', 'Write a rule that asks a person (svc policy rules get), or approve file writes.');
    return each(high, 'agent of high risk', (one) => one.human_oversight !== '', 'Name who oversees each agent of high risk.');
  },
  approvals: ({ asks_people }) => (asks_people ? met('A rule asks a person before agents act.') : notMet('No rule asks a person.', 'Write a rule that asks a person (svc policy rules get), or approve file writes.')), // prettier-ignore
  prohibited: ({ agents }) =>
    each(
      agents,
      AGENT,
      (one) => one.risk_tier !== 'unacceptable' || !(one.live || one.listed),
      'Delete the agents whose risk is unacceptable, or rate them again.',
    ),
  limits: ({ limited }) => (limited ? met('Budgets or rules are set.') : notMet('Only the defaults hold.', 'Set budgets (svc control-room), or write rules (svc policy rules get).')), // prettier-ignore
  reviews: ({ agents }) => each(agents.filter(({ live }) => live), LIVE, (one) => one.reviewed && !one.critical, 'Read the reviews, and answer critical findings (svc findings list).'), // prettier-ignore
  tests: ({ agents }) => each(agents.filter(({ live }) => live), LIVE, (one) => one.tested, 'Run a proof (svc proof create) or an evaluation (svc eval) of each live agent.'), // prettier-ignore
  monitoring: ({ agents }) =>
    each(
      agents.filter(({ live }) => live),
      LIVE,
      (one) => one.monitored,
      'Give each live agent a check (svc rules set).',
    ),
  incidents: ({ agents }) =>
    each(agents, AGENT, (one) => !one.critical && !one.needs_human, 'Answer critical findings, and look at repairs that wait for a person.'),
  documents: ({ agents }) =>
    each(
      agents.filter(({ live }) => live),
      LIVE,
      (one) => one.documented,
      'Describe each agent and its skills, and deploy it.',
    ),
  roles: ({ administrators, auditors }) => {
    if (administrators >= 2 && auditors >= 1) return met(`${administrators} administer, ${auditors} audit.`);
    const next = administrators < 2 ? 'Make a second member an admin.' : 'Give a member the role of auditor.';
    return partly(`${administrators} administer, ${auditors} audit.`, next);
  },
  audit_log: ({ audited }) => (audited ? met('Every change leaves a row.') : none('Nothing was changed yet.')),
  exports: ({ exported_at, now }) =>
    within(exported_at, now, 90) ? met(`Last on ${exported_at?.toISOString().slice(0, 10)}.`) : notMet(exported_at ? 'The last is older than 90 days.' : 'There is none.', 'Make an export, and check it (svc compliance export).'), // prettier-ignore
};

const PAGES: Record<EvidenceName, string> = {
  records: 'records',
  signatures: 'records',
  retention: 'policy',
  enforcement: 'policy',
  risk_tiers: 'agents',
  purposes: 'agents',
  oversight: 'agents',
  approvals: '/policy',
  prohibited: 'agents',
  limits: '/policy',
  reviews: 'agents',
  tests: 'agents',
  monitoring: 'agents',
  incidents: 'agents',
  documents: 'agents',
  roles: '/organizations',
  audit_log: 'records?kind=admin_action',
  exports: 'exports',
};

export function evidenceOf(slug: string, facts: ComplianceFacts, names: ReadonlySet<EvidenceName>): EvidenceOut[] {
  // Safe: these are all own names of the object.
  return (Object.keys(EVIDENCE) as EvidenceName[])
    .filter((name) => names.has(name))
    .map((name) => {
      const { state, reason, next } = LOOK[name](facts);
      const page = PAGES[name];
      return {
        name,
        title: EVIDENCE[name],
        state,
        reason,
        link: page.startsWith('/') ? page : `/organizations/${slug}/compliance/${page}`,
        next_action: next ?? null,
      };
    });
}
