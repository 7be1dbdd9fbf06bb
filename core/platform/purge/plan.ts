// What a purge does with each table, in order. A test compares this with the tables of the database: a new
// table that belongs to accounts is named here, or in KEPT with its reason. All of it is our own text; the
// one binding is :user.

export interface PurgeStep {
  table: string;
  /** Rows of the account, `t` being the table. */
  where: string;
  /** Assignments: the rows stay, without the person's data. Absent: the rows go. */
  set?: string;
  /** Nothing of this is counted in what was removed: only references go. */
  silent?: true;
}

const agents = '(select agent_id from agents where owner_id = :user)';
const myRuns = `(select r.run_id from runs r where r.user_id = :user or (r.user_id is null and r.agent_id in ${agents}))`;
const myJobs = '(select job_id from jobs where owner_id = :user)';
const myProjects = '(select project_id from database_projects where owner_id = :user)';
const myBranches = `(select branch_id from database_branches where project_id in ${myProjects})`;
const myRoles = `(select role_id from database_roles where branch_id in ${myBranches})`;
const myMailboxes = `(select mailbox_id from mailboxes where agent_id in ${agents})`;
const myGrants = '(select grant_id from grants where owner_id = :user)';
const myWaits = `(select w.wait_id from waits w where w.asked_of = :user or w.run_id in ${myRuns} or w.job_id in ${myJobs})`;
const myPlans = '(select dag_run_id from dag_runs where owner_id = :user)';
const myThreads = '(select thread_id from threads where owner_id = :user)';
const bucket = `'usr:' || :user::text`;
/**
 * Another user called this agent: the call in their receipt stays verifiable, and with it the agent's whole
 * chain of receipts.
 */
const calledByOthers = (agent: string): string =>
  `exists (select 1 from receipts o where o.agent_id = ${agent} and o.caller_kind <> 'platform' and o.caller_user_id is distinct from :user)`;
const inUse = `(exists (select 1 from runs r where r.agent_id = t.agent_id and r.deploy_id = t.deploy_id)
  or exists (select 1 from receipts c where c.agent_id = t.agent_id and c.deploy_id = t.deploy_id))`;

