// Suites to start from: each is taken as it is, or changed and put into the registry under another name.
import type { ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import type { RiskClass } from '#contract/states.ts';
import { SCENARIOS } from './scenarios/index.ts';

interface SuiteTemplate {
  template: string;
  title: string;
  summary: string;
  risk_class: RiskClass;
  suite: ProtocolSuite;
}

const suite = (...names: string[]): ProtocolSuite => ({ scenarios: SCENARIOS.filter(({ scenario }) => names.includes(scenario)) });

export const SUITE_TEMPLATES: readonly SuiteTemplate[] = [
  {
    template: 'grants',
    title: 'Grants',
    summary: 'Nothing that the agent holds or hands on allows more than it was given, to anybody else, or for longer.',
    risk_class: 'high',
    suite: suite('child_scope', 'scope_union', 'revocation_race', 'expired_grant', 'wrong_audience'),
  },
  {
    template: 'calls',
    title: 'Calls',
    summary: 'Calls that are wrong, endless, cancelled or lost end as they should, each with one receipt.',
    risk_class: 'medium',
    suite: suite('runaway_recursion', 'unknown_skill', 'bad_input', 'cancelled_caller', 'lost_heartbeat', 'replay_determinism'),
  },
  {
    template: 'standing',
    title: 'Standing',
    summary: 'Trust is not inherited, findings block, deletion leaves nothing, and secrets stay where they are.',
    risk_class: 'high',
    suite: suite('critical_finding_blocks_promotion', 'fork_trust', 'deletion_cascade', 'redaction'),
  },
];
