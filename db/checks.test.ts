// The database's checks of states, kinds and names say what the contract's lists say; a new migration restates a check from its list.
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as states from '#contract/states.ts';
import { AGENT_SLUG } from '#contract/wire/names.ts';
import { testDatabase } from '#test/support/servers.ts';
import { checkedWords } from './generate-tables.ts';
import { createPool } from './pool.ts';

const LISTS: Record<string, readonly string[]> = {
  'agent_connections.kind': states.CONNECTION_KINDS,
  'agent_connections.state': states.CONNECTION_STATES,
  'agent_findings.answer': states.FINDING_ANSWERS,
  'agent_findings.severity': states.FINDING_SEVERITIES,
  'agent_findings.source': states.FINDING_SOURCES,
  'agent_findings.state': states.FINDING_STATES,
  'agent_imports.protocol': states.IMPORT_PROTOCOLS,
  'agent_repairs.state': states.REPAIR_STATES,
  'agent_repairs.tests': states.TEST_OUTCOMES,
  'agent_domains.state': states.DOMAIN_STATES,
  'agent_proofs.args_case': states.PROOF_CASES,
  'agent_proofs.run_by': states.PROOF_RUNNERS,
  'agent_proofs.status': states.PROOF_STATES,
  'agents.kind': states.AGENT_KINDS,
  'agents.reuse_policy': states.REUSE_POLICIES,
  'agents.visibility': states.VISIBILITIES,
  'bounties.state': states.BOUNTY_STATES,
  'call_counts.grain': states.COUNT_GRAINS,
  'call_counts.relation': states.CALLER_RELATIONS,
  'call_counts.status': states.RECEIPT_STATUSES,
  'call_words.kind': states.COUNTED_WORDS,
  'charges.state': states.CHARGE_STATES,
  'chat_turns.state': states.UNPAUSED_RUN_STATES,
  'dag_nodes.state': states.PLAN_NODE_STATES,
  'dag_runs.planner': states.PLANNERS,
  'deployments.state': states.DEPLOYMENT_STATES,
  'deployments.upgrade_kind': states.UPGRADE_KINDS,
  'domain_certificates.state': states.CERTIFICATE_STATES,
  'feature_flags.type': states.FLAG_TYPES,
  'grants.kind': states.GRANT_KINDS,
  'grants.mode': states.WORKSPACE_MODES,
  'instances.state': states.INSTANCE_STATES,
  'jobs.events_state': states.KEPT_EVENTS,
  'jobs.state': states.JOB_STATES,
  'ledger_accounts.kind': states.LEDGER_ACCOUNT_KINDS,
  'ledger_holds.state': states.LEDGER_HOLD_STATES,
  'ledger_transactions.kind': states.LEDGER_TRANSACTION_KINDS,
  'kernel_runs.execution_mode': states.EXECUTION_MODES,
  'kernel_runs.kind': states.KERNEL_RUN_KINDS,
  'kernel_runs.verdict': states.KERNEL_VERDICTS,
  'kernel_runs.world': states.WORLD_KINDS,
  'llm_credentials.protocol': states.MODEL_PROTOCOLS,
  'llm_usage.state': states.LLM_CALL_STATES,
  'mail_messages.direction': states.MAIL_DIRECTIONS,
  'mail_messages.state': states.MAIL_STATES,
  'mailbox_events.kind': states.MAIL_EVENT_KINDS,
  'mailboxes.state': states.MAILBOX_STATES,
  'meta_runs.status': states.META_RUN_STATES,
  'one_time_codes.kind': states.ONE_TIME_CODE_KINDS,
  'outbox.kind': states.OUTBOX_KINDS,
  'organization_domains.state': states.ORGANIZATION_DOMAIN_STATES,
  'organizations.auto_join_role': states.AUTO_JOIN_ROLES,
  'organization_members.role': states.ORGANIZATION_ROLES,
  'organization_members.source': states.MEMBER_SOURCES,
  'organization_members.state': states.MEMBER_STATES,
  'patches.operation': states.PATCH_OPERATIONS,
  'policy_decisions.action': states.POLICY_ACTIONS,
  'policy_decisions.outcome': states.POLICY_OUTCOMES,
  'policy_rules.default_outcome': states.POLICY_DEFAULTS,
  'patches.state': states.PATCH_STATES,
  'payout_lines.kind': states.PAYOUT_LINE_KINDS,
  'payout_lines.reason': states.PAYOUT_LINE_REASONS,
  'payout_lines.state': states.PAYOUT_LINE_STATES,
  'payout_runs.state': states.PAYOUT_RUN_STATES,
  'payout_spends.kind': states.PAYOUT_SPEND_KINDS,
  'payout_transfers.state': states.PAYOUT_TRANSFER_STATES,
  'platform_tokens.kind': states.TOKEN_KINDS,
  'platform_tokens.placement': states.TOKEN_PLACEMENTS,
  'policy_denials.action': states.POLICY_ACTIONS,
  'policy_denials.outcome': states.DENIAL_OUTCOMES,
  'receipts.source': states.RECEIPT_SOURCES,
  'receipts.status': states.RECEIPT_STATUSES,
  'review_probes.attack': states.ATTACKS,
  'review_probes.state': states.PROBE_STATES,
  'review_runs.state': states.REVIEW_STATES,
  'runs.kind': states.RUN_KINDS,
  'runs.state': states.RUN_ROW_STATES,
  'dev_boxes.state': states.BOX_STATES,
  'sandboxes.state': states.SANDBOX_STATES,
  'schedule_firings.cause': states.FIRING_CAUSES,
  'schedule_firings.state': states.FIRING_STATES,
  'schedules.overlap': states.SCHEDULE_OVERLAPS,
  'schedules.paused_by': states.SCHEDULE_PAUSERS,
  'source_tokens.holder': states.SOURCE_TOKEN_HOLDERS,
  'source_tokens.mode': states.SOURCE_TOKEN_MODES,
  'spans.kind': states.SPAN_KINDS,
  'spans.source': states.SPAN_SOURCES,
  'evaluation_results.state': states.RESULT_STATES,
  'protocol_entries.risk_class': states.RISK_CLASSES,
  'protocol_entries.state': states.PROTOCOL_STATES,
  'protocol_scenario_runs.state': states.SCENARIO_STATES,
  'protocol_simulations.verdict': states.SIMULATION_VERDICTS,
  'evaluations.state': states.EVALUATION_STATES,
  'spans.status': states.SPAN_STATUSES,
  'subagent_runs.source': states.CALL_SOURCES,
  'template_updates.state': states.TEMPLATE_UPDATE_ROW_STATES,
  'threads.handoffs': states.HANDOFF_RULES,
  'team_memories.kind': states.TEAM_MEMORY_KINDS,
  'trial_results.state': states.RESULT_STATES,
  'trial_runs.trigger': states.TRIAL_TRIGGERS,
  'users.kind': states.ACCOUNT_KINDS,
  'waits.kind': states.WAIT_KINDS,
  'waits.state': states.WAIT_STATES,
  'model_use_counts.grain': states.COUNT_GRAINS,
  'model_use_counts.relation': states.CALLER_RELATIONS,
  'wake_counts.grain': states.COUNT_GRAINS,
  'wake_counts.tier': states.SLEEP_TIERS,
};

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());

it('every list of words that a column is checked against is a list of the contract', async () => {
  expect(await checkedWords(db)).toEqual(LISTS);
});

it("agents' names are checked by the contract's rule", async () => {
  const { rows } = await db.raw<{ rows: { definition: string }[] }>(`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = 'agents'::regclass and contype = 'c' and conkey = (select array_agg(attnum) from pg_attribute where attrelid = 'agents'::regclass and attname = 'name')`);
  expect(rows).toEqual([{ definition: `CHECK ((name ~ '^${AGENT_SLUG}$'::text))` }]);
});