export const PURGE_STEPS: readonly PurgeStep[] = [
  { table: 'web_sessions', where: 't.user_id = :user' },
  { table: 'program_sign_ins', where: '(t.issuer, t.subject) in (select u.issuer, u.subject from users u where u.user_id = :user)' },
  { table: 'one_time_codes', where: 't.user_id = :user' },
  { table: 'platform_tokens', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'source_pushes', where: `t.agent_id in ${agents}` },
  { table: 'source_tokens', where: `t.owner_id = :user or t.person_id = :user or t.agent_id in ${agents}` },
  { table: 'agent_consents', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'caller_scopes', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'installed_agents', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'consumer_setup_values', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'agent_secrets', where: `t.agent_id in ${agents}` },
  // The databases themselves are dropped before: stopAccount waits for it.
  { table: 'database_bindings', where: `t.agent_id in ${agents} or t.role_id in ${myRoles}` },
  { table: 'database_logins', where: `t.role_id in ${myRoles}` },
  { table: 'database_roles', where: `t.branch_id in ${myBranches}` },
  { table: 'database_branches', set: 'parent_branch_id = null', where: `t.project_id in ${myProjects} and t.parent_branch_id is not null`, silent: true },
  { table: 'database_branches', where: `t.project_id in ${myProjects}` },
  { table: 'database_events', where: `t.project_id in ${myProjects}` },
  { table: 'database_projects', where: 't.owner_id = :user' },
  { table: 'agent_connections', where: `t.agent_id in ${agents}` },
  { table: 'agent_imports', where: `t.agent_id in ${agents}` },
  { table: 'domain_certificates', where: `t.domain_id in (select domain_id from agent_domains where agent_id in ${agents})` },
  { table: 'agent_domains', where: `t.agent_id in ${agents}` },
  { table: 'agent_memories', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'meta_runs', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'mailbox_events', where: `t.mailbox_id in ${myMailboxes}` },
  { table: 'mail_messages', set: 'answers = null', where: `t.mailbox_id in ${myMailboxes} and t.answers is not null`, silent: true },
  { table: 'mail_messages', where: `t.mailbox_id in ${myMailboxes}` },
  { table: 'mail_threads', where: `t.mailbox_id in ${myMailboxes}` },
  { table: 'mailboxes', where: `t.agent_id in ${agents}` },
  { table: 'account_access', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'billing_overrides', where: 't.user_id = :user' },
  { table: 'free_calls', where: `t.payer_id = :user or t.agent_id in ${agents}` },
  { table: 'charges', set: 'person_id = null', where: 't.person_id = :user', silent: true },
  { table: 'skill_prices', where: `t.agent_id in ${agents}` },
  // The documents of a person are the organization's, as its identity provider sent them: they go with it, or
  // when the provider removes them.
  { table: 'scim_group_roles', where: 't.organization_id = :user' },
  { table: 'scim_group_members', where: 't.group_id in (select scim_id from scim_groups where organization_id = :user)' },
  { table: 'scim_groups', where: 't.organization_id = :user' },
  { table: 'scim_user_values', where: 't.organization_id = :user' },
  { table: 'scim_users', where: 't.organization_id = :user' },
  { table: 'scim_tokens', where: 't.organization_id = :user' },
  { table: 'sso_identities', where: 't.user_id = :user or t.organization_id = :user' },
  { table: 'sso_openings', where: 't.organization_id = :user' },
  { table: 'sso_openings', set: 'opened_by = null', where: 't.opened_by = :user', silent: true },
  { table: 'sso_connections', where: 't.organization_id = :user' },
  { table: 'organization_members', where: 't.user_id = :user or t.organization_id = :user' },
  { table: 'organization_members', where: `t.user_id is null and t.email = (select lower(u.email) from users u where u.user_id = :user and u.email <> '')` },
  { table: 'compliance_exports', where: 't.organization_id = :user' },
  { table: 'compliance_purges', where: 't.organization_id = :user' },
  { table: 'compliance_profile_log', where: `t.agent_id in ${agents}` },
  { table: 'compliance_profiles', where: 't.organization_id = :user' },
  { table: 'compliance_policies', where: 't.organization_id = :user' },
  { table: 'compliance_policies', set: 'updated_by = null', where: 't.updated_by = :user', silent: true },
  { table: 'compliance_profiles', set: 'updated_by = null', where: 't.updated_by = :user', silent: true },
  { table: 'compliance_profile_log', set: 'changed_by = null', where: 't.changed_by = :user', silent: true },
  { table: 'compliance_exports', set: 'requested_by = null', where: 't.requested_by = :user', silent: true },
  { table: 'compliance_purges', set: 'requested_by = null', where: 't.requested_by = :user', silent: true },
  { table: 'organization_members', set: 'invited_by = null', where: 't.invited_by = :user', silent: true },
  { table: 'scim_tokens', set: 'created_by = null', where: 't.created_by = :user', silent: true },
  { table: 'organizations', set: 'created_by = null', where: 't.created_by = :user', silent: true },
  { table: 'approval_delegations', where: 't.organization_id = :user or t.from_id = :user or t.to_id = :user' },
  { table: 'approval_policies', where: 't.organization_id = :user' },
  { table: 'approval_policies', set: 'made_by = null', where: 't.made_by = :user', silent: true },
  { table: 'organization_domains', where: 't.organization_id = :user' },
  { table: 'organization_audit', where: 't.organization_id = :user' },
  { table: 'organizations', where: 't.organization_id = :user' },
  { table: 'payout_notices', where: 't.user_id = :user', silent: true },
  { table: 'payout_accounts', where: 't.user_id = :user' },
  { table: 'plan_checkouts', where: 't.user_id = :user' },
  { table: 'payment_customers', where: 't.user_id = :user' },
  { table: 'invoices', set: `url = null, pdf_url = null`, where: 't.user_id = :user', silent: true },
  { table: 'top_ups', set: 'checkout_url = null', where: 't.user_id = :user', silent: true },
  // The next round ends it at the processor.
  { table: 'subscriptions', set: `end_wanted = 'purged'`, where: `t.user_id = :user and t.state <> 'cancelled' and t.end_wanted is null`, silent: true },
  { table: 'plans', set: 'updated_by = null', where: 't.updated_by = :user', silent: true },
  { table: 'test_money_objects', where: `t.owner_id = :user and t.kind in ('customer', 'portal', 'account')` },
  { table: 'bounties', where: 't.poster_id = :user' },
  {
    table: 'bounties',
    set: `state = 'open', agent_id = null, claimed_by = null, claimed_at = null`,
    where: `t.claimed_by = :user and t.state = 'claimed'`,
    silent: true,
  },
  { table: 'bounties', set: 'agent_id = null, claimed_by = null', where: 't.claimed_by = :user', silent: true },
  { table: 'control_room_policies', where: 't.user_id = :user' },
  { table: 'policy_denials', where: 't.user_id = :user' },
  { table: 'policy_counts', where: 't.user_id = :user' },
  { table: 'policy_decisions', where: 't.owner_id = :user' },
  { table: 'policy_rules', where: 't.owner_id = :user' },
  { table: 'notifications', where: 't.user_id = :user' },
  { table: 'wait_mails', where: 't.user_id = :user', silent: true },
  { table: 'onboarding', where: 't.user_id = :user' },
  { table: 'feature_flag_overrides', where: 't.user_id = :user' },
  { table: 'template_updates', where: `t.agent_id in ${agents}` },
  { table: 'agent_repairs', where: `t.agent_id in ${agents}` },
  { table: 'agent_failures', where: `t.deploy_id in (select deploy_id from deployments where agent_id in ${agents})` },
  { table: 'evaluation_consents', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'evaluation_results', where: `t.evaluation_id in (select evaluation_id from evaluations where created_by = :user or agent_id in ${agents})` },
  { table: 'evaluations', where: `t.created_by = :user or t.agent_id in ${agents}` },
  { table: 'dataset_items', where: `t.user_id = :user or t.dataset_id in (select dataset_id from datasets where agent_id in ${agents})` },
  { table: 'datasets', where: `t.agent_id in ${agents}` },
  { table: 'run_thumbs', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'run_scores', where: `t.agent_id in ${agents}` },
  { table: 'scored_contents', where: `t.agent_id in ${agents}` },
  { table: 'call_contents', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'evaluation_rules', where: `t.agent_id in ${agents}` },
  { table: 'agent_proofs', where: `t.owner_id = :user or t.agent_id in ${agents}` },
  { table: 'protocol_scenario_runs', where: `t.job_id in (select job_id from protocol_simulations where owner_id = :user or agent_id in ${agents})` },
  { table: 'protocol_simulations', where: `t.owner_id = :user or t.agent_id in ${agents}` },
  { table: 'protocol_moves', where: `t.entry_id in (select entry_id from protocol_entries where agent_id in ${agents})` },
  { table: 'protocol_entries', where: `t.agent_id in ${agents}` },
  { table: 'agent_findings', where: `t.agent_id in ${agents}` },
  { table: 'agent_findings', set: 'answered_by = null', where: 't.answered_by = :user', silent: true },
  { table: 'agent_findings', set: 'job_id = null', where: `t.job_id in ${myJobs}`, silent: true },
  { table: 'review_probes', where: `t.job_id in (select job_id from review_loops where owner_id = :user or agent_id in ${agents})` },
  { table: 'review_loops', where: `t.owner_id = :user or t.agent_id in ${agents}` },
  { table: 'review_loops', set: 'reviewer_agent_id = null', where: `t.reviewer_agent_id in ${agents}`, silent: true },
  { table: 'review_runs', where: `t.agent_id in ${agents}` },
  { table: 'studio_guest_runs', where: 't.run_id in (select run_id from studio_runs where owner_id = :user)' },
  { table: 'studio_calls', where: 't.run_id in (select run_id from studio_runs where owner_id = :user)' },
  { table: 'studio_iterations', where: 't.run_id in (select run_id from studio_runs where owner_id = :user)' },
  { table: 'studio_runs', where: 't.owner_id = :user' },
  { table: 'studio_plans', where: 't.owner_id = :user' },
  { table: 'brain_changes', where: 't.owner_id = :user' },
  { table: 'brain_feedback', where: `t.owner_id = :user or t.agent_id in ${agents}` },
  { table: 'brain_dispatches', where: 't.owner_id = :user' },
  { table: 'brain_artifacts', where: 't.owner_id = :user' },
  { table: 'brain_runtimes', where: 't.owner_id = :user' },
  { table: 'studio_proposals', where: `t.owner_id = :user or t.agent_id in ${agents}` },
  { table: 'autopilots', where: 't.owner_id = :user' },
  { table: 'team_memories', where: 't.owner_id = :user' },
  { table: 'team_runs', where: 't.owner_id = :user' },
  { table: 'team_plans', where: 't.owner_id = :user' },
  { table: 'scorecards', where: `t.account_id = :user or t.agent_id in ${agents}` },
  { table: 'trial_ratings', where: 't.user_id = :user' },
  { table: 'trial_results', where: `t.run_id in (select run_id from trial_runs where owner_id = :user or agent_id in ${agents})` },
  { table: 'trial_runs', where: `t.owner_id = :user or t.agent_id in ${agents}` },
  { table: 'trial_rooms', where: 't.owner_id = :user' },
  { table: 'kernel_runs', where: 't.owner_id = :user' },
  { table: 'schedule_firings', where: 't.schedule_id in (select schedule_id from schedules where owner_id = :user)' },
  { table: 'schedules', where: 't.owner_id = :user' },
  { table: 'chat_turns', where: 't.owner_id = :user' },
  { table: 'dag_nodes', where: `t.dag_run_id in ${myPlans}` },
  { table: 'dag_runs', where: 't.owner_id = :user' },
  { table: 'thread_events', where: `t.thread_id in ${myThreads}` },
  { table: 'threads', where: 't.owner_id = :user' },
  { table: 'subagent_runs', where: `t.owner_id = :user or t.grant_id in ${myGrants} or t.run_id in ${myRuns}` },
  { table: 'subagent_runs', set: 'rerun_of = null', where: `t.rerun_of in ${myGrants}`, silent: true },
  { table: 'agent_sessions', where: `t.user_id = :user or t.run_id in ${myRuns}` },
  { table: 'patches', where: `t.bucket = ${bucket} or t.grant_id in ${myGrants} or t.run_id in ${myRuns}` },
  {
    table: 'push_messages',
    where: `(t.agent_id, t.task_id) in (select k.agent_id, k.task_id from protocol_tasks k where k.user_id = :user or k.agent_id in ${agents})`,
    silent: true,
  },
  {
    table: 'task_pushes',
    where: `(t.agent_id, t.task_id) in (select k.agent_id, k.task_id from protocol_tasks k where k.user_id = :user or k.agent_id in ${agents})`,
  },
  { table: 'protocol_tasks', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'run_reads', where: `t.run_id in ${myRuns}`, silent: true },
  { table: 'artifacts', where: `t.user_id = :user or t.run_id in ${myRuns}` },
  { table: 'sandboxes', where: `t.agent_id in ${agents} or t.run_id in ${myRuns} or t.scope = :user` },
  { table: 'dev_box_sessions', where: 't.user_id = :user or t.person_id = :user' },
  { table: 'dev_boxes', where: `t.owner_id = :user or t.agent_id in ${agents}` },
  // Grants, waits and runs name each other: first the references go, then the rows.
  {
    table: 'grants',
    set: 'run_id = null, wait_id = null, parent_grant_id = null, superseded_by = null',
    where: `(t.owner_id = :user or t.run_id in ${myRuns} or t.wait_id in ${myWaits} or t.parent_grant_id in ${myGrants} or t.superseded_by in ${myGrants})
      and num_nonnulls(t.run_id, t.wait_id, t.parent_grant_id, t.superseded_by) > 0`,
    silent: true,
  },
  { table: 'dag_nodes', set: 'wait_id = null', where: `t.wait_id in ${myWaits}`, silent: true },
  { table: 'approval_votes', where: `t.organization_id = :user or t.wait_id in ${myWaits}` },
  { table: 'approval_votes', set: `for_id = null, reason = ''`, where: 't.for_id = :user', silent: true },
  { table: 'approval_votes', set: `by_id = null, reason = ''`, where: 't.by_id = :user', silent: true },
  { table: 'waits', where: `t.wait_id in ${myWaits}` },
  { table: 'waits', set: 'resolved_by = null', where: 't.resolved_by = :user', silent: true },
  {
    table: 'waits',
    set: 'asked_people = array_remove(asked_people, :user), asked_guests = array_remove(asked_guests, :user), barred = array_remove(barred, :user)',
    where: ':user = any(t.asked_people || t.asked_guests || t.barred)',
    silent: true,
  },
  { table: 'grants', where: 't.owner_id = :user' },
  { table: 'receipts', where: `t.agent_id in ${agents} and not ${calledByOthers('t.agent_id')}` },
  { table: 'receipt_chains', where: `t.agent_id in ${agents} and not ${calledByOthers('t.agent_id')}` },
  { table: 'receipts', set: 'caller_user_id = null, caller_gone = true', where: 't.caller_user_id = :user', silent: true },
  { table: 'receipts', set: 'job_id = null', where: `t.job_id in ${myJobs}`, silent: true },
  { table: 'spans', where: `t.owner_id = :user or t.run_id in ${myRuns}` },
  { table: 'runs', where: `t.run_id in ${myRuns}` },
  { table: 'runs', set: 'job_id = null', where: `t.job_id in ${myJobs}`, silent: true },
  { table: 'llm_usage', where: 't.user_id = :user' },
  { table: 'llm_usage', set: 'person_id = null', where: 't.person_id = :user', silent: true },
  { table: 'llm_grants', where: `t.user_id = :user or t.agent_id in ${agents}` },
  { table: 'llm_caps', where: 't.user_id = :user' },
  { table: 'llm_spending', where: 't.credential_id in (select credential_id from llm_credentials where user_id = :user)' },
  { table: 'llm_credentials', where: 't.user_id = :user' },
  { table: 'file_words', where: `t.bucket = ${bucket}` },
  { table: 'files', where: `t.owner_id = :user or t.bucket = ${bucket}` },
  { table: 'file_upload_parts', where: 't.upload_id in (select upload_id from file_uploads where owner_id = :user)' },
  { table: 'file_uploads', where: 't.owner_id = :user' },
  { table: 'buckets', where: `t.bucket = ${bucket}` },
  { table: 'agent_health_changes', where: `t.agent_id in ${agents}`, silent: true },
  { table: 'agent_health_hours', where: `t.agent_id in ${agents}`, silent: true },
  { table: 'instances', where: `t.agent_id in ${agents}` },
  { table: 'agents', set: 'live_deploy_id = null', where: 't.owner_id = :user and t.live_deploy_id is not null', silent: true },
  { table: 'deployments', where: `(t.created_by = :user or t.agent_id in ${agents}) and not ${inUse}` },
  {
    table: 'deployments',
    set: `manifest = '{}', card = null, warnings = '[]', error = null, entrypoint = '', source_key = 'purged', source_commit = null, image = null, image_bytes = null`,
    where: `t.agent_id in ${agents} and t.source_key <> 'purged'`,
  },
  { table: 'jobs', set: 'parent_job_id = null', where: `t.parent_job_id in ${myJobs}`, silent: true },
  { table: 'job_archives', where: `t.job_id in ${myJobs}` },
  { table: 'job_events', where: `t.job_id in ${myJobs}` },
  { table: 'jobs', where: 't.owner_id = :user and not exists (select 1 from deployments d where d.job_id = t.job_id)' },
  {
    table: 'jobs',
    set: `title = 'purged', input = '{}', output = null, error = null, idempotency_key = null`,
    where: `t.owner_id = :user and t.title <> 'purged'`,
  },
  // Its name is its address: kept, so that no other agent gets its calls.
  {
    table: 'agents',
    set: `description = '', version = null, tags = '{}', visibility = 'unlisted', reuse_policy = 'closed', card = null, skills = '{}', search_text = '', endpoint_url = null, deleted_at = coalesce(deleted_at, now()), updated_at = now()`,
    where: `t.owner_id = :user and (t.deleted_at is null or t.card is not null or t.search_text <> '' or t.description <> '' or cardinality(t.skills || t.tags) > 0)`,
  },
  // After the agents are deleted: of a deleted agent nothing is counted any more.
  { table: 'call_count_places', where: `t.agent_id in ${agents}`, silent: true },
  { table: 'call_sums', where: `t.agent_id in ${agents}` },
  { table: 'earned_sums', where: `t.agent_id in ${agents}`, silent: true },
  { table: 'call_words', where: `t.agent_id in ${agents}`, silent: true },
  { table: 'model_use_counts', where: `t.agent_id in ${agents}` },
  { table: 'wake_counts', where: `t.agent_id in ${agents}` },
  { table: 'audit_log', set: `details = '{}'`, where: `(t.owner_id = :user or (t.actor_kind = 'user' and t.actor_id = :user)) and t.details <> '{}'` },
];

/** Tables that name accounts and keep doing so. */
export const RETAINED_TABLES: Readonly<Record<string, string>> = {
  control_policies: 'the account stays suspended: processes may remember a token of it for a minute',
  charges: 'the books must add up: ids that name no account any more, and amounts',
  ledger_accounts: 'the books must add up: an id that names no account any more, and amounts',
  payout_lines: 'the books must add up, and signed statements have these lines: ids that name no account any more, and amounts',
  payout_runs: 'the books must add up: ids that name no account any more',
  payout_transfers: 'the books must add up: ids that name no account any more, and amounts',
  users: 'the row stays without email, name and sign-in, so that ids in the records of others name no person',
};
