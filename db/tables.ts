// Generated from the migrated schema by db/generate-tables.ts; a test fails when it is stale. Do not edit.
import type { Knex } from 'knex';

/** An update may compute its values in SQL. */
type Changes<T> = { [K in keyof T]?: T[K] | Knex.Raw };

export interface AccountAccessRow {
  user_id: string;
  agent_id: string;
  used: number;
  updated_at: Date;
}
export interface AccountAccessInsert {
  user_id: string;
  agent_id: string;
  used: number;
  updated_at?: Date | string;
}

export interface AcmeAccountsRow {
  directory_url: string;
  key_sealed: string;
  account_url: string | null;
  created_at: Date;
}
export interface AcmeAccountsInsert {
  directory_url: string;
  key_sealed: string;
  account_url?: string | null;
  created_at?: Date | string;
}

export interface AgentConnectionsRow {
  connection_id: number;
  agent_id: string;
  kind: 'api_key' | 'bearer' | 'mtls' | 'oauth2' | 'oidc';
  scheme_name: string;
  state: 'ready' | 'auth_required';
  facts: unknown;
  sealed: string;
  version: number;
  expires_at: Date | null;
  failure: unknown;
  refreshed_at: Date | null;
  refresher: string | null;
  refresher_until: Date | null;
  created_at: Date;
  updated_at: Date;
}
export interface AgentConnectionsInsert {
  connection_id?: number;
  agent_id: string;
  kind: 'api_key' | 'bearer' | 'mtls' | 'oauth2' | 'oidc';
  scheme_name: string;
  state?: 'ready' | 'auth_required';
  facts?: string;
  sealed: string;
  version?: number;
  expires_at?: Date | string | null;
  failure?: string | null;
  refreshed_at?: Date | string | null;
  refresher?: string | null;
  refresher_until?: Date | string | null;
  created_at?: Date | string;
  updated_at?: Date | string;
}

export interface AgentConsentsRow {
  user_id: string;
  agent_id: string;
  created_at: Date;
}
export interface AgentConsentsInsert {
  user_id: string;
  agent_id: string;
  created_at?: Date | string;
}

export interface AgentDomainsRow {
  domain_id: string;
  agent_id: string;
  hostname: string;
  state: 'pending' | 'active' | 'suspended' | 'failed' | 'removed';
  nonce: string;
  round: number;
  failures: number;
  seen: unknown;
  problem: string | null;
  asks_certificate: boolean;
  certificate_problem: string | null;
  created_at: Date;
  prove_until: Date;
  proved_at: Date | null;
  looked_at: Date | null;
}
export interface AgentDomainsInsert {
  domain_id: string;
  agent_id: string;
  hostname: string;
  state?: 'pending' | 'active' | 'suspended' | 'failed' | 'removed';
  nonce: string;
  round?: number;
  failures?: number;
  seen?: string;
  problem?: string | null;
  asks_certificate?: boolean;
  certificate_problem?: string | null;
  created_at?: Date | string;
  prove_until: Date | string;
  proved_at?: Date | string | null;
  looked_at?: Date | string | null;
}

export interface AgentFailuresRow {
  failure_id: number;
  deploy_id: string;
  code: string;
  at: Date;
}
export interface AgentFailuresInsert {
  failure_id?: number;
  deploy_id: string;
  code: string;
  at?: Date | string;
}

export interface AgentFindingsRow {
  finding_id: string;
  agent_id: string;
  deploy_id: string;
  job_id: string | null;
  source: 'review_loop' | 'review_run' | 'simulation';
  hash: string;
  severity: 'critical' | 'warning' | 'info';
  rule: string;
  skill: string | null;
  title: string;
  message: string;
  reproduction: unknown;
  confirmed: boolean;
  state: 'open' | 'answered';
  answer: 'fixed' | 'accepted' | 'false_alarm' | null;
  reason: string | null;
  answered_by: string | null;
  answered_at: Date | null;
  created_at: Date;
}
export interface AgentFindingsInsert {
  finding_id: string;
  agent_id: string;
  deploy_id: string;
  job_id?: string | null;
  source: 'review_loop' | 'review_run' | 'simulation';
  hash: string;
  severity: 'critical' | 'warning' | 'info';
  rule: string;
  skill?: string | null;
  title: string;
  message: string;
  reproduction?: string | null;
  confirmed: boolean;
  state: 'open' | 'answered';
  answer?: 'fixed' | 'accepted' | 'false_alarm' | null;
  reason?: string | null;
  answered_by?: string | null;
  answered_at?: Date | string | null;
  created_at: Date | string;
}

export interface AgentHealthChangesRow {
  change_id: number;
  agent_id: string;
  at: Date;
  is_well: boolean;
  reason: string | null;
}
export interface AgentHealthChangesInsert {
  change_id?: number;
  agent_id: string;
  at: Date | string;
  is_well: boolean;
  reason?: string | null;
}

export interface AgentHealthHoursRow {
  agent_id: string;
  hour: Date;
  looks: number;
  well: number;
  counted_at: Date;
}
export interface AgentHealthHoursInsert {
  agent_id: string;
  hour: Date | string;
  looks?: number;
  well?: number;
  counted_at: Date | string;
}

export interface AgentImportsRow {
  agent_id: string;
  url: string;
  endpoint: string;
  protocol: 'a2a' | 'mcp' | 'svc';
  protocol_version: string;
  remote: unknown;
  security: unknown;
  digest: string;
  probed_at: Date;
  answered_at: Date;
  unanswered_since: Date | null;
  failure: unknown;
  next_probe_at: Date;
  changes: unknown;
  changed_at: Date | null;
  created_at: Date;
}
export interface AgentImportsInsert {
  agent_id: string;
  url: string;
  endpoint: string;
  protocol: 'a2a' | 'mcp' | 'svc';
  protocol_version: string;
  remote: string;
  security?: string;
  digest: string;
  probed_at?: Date | string;
  answered_at?: Date | string;
  unanswered_since?: Date | string | null;
  failure?: string | null;
  next_probe_at: Date | string;
  changes?: string;
  changed_at?: Date | string | null;
  created_at?: Date | string;
}

export interface AgentMemoriesRow {
  agent_id: string;
  user_id: string;
  namespace: string;
  key: string;
  value: unknown;
  metadata: unknown;
  version: number;
  size_bytes: number;
  search_text: string;
  search: string | null;
  expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
}
export interface AgentMemoriesInsert {
  agent_id: string;
  user_id: string;
  namespace: string;
  key: string;
  value: string;
  metadata?: string;
  version?: number;
  size_bytes: number;
  search_text: string;
  search?: string | null;
  expires_at?: Date | string | null;
  created_at?: Date | string;
  updated_at?: Date | string;
}

export interface AgentProofsRow {
  proof_id: string;
  agent_id: string;
  agent_name: string;
  owner_id: string;
  run_by: 'owner' | 'caller';
  published: boolean;
  deploy_id: string;
  version: string;
  skill_name: string;
  args: unknown;
  input_sha256: string;
  args_case: 'given' | 'example' | 'sampled';
  seed: string | null;
  properties: unknown;
  deadline_at: Date;
  deadline_seconds: number;
  budget_micros: number;
  grant_id: string | null;
  run_id: string | null;
  receipt_id: string | null;
  job_id: string | null;
  status: 'running' | 'passed' | 'failed';
  error: unknown;
  has_result: boolean;
  result: unknown;
  checks: unknown;
  events: unknown;
  file_ops: unknown;
  card_hash: string;
  head_sha: string | null;
  image: string | null;
  elapsed_ms: number | null;
  proof_sha256: string | null;
  token: string | null;
  created_at: Date;
  ended_at: Date | null;
  withdrawn_at: Date | null;
  withdrawn_reason: string | null;
}
export interface AgentProofsInsert {
  proof_id: string;
  agent_id: string;
  agent_name: string;
  owner_id: string;
  run_by: 'owner' | 'caller';
  published: boolean;
  deploy_id: string;
  version: string;
  skill_name: string;
  args: string;
  input_sha256: string;
  args_case: 'given' | 'example' | 'sampled';
  seed?: string | null;
  properties?: string;
  deadline_at: Date | string;
  deadline_seconds: number;
  budget_micros: number;
  grant_id?: string | null;
  run_id?: string | null;
  receipt_id?: string | null;
  job_id?: string | null;
  status: 'running' | 'passed' | 'failed';
  error?: string | null;
  has_result?: boolean;
  result?: string | null;
  checks?: string;
  events?: string;
  file_ops?: string;
  card_hash: string;
  head_sha?: string | null;
  image?: string | null;
  elapsed_ms?: number | null;
  proof_sha256?: string | null;
  token?: string | null;
  created_at?: Date | string;
  ended_at?: Date | string | null;
  withdrawn_at?: Date | string | null;
  withdrawn_reason?: string | null;
}

export interface AgentRepairsRow {
  repair_id: string;
  agent_id: string;
  deploy_id: string;
  job_id: string | null;
  state: 'queued' | 'running' | 'awaiting_secret' | 'healed' | 'needs_human';
  policy: unknown;
  error: unknown;
  outcome: unknown;
  steps: unknown;
  missing: string[];
  source_sha256: string;
  tests: 'passed' | 'failed' | 'not_run';
  changed_files: unknown;
  healed_deploy_id: string | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface AgentRepairsInsert {
  repair_id: string;
  agent_id: string;
  deploy_id: string;
  job_id?: string | null;
  state: 'queued' | 'running' | 'awaiting_secret' | 'healed' | 'needs_human';
  policy: string;
  error: string;
  outcome?: string | null;
  steps?: string;
  missing?: string[];
  source_sha256: string;
  tests?: 'passed' | 'failed' | 'not_run';
  changed_files?: string;
  healed_deploy_id?: string | null;
  created_at?: Date | string;
  ended_at?: Date | string | null;
}

export interface AgentSecretsRow {
  agent_id: string;
  name: string;
  version: number;
  value_sealed: string;
  inject: unknown;
  created_at: Date;
  updated_at: Date;
}
export interface AgentSecretsInsert {
  agent_id: string;
  name: string;
  version?: number;
  value_sealed: string;
  inject?: string | null;
  created_at?: Date | string;
  updated_at?: Date | string;
}

export interface AgentSessionsRow {
  session_id: string;
  user_id: string;
  agent_id: string;
  run_id: string;
  job_id: string;
  header: unknown;
  seal: unknown;
  started_at: Date;
}
export interface AgentSessionsInsert {
  session_id: string;
  user_id: string;
  agent_id: string;
  run_id: string;
  job_id: string;
  header: string;
  seal?: string | null;
  started_at?: Date | string;
}

export interface AgentsRow {
  agent_id: string;
  name: string;
  owner_id: string;
  kind: 'hosted' | 'registered' | 'imported';
  endpoint_url: string | null;
  description: string;
  version: string | null;
  tags: string[];
  visibility: 'public' | 'unlisted';
  reuse_policy: 'closed' | 'forkable';
  card: unknown;
  skills: string[];
  live_deploy_id: string | null;
  deploy_count: number;
  call_count: number;
  search_text: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  generated_commit: string | null;
  code_editor: boolean;
  unanswered: boolean;
  search: string | null;
}
export interface AgentsInsert {
  agent_id: string;
  name: string;
  owner_id: string;
  kind: 'hosted' | 'registered' | 'imported';
  endpoint_url?: string | null;
  description?: string;
  version?: string | null;
  tags?: string[];
  visibility?: 'public' | 'unlisted';
  reuse_policy?: 'closed' | 'forkable';
  card?: string | null;
  skills?: string[];
  live_deploy_id?: string | null;
  deploy_count?: number;
  call_count?: number;
  search_text?: string;
  created_at?: Date | string;
  updated_at?: Date | string;
  deleted_at?: Date | string | null;
  generated_commit?: string | null;
  code_editor?: boolean;
  unanswered?: boolean;
  search?: string | null;
}

export interface ApiProcessesRow {
  process_id: string;
  seen_at: Date;
}
export interface ApiProcessesInsert {
  process_id: string;
  seen_at?: Date | string;
}

export interface ApprovalDelegationsRow {
  delegation_id: string;
  organization_id: string;
  from_id: string;
  to_id: string;
  starts_at: Date;
  ends_at: Date;
  created_at: Date;
  revoked_at: Date | null;
}
export interface ApprovalDelegationsInsert {
  delegation_id: string;
  organization_id: string;
  from_id: string;
  to_id: string;
  starts_at: Date | string;
  ends_at: Date | string;
  created_at: Date | string;
  revoked_at?: Date | string | null;
}

export interface ApprovalPoliciesRow {
  organization_id: string;
  version: number;
  sha256: string;
  rules: unknown;
  made_by: string | null;
  made_at: Date;
}
export interface ApprovalPoliciesInsert {
  organization_id: string;
  version: number;
  sha256: string;
  rules: string;
  made_by?: string | null;
  made_at: Date | string;
}

export interface ApprovalVotesRow {
  vote_id: string;
  wait_id: string;
  organization_id: string;
  for_id: string | null;
  by_id: string | null;
  delegation_id: string | null;
  decision: 'approve' | 'deny';
  reason: string;
  stage: number;
  request_id: string;
  at: Date;
  replaced_at: Date | null;
  counted: boolean;
}
export interface ApprovalVotesInsert {
  vote_id: string;
  wait_id: string;
  organization_id: string;
  for_id?: string | null;
  by_id?: string | null;
  delegation_id?: string | null;
  decision: 'approve' | 'deny';
  reason: string;
  stage: number;
  request_id: string;
  at: Date | string;
  replaced_at?: Date | string | null;
  counted?: boolean;
}

export interface ArtifactsRow {
  artifact_id: string;
  run_id: string;
  agent_id: string;
  user_id: string | null;
  name: string;
  mime_type: string;
  sha256: string;
  size_bytes: number;
  created_at: Date;
}
export interface ArtifactsInsert {
  artifact_id: string;
  run_id: string;
  agent_id: string;
  user_id?: string | null;
  name: string;
  mime_type: string;
  sha256: string;
  size_bytes: number;
  created_at?: Date | string;
}

export interface AuditLogRow {
  audit_id: string;
  at: Date;
  actor_kind: string;
  actor_id: string | null;
  owner_id: string | null;
  action: string;
  target_id: string;
  request_id: string;
  details: unknown;
  organization_id: string | null;
  sealed_at: Date | null;
}
export interface AuditLogInsert {
  audit_id: string;
  at?: Date | string;
  actor_kind: string;
  actor_id?: string | null;
  owner_id?: string | null;
  action: string;
  target_id: string;
  request_id: string;
  details?: string;
  organization_id?: string | null;
  sealed_at?: Date | string | null;
}

export interface AutopilotsRow {
  owner_id: string;
  enabled: boolean;
  daily_hour: number;
  time_zone: string;
  last_day: string | null;
  updated_at: Date;
}
export interface AutopilotsInsert {
  owner_id: string;
  enabled: boolean;
  daily_hour: number;
  time_zone: string;
  last_day?: string | null;
  updated_at: Date | string;
}

export interface BillingOverridesRow {
  user_id: string;
  funded_calls_per_agent: number | null;
  expires_at: Date | null;
  reason: string;
  version: number;
  updated_at: Date;
  updated_by: string;
}
export interface BillingOverridesInsert {
  user_id: string;
  funded_calls_per_agent?: number | null;
  expires_at?: Date | string | null;
  reason: string;
  version: number;
  updated_at?: Date | string;
  updated_by: string;
}

export interface BlobsRow {
  sha256: string;
  size_bytes: number;
  created_at: Date;
  used_at: Date;
}
export interface BlobsInsert {
  sha256: string;
  size_bytes: number;
  created_at?: Date | string;
  used_at?: Date | string;
}

export interface BountiesRow {
  bounty_id: string;
  slug: string;
  poster_id: string;
  title: string;
  description: string;
  example_input: unknown;
  example_output: unknown;
  tags: string[];
  reward_micros: number;
  require_proof: boolean;
  state: 'open' | 'claimed' | 'fulfilled' | 'cancelled';
  agent_id: string | null;
  claimed_by: string | null;
  created_at: Date;
  claimed_at: Date | null;
  ended_at: Date | null;
}
export interface BountiesInsert {
  bounty_id: string;
  slug: string;
  poster_id: string;
  title: string;
  description: string;
  example_input?: string | null;
  example_output?: string | null;
  tags: string[];
  reward_micros: number;
  require_proof: boolean;
  state: 'open' | 'claimed' | 'fulfilled' | 'cancelled';
  agent_id?: string | null;
  claimed_by?: string | null;
  created_at: Date | string;
  claimed_at?: Date | string | null;
  ended_at?: Date | string | null;
}

export interface BrainArtifactsRow {
  artifact_id: string;
  owner_id: string;
  kind: 'population' | 'selection' | 'aging' | 'dream' | 'townhall';
  content: unknown;
  created_at: Date;
}
export interface BrainArtifactsInsert {
  artifact_id: string;
  owner_id: string;
  kind: 'population' | 'selection' | 'aging' | 'dream' | 'townhall';
  content: string;
  created_at: Date | string;
}

export interface BrainChangesRow {
  change_id: string;
  owner_id: string;
  kind: 'merged' | 'aged';
  memory_id: string;
  reason: string;
  created_at: Date;
  undone_at: Date | null;
}
export interface BrainChangesInsert {
  change_id: string;
  owner_id: string;
  kind: 'merged' | 'aged';
  memory_id: string;
  reason: string;
  created_at: Date | string;
  undone_at?: Date | string | null;
}

export interface BrainDispatchesRow {
  dispatch_id: string;
  owner_id: string;
  wanted: unknown;
  goal: string;
  state: 'queued' | 'started' | 'needs_person' | 'cancelled';
  reason: string | null;
  dag_run_id: string | null;
  created_at: Date;
  started_at: Date | null;
}
export interface BrainDispatchesInsert {
  dispatch_id: string;
  owner_id: string;
  wanted: string;
  goal: string;
  state: 'queued' | 'started' | 'needs_person' | 'cancelled';
  reason?: string | null;
  dag_run_id?: string | null;
  created_at: Date | string;
  started_at?: Date | string | null;
}

export interface BrainFeedbackRow {
  feedback_id: string;
  owner_id: string;
  agent_id: string | null;
  memory_id: string | null;
  good: boolean;
  note: string;
  created_at: Date;
}
export interface BrainFeedbackInsert {
  feedback_id: string;
  owner_id: string;
  agent_id?: string | null;
  memory_id?: string | null;
  good: boolean;
  note: string;
  created_at: Date | string;
}

export interface BrainRuntimesRow {
  owner_id: string;
  enabled: boolean;
  daily_hour: number;
  time_zone: string;
  daily_budget_cents: number;
  last_night: string | null;
  updated_at: Date;
}
export interface BrainRuntimesInsert {
  owner_id: string;
  enabled: boolean;
  daily_hour: number;
  time_zone: string;
  daily_budget_cents: number;
  last_night?: string | null;
  updated_at: Date | string;
}

export interface BucketsRow {
  bucket: string;
  file_count: number;
  size_bytes: number;
  reserved_files: number;
  reserved_bytes: number;
}
export interface BucketsInsert {
  bucket: string;
  file_count?: number;
  size_bytes?: number;
  reserved_files?: number;
  reserved_bytes?: number;
}

export interface CallCountPlacesRow {
  agent_id: string;
  seq: number;
}
export interface CallCountPlacesInsert {
  agent_id: string;
  seq: number;
}

export interface CallSumsRow {
  agent_id: string;
  grain: 'hour' | 'day' | 'month';
  facet: 'all' | 'skill' | 'version' | 'caller' | 'code' | 'earned';
  since: Date;
  word: string;
  relation: '' | 'owner' | 'other' | 'none';
  status: 'ok' | 'error' | 'cancelled';
  calls: number;
  duration_ms: number;
  histogram: unknown;
}
export interface CallSumsInsert {
  agent_id: string;
  grain: 'hour' | 'day' | 'month';
  facet: 'all' | 'skill' | 'version' | 'caller' | 'code' | 'earned';
  since: Date | string;
  word: string;
  relation: '' | 'owner' | 'other' | 'none';
  status: 'ok' | 'error' | 'cancelled';
  calls: number;
  duration_ms: number;
  histogram: string;
}

export interface CallWordsRow {
  agent_id: string;
  kind: 'skill' | 'code';
  word: string;
}
export interface CallWordsInsert {
  agent_id: string;
  kind: 'skill' | 'code';
  word: string;
}

export interface ChargesRow {
  charge_id: string;
  run_id: string;
  receipt_id: string | null;
  agent_id: string;
  skill: string;
  price_id: string;
  creator_id: string;
  payer_id: string;
  state: 'held' | 'settled' | 'released';
  free: boolean;
  held_micros: number;
  amount_micros: number | null;
  creator_micros: number | null;
  fee_micros: number | null;
  units: unknown;
  started_at: Date;
  ended_at: Date | null;
  cap_ids: string[];
  person_id: string | null;
  counted: boolean;
}
export interface ChargesInsert {
  charge_id: string;
  run_id: string;
  receipt_id?: string | null;
  agent_id: string;
  skill: string;
  price_id: string;
  creator_id: string;
  payer_id: string;
  state: 'held' | 'settled' | 'released';
  free: boolean;
  held_micros: number;
  amount_micros?: number | null;
  creator_micros?: number | null;
  fee_micros?: number | null;
  units?: string | null;
  started_at: Date | string;
  ended_at?: Date | string | null;
  cap_ids?: string[];
  person_id?: string | null;
  counted?: boolean;
}

export interface ChatTurnsRow {
  turn_id: string;
  thread_id: string;
  owner_id: string;
  idempotency_key: string | null;
  reading: string;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  job_id: string | null;
  reply: unknown;
  first_seq: number;
  last_seq: number | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface ChatTurnsInsert {
  turn_id: string;
  thread_id: string;
  owner_id: string;
  idempotency_key?: string | null;
  reading: string;
  state?: 'running' | 'succeeded' | 'failed' | 'cancelled';
  job_id?: string | null;
  reply?: string;
  first_seq: number;
  last_seq?: number | null;
  created_at?: Date | string;
  ended_at?: Date | string | null;
}

export interface ComplianceExportsRow {
  export_id: string;
  organization_id: string;
  job_id: string;
  requested_by: string | null;
  from_at: Date;
  to_at: Date;
  kinds: string[];
  max_records: number;
  deadline_at: Date;
  sha256: string | null;
  size_bytes: number | null;
  manifest: string | null;
  counts: unknown;
  expires_at: Date | null;
  created_at: Date;
}
export interface ComplianceExportsInsert {
  export_id: string;
  organization_id: string;
  job_id: string;
  requested_by?: string | null;
  from_at: Date | string;
  to_at: Date | string;
  kinds: string[];
  max_records: number;
  deadline_at: Date | string;
  sha256?: string | null;
  size_bytes?: number | null;
  manifest?: string | null;
  counts?: string | null;
  expires_at?: Date | string | null;
  created_at: Date | string;
}

export interface CompliancePoliciesRow {
  organization_id: string;
  frameworks: string[];
  retention_days: number;
  legal_hold: boolean;
  hold_reason: string;
  version: number;
  updated_by: string | null;
  updated_at: Date;
}
export interface CompliancePoliciesInsert {
  organization_id: string;
  frameworks: string[];
  retention_days: number;
  legal_hold: boolean;
  hold_reason: string;
  version: number;
  updated_by?: string | null;
  updated_at: Date | string;
}

export interface ComplianceProfileLogRow {
  agent_id: string;
  version: number;
  risk_tier: 'unclassified' | 'minimal' | 'limited' | 'high' | 'unacceptable';
  intended_purpose: string;
  human_oversight: string;
  notes: string;
  changed_by: string | null;
  changed_at: Date;
}
export interface ComplianceProfileLogInsert {
  agent_id: string;
  version: number;
  risk_tier: 'unclassified' | 'minimal' | 'limited' | 'high' | 'unacceptable';
  intended_purpose: string;
  human_oversight: string;
  notes: string;
  changed_by?: string | null;
  changed_at: Date | string;
}

export interface ComplianceProfilesRow {
  agent_id: string;
  organization_id: string;
  risk_tier: 'unclassified' | 'minimal' | 'limited' | 'high' | 'unacceptable';
  intended_purpose: string;
  human_oversight: string;
  notes: string;
  version: number;
  updated_by: string | null;
  updated_at: Date;
}
export interface ComplianceProfilesInsert {
  agent_id: string;
  organization_id: string;
  risk_tier: 'unclassified' | 'minimal' | 'limited' | 'high' | 'unacceptable';
  intended_purpose: string;
  human_oversight: string;
  notes: string;
  version: number;
  updated_by?: string | null;
  updated_at: Date | string;
}

export interface CompliancePurgesRow {
  purge_id: string;
  organization_id: string;
  job_id: string;
  requested_by: string | null;
  before: Date;
  created_at: Date;
}
export interface CompliancePurgesInsert {
  purge_id: string;
  organization_id: string;
  job_id: string;
  requested_by?: string | null;
  before: Date | string;
  created_at: Date | string;
}

export interface ConsumerSetupValuesRow {
  agent_id: string;
  user_id: string;
  field_name: string;
  value: unknown;
  value_sealed: string | null;
  size_bytes: number;
  updated_at: Date;
}
export interface ConsumerSetupValuesInsert {
  agent_id: string;
  user_id: string;
  field_name: string;
  value?: string | null;
  value_sealed?: string | null;
  size_bytes: number;
  updated_at?: Date | string;
}

export interface ControlPoliciesRow {
  user_id: string;
  suspended: boolean;
  may_deploy: boolean;
  may_publish: boolean;
  may_call_external: boolean;
  limits: unknown;
  reason: string;
  version: number;
  updated_at: Date;
  updated_by: string;
}
export interface ControlPoliciesInsert {
  user_id: string;
  suspended: boolean;
  may_deploy: boolean;
  may_publish: boolean;
  may_call_external: boolean;
  limits: string;
  reason: string;
  version: number;
  updated_at?: Date | string;
  updated_by: string;
}

export interface ControlRoomPoliciesRow {
  user_id: string;
  monthly_budget_cents: number;
  run_budget_cents: number;
  daily_budget_cents: number | null;
  agent_daily_budget_cents: number | null;
  person_daily_budget_cents: number | null;
  max_agent_calls_per_run: number;
  require_approval_for_file_writes: boolean;
  deny_external_network: boolean;
  only_approved_agents: boolean;
  approved_agents: string[];
  pii_safe_mode: boolean;
  version: number;
  changed_at: Date;
}
export interface ControlRoomPoliciesInsert {
  user_id: string;
  monthly_budget_cents: number;
  run_budget_cents: number;
  daily_budget_cents?: number | null;
  agent_daily_budget_cents?: number | null;
  person_daily_budget_cents?: number | null;
  max_agent_calls_per_run: number;
  require_approval_for_file_writes: boolean;
  deny_external_network: boolean;
  only_approved_agents: boolean;
  approved_agents: string[];
  pii_safe_mode: boolean;
  version: number;
  changed_at?: Date | string;
}

export interface DagNodesRow {
  dag_run_id: string;
  number: number;
  agent_name: string;
  skill: string;
  args: unknown;
  depends_on: number[];
  state: 'pending' | 'asking' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  ask: boolean;
  wait_id: string | null;
  job_id: string | null;
  run_id: string | null;
  call_id: string | null;
  error: unknown;
  started_at: Date | null;
  ended_at: Date | null;
  step: string | null;
  role: string | null;
  brief: unknown;
  others: unknown;
  attempt: number;
  may_fail: boolean;
  gate: boolean;
  room_since: Date | null;
}
export interface DagNodesInsert {
  dag_run_id: string;
  number: number;
  agent_name: string;
  skill: string;
  args: string;
  depends_on?: number[];
  state?: 'pending' | 'asking' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  ask?: boolean;
  wait_id?: string | null;
  job_id?: string | null;
  run_id?: string | null;
  call_id?: string | null;
  error?: string | null;
  started_at?: Date | string | null;
  ended_at?: Date | string | null;
  step?: string | null;
  role?: string | null;
  brief?: string | null;
  others?: string;
  attempt?: number;
  may_fail?: boolean;
  gate?: boolean;
  room_since?: Date | string | null;
}

export interface DagRunsRow {
  dag_run_id: string;
  owner_id: string;
  thread_id: string | null;
  job_id: string;
  title: string;
  planner: 'steps' | 'rules' | 'model' | 'team';
  thoughts: number;
  created_at: Date;
}
export interface DagRunsInsert {
  dag_run_id: string;
  owner_id: string;
  thread_id?: string | null;
  job_id: string;
  title: string;
  planner: 'steps' | 'rules' | 'model' | 'team';
  thoughts?: number;
  created_at?: Date | string;
}

export interface DatabaseBindingsRow {
  binding_id: string;
  role_id: string;
  agent_id: string;
  variable: string;
  declared: boolean;
  created_at: Date;
}
export interface DatabaseBindingsInsert {
  binding_id: string;
  role_id: string;
  agent_id: string;
  variable: string;
  declared: boolean;
  created_at: Date | string;
}

export interface DatabaseBranchesRow {
  branch_id: string;
  project_id: string;
  name: string;
  parent_branch_id: string | null;
  database_name: string;
  state: 'pending' | 'ready' | 'failed' | 'deleting' | 'deleted';
  error: unknown;
  size_bytes: number;
  connections: number;
  measured_at: Date | null;
  created_at: Date;
  updated_at: Date;
}
export interface DatabaseBranchesInsert {
  branch_id: string;
  project_id: string;
  name: string;
  parent_branch_id?: string | null;
  database_name: string;
  state: 'pending' | 'ready' | 'failed' | 'deleting' | 'deleted';
  error?: string | null;
  size_bytes?: number;
  connections?: number;
  measured_at?: Date | string | null;
  created_at: Date | string;
  updated_at: Date | string;
}

export interface DatabaseEventsRow {
  event_id: string;
  project_id: string;
  branch: string | null;
  agent: string | null;
  kind:
    | 'branch_pending'
    | 'branch_ready'
    | 'branch_failed'
    | 'branch_deleting'
    | 'branch_deleted'
    | 'project_deleting'
    | 'project_deleted'
    | 'role_rotating'
    | 'role_rotated'
    | 'role_revealed'
    | 'bound'
    | 'unbound'
    | 'allowance_changed';
  detail: string | null;
  at: Date;
}
export interface DatabaseEventsInsert {
  event_id: string;
  project_id: string;
  branch?: string | null;
  agent?: string | null;
  kind:
    | 'branch_pending'
    | 'branch_ready'
    | 'branch_failed'
    | 'branch_deleting'
    | 'branch_deleted'
    | 'project_deleting'
    | 'project_deleted'
    | 'role_rotating'
    | 'role_rotated'
    | 'role_revealed'
    | 'bound'
    | 'unbound'
    | 'allowance_changed';
  detail?: string | null;
  at: Date | string;
}

export interface DatabaseLoginsRow {
  login_id: string;
  role_id: string;
  login: string;
  state: 'pending' | 'current' | 'previous';
  password_sealed: string;
  created_at: Date;
}
export interface DatabaseLoginsInsert {
  login_id: string;
  role_id: string;
  login: string;
  state: 'pending' | 'current' | 'previous';
  password_sealed: string;
  created_at: Date | string;
}

export interface DatabaseProjectsRow {
  project_id: string;
  owner_id: string;
  name: string;
  state: 'pending' | 'ready' | 'failed' | 'deleting' | 'deleted';
  error: unknown;
  server_name: string;
  host: string | null;
  port: number | null;
  tls: boolean | null;
  allowance: 'full' | 'delete_only' | 'closed';
  created_at: Date;
  updated_at: Date;
}
export interface DatabaseProjectsInsert {
  project_id: string;
  owner_id: string;
  name: string;
  state: 'pending' | 'ready' | 'failed' | 'deleting' | 'deleted';
  error?: string | null;
  server_name: string;
  host?: string | null;
  port?: number | null;
  tls?: boolean | null;
  allowance?: 'full' | 'delete_only' | 'closed';
  created_at: Date | string;
  updated_at: Date | string;
}

export interface DatabaseProvisionersRow {
  node: string;
  host: string;
  port: number;
  tls: boolean;
  server_version: string | null;
  heartbeat_at: Date | null;
  error: string | null;
  updated_at: Date;
}
export interface DatabaseProvisionersInsert {
  node: string;
  host: string;
  port: number;
  tls: boolean;
  server_version?: string | null;
  heartbeat_at?: Date | string | null;
  error?: string | null;
  updated_at: Date | string;
}

export interface DatabaseRolesRow {
  role_id: string;
  branch_id: string;
  access: 'read_only' | 'read_write' | 'owner';
  rotated_at: Date;
}
export interface DatabaseRolesInsert {
  role_id: string;
  branch_id: string;
  access: 'read_only' | 'read_write' | 'owner';
  rotated_at: Date | string;
}

export interface DatasetItemsRow {
  item_id: string;
  dataset_id: string;
  skill: string;
  args: unknown;
  has_expected: boolean;
  expected: unknown;
  run_id: string | null;
  user_id: string | null;
  created_at: Date;
}
export interface DatasetItemsInsert {
  item_id: string;
  dataset_id: string;
  skill: string;
  args: string;
  has_expected: boolean;
  expected?: string | null;
  run_id?: string | null;
  user_id?: string | null;
  created_at: Date | string;
}

export interface DatasetsRow {
  dataset_id: string;
  agent_id: string;
  name: string;
  created_at: Date;
}
export interface DatasetsInsert {
  dataset_id: string;
  agent_id: string;
  name: string;
  created_at: Date | string;
}

export interface DeploymentsRow {
  deploy_id: string;
  agent_id: string;
  number: number;
  state: 'queued' | 'building' | 'starting' | 'verifying' | 'live' | 'superseded' | 'failed' | 'cancelled';
  job_id: string;
  created_by: string;
  version: string | null;
  entrypoint: string;
  manifest: unknown;
  public: boolean | null;
  source_key: string;
  source_sha256: string;
  source_bytes: number;
  source_commit: string | null;
  image: string | null;
  image_bytes: number | null;
  card: unknown;
  warnings: unknown;
  error: unknown;
  created_at: Date;
  live_at: Date | null;
  ended_at: Date | null;
  upgrade_of: string | null;
  upgrade_kind: 'runtime' | 'template' | null;
  differences: unknown;
  sdk: string | null;
}
export interface DeploymentsInsert {
  deploy_id: string;
  agent_id: string;
  number: number;
  state: 'queued' | 'building' | 'starting' | 'verifying' | 'live' | 'superseded' | 'failed' | 'cancelled';
  job_id: string;
  created_by: string;
  version?: string | null;
  entrypoint: string;
  manifest: string;
  public?: boolean | null;
  source_key: string;
  source_sha256: string;
  source_bytes: number;
  source_commit?: string | null;
  image?: string | null;
  image_bytes?: number | null;
  card?: string | null;
  warnings?: string;
  error?: string | null;
  created_at?: Date | string;
  live_at?: Date | string | null;
  ended_at?: Date | string | null;
  upgrade_of?: string | null;
  upgrade_kind?: 'runtime' | 'template' | null;
  differences?: string | null;
  sdk?: string | null;
}

export interface DevBoxSessionsRow {
  session_id: string;
  box_id: string;
  user_id: string;
  token_hash: string;
  public_key: string;
  created_at: Date;
  expires_at: Date;
}
export interface DevBoxSessionsInsert {
  session_id: string;
  box_id: string;
  user_id: string;
  token_hash: string;
  public_key: string;
  created_at?: Date | string;
  expires_at: Date | string;
}

export interface DevBoxesRow {
  box_id: string;
  owner_id: string;
  agent_id: string;
  state: 'starting' | 'running' | 'suspended' | 'stopped';
  host_key: string;
  host_key_sealed: string;
  created_at: Date;
  used_at: Date;
}
export interface DevBoxesInsert {
  box_id: string;
  owner_id: string;
  agent_id: string;
  state?: 'starting' | 'running' | 'suspended' | 'stopped';
  host_key: string;
  host_key_sealed: string;
  created_at?: Date | string;
  used_at?: Date | string;
}

export interface DomainCertificatesRow {
  certificate_id: string;
  domain_id: string;
  state: 'ordered' | 'issued' | 'replaced' | 'failed' | 'revoked';
  key_sealed: string | null;
  order_url: string | null;
  challenge: unknown;
  challenge_token: string | null;
  chain: string | null;
  not_after: Date | null;
  renew_at: Date | null;
  created_at: Date;
  issued_at: Date | null;
  ended_at: Date | null;
}
export interface DomainCertificatesInsert {
  certificate_id: string;
  domain_id: string;
  state?: 'ordered' | 'issued' | 'replaced' | 'failed' | 'revoked';
  key_sealed?: string | null;
  order_url?: string | null;
  challenge?: string | null;
  challenge_token?: string | null;
  chain?: string | null;
  not_after?: Date | string | null;
  renew_at?: Date | string | null;
  created_at?: Date | string;
  issued_at?: Date | string | null;
  ended_at?: Date | string | null;
}

export interface DunningStepsRow {
  subscription_id: string;
  since: Date;
  step: number;
  claimed_at: Date;
  sent_at: Date | null;
}
export interface DunningStepsInsert {
  subscription_id: string;
  since: Date | string;
  step: number;
  claimed_at: Date | string;
  sent_at?: Date | string | null;
}

export interface EarnedSumsRow {
  agent_id: string;
  grain: 'hour' | 'day' | 'month';
  since: Date;
  skill: string;
  amount_micros: number;
}
export interface EarnedSumsInsert {
  agent_id: string;
  grain: 'hour' | 'day' | 'month';
  since: Date | string;
  skill: string;
  amount_micros: number;
}

export interface EvaluationConsentsRow {
  user_id: string;
  agent_id: string;
  created_at: Date;
}
export interface EvaluationConsentsInsert {
  user_id: string;
  agent_id: string;
  created_at: Date | string;
}

export interface EvaluationResultsRow {
  evaluation_id: string;
  item_id: string;
  skill: string;
  args: unknown;
  has_expected: boolean;
  expected: unknown;
  state: 'queued' | 'running' | 'done';
  run_id: string | null;
  passed: boolean | null;
  scores: unknown;
  error: unknown;
}
export interface EvaluationResultsInsert {
  evaluation_id: string;
  item_id: string;
  skill: string;
  args: string;
  has_expected: boolean;
  expected?: string | null;
  state: 'queued' | 'running' | 'done';
  run_id?: string | null;
  passed?: boolean | null;
  scores?: string;
  error?: string | null;
}

export interface EvaluationRulesRow {
  agent_id: string;
  rule: string;
  check: unknown;
  kind: string;
  skills: string[];
  sample: number;
  enabled: boolean;
  updated_at: Date;
}
export interface EvaluationRulesInsert {
  agent_id: string;
  rule: string;
  check: string;
  kind: string;
  skills?: string[];
  sample: number;
  enabled: boolean;
  updated_at: Date | string;
}

export interface EvaluationsRow {
  evaluation_id: string;
  agent_id: string;
  dataset: string;
  deploy_id: string;
  version: string | null;
  created_by: string;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  error: unknown;
  held_until: Date | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface EvaluationsInsert {
  evaluation_id: string;
  agent_id: string;
  dataset: string;
  deploy_id: string;
  version?: string | null;
  created_by: string;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  error?: string | null;
  held_until?: Date | string | null;
  created_at: Date | string;
  ended_at?: Date | string | null;
}

export interface FeatureFlagOverridesRow {
  user_id: string;
  flag_key: string;
  value: unknown;
  updated_at: Date;
}
export interface FeatureFlagOverridesInsert {
  user_id: string;
  flag_key: string;
  value: string;
  updated_at?: Date | string;
}

export interface FeatureFlagsRow {
  flag_key: string;
  type: 'boolean' | 'string' | 'number' | 'choice';
  choices: unknown;
  default_value: unknown;
  description: string;
  created_at: Date;
  updated_at: Date;
  overrides: number;
}
export interface FeatureFlagsInsert {
  flag_key: string;
  type: 'boolean' | 'string' | 'number' | 'choice';
  choices?: string | null;
  default_value: string;
  description?: string;
  created_at?: Date | string;
  updated_at?: Date | string;
  overrides?: number;
}

export interface FileUploadPartsRow {
  upload_id: string;
  start_byte: number;
  size_bytes: number;
  sha256: string;
}
export interface FileUploadPartsInsert {
  upload_id: string;
  start_byte: number;
  size_bytes: number;
  sha256: string;
}

export interface FileUploadsRow {
  upload_id: string;
  bucket: string;
  path: string;
  owner_id: string;
  state: 'open' | 'stored';
  size_bytes: number;
  received_bytes: number;
  media: string | null;
  sha256: string | null;
  if_match: string | null;
  if_none_match: string | null;
  created_at: Date;
  expires_at: Date;
}
export interface FileUploadsInsert {
  upload_id: string;
  bucket: string;
  path: string;
  owner_id: string;
  state: 'open' | 'stored';
  size_bytes: number;
  received_bytes?: number;
  media?: string | null;
  sha256?: string | null;
  if_match?: string | null;
  if_none_match?: string | null;
  created_at: Date | string;
  expires_at: Date | string;
}

export interface FileWordsRow {
  bucket: string;
  path: string;
  words: string;
}
export interface FileWordsInsert {
  bucket: string;
  path: string;
  words: string;
}

export interface FilesRow {
  bucket: string;
  path: string;
  owner_id: string;
  sha256: string;
  size_bytes: number;
  mime_type: string;
  file_type: string;
  content: string | null;
  created_at: Date;
  updated_at: Date;
}
export interface FilesInsert {
  bucket: string;
  path: string;
  owner_id: string;
  sha256: string;
  size_bytes: number;
  mime_type: string;
  file_type: string;
  content?: string | null;
  created_at?: Date | string;
  updated_at?: Date | string;
}

export interface FreeCallsRow {
  payer_id: string;
  agent_id: string;
  skill: string;
  used: number;
}
export interface FreeCallsInsert {
  payer_id: string;
  agent_id: string;
  skill: string;
  used: number;
}

export interface GrantsRow {
  grant_id: string;
  parent_grant_id: string | null;
  kind: 'mint' | 'delegate' | 'extend';
  owner_id: string;
  issuer: string;
  audience: string;
  bucket: string;
  mode: 'read_only' | 'read_write_overlay';
  allow_patterns: string[];
  deny_patterns: string[];
  outputs_prefix: string | null;
  depth: number;
  run_id: string | null;
  wait_id: string | null;
  reason: string | null;
  issued_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  revoked_reason: string | null;
  superseded_by: string | null;
}
export interface GrantsInsert {
  grant_id: string;
  parent_grant_id?: string | null;
  kind: 'mint' | 'delegate' | 'extend';
  owner_id: string;
  issuer: string;
  audience: string;
  bucket: string;
  mode: 'read_only' | 'read_write_overlay';
  allow_patterns: string[];
  deny_patterns?: string[];
  outputs_prefix?: string | null;
  depth?: number;
  run_id?: string | null;
  wait_id?: string | null;
  reason?: string | null;
  issued_at: Date | string;
  expires_at: Date | string;
  revoked_at?: Date | string | null;
  revoked_reason?: string | null;
  superseded_by?: string | null;
}

export interface IdpAccountsRow {
  account_id: string;
  email: string;
  name: string;
  operator: boolean;
  password_hash: string;
  email_verified: boolean;
}
export interface IdpAccountsInsert {
  account_id: string;
  email: string;
  name: string;
  operator?: boolean;
  password_hash: string;
  email_verified?: boolean;
}

export interface InstalledAgentsRow {
  user_id: string;
  agent_id: string;
  installed_at: Date;
}
export interface InstalledAgentsInsert {
  user_id: string;
  agent_id: string;
  installed_at?: Date | string;
}

export interface InstancesRow {
  instance_id: string;
  deploy_id: string;
  agent_id: string;
  node: string;
  state: 'starting' | 'serving' | 'draining' | 'stopped';
  api_key_sealed: string;
  runtime: string | null;
  created_at: Date;
  stopped_at: Date | null;
  unwell_reason: string | null;
  unwell_since: Date | null;
  wakes_counted_to: Date | null;
  network_denied: boolean;
}
export interface InstancesInsert {
  instance_id: string;
  deploy_id: string;
  agent_id: string;
  node: string;
  state: 'starting' | 'serving' | 'draining' | 'stopped';
  api_key_sealed: string;
  runtime?: string | null;
  created_at?: Date | string;
  stopped_at?: Date | string | null;
  unwell_reason?: string | null;
  unwell_since?: Date | string | null;
  wakes_counted_to?: Date | string | null;
  network_denied?: boolean;
}

export interface InvoicesRow {
  invoice_id: string;
  user_id: string;
  kind: 'subscription' | 'usage';
  subscription_id: string | null;
  number: string | null;
  state: 'open' | 'paid' | 'void' | 'uncollectible';
  amount_micros: number;
  tax_micros: number;
  paid_micros: number;
  lines: unknown;
  period_start: Date;
  period_end: Date;
  url: string | null;
  pdf_url: string | null;
  revision: number;
  created_at: Date;
}
export interface InvoicesInsert {
  invoice_id: string;
  user_id: string;
  kind: 'subscription' | 'usage';
  subscription_id?: string | null;
  number?: string | null;
  state: 'open' | 'paid' | 'void' | 'uncollectible';
  amount_micros: number;
  tax_micros: number;
  paid_micros: number;
  lines: string;
  period_start: Date | string;
  period_end: Date | string;
  url?: string | null;
  pdf_url?: string | null;
  revision: number;
  created_at: Date | string;
}

export interface JobArchivesRow {
  job_id: string;
  storage_key: string;
  sha256: string;
  size_bytes: number;
  events: number;
  archived_at: Date;
  removed_at: Date | null;
}
export interface JobArchivesInsert {
  job_id: string;
  storage_key: string;
  sha256: string;
  size_bytes: number;
  events: number;
  archived_at?: Date | string;
  removed_at?: Date | string | null;
}

export interface JobEventsRow {
  job_id: string;
  seq: number;
  kind: string;
  payload: unknown;
  at: Date;
}
export interface JobEventsInsert {
  job_id: string;
  seq: number;
  kind: string;
  payload?: string;
  at?: Date | string;
}

export interface JobsRow {
  job_id: string;
  kind: string;
  state: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  title: string;
  owner_id: string;
  agent_id: string | null;
  agent_name: string | null;
  thread_id: string | null;
  parent_job_id: string | null;
  idempotency_key: string | null;
  workflow_id: string | null;
  input: unknown;
  output: unknown;
  error: unknown;
  last_seq: number;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  events_state: 'kept' | 'archived' | 'removed';
}
export interface JobsInsert {
  job_id: string;
  kind: string;
  state: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  title: string;
  owner_id: string;
  agent_id?: string | null;
  agent_name?: string | null;
  thread_id?: string | null;
  parent_job_id?: string | null;
  idempotency_key?: string | null;
  workflow_id?: string | null;
  input?: string;
  output?: string | null;
  error?: string | null;
  last_seq?: number;
  created_at?: Date | string;
  started_at?: Date | string | null;
  ended_at?: Date | string | null;
  events_state?: 'kept' | 'archived' | 'removed';
}

export interface KernelRunsRow {
  job_id: string;
  owner_id: string;
  kind: 'simulation' | 'evolution';
  world: 'market' | 'tournament' | 'school' | 'adversarial_arena' | 'resource_competition' | 'capability_lifecycle' | 'partnership';
  template: string | null;
  execution_mode: 'bounded' | 'hybrid';
  seed: number;
  engine: string;
  spec: unknown;
  input: unknown;
  replay_of: string | null;
  done: number;
  total: number;
  digests: unknown;
  samples: unknown;
  most_calls: number;
  calls: unknown;
  contestants: unknown;
  verdict: 'held' | 'violated' | null;
  digest: string | null;
  result: unknown;
  first_difference: number | null;
  budget_cents: number;
  deadline_at: Date;
  created_at: Date;
}
export interface KernelRunsInsert {
  job_id: string;
  owner_id: string;
  kind: 'simulation' | 'evolution';
  world: 'market' | 'tournament' | 'school' | 'adversarial_arena' | 'resource_competition' | 'capability_lifecycle' | 'partnership';
  template?: string | null;
  execution_mode: 'bounded' | 'hybrid';
  seed: number;
  engine: string;
  spec: string;
  input?: string;
  replay_of?: string | null;
  done?: number;
  total: number;
  digests?: string;
  samples?: string;
  most_calls?: number;
  calls?: string;
  contestants?: string;
  verdict?: 'held' | 'violated' | null;
  digest?: string | null;
  result?: string | null;
  first_difference?: number | null;
  budget_cents?: number;
  deadline_at: Date | string;
  created_at?: Date | string;
}

export interface LedgerAccountsRow {
  account_id: string;
  kind: 'wallet' | 'earnings' | 'fees' | 'funding' | 'promotion' | 'escrow' | 'losses' | 'payouts';
  owner_id: string | null;
  shard: number;
  balance_micros: number;
  held_micros: number;
  version: number;
  may_overdraw: boolean;
  created_at: Date;
  owed_micros: number;
}
export interface LedgerAccountsInsert {
  account_id: string;
  kind: 'wallet' | 'earnings' | 'fees' | 'funding' | 'promotion' | 'escrow' | 'losses' | 'payouts';
  owner_id?: string | null;
  shard?: number;
  balance_micros?: number;
  held_micros?: number;
  version?: number;
  may_overdraw: boolean;
  created_at: Date | string;
  owed_micros?: number;
}

export interface LedgerEntriesRow {
  account_id: string;
  version: number;
  transaction_id: string;
  amount_micros: number;
  balance_before: number;
  balance_after: number;
}
export interface LedgerEntriesInsert {
  account_id: string;
  version: number;
  transaction_id: string;
  amount_micros: number;
  balance_before: number;
  balance_after: number;
}

export interface LedgerHoldsRow {
  hold_id: string;
  key: string;
  account_id: string;
  amount_micros: number;
  state: 'open' | 'settled' | 'released';
  expires_at: Date;
  created_at: Date;
  ended_at: Date | null;
}
export interface LedgerHoldsInsert {
  hold_id: string;
  key: string;
  account_id: string;
  amount_micros: number;
  state: 'open' | 'settled' | 'released';
  expires_at: Date | string;
  created_at: Date | string;
  ended_at?: Date | string | null;
}

export interface LedgerTransactionsRow {
  transaction_id: string;
  key: string;
  kind: 'top_up' | 'promotion' | 'charge' | 'escrow' | 'reversal' | 'refund' | 'restore' | 'recovery' | 'payout' | 'payout_return';
  reverses: string | null;
  refs: unknown;
  created_at: Date;
}
export interface LedgerTransactionsInsert {
  transaction_id: string;
  key: string;
  kind: 'top_up' | 'promotion' | 'charge' | 'escrow' | 'reversal' | 'refund' | 'restore' | 'recovery' | 'payout' | 'payout_return';
  reverses?: string | null;
  refs: string;
  created_at: Date | string;
}

export interface LlmCapsRow {
  cap_id: string;
  user_id: string;
  limit_micros: number;
  spent_micros: number;
  reserved_micros: number;
  created_at: Date;
}
export interface LlmCapsInsert {
  cap_id: string;
  user_id: string;
  limit_micros: number;
  spent_micros?: number;
  reserved_micros?: number;
  created_at: Date | string;
}

export interface LlmCredentialsRow {
  credential_id: string;
  user_id: string;
  name: string;
  provider: string;
  protocol: 'openai' | 'anthropic';
  base_url: string;
  model: string;
  key_sealed: string | null;
  key_hint: string;
  is_default: boolean;
  monthly_budget_micros: number | null;
  prices: unknown;
  check_state: string;
  check_message: string | null;
  checked_at: Date | null;
  created_at: Date;
  updated_at: Date;
  agent_run_budget_micros: number | null;
}
export interface LlmCredentialsInsert {
  credential_id: string;
  user_id: string;
  name: string;
  provider: string;
  protocol: 'openai' | 'anthropic';
  base_url: string;
  model: string;
  key_sealed?: string | null;
  key_hint?: string;
  is_default?: boolean;
  monthly_budget_micros?: number | null;
  prices?: string | null;
  check_state?: string;
  check_message?: string | null;
  checked_at?: Date | string | null;
  created_at?: Date | string;
  updated_at?: Date | string;
  agent_run_budget_micros?: number | null;
}

export interface LlmGrantsRow {
  grant_id: string;
  key_hash: string;
  user_id: string;
  agent_id: string;
  run_id: string;
  run: unknown;
  models: string[] | null;
  budget_micros: number;
  requests_per_minute: number;
  tokens_per_minute: number;
  created_at: Date;
  expires_at: Date;
}
export interface LlmGrantsInsert {
  grant_id: string;
  key_hash: string;
  user_id: string;
  agent_id: string;
  run_id: string;
  run: string;
  models?: string[] | null;
  budget_micros: number;
  requests_per_minute: number;
  tokens_per_minute: number;
  created_at: Date | string;
  expires_at: Date | string;
}

export interface LlmRatesRow {
  rate_id: string;
  minute: number;
  requests: number;
  tokens: number;
}
export interface LlmRatesInsert {
  rate_id: string;
  minute: number;
  requests: number;
  tokens: number;
}

export interface LlmSpendingRow {
  credential_id: string;
  month: string;
  spent_micros: number;
  reserved_micros: number;
}
export interface LlmSpendingInsert {
  credential_id: string;
  month: string;
  spent_micros?: number;
  reserved_micros?: number;
}

export interface LlmUsageRow {
  usage_id: string;
  user_id: string;
  credential_id: string;
  credential: string;
  provider: string;
  model: string;
  purpose: string;
  agent_name: string | null;
  run_id: string | null;
  thread_id: string | null;
  state: 'running' | 'ok' | 'failed' | 'cancelled' | 'lost';
  error_code: string | null;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  estimated: boolean;
  reserved_micros: number;
  cost_micros: number | null;
  day: string;
  started_at: Date;
  ended_at: Date | null;
  person_id: string | null;
  cap_ids: string[];
  parent_span_id: string | null;
  counted: boolean;
}
export interface LlmUsageInsert {
  usage_id: string;
  user_id: string;
  credential_id: string;
  credential: string;
  provider: string;
  model: string;
  purpose: string;
  agent_name?: string | null;
  run_id?: string | null;
  thread_id?: string | null;
  state?: 'running' | 'ok' | 'failed' | 'cancelled' | 'lost';
  error_code?: string | null;
  input_tokens?: number;
  cached_input_tokens?: number;
  output_tokens?: number;
  estimated?: boolean;
  reserved_micros?: number;
  cost_micros?: number | null;
  day: string;
  started_at: Date | string;
  ended_at?: Date | string | null;
  person_id?: string | null;
  cap_ids?: string[];
  parent_span_id?: string | null;
  counted?: boolean;
}

export interface MailKeysRow {
  domain: string;
  selector: string;
  private_sealed: string;
  public_key: string;
  created_at: Date;
}
export interface MailKeysInsert {
  domain: string;
  selector: string;
  private_sealed: string;
  public_key: string;
  created_at?: Date | string;
}

export interface MailMessagesRow {
  mail_id: string;
  number: number;
  mailbox_id: string;
  thread_no: number | null;
  direction: 'in' | 'out';
  state: 'accepted' | 'running' | 'answered' | 'done' | 'skipped' | 'queued' | 'sent' | 'thread_only' | 'failed';
  why: string | null;
  dedupe: string | null;
  message_id: string | null;
  in_reply_to: string[];
  correspondent: string;
  subject: string;
  sha256: string | null;
  size_bytes: number;
  body: string | null;
  verdict: unknown;
  job_id: string | null;
  answers: string | null;
  attempts: number;
  created_at: Date;
  ended_at: Date | null;
}
export interface MailMessagesInsert {
  mail_id: string;
  number?: number;
  mailbox_id: string;
  thread_no?: number | null;
  direction: 'in' | 'out';
  state: 'accepted' | 'running' | 'answered' | 'done' | 'skipped' | 'queued' | 'sent' | 'thread_only' | 'failed';
  why?: string | null;
  dedupe?: string | null;
  message_id?: string | null;
  in_reply_to?: string[];
  correspondent: string;
  subject: string;
  sha256?: string | null;
  size_bytes?: number;
  body?: string | null;
  verdict?: string | null;
  job_id?: string | null;
  answers?: string | null;
  attempts?: number;
  created_at?: Date | string;
  ended_at?: Date | string | null;
}

export interface MailThreadsRow {
  thread_no: number;
  mailbox_id: string;
  thread_id: string | null;
  correspondent: string;
  subject: string;
  created_at: Date;
}
export interface MailThreadsInsert {
  thread_no?: number;
  mailbox_id: string;
  thread_id?: string | null;
  correspondent: string;
  subject: string;
  created_at?: Date | string;
}

export interface MailboxEventsRow {
  event_id: string;
  mailbox_id: string;
  kind: 'mail_received' | 'mail_sent' | 'mail_skipped' | 'mail_send_rate_limited';
  why: string | null;
  detail: string | null;
  mail_id: string | null;
  correspondent: string | null;
  subject: string | null;
  message_id: string | null;
  thread_id: string | null;
  job_id: string | null;
  at: Date;
}
export interface MailboxEventsInsert {
  event_id: string;
  mailbox_id: string;
  kind: 'mail_received' | 'mail_sent' | 'mail_skipped' | 'mail_send_rate_limited';
  why?: string | null;
  detail?: string | null;
  mail_id?: string | null;
  correspondent?: string | null;
  subject?: string | null;
  message_id?: string | null;
  thread_id?: string | null;
  job_id?: string | null;
  at?: Date | string;
}

export interface MailboxesRow {
  mailbox_id: string;
  agent_id: string;
  address: string;
  state: 'pending' | 'provisioning' | 'ready' | 'failed' | 'disabled' | 'removed';
  declared_senders: string[];
  allowed_senders: string[];
  error: unknown;
  created_at: Date;
  updated_at: Date;
}
export interface MailboxesInsert {
  mailbox_id: string;
  agent_id: string;
  address: string;
  state: 'pending' | 'provisioning' | 'ready' | 'failed' | 'disabled' | 'removed';
  declared_senders?: string[];
  allowed_senders?: string[];
  error?: string | null;
  created_at?: Date | string;
  updated_at?: Date | string;
}

export interface MetaRunsRow {
  meta_run_id: string;
  agent_id: string;
  user_id: string;
  goal: string;
  criteria: unknown;
  plan: unknown;
  progress: unknown;
  status: 'planning' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  version: number;
  run_id: string | null;
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
}
export interface MetaRunsInsert {
  meta_run_id: string;
  agent_id: string;
  user_id: string;
  goal: string;
  criteria: string;
  plan: string;
  progress: string;
  status: 'planning' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  version?: number;
  run_id?: string | null;
  created_at?: Date | string;
  updated_at?: Date | string;
  ended_at?: Date | string | null;
}

export interface ModelUseCountsRow {
  agent_id: string;
  grain: 'hour' | 'day' | 'month';
  since: Date;
  relation: 'owner' | 'other' | 'none';
  model: string;
  uses: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  cost_micros: number;
  unpriced: number;
}
export interface ModelUseCountsInsert {
  agent_id: string;
  grain: 'hour' | 'day' | 'month';
  since: Date | string;
  relation: 'owner' | 'other' | 'none';
  model: string;
  uses: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  cost_micros: number;
  unpriced: number;
}

export interface NotificationsRow {
  user_id: string;
  mail_from: Date | null;
  mailed_at: Date | null;
}
export interface NotificationsInsert {
  user_id: string;
  mail_from?: Date | string | null;
  mailed_at?: Date | string | null;
}

export interface OidcPayloadRow {
  kind: string;
  id: string;
  payload: unknown;
  grant_id: string | null;
  user_code: string | null;
  uid: string | null;
  expires_at: Date | null;
  consumed_at: Date | null;
}
export interface OidcPayloadInsert {
  kind: string;
  id: string;
  payload: string;
  grant_id?: string | null;
  user_code?: string | null;
  uid?: string | null;
  expires_at?: Date | string | null;
  consumed_at?: Date | string | null;
}

export interface OnboardingRow {
  user_id: string;
  tour_index: number;
  dismissed_at: Date | null;
}
export interface OnboardingInsert {
  user_id: string;
  tour_index?: number;
  dismissed_at?: Date | string | null;
}

export interface OneTimeCodesRow {
  code_hash: string;
  kind: 'oidc_state' | 'cli_session' | 'cli_confirm' | 'agent_session' | 'sso_state' | 'sso_token';
  user_id: string | null;
  audience: string | null;
  payload: unknown;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
  used_by: string | null;
}
export interface OneTimeCodesInsert {
  code_hash: string;
  kind: 'oidc_state' | 'cli_session' | 'cli_confirm' | 'agent_session' | 'sso_state' | 'sso_token';
  user_id?: string | null;
  audience?: string | null;
  payload?: string;
  created_at?: Date | string;
  expires_at: Date | string;
  used_at?: Date | string | null;
  used_by?: string | null;
}

export interface OpenCallsRow {
  call_id: string;
  process_id: string;
  began_at: Date;
  call: unknown;
  goes_on: boolean;
  receipt_id: string | null;
}
export interface OpenCallsInsert {
  call_id: string;
  process_id: string;
  began_at?: Date | string;
  call: string;
  goes_on?: boolean;
  receipt_id?: string | null;
}

export interface OrganizationAuditRow {
  organization_id: string;
  sequence: number;
  audit_id: string;
  action: string;
  actor_id: string | null;
  at: Date;
  entry: string;
  previous_sha256: string;
  sha256: string;
}
export interface OrganizationAuditInsert {
  organization_id: string;
  sequence: number;
  audit_id: string;
  action: string;
  actor_id?: string | null;
  at: Date | string;
  entry: string;
  previous_sha256: string;
  sha256: string;
}

export interface OrganizationDomainsRow {
  domain_id: string;
  organization_id: string;
  domain: string;
  nonce: string;
  state: 'pending' | 'verified' | 'lapsed';
  problem: string | null;
  failures: number;
  created_at: Date;
  verified_at: Date | null;
  checked_at: Date | null;
}
export interface OrganizationDomainsInsert {
  domain_id: string;
  organization_id: string;
  domain: string;
  nonce: string;
  state: 'pending' | 'verified' | 'lapsed';
  problem?: string | null;
  failures?: number;
  created_at: Date | string;
  verified_at?: Date | string | null;
  checked_at?: Date | string | null;
}

export interface OrganizationMembersRow {
  member_id: string;
  organization_id: string;
  user_id: string | null;
  email: string;
  role: 'owner' | 'admin' | 'developer' | 'operator' | 'auditor' | 'billing';
  state: 'invited' | 'active' | 'suspended';
  source: 'person' | 'scim' | 'domain' | 'sso';
  invited_by: string | null;
  created_at: Date;
  joined_at: Date | null;
  updated_at: Date;
  invitation: number;
  expires_at: Date | null;
  mail_claimed_at: Date | null;
  mailed_at: Date | null;
}
export interface OrganizationMembersInsert {
  member_id: string;
  organization_id: string;
  user_id?: string | null;
  email: string;
  role: 'owner' | 'admin' | 'developer' | 'operator' | 'auditor' | 'billing';
  state: 'invited' | 'active' | 'suspended';
  source: 'person' | 'scim' | 'domain' | 'sso';
  invited_by?: string | null;
  created_at: Date | string;
  joined_at?: Date | string | null;
  updated_at: Date | string;
  invitation?: number;
  expires_at?: Date | string | null;
  mail_claimed_at?: Date | string | null;
  mailed_at?: Date | string | null;
}

export interface OrganizationsRow {
  organization_id: string;
  slug: string;
  name: string;
  created_by: string | null;
  created_at: Date;
  auto_join_role: 'developer' | 'auditor' | null;
  scim_users: number;
  scim_groups: number;
}
export interface OrganizationsInsert {
  organization_id: string;
  slug: string;
  name: string;
  created_by?: string | null;
  created_at: Date | string;
  auto_join_role?: 'developer' | 'auditor' | null;
  scim_users?: number;
  scim_groups?: number;
}

export interface OutboxRow {
  outbox_id: string;
  kind: 'start' | 'signal' | 'update' | 'cancel';
  workflow_id: string;
  name: string;
  message: unknown;
  request_id: string;
  created_at: Date;
  due_at: Date;
  attempts: number;
  last_error: string | null;
  sent_at: Date | null;
}
export interface OutboxInsert {
  outbox_id: string;
  kind: 'start' | 'signal' | 'update' | 'cancel';
  workflow_id: string;
  name: string;
  message?: string;
  request_id: string;
  created_at?: Date | string;
  due_at?: Date | string;
  attempts?: number;
  last_error?: string | null;
  sent_at?: Date | string | null;
}

export interface PatchesRow {
  patch_id: string;
  bucket: string;
  path: string;
  operation: 'write' | 'delete';
  grant_id: string;
  run_id: string | null;
  sha256: string | null;
  size_bytes: number;
  mime_type: string | null;
  file_type: string | null;
  content: string | null;
  base_sha256: string | null;
  state: 'staged' | 'committed' | 'rejected';
  reason: string | null;
  created_at: Date;
  settled_at: Date | null;
}
export interface PatchesInsert {
  patch_id: string;
  bucket: string;
  path: string;
  operation: 'write' | 'delete';
  grant_id: string;
  run_id?: string | null;
  sha256?: string | null;
  size_bytes?: number;
  mime_type?: string | null;
  file_type?: string | null;
  content?: string | null;
  base_sha256?: string | null;
  state?: 'staged' | 'committed' | 'rejected';
  reason?: string | null;
  created_at?: Date | string;
  settled_at?: Date | string | null;
}

export interface PaymentCustomersRow {
  user_id: string;
  processor: 'builtin' | 'stripe';
  customer_id: string;
  created_at: Date;
}
export interface PaymentCustomersInsert {
  user_id: string;
  processor: 'builtin' | 'stripe';
  customer_id: string;
  created_at: Date | string;
}

export interface PayoutAccountsRow {
  user_id: string;
  processor_id: string | null;
  details_submitted: boolean;
  payouts_enabled: boolean;
  requirements: string[];
  disabled_reason: string | null;
  created_at: Date;
  checked_at: Date;
  revision: number;
  bank_payout_id: string | null;
  bank_state: 'on_its_way' | 'paid' | 'failed' | 'cancelled' | null;
  bank_amount: number | null;
  bank_currency: string | null;
  bank_failure: unknown;
  bank_at: Date | null;
}
export interface PayoutAccountsInsert {
  user_id: string;
  processor_id?: string | null;
  details_submitted: boolean;
  payouts_enabled: boolean;
  requirements: string[];
  disabled_reason?: string | null;
  created_at: Date | string;
  checked_at: Date | string;
  revision?: number;
  bank_payout_id?: string | null;
  bank_state?: 'on_its_way' | 'paid' | 'failed' | 'cancelled' | null;
  bank_amount?: number | null;
  bank_currency?: string | null;
  bank_failure?: string | null;
  bank_at?: Date | string | null;
}

export interface PayoutAllocationsRow {
  account_id: string;
  spend_version: number;
  lot_version: number;
  received_micros: number;
  other_micros: number;
  lost_micros: number;
}
export interface PayoutAllocationsInsert {
  account_id: string;
  spend_version: number;
  lot_version: number;
  received_micros: number;
  other_micros: number;
  lost_micros?: number;
}

export interface PayoutLinesRow {
  line_id: string;
  kind: 'receipt' | 'bounty' | 'adjustment' | 'carry' | 'returned';
  state: 'accrued' | 'held' | 'owed' | 'in_run' | 'paid' | 'failed' | 'cancelled';
  creator_id: string;
  charge_id: string | null;
  bounty_id: string | null;
  of_line_id: string | null;
  account_id: string | null;
  spend_version: number | null;
  agent_id: string | null;
  agent_name: string | null;
  skill: string | null;
  price_version: number | null;
  receipt_id: string | null;
  receipt_sha256: string | null;
  charged_micros: number;
  creator_micros: number;
  received_micros: number;
  amount_micros: number;
  reason: 'not_ok' | 'reversed' | 'restored' | 'rounding' | 'transfer_reversed' | null;
  transfer_id: string | null;
  at: Date;
  hold_until: Date | null;
  created_at: Date;
  of_transfer_id: string | null;
}
export interface PayoutLinesInsert {
  line_id: string;
  kind: 'receipt' | 'bounty' | 'adjustment' | 'carry' | 'returned';
  state: 'accrued' | 'held' | 'owed' | 'in_run' | 'paid' | 'failed' | 'cancelled';
  creator_id: string;
  charge_id?: string | null;
  bounty_id?: string | null;
  of_line_id?: string | null;
  account_id?: string | null;
  spend_version?: number | null;
  agent_id?: string | null;
  agent_name?: string | null;
  skill?: string | null;
  price_version?: number | null;
  receipt_id?: string | null;
  receipt_sha256?: string | null;
  charged_micros: number;
  creator_micros: number;
  received_micros: number;
  amount_micros: number;
  reason?: 'not_ok' | 'reversed' | 'restored' | 'rounding' | 'transfer_reversed' | null;
  transfer_id?: string | null;
  at: Date | string;
  hold_until?: Date | string | null;
  created_at: Date | string;
  of_transfer_id?: string | null;
}

export interface PayoutLossesReadRow {
  account_id: string;
  version: number;
}
export interface PayoutLossesReadInsert {
  account_id: string;
  version: number;
}

export interface PayoutLotsRow {
  account_id: string;
  version: number;
  transaction_id: string;
  received_left: number;
  other_left: number;
  lost_left: number;
}
export interface PayoutLotsInsert {
  account_id: string;
  version: number;
  transaction_id: string;
  received_left: number;
  other_left: number;
  lost_left?: number;
}

export interface PayoutNoticesRow {
  user_id: string;
  kind: 'transfer_reversed' | 'bank_refused' | 'account_restricted';
  subject: string;
  details: unknown;
  created_at: Date;
  claimed_at: Date | null;
  sent_at: Date | null;
}
export interface PayoutNoticesInsert {
  user_id: string;
  kind: 'transfer_reversed' | 'bank_refused' | 'account_restricted';
  subject: string;
  details: string;
  created_at: Date | string;
  claimed_at?: Date | string | null;
  sent_at?: Date | string | null;
}

export interface PayoutPlacesRow {
  account_id: string;
  version: number;
}
export interface PayoutPlacesInsert {
  account_id: string;
  version: number;
}

export interface PayoutRunsRow {
  run_id: string;
  key: string;
  state: 'running' | 'ended';
  creator_id: string | null;
  requested_by: string | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface PayoutRunsInsert {
  run_id: string;
  key: string;
  state: 'running' | 'ended';
  creator_id?: string | null;
  requested_by?: string | null;
  created_at: Date | string;
  ended_at?: Date | string | null;
}

export interface PayoutSpendsRow {
  account_id: string;
  version: number;
  transaction_id: string;
  kind: 'charge' | 'reward' | 'other';
  subject_id: string | null;
  amount_micros: number;
  received_micros: number;
  changed: boolean;
}
export interface PayoutSpendsInsert {
  account_id: string;
  version: number;
  transaction_id: string;
  kind: 'charge' | 'reward' | 'other';
  subject_id?: string | null;
  amount_micros: number;
  received_micros: number;
  changed: boolean;
}

export interface PayoutTransfersRow {
  transfer_id: string;
  run_id: string;
  creator_id: string;
  destination: string;
  state: 'pending' | 'paid' | 'failed';
  lines: number;
  lines_micros: number;
  amount_micros: number;
  processor_id: string | null;
  error: unknown;
  statement: string | null;
  root_sha256: string | null;
  created_at: Date;
  sent_at: Date | null;
  ended_at: Date | null;
  reversed_micros: number;
}
export interface PayoutTransfersInsert {
  transfer_id: string;
  run_id: string;
  creator_id: string;
  destination: string;
  state: 'pending' | 'paid' | 'failed';
  lines: number;
  lines_micros: number;
  amount_micros: number;
  processor_id?: string | null;
  error?: string | null;
  statement?: string | null;
  root_sha256?: string | null;
  created_at: Date | string;
  sent_at?: Date | string | null;
  ended_at?: Date | string | null;
  reversed_micros?: number;
}

export interface PlanCheckoutsRow {
  user_id: string;
  checkout_key: string;
  processor: 'builtin' | 'stripe';
  plan: string;
  plan_name: string;
  price_cents: number;
  seats: number;
  checkout_id: string | null;
  checkout_url: string | null;
  created_at: Date;
  expires_at: Date;
  checked_at: Date | null;
}
export interface PlanCheckoutsInsert {
  user_id: string;
  checkout_key: string;
  processor: 'builtin' | 'stripe';
  plan: string;
  plan_name: string;
  price_cents: number;
  seats: number;
  checkout_id?: string | null;
  checkout_url?: string | null;
  created_at: Date | string;
  expires_at: Date | string;
  checked_at?: Date | string | null;
}

export interface PlansRow {
  plan: string;
  name: string;
  description: string;
  price_cents: number;
  max_seats: number;
  included_micros: number;
  limits: unknown;
  position: number;
  offered: boolean;
  version: number;
  updated_at: Date;
  updated_by: string | null;
}
export interface PlansInsert {
  plan: string;
  name: string;
  description: string;
  price_cents: number;
  max_seats: number;
  included_micros: number;
  limits: string;
  position: number;
  offered: boolean;
  version: number;
  updated_at?: Date | string;
  updated_by?: string | null;
}

export interface PlatformSettingsRow {
  key: string;
  value: number;
  version: number;
  updated_at: Date;
}
export interface PlatformSettingsInsert {
  key: string;
  value: number;
  version?: number;
  updated_at?: Date | string;
}

export interface PlatformTokensRow {
  token_id: string;
  token_hash: string;
  kind: 'user' | 'platform' | 'agent_session' | 'agent_api';
  user_id: string | null;
  agent_id: string | null;
  label: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  number: number;
  skills: string[] | null;
  placement: 'header' | 'url_query' | null;
  routes: string[] | null;
  signed_in_at: Date | null;
  sso_connection_id: string | null;
}
export interface PlatformTokensInsert {
  token_id: string;
  token_hash: string;
  kind: 'user' | 'platform' | 'agent_session' | 'agent_api';
  user_id?: string | null;
  agent_id?: string | null;
  label?: string;
  created_at?: Date | string;
  expires_at?: Date | string | null;
  last_used_at?: Date | string | null;
  revoked_at?: Date | string | null;
  number?: number;
  skills?: string[] | null;
  placement?: 'header' | 'url_query' | null;
  routes?: string[] | null;
  signed_in_at?: Date | string | null;
  sso_connection_id?: string | null;
}

export interface PolicyCountsRow {
  count_id: string;
  user_id: string;
  taken: number;
  created_at: Date;
}
export interface PolicyCountsInsert {
  count_id: string;
  user_id: string;
  taken: number;
  created_at?: Date | string;
}

export interface PolicyDecisionsRow {
  decision_id: string;
  owner_id: string;
  action: 'handoff' | 'grant' | 'expand_scope' | 'write_file' | 'egress' | 'spend' | 'publish' | 'deploy';
  outcome: 'allow' | 'ask' | 'deny';
  reasons: string[];
  rules_version: number;
  policy_hash: string;
  request: unknown;
  decided_at: Date;
}
export interface PolicyDecisionsInsert {
  decision_id: string;
  owner_id: string;
  action: 'handoff' | 'grant' | 'expand_scope' | 'write_file' | 'egress' | 'spend' | 'publish' | 'deploy';
  outcome: 'allow' | 'ask' | 'deny';
  reasons: string[];
  rules_version: number;
  policy_hash: string;
  request: string;
  decided_at: Date | string;
}

export interface PolicyDenialsRow {
  denial_id: string;
  denial_key: string;
  user_id: string;
  action: 'handoff' | 'grant' | 'expand_scope' | 'write_file' | 'egress' | 'spend' | 'publish' | 'deploy';
  outcome: 'deny' | 'ask';
  rule: string;
  resource: string;
  message: string;
  agent_name: string | null;
  run_id: string | null;
  root_run_id: string | null;
  job_id: string | null;
  decision_id: string | null;
  policy_sha256: string;
  policy_version: number;
  count: number;
  created_at: Date;
  last_at: Date;
}
export interface PolicyDenialsInsert {
  denial_id: string;
  denial_key: string;
  user_id: string;
  action: 'handoff' | 'grant' | 'expand_scope' | 'write_file' | 'egress' | 'spend' | 'publish' | 'deploy';
  outcome: 'deny' | 'ask';
  rule: string;
  resource: string;
  message: string;
  agent_name?: string | null;
  run_id?: string | null;
  root_run_id?: string | null;
  job_id?: string | null;
  decision_id?: string | null;
  policy_sha256: string;
  policy_version: number;
  count?: number;
  created_at: Date | string;
  last_at: Date | string;
}

export interface PolicyNetworkPositionsRow {
  node: string;
  boot_id: string;
  seq: number;
}
export interface PolicyNetworkPositionsInsert {
  node: string;
  boot_id: string;
  seq: number;
}

export interface PolicyRulesRow {
  owner_id: string;
  version: number;
  default_outcome: 'allow' | 'deny';
  record_allowed: boolean;
  policies: unknown;
  hash: string;
  created_at: Date;
}
export interface PolicyRulesInsert {
  owner_id: string;
  version: number;
  default_outcome: 'allow' | 'deny';
  record_allowed: boolean;
  policies: string;
  hash: string;
  created_at?: Date | string;
}

export interface ProcessorEventsRow {
  event_id: string;
  processor: 'builtin' | 'stripe';
  type: string;
  subject: string | null;
  created_at: Date;
  taken_at: Date;
}
export interface ProcessorEventsInsert {
  event_id: string;
  processor: 'builtin' | 'stripe';
  type: string;
  subject?: string | null;
  created_at: Date | string;
  taken_at: Date | string;
}

export interface ProtocolEntriesRow {
  entry_id: string;
  agent_id: string;
  protocol_id: string;
  version: string;
  display_name: string;
  risk_class: 'low' | 'medium' | 'high';
  suite: unknown;
  digest: string;
  kid: string;
  signature: string;
  state: 'draft' | 'schema_validated' | 'policy_reviewed' | 'sandbox_simulated' | 'enabled_private' | 'enabled_public' | 'deprecated' | 'retired';
  created_at: Date;
  updated_at: Date;
}
export interface ProtocolEntriesInsert {
  entry_id: string;
  agent_id: string;
  protocol_id: string;
  version: string;
  display_name: string;
  risk_class: 'low' | 'medium' | 'high';
  suite: string;
  digest: string;
  kid: string;
  signature: string;
  state: 'draft' | 'schema_validated' | 'policy_reviewed' | 'sandbox_simulated' | 'enabled_private' | 'enabled_public' | 'deprecated' | 'retired';
  created_at: Date | string;
  updated_at: Date | string;
}

export interface ProtocolMovesRow {
  entry_id: string;
  seq: number;
  from_state: string | null;
  to_state: string;
  moved_by: string | null;
  note: string;
  at: Date;
}
export interface ProtocolMovesInsert {
  entry_id: string;
  seq: number;
  from_state?: string | null;
  to_state: string;
  moved_by?: string | null;
  note: string;
  at: Date | string;
}

export interface ProtocolScenarioRunsRow {
  job_id: string;
  position: number;
  scenario: string;
  seed: number;
  state: 'queued' | 'running' | 'passed' | 'failed' | 'skipped' | 'errored' | 'cancelled';
  attempt: number;
  events: unknown;
  observed: unknown;
  broken: unknown;
  reason: string | null;
  digest: string | null;
  started_at: Date | null;
  ended_at: Date | null;
}
export interface ProtocolScenarioRunsInsert {
  job_id: string;
  position: number;
  scenario: string;
  seed: number;
  state: 'queued' | 'running' | 'passed' | 'failed' | 'skipped' | 'errored' | 'cancelled';
  attempt?: number;
  events?: string;
  observed?: string;
  broken?: string;
  reason?: string | null;
  digest?: string | null;
  started_at?: Date | string | null;
  ended_at?: Date | string | null;
}

export interface ProtocolSimulationsRow {
  job_id: string;
  agent_id: string;
  owner_id: string;
  deploy_id: string;
  version: string | null;
  protocol_id: string;
  protocol_version: string;
  display_name: string;
  template_refs: string[];
  suite: unknown;
  suite_digest: string;
  seed: number;
  run_budget_cents: number;
  budget_ceiling_cents: number;
  ttl_seconds: number;
  max_episodes: number;
  deadline_at: Date;
  node: string;
  stage_user_id: string | null;
  stage_removed_at: Date | null;
  spent_micros: number;
  closed_at: Date | null;
  verdict: 'passed' | 'failed' | 'incomplete' | null;
  digest: string | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface ProtocolSimulationsInsert {
  job_id: string;
  agent_id: string;
  owner_id: string;
  deploy_id: string;
  version?: string | null;
  protocol_id: string;
  protocol_version: string;
  display_name: string;
  template_refs?: string[];
  suite: string;
  suite_digest: string;
  seed: number;
  run_budget_cents: number;
  budget_ceiling_cents: number;
  ttl_seconds: number;
  max_episodes: number;
  deadline_at: Date | string;
  node: string;
  stage_user_id?: string | null;
  stage_removed_at?: Date | string | null;
  spent_micros?: number;
  closed_at?: Date | string | null;
  verdict?: 'passed' | 'failed' | 'incomplete' | null;
  digest?: string | null;
  created_at: Date | string;
  ended_at?: Date | string | null;
}

export interface RateLimitsRow {
  key: string;
  points: number;
  expire: number | null;
}
export interface RateLimitsInsert {
  key: string;
  points?: number;
  expire?: number | null;
}

export interface ReceiptChainsRow {
  agent_id: string;
  seq: number;
  head_sha256: string | null;
}
export interface ReceiptChainsInsert {
  agent_id: string;
  seq?: number;
  head_sha256?: string | null;
}

export interface ReceiptKeysRow {
  kid: string;
  public_key: string;
  private_sealed: string;
  not_before: Date;
  not_after: Date;
  created_at: Date;
}
export interface ReceiptKeysInsert {
  kid: string;
  public_key: string;
  private_sealed: string;
  not_before: Date | string;
  not_after: Date | string;
  created_at?: Date | string;
}

export interface ReceiptsRow {
  receipt_id: string;
  agent_id: string;
  seq: number | null;
  source: 'platform' | 'self';
  kid: string;
  token: string;
  payload: unknown;
  payload_sha256: string;
  skill: string;
  status: 'ok' | 'error' | 'cancelled';
  caller_kind: string;
  caller_id: string | null;
  caller_user_id: string | null;
  deploy_id: string | null;
  job_id: string | null;
  started_at: Date;
  ended_at: Date;
  duration_ms: number;
  created_at: Date;
  run_id: string | null;
  trace_id: string | null;
  parent_span_id: string | null;
  caller_gone: boolean;
}
export interface ReceiptsInsert {
  receipt_id: string;
  agent_id: string;
  seq?: number | null;
  source: 'platform' | 'self';
  kid: string;
  token: string;
  payload: string;
  payload_sha256: string;
  skill: string;
  status: 'ok' | 'error' | 'cancelled';
  caller_kind: string;
  caller_id?: string | null;
  caller_user_id?: string | null;
  deploy_id?: string | null;
  job_id?: string | null;
  started_at: Date | string;
  ended_at: Date | string;
  duration_ms: number;
  created_at?: Date | string;
  run_id?: string | null;
  trace_id?: string | null;
  parent_span_id?: string | null;
  caller_gone?: boolean;
}

export interface ReviewLoopsRow {
  job_id: string;
  agent_id: string;
  deploy_id: string;
  owner_id: string;
  spec: unknown;
  scope: unknown;
  iteration: number;
  deadline_at: Date;
  reviewer_agent_id: string | null;
  reviewer_run_id: string | null;
  reviewer_heard: boolean;
  model_asked: boolean;
  posted: number;
  created_at: Date;
  ended_at: Date | null;
}
export interface ReviewLoopsInsert {
  job_id: string;
  agent_id: string;
  deploy_id: string;
  owner_id: string;
  spec: string;
  scope?: string | null;
  iteration?: number;
  deadline_at: Date | string;
  reviewer_agent_id?: string | null;
  reviewer_run_id?: string | null;
  reviewer_heard?: boolean;
  model_asked?: boolean;
  posted?: number;
  created_at: Date | string;
  ended_at?: Date | string | null;
}

export interface ReviewProbesRow {
  job_id: string;
  number: number;
  iteration: number;
  attack:
    | 'baseline'
    | 'types'
    | 'boundaries'
    | 'unicode'
    | 'shell'
    | 'sql'
    | 'paths'
    | 'prompts'
    | 'templates'
    | 'files'
    | 'memory'
    | 'grants'
    | 'replay'
    | 'parallel'
    | 'resume'
    | 'cancel'
    | 'huge'
    | 'proposed';
  skill: string;
  proposed: unknown;
  state: 'planned' | 'done';
  outcome: unknown;
  run_ids: string[];
  findings: string[];
}
export interface ReviewProbesInsert {
  job_id: string;
  number: number;
  iteration: number;
  attack:
    | 'baseline'
    | 'types'
    | 'boundaries'
    | 'unicode'
    | 'shell'
    | 'sql'
    | 'paths'
    | 'prompts'
    | 'templates'
    | 'files'
    | 'memory'
    | 'grants'
    | 'replay'
    | 'parallel'
    | 'resume'
    | 'cancel'
    | 'huge'
    | 'proposed';
  skill: string;
  proposed?: string | null;
  state: 'planned' | 'done';
  outcome?: string | null;
  run_ids?: string[];
  findings?: string[];
}

export interface ReviewRunsRow {
  review_id: string;
  agent_id: string;
  deploy_id: string;
  job_id: string | null;
  state: 'queued' | 'running' | 'passed' | 'warning' | 'failed' | 'errored' | 'skipped';
  ref: string | null;
  summary: string;
  findings: unknown;
  critical_count: number;
  warning_count: number;
  info_count: number;
  lock_sha256: string | null;
  error: unknown;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}
export interface ReviewRunsInsert {
  review_id: string;
  agent_id: string;
  deploy_id: string;
  job_id?: string | null;
  state: 'queued' | 'running' | 'passed' | 'warning' | 'failed' | 'errored' | 'skipped';
  ref?: string | null;
  summary?: string;
  findings?: string;
  critical_count?: number;
  warning_count?: number;
  info_count?: number;
  lock_sha256?: string | null;
  error?: string | null;
  created_at?: Date | string;
  started_at?: Date | string | null;
  ended_at?: Date | string | null;
}

export interface RunScoresRow {
  agent_id: string;
  rule: string;
  run_id: string;
  deploy_id: string;
  passed: boolean | null;
  score: number | null;
  reason: string | null;
  scored_at: Date;
  held_until: Date | null;
}
export interface RunScoresInsert {
  agent_id: string;
  rule: string;
  run_id: string;
  deploy_id: string;
  passed?: boolean | null;
  score?: number | null;
  reason?: string | null;
  scored_at: Date | string;
  held_until?: Date | string | null;
}

export interface RunThumbsRow {
  run_id: string;
  agent_id: string;
  deploy_id: string | null;
  user_id: string;
  up: boolean;
  comment: string;
  at: Date;
}
export interface RunThumbsInsert {
  run_id: string;
  agent_id: string;
  deploy_id?: string | null;
  user_id: string;
  up: boolean;
  comment: string;
  at: Date | string;
}

export interface RunsRow {
  run_id: string;
  agent_id: string;
  agent_name: string;
  deploy_id: string;
  skill: string;
  user_id: string | null;
  caller_kind: string;
  caller_id: string | null;
  parent_run_id: string | null;
  grant_id: string | null;
  receipt_id: string | null;
  depth: number;
  job_id: string | null;
  thread_id: string | null;
  state: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  started_at: Date;
  ended_at: Date | null;
  chain: string[];
  args: unknown;
  input_sha256: string | null;
  schedule_id: string | null;
  attempt: number;
  asked_process: string | null;
  asked_at: Date | null;
  event_cursor: number;
  event_count: number;
  event_bytes: number;
  ran_ms: number;
  kind: 'call' | 'promoted' | 'started';
  root_run_id: string | null;
  trace_id: string | null;
  parent_span_id: string | null;
  trace_state: string | null;
}
export interface RunsInsert {
  run_id: string;
  agent_id: string;
  agent_name: string;
  deploy_id: string;
  skill: string;
  user_id?: string | null;
  caller_kind: string;
  caller_id?: string | null;
  parent_run_id?: string | null;
  grant_id?: string | null;
  receipt_id?: string | null;
  depth?: number;
  job_id?: string | null;
  thread_id?: string | null;
  state?: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  started_at: Date | string;
  ended_at?: Date | string | null;
  chain?: string[];
  args?: string | null;
  input_sha256?: string | null;
  schedule_id?: string | null;
  attempt?: number;
  asked_process?: string | null;
  asked_at?: Date | string | null;
  event_cursor?: number;
  event_count?: number;
  event_bytes?: number;
  ran_ms?: number;
  kind?: 'call' | 'promoted' | 'started';
  root_run_id?: string | null;
  trace_id?: string | null;
  parent_span_id?: string | null;
  trace_state?: string | null;
}

export interface SandboxesRow {
  sandbox_id: string;
  agent_id: string;
  scope: string;
  name: string;
  run_id: string | null;
  node: string;
  image: string;
  grant_id: string | null;
  labels: unknown;
  state: 'running' | 'stopped';
  created_at: Date;
  used_at: Date;
}
export interface SandboxesInsert {
  sandbox_id: string;
  agent_id: string;
  scope: string;
  name: string;
  run_id?: string | null;
  node: string;
  image: string;
  grant_id?: string | null;
  labels?: string;
  state: 'running' | 'stopped';
  created_at?: Date | string;
  used_at?: Date | string;
}

export interface ScheduleFiringsRow {
  firing_id: string;
  schedule_id: string;
  cause: 'time' | 'manual';
  due_at: Date;
  state: 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'missed';
  job_id: string | null;
  run_id: string | null;
  error: unknown;
  started_at: Date;
  ended_at: Date | null;
}
export interface ScheduleFiringsInsert {
  firing_id: string;
  schedule_id: string;
  cause: 'time' | 'manual';
  due_at: Date | string;
  state: 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'missed';
  job_id?: string | null;
  run_id?: string | null;
  error?: string | null;
  started_at?: Date | string;
  ended_at?: Date | string | null;
}

export interface SchedulesRow {
  schedule_id: string;
  owner_id: string;
  title: string;
  cron: string;
  time_zone: string;
  overlap: 'skip' | 'buffer_one' | 'allow_all' | 'cancel_other';
  catchup_window_seconds: number;
  jitter_seconds: number;
  pause_on_failure: boolean;
  paused: boolean;
  paused_by: 'owner' | 'failure' | null;
  target: unknown;
  agent_id: string | null;
  failures_in_a_row: number;
  last_error: unknown;
  version: number;
  synced_version: number;
  fingerprint: string | null;
  sync_error: string | null;
  sync_until: Date | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}
export interface SchedulesInsert {
  schedule_id: string;
  owner_id: string;
  title: string;
  cron: string;
  time_zone: string;
  overlap: 'skip' | 'buffer_one' | 'allow_all' | 'cancel_other';
  catchup_window_seconds: number;
  jitter_seconds: number;
  pause_on_failure: boolean;
  paused: boolean;
  paused_by?: 'owner' | 'failure' | null;
  target: string;
  agent_id?: string | null;
  failures_in_a_row?: number;
  last_error?: string | null;
  version?: number;
  synced_version?: number;
  fingerprint?: string | null;
  sync_error?: string | null;
  sync_until?: Date | string | null;
  created_at?: Date | string;
  updated_at?: Date | string;
  deleted_at?: Date | string | null;
}

export interface ScimGroupMembersRow {
  group_id: string;
  user_id: string;
}
export interface ScimGroupMembersInsert {
  group_id: string;
  user_id: string;
}

export interface ScimGroupRolesRow {
  organization_id: string;
  group_name: string;
  shown_name: string;
  role: 'admin' | 'developer' | 'operator' | 'billing' | 'auditor';
}
export interface ScimGroupRolesInsert {
  organization_id: string;
  group_name: string;
  shown_name: string;
  role: 'admin' | 'developer' | 'operator' | 'billing' | 'auditor';
}

export interface ScimGroupsRow {
  scim_id: string;
  organization_id: string;
  display_name: string;
  display_name_folded: string;
  external_id: string | null;
  version: number;
  created_at: Date;
  updated_at: Date;
}
export interface ScimGroupsInsert {
  scim_id: string;
  organization_id: string;
  display_name: string;
  display_name_folded: string;
  external_id?: string | null;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export interface ScimTokensRow {
  token_id: string;
  organization_id: string;
  name: string;
  token_sha256: string;
  created_by: string | null;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}
export interface ScimTokensInsert {
  token_id: string;
  organization_id: string;
  name: string;
  token_sha256: string;
  created_by?: string | null;
  created_at: Date | string;
  last_used_at?: Date | string | null;
  expires_at?: Date | string | null;
  revoked_at?: Date | string | null;
}

export interface ScimUserValuesRow {
  scim_id: string;
  attribute: string;
  element: number;
  organization_id: string;
  value: string;
}
export interface ScimUserValuesInsert {
  scim_id: string;
  attribute: string;
  element: number;
  organization_id: string;
  value: string;
}

export interface ScimUsersRow {
  scim_id: string;
  organization_id: string;
  member_id: string | null;
  user_name_folded: string;
  external_id: string | null;
  email: string | null;
  active: boolean;
  document: unknown;
  version: number;
  created_at: Date;
  updated_at: Date;
}
export interface ScimUsersInsert {
  scim_id: string;
  organization_id: string;
  member_id?: string | null;
  user_name_folded: string;
  external_id?: string | null;
  email?: string | null;
  active: boolean;
  document: string;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export interface ScmDeliveriesRow {
  delivery_id: string;
  received_at: Date;
}
export interface ScmDeliveriesInsert {
  delivery_id: string;
  received_at?: Date | string;
}

export interface ScorecardCursorRow {
  one: boolean;
  receipt_id: string;
}
export interface ScorecardCursorInsert {
  one?: boolean;
  receipt_id: string;
}

export interface ScorecardsRow {
  account_id: string;
  agent_id: string;
  good: number;
  bad: number;
  calls: number;
  as_of: Date;
}
export interface ScorecardsInsert {
  account_id: string;
  agent_id: string;
  good: number;
  bad: number;
  calls: number;
  as_of: Date | string;
}

export interface ScoredContentsRow {
  run_id: string;
  agent_id: string;
  args: unknown;
  result: unknown;
  kept_at: Date;
}
export interface ScoredContentsInsert {
  run_id: string;
  agent_id: string;
  args?: string | null;
  result?: string | null;
  kept_at: Date | string;
}

export interface ScoringPositionRow {
  one: boolean;
  receipt_id: string;
}
export interface ScoringPositionInsert {
  one?: boolean;
  receipt_id: string;
}

export interface SearchWordsRow {
  word: string;
}
export interface SearchWordsInsert {
  word: string;
}

export interface SkillPricesRow {
  price_id: string;
  agent_id: string;
  skill: string;
  version: number;
  call_micros: number;
  second_micros: number;
  token_micros: number;
  artifact_micros: number;
  max_micros: number;
  free_calls: number;
  valid_from: Date;
  valid_until: Date | null;
  created_at: Date;
}
export interface SkillPricesInsert {
  price_id: string;
  agent_id: string;
  skill: string;
  version: number;
  call_micros: number;
  second_micros: number;
  token_micros: number;
  artifact_micros: number;
  max_micros: number;
  free_calls: number;
  valid_from: Date | string;
  valid_until?: Date | string | null;
  created_at: Date | string;
}

export interface SourcePushesRow {
  agent_id: string;
  commit_id: string;
  token_name: string;
  pushed_at: Date;
}
export interface SourcePushesInsert {
  agent_id: string;
  commit_id: string;
  token_name: string;
  pushed_at?: Date | string;
}

export interface SourceTokensRow {
  token_name: string;
  token_hash: string;
  agent_id: string;
  owner_id: string;
  mode: 'read' | 'write';
  holder: 'service' | 'git' | 'editor';
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
}
export interface SourceTokensInsert {
  token_name: string;
  token_hash: string;
  agent_id: string;
  owner_id: string;
  mode: 'read' | 'write';
  holder: 'service' | 'git' | 'editor';
  created_at?: Date | string;
  expires_at: Date | string;
  revoked_at?: Date | string | null;
}

export interface SpanCountsRow {
  run_id: string;
  spans: number;
  bytes: number;
  refused: number;
  began_at: Date;
}
export interface SpanCountsInsert {
  run_id: string;
  spans: number;
  bytes: number;
  refused?: number;
  began_at: Date | string;
}

export interface SpansRow {
  kept_at: Date;
  run_id: string;
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  owner_id: string;
  agent_name: string;
  source: 'platform' | 'agent';
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  start_ns: number;
  end_ns: number;
  status: 'unset' | 'ok' | 'error';
  message: string | null;
  attributes: unknown;
  events: unknown;
}
export interface SpansInsert {
  kept_at: Date | string;
  run_id: string;
  trace_id: string;
  span_id: string;
  parent_id?: string | null;
  owner_id: string;
  agent_name: string;
  source: 'platform' | 'agent';
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  start_ns: number;
  end_ns: number;
  status: 'unset' | 'ok' | 'error';
  message?: string | null;
  attributes: string;
  events: string;
}

export interface SsoConnectionsRow {
  connection_id: string;
  organization_id: string;
  issuer: string;
  client_id: string;
  secret_sealed: string;
  domains: string[];
  default_role: 'admin' | 'developer' | 'operator' | 'auditor' | 'billing';
  makes_members: boolean;
  required: boolean;
  session_hours: number;
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
}
export interface SsoConnectionsInsert {
  connection_id: string;
  organization_id: string;
  issuer: string;
  client_id: string;
  secret_sealed: string;
  domains: string[];
  default_role: 'admin' | 'developer' | 'operator' | 'auditor' | 'billing';
  makes_members: boolean;
  required?: boolean;
  session_hours: number;
  created_at: Date | string;
  updated_at: Date | string;
  last_used_at?: Date | string | null;
}

export interface SsoIdentitiesRow {
  organization_id: string;
  issuer: string;
  subject: string;
  user_id: string;
  created_at: Date;
  last_used_at: Date;
}
export interface SsoIdentitiesInsert {
  organization_id: string;
  issuer: string;
  subject: string;
  user_id: string;
  created_at: Date | string;
  last_used_at: Date | string;
}

export interface SsoOpeningsRow {
  opening_id: string;
  organization_id: string;
  opened_by: string | null;
  opened_at: Date;
  claimed_at: Date | null;
  mailed_at: Date | null;
}
export interface SsoOpeningsInsert {
  opening_id: string;
  organization_id: string;
  opened_by?: string | null;
  opened_at: Date | string;
  claimed_at?: Date | string | null;
  mailed_at?: Date | string | null;
}

export interface StudioCallsRow {
  run_id: string;
  number: number;
  iteration: number;
  skill: string;
  child_run_id: string;
  good: boolean | null;
  reason: string | null;
}
export interface StudioCallsInsert {
  run_id: string;
  number: number;
  iteration: number;
  skill: string;
  child_run_id: string;
  good?: boolean | null;
  reason?: string | null;
}

export interface StudioGuestRunsRow {
  token_sha256: string;
  brief: unknown;
  recipe:
    | 'api_wrapper'
    | 'webhook_transformer'
    | 'file_retrieval'
    | 'scheduled_digest'
    | 'form_to_record'
    | 'table_report'
    | 'mail_triage'
    | 'approval_desk'
    | 'monitor_alert'
    | 'mcp_bridge';
  files: unknown;
  created_at: Date;
  expires_at: Date;
  run_id: string | null;
}
export interface StudioGuestRunsInsert {
  token_sha256: string;
  brief: string;
  recipe:
    | 'api_wrapper'
    | 'webhook_transformer'
    | 'file_retrieval'
    | 'scheduled_digest'
    | 'form_to_record'
    | 'table_report'
    | 'mail_triage'
    | 'approval_desk'
    | 'monitor_alert'
    | 'mcp_bridge';
  files: string;
  created_at: Date | string;
  expires_at: Date | string;
  run_id?: string | null;
}

export interface StudioIterationsRow {
  run_id: string;
  number: number;
  commit: string;
  written_by: 'recipe' | 'composition' | 'copy' | 'model';
  checks: 'passed' | 'failed' | null;
  message: string | null;
  findings: unknown;
  created_at: Date;
}
export interface StudioIterationsInsert {
  run_id: string;
  number: number;
  commit: string;
  written_by: 'recipe' | 'composition' | 'copy' | 'model';
  checks?: 'passed' | 'failed' | null;
  message?: string | null;
  findings?: string;
  created_at: Date | string;
}

export interface StudioPlansRow {
  plan_id: string;
  owner_id: string;
  brief: unknown;
  brief_sha256: string;
  decision: 'use_existing' | 'compose' | 'fork' | 'edit_existing' | 'build_new';
  reason: string;
  candidates: unknown;
  recipes: unknown;
  model: string | null;
  created_at: Date;
  expires_at: Date;
}
export interface StudioPlansInsert {
  plan_id: string;
  owner_id: string;
  brief: string;
  brief_sha256: string;
  decision: 'use_existing' | 'compose' | 'fork' | 'edit_existing' | 'build_new';
  reason: string;
  candidates: string;
  recipes: string;
  model?: string | null;
  created_at: Date | string;
  expires_at: Date | string;
}

export interface StudioProposalsRow {
  proposal_id: string;
  owner_id: string;
  agent_id: string;
  agent_name: string;
  state: 'open' | 'accepted' | 'rejected' | 'expired';
  severity: 'critical' | 'warning' | 'info';
  category: 'failures' | 'cost' | 'latency' | 'dependencies' | 'findings' | 'unused' | 'drift';
  title: string;
  idea: string;
  rationale: string;
  evidence: unknown;
  source_head_sha: string | null;
  fingerprint: string;
  run_id: string | null;
  reason: string | null;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
}
export interface StudioProposalsInsert {
  proposal_id: string;
  owner_id: string;
  agent_id: string;
  agent_name: string;
  state: 'open' | 'accepted' | 'rejected' | 'expired';
  severity: 'critical' | 'warning' | 'info';
  category: 'failures' | 'cost' | 'latency' | 'dependencies' | 'findings' | 'unused' | 'drift';
  title: string;
  idea: string;
  rationale: string;
  evidence: string;
  source_head_sha?: string | null;
  fingerprint: string;
  run_id?: string | null;
  reason?: string | null;
  created_at: Date | string;
  expires_at: Date | string;
  decided_at?: Date | string | null;
}

export interface StudioRunsRow {
  run_id: string;
  owner_id: string;
  plan_id: string;
  job_id: string | null;
  brief: unknown;
  decision: 'use_existing' | 'compose' | 'fork' | 'edit_existing' | 'build_new';
  agents: string[];
  recipe:
    | 'api_wrapper'
    | 'webhook_transformer'
    | 'file_retrieval'
    | 'scheduled_digest'
    | 'form_to_record'
    | 'table_report'
    | 'mail_triage'
    | 'approval_desk'
    | 'monitor_alert'
    | 'mcp_bridge'
    | null;
  model: string | null;
  state: 'queued' | 'building' | 'evaluating' | 'reviewing' | 'improving' | 'deploying' | 'live' | 'partial' | 'failed' | 'cancelled';
  trials: unknown;
  next: unknown;
  schedule: unknown;
  built: unknown;
  deploy_id: string | null;
  challenge_job_id: string | null;
  error: unknown;
  deadline_at: Date;
  created_at: Date;
  ended_at: Date | null;
}
export interface StudioRunsInsert {
  run_id: string;
  owner_id: string;
  plan_id: string;
  job_id?: string | null;
  brief: string;
  decision: 'use_existing' | 'compose' | 'fork' | 'edit_existing' | 'build_new';
  agents: string[];
  recipe?:
    | 'api_wrapper'
    | 'webhook_transformer'
    | 'file_retrieval'
    | 'scheduled_digest'
    | 'form_to_record'
    | 'table_report'
    | 'mail_triage'
    | 'approval_desk'
    | 'monitor_alert'
    | 'mcp_bridge'
    | null;
  model?: string | null;
  state: 'queued' | 'building' | 'evaluating' | 'reviewing' | 'improving' | 'deploying' | 'live' | 'partial' | 'failed' | 'cancelled';
  trials?: string;
  next?: string;
  schedule?: string | null;
  built?: string | null;
  deploy_id?: string | null;
  challenge_job_id?: string | null;
  error?: string | null;
  deadline_at: Date | string;
  created_at: Date | string;
  ended_at?: Date | string | null;
}

export interface SubagentRunsRow {
  grant_id: string;
  owner_id: string;
  agent_name: string;
  skill: string;
  caller_agent: string | null;
  caller_run_id: string | null;
  source: 'call' | 'reported' | 'rerun';
  run_id: string | null;
  calls: number;
  rerun_of: string | null;
  reported: unknown;
  started_at: Date;
  args: unknown;
}
export interface SubagentRunsInsert {
  grant_id: string;
  owner_id: string;
  agent_name: string;
  skill: string;
  caller_agent?: string | null;
  caller_run_id?: string | null;
  source: 'call' | 'reported' | 'rerun';
  run_id?: string | null;
  calls?: number;
  rerun_of?: string | null;
  reported?: string | null;
  started_at: Date | string;
  args?: string | null;
}

export interface SubscriptionsRow {
  subscription_id: string;
  processor: 'builtin' | 'stripe';
  user_id: string;
  plan: string;
  seats: number;
  state: 'incomplete' | 'active' | 'past_due' | 'cancelled';
  cancel_at_period_end: boolean;
  period_start: Date;
  period_end: Date;
  past_due_since: Date | null;
  end_wanted: 'unpaid' | 'duplicate' | 'purged' | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
}
export interface SubscriptionsInsert {
  subscription_id: string;
  processor: 'builtin' | 'stripe';
  user_id: string;
  plan: string;
  seats: number;
  state: 'incomplete' | 'active' | 'past_due' | 'cancelled';
  cancel_at_period_end: boolean;
  period_start: Date | string;
  period_end: Date | string;
  past_due_since?: Date | string | null;
  end_wanted?: 'unpaid' | 'duplicate' | 'purged' | null;
  revision: number;
  created_at: Date | string;
  updated_at: Date | string;
  ended_at?: Date | string | null;
}

export interface TeamMemoriesRow {
  memory_id: string;
  owner_id: string;
  dag_run_id: string | null;
  kind: 'outcome' | 'failure' | 'lesson';
  about: string;
  text: string;
  sources: string[];
  created_at: Date;
  state: 'current' | 'stale' | 'merged';
  reason: string | null;
  merged_into: string | null;
  confirmed_at: Date | null;
}
export interface TeamMemoriesInsert {
  memory_id: string;
  owner_id: string;
  dag_run_id?: string | null;
  kind: 'outcome' | 'failure' | 'lesson';
  about: string;
  text: string;
  sources: string[];
  created_at: Date | string;
  state?: 'current' | 'stale' | 'merged';
  reason?: string | null;
  merged_into?: string | null;
  confirmed_at?: Date | string | null;
}

export interface TeamPlansRow {
  plan_id: string;
  owner_id: string;
  protocol: string;
  goal: string;
  spec: unknown;
  digest: string;
  created_at: Date;
  expires_at: Date;
}
export interface TeamPlansInsert {
  plan_id: string;
  owner_id: string;
  protocol: string;
  goal: string;
  spec: string;
  digest: string;
  created_at: Date | string;
  expires_at: Date | string;
}

export interface TeamRunsRow {
  dag_run_id: string;
  owner_id: string;
  plan_id: string;
  protocol: string;
  goal: string;
  budget_micros: number;
  replans_left: number;
  evidence: string[];
  created_at: Date;
}
export interface TeamRunsInsert {
  dag_run_id: string;
  owner_id: string;
  plan_id: string;
  protocol: string;
  goal: string;
  budget_micros: number;
  replans_left: number;
  evidence: string[];
  created_at: Date | string;
}

export interface TemplateUpdatesRow {
  update_id: string;
  agent_id: string;
  of_deploy_id: string;
  state: 'proposed' | 'approved' | 'applied' | 'conflicted' | 'rejected';
  ref: string;
  from_version: string;
  from_digest: string;
  to_version: string;
  to_digest: string;
  changed: unknown;
  conflicts: unknown;
  deploy_id: string | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface TemplateUpdatesInsert {
  update_id: string;
  agent_id: string;
  of_deploy_id: string;
  state: 'proposed' | 'approved' | 'applied' | 'conflicted' | 'rejected';
  ref: string;
  from_version: string;
  from_digest: string;
  to_version: string;
  to_digest: string;
  changed?: string;
  conflicts?: string;
  deploy_id?: string | null;
  created_at?: Date | string;
  ended_at?: Date | string | null;
}

export interface TemplateVersionsRow {
  digest: string;
  ref: string;
  version: string;
  files: unknown;
  created_at: Date;
}
export interface TemplateVersionsInsert {
  digest: string;
  ref: string;
  version: string;
  files: string;
  created_at?: Date | string;
}

export interface TestMoneyEventsRow {
  event_id: string;
  type: string;
  subject_kind: string;
  subject_id: string;
  created_at: Date;
  attempts: number;
  next_at: Date | null;
}
export interface TestMoneyEventsInsert {
  event_id: string;
  type: string;
  subject_kind: string;
  subject_id: string;
  created_at: Date | string;
  attempts?: number;
  next_at?: Date | string | null;
}

export interface TestMoneyObjectsRow {
  object_id: string;
  kind: 'customer' | 'checkout' | 'payment' | 'subscription' | 'invoice' | 'portal' | 'account' | 'transfer';
  owner_id: string;
  data: unknown;
  created_at: Date;
}
export interface TestMoneyObjectsInsert {
  object_id: string;
  kind: 'customer' | 'checkout' | 'payment' | 'subscription' | 'invoice' | 'portal' | 'account' | 'transfer';
  owner_id: string;
  data: string;
  created_at: Date | string;
}

export interface TestMoneyRequestsRow {
  key: string;
  sha256: string;
  answer: unknown;
  created_at: Date;
}
export interface TestMoneyRequestsInsert {
  key: string;
  sha256: string;
  answer: string;
  created_at: Date | string;
}

export interface ThreadEventsRow {
  thread_id: string;
  seq: number;
  kind: string;
  payload: unknown;
  at: Date;
}
export interface ThreadEventsInsert {
  thread_id: string;
  seq: number;
  kind: string;
  payload?: string;
  at?: Date | string;
}

export interface ThreadsRow {
  thread_id: string;
  owner_id: string;
  title: string;
  titled: boolean;
  handoffs: 'ask_foreign' | 'ask_always' | 'never';
  last_seq: number;
  created_at: Date;
  touched_at: Date;
  archived_at: Date | null;
}
export interface ThreadsInsert {
  thread_id: string;
  owner_id: string;
  title: string;
  titled?: boolean;
  handoffs?: 'ask_foreign' | 'ask_always' | 'never';
  last_seq?: number;
  created_at?: Date | string;
  touched_at?: Date | string;
  archived_at?: Date | string | null;
}

export interface TopUpsRow {
  top_up_id: string;
  user_id: string;
  processor: 'builtin' | 'stripe';
  state: 'open' | 'paid' | 'expired';
  amount_cents: number;
  checkout_id: string | null;
  checkout_url: string | null;
  payment_id: string | null;
  credited_micros: number;
  taken_micros: number;
  tax_cents: number;
  disputed: boolean;
  revision: number;
  moves: number;
  created_at: Date;
  expires_at: Date;
  checked_at: Date | null;
  paid_at: Date | null;
}
export interface TopUpsInsert {
  top_up_id: string;
  user_id: string;
  processor: 'builtin' | 'stripe';
  state: 'open' | 'paid' | 'expired';
  amount_cents: number;
  checkout_id?: string | null;
  checkout_url?: string | null;
  payment_id?: string | null;
  credited_micros?: number;
  taken_micros?: number;
  tax_cents?: number;
  disputed?: boolean;
  revision?: number;
  moves?: number;
  created_at: Date | string;
  expires_at: Date | string;
  checked_at?: Date | string | null;
  paid_at?: Date | string | null;
}

export interface TraceExportsRow {
  endpoint: string;
  receipt_id: string;
  held_until: Date | null;
  failed: number;
  error: string | null;
  ended_at: Date | null;
  run_id: string | null;
}
export interface TraceExportsInsert {
  endpoint: string;
  receipt_id: string;
  held_until?: Date | string | null;
  failed?: number;
  error?: string | null;
  ended_at?: Date | string | null;
  run_id?: string | null;
}

export interface TrialRatingsRow {
  run_id: string;
  user_id: string;
  score: number;
  notes: string;
  blind: boolean;
  updated_at: Date;
}
export interface TrialRatingsInsert {
  run_id: string;
  user_id: string;
  score: number;
  notes: string;
  blind: boolean;
  updated_at: Date | string;
}

export interface TrialResultsRow {
  run_id: string;
  case_no: number;
  state: 'queued' | 'running' | 'done';
  child_run_id: string | null;
  score: number | null;
  parts: unknown;
  output: unknown;
  error: unknown;
  receipt_id: string | null;
  cost_micros: number | null;
  ms: number | null;
  started_at: Date | null;
}
export interface TrialResultsInsert {
  run_id: string;
  case_no: number;
  state: 'queued' | 'running' | 'done';
  child_run_id?: string | null;
  score?: number | null;
  parts?: string;
  output?: string | null;
  error?: string | null;
  receipt_id?: string | null;
  cost_micros?: number | null;
  ms?: number | null;
  started_at?: Date | string | null;
}

export interface TrialRoomsRow {
  room_id: string;
  owner_id: string;
  slug: string;
  title: string;
  spec: unknown;
  on_deploy: boolean;
  decision: unknown;
  created_at: Date;
  decided_at: Date | null;
}
export interface TrialRoomsInsert {
  room_id: string;
  owner_id: string;
  slug: string;
  title: string;
  spec: string;
  on_deploy: boolean;
  decision?: string | null;
  created_at: Date | string;
  decided_at?: Date | string | null;
}

export interface TrialRunsRow {
  run_id: string;
  room_id: string;
  owner_id: string;
  number: number;
  job_id: string | null;
  agent_id: string | null;
  agent_name: string | null;
  skill: string | null;
  map: unknown;
  deploy_id: string | null;
  version: string | null;
  credential: string | null;
  model: string | null;
  trigger: 'person' | 'deploy';
  score: unknown;
  compared: unknown;
  deadline_at: Date;
  created_at: Date;
  ended_at: Date | null;
}
export interface TrialRunsInsert {
  run_id: string;
  room_id: string;
  owner_id: string;
  number: number;
  job_id?: string | null;
  agent_id?: string | null;
  agent_name?: string | null;
  skill?: string | null;
  map?: string | null;
  deploy_id?: string | null;
  version?: string | null;
  credential?: string | null;
  model?: string | null;
  trigger: 'person' | 'deploy';
  score?: string | null;
  compared?: string | null;
  deadline_at: Date | string;
  created_at: Date | string;
  ended_at?: Date | string | null;
}

export interface UnreceiptedRunsRow {
  run_id: string;
  ended_at: Date;
}
export interface UnreceiptedRunsInsert {
  run_id: string;
  ended_at: Date | string;
}

export interface UsersRow {
  user_id: string;
  issuer: string;
  subject: string;
  email: string;
  name: string | null;
  operator: boolean;
  created_at: Date;
  last_seen_at: Date;
  kind: 'person' | 'organization';
}
export interface UsersInsert {
  user_id: string;
  issuer: string;
  subject: string;
  email: string;
  name?: string | null;
  operator?: boolean;
  created_at?: Date | string;
  last_seen_at?: Date | string;
  kind?: 'person' | 'organization';
}

export interface WaitMailsRow {
  wait_id: string;
  user_id: string;
  created_at: Date;
  claimed_at: Date | null;
  mailed_at: Date | null;
}
export interface WaitMailsInsert {
  wait_id: string;
  user_id: string;
  created_at: Date | string;
  claimed_at?: Date | string | null;
  mailed_at?: Date | string | null;
}

export interface WaitsRow {
  wait_id: string;
  kind: 'question' | 'input_request' | 'handoff_approval' | 'scope_request';
  state: 'pending' | 'answered' | 'approved' | 'denied' | 'expired' | 'cancelled';
  run_id: string | null;
  job_id: string | null;
  thread_id: string | null;
  agent_id: string | null;
  agent_name: string | null;
  skill: string | null;
  asked_of: string;
  prompt: string;
  request: unknown;
  expires_at: Date;
  resolution: unknown;
  resolved_by: string | null;
  resolved_at: Date | null;
  delivered_at: Date | null;
  created_at: Date;
  used_at: Date | null;
  approval: unknown;
  approval_stage: number | null;
  mail_stage: number | null;
}
export interface WaitsInsert {
  wait_id: string;
  kind: 'question' | 'input_request' | 'handoff_approval' | 'scope_request';
  state?: 'pending' | 'answered' | 'approved' | 'denied' | 'expired' | 'cancelled';
  run_id?: string | null;
  job_id?: string | null;
  thread_id?: string | null;
  agent_id?: string | null;
  agent_name?: string | null;
  skill?: string | null;
  asked_of: string;
  prompt: string;
  request?: string;
  expires_at: Date | string;
  resolution?: string | null;
  resolved_by?: string | null;
  resolved_at?: Date | string | null;
  delivered_at?: Date | string | null;
  created_at?: Date | string;
  used_at?: Date | string | null;
  approval?: string | null;
  approval_stage?: number | null;
  mail_stage?: number | null;
}

export interface WakeCountsRow {
  agent_id: string;
  grain: 'hour' | 'day' | 'month';
  since: Date;
  tier: 'paused' | 'suspended' | 'cold';
  bucket: number;
  wakes: number;
  wake_ms: number;
  slept_ms: number;
}
export interface WakeCountsInsert {
  agent_id: string;
  grain: 'hour' | 'day' | 'month';
  since: Date | string;
  tier: 'paused' | 'suspended' | 'cold';
  bucket: number;
  wakes: number;
  wake_ms: number;
  slept_ms: number;
}

export interface WebSessionsRow {
  session_id: string;
  token_hash: string;
  user_id: string;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  signed_in_at: Date | null;
  sso_connection_id: string | null;
}
export interface WebSessionsInsert {
  session_id: string;
  token_hash: string;
  user_id: string;
  created_at?: Date | string;
  last_used_at?: Date | string;
  expires_at: Date | string;
  revoked_at?: Date | string | null;
  signed_in_at?: Date | string | null;
  sso_connection_id?: string | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    account_access: Knex.CompositeTableType<AccountAccessRow, AccountAccessInsert, Changes<AccountAccessInsert>>;
    acme_accounts: Knex.CompositeTableType<AcmeAccountsRow, AcmeAccountsInsert, Changes<AcmeAccountsInsert>>;
    agent_connections: Knex.CompositeTableType<AgentConnectionsRow, AgentConnectionsInsert, Changes<AgentConnectionsInsert>>;
    agent_consents: Knex.CompositeTableType<AgentConsentsRow, AgentConsentsInsert, Changes<AgentConsentsInsert>>;
    agent_domains: Knex.CompositeTableType<AgentDomainsRow, AgentDomainsInsert, Changes<AgentDomainsInsert>>;
    agent_failures: Knex.CompositeTableType<AgentFailuresRow, AgentFailuresInsert, Changes<AgentFailuresInsert>>;
    agent_findings: Knex.CompositeTableType<AgentFindingsRow, AgentFindingsInsert, Changes<AgentFindingsInsert>>;
    agent_health_changes: Knex.CompositeTableType<AgentHealthChangesRow, AgentHealthChangesInsert, Changes<AgentHealthChangesInsert>>;
    agent_health_hours: Knex.CompositeTableType<AgentHealthHoursRow, AgentHealthHoursInsert, Changes<AgentHealthHoursInsert>>;
    agent_imports: Knex.CompositeTableType<AgentImportsRow, AgentImportsInsert, Changes<AgentImportsInsert>>;
    agent_memories: Knex.CompositeTableType<AgentMemoriesRow, AgentMemoriesInsert, Changes<AgentMemoriesInsert>>;
    agent_proofs: Knex.CompositeTableType<AgentProofsRow, AgentProofsInsert, Changes<AgentProofsInsert>>;
    agent_repairs: Knex.CompositeTableType<AgentRepairsRow, AgentRepairsInsert, Changes<AgentRepairsInsert>>;
    agent_secrets: Knex.CompositeTableType<AgentSecretsRow, AgentSecretsInsert, Changes<AgentSecretsInsert>>;
    agent_sessions: Knex.CompositeTableType<AgentSessionsRow, AgentSessionsInsert, Changes<AgentSessionsInsert>>;
    agents: Knex.CompositeTableType<AgentsRow, AgentsInsert, Changes<AgentsInsert>>;
    api_processes: Knex.CompositeTableType<ApiProcessesRow, ApiProcessesInsert, Changes<ApiProcessesInsert>>;
    approval_delegations: Knex.CompositeTableType<ApprovalDelegationsRow, ApprovalDelegationsInsert, Changes<ApprovalDelegationsInsert>>;
    approval_policies: Knex.CompositeTableType<ApprovalPoliciesRow, ApprovalPoliciesInsert, Changes<ApprovalPoliciesInsert>>;
    approval_votes: Knex.CompositeTableType<ApprovalVotesRow, ApprovalVotesInsert, Changes<ApprovalVotesInsert>>;
    artifacts: Knex.CompositeTableType<ArtifactsRow, ArtifactsInsert, Changes<ArtifactsInsert>>;
    audit_log: Knex.CompositeTableType<AuditLogRow, AuditLogInsert, Changes<AuditLogInsert>>;
    autopilots: Knex.CompositeTableType<AutopilotsRow, AutopilotsInsert, Changes<AutopilotsInsert>>;
    billing_overrides: Knex.CompositeTableType<BillingOverridesRow, BillingOverridesInsert, Changes<BillingOverridesInsert>>;
    blobs: Knex.CompositeTableType<BlobsRow, BlobsInsert, Changes<BlobsInsert>>;
    bounties: Knex.CompositeTableType<BountiesRow, BountiesInsert, Changes<BountiesInsert>>;
    brain_artifacts: Knex.CompositeTableType<BrainArtifactsRow, BrainArtifactsInsert, Changes<BrainArtifactsInsert>>;
    brain_changes: Knex.CompositeTableType<BrainChangesRow, BrainChangesInsert, Changes<BrainChangesInsert>>;
    brain_dispatches: Knex.CompositeTableType<BrainDispatchesRow, BrainDispatchesInsert, Changes<BrainDispatchesInsert>>;
    brain_feedback: Knex.CompositeTableType<BrainFeedbackRow, BrainFeedbackInsert, Changes<BrainFeedbackInsert>>;
    brain_runtimes: Knex.CompositeTableType<BrainRuntimesRow, BrainRuntimesInsert, Changes<BrainRuntimesInsert>>;
    buckets: Knex.CompositeTableType<BucketsRow, BucketsInsert, Changes<BucketsInsert>>;
    call_count_places: Knex.CompositeTableType<CallCountPlacesRow, CallCountPlacesInsert, Changes<CallCountPlacesInsert>>;
    call_sums: Knex.CompositeTableType<CallSumsRow, CallSumsInsert, Changes<CallSumsInsert>>;
    call_words: Knex.CompositeTableType<CallWordsRow, CallWordsInsert, Changes<CallWordsInsert>>;
    charges: Knex.CompositeTableType<ChargesRow, ChargesInsert, Changes<ChargesInsert>>;
    chat_turns: Knex.CompositeTableType<ChatTurnsRow, ChatTurnsInsert, Changes<ChatTurnsInsert>>;
    compliance_exports: Knex.CompositeTableType<ComplianceExportsRow, ComplianceExportsInsert, Changes<ComplianceExportsInsert>>;
    compliance_policies: Knex.CompositeTableType<CompliancePoliciesRow, CompliancePoliciesInsert, Changes<CompliancePoliciesInsert>>;
    compliance_profile_log: Knex.CompositeTableType<ComplianceProfileLogRow, ComplianceProfileLogInsert, Changes<ComplianceProfileLogInsert>>;
    compliance_profiles: Knex.CompositeTableType<ComplianceProfilesRow, ComplianceProfilesInsert, Changes<ComplianceProfilesInsert>>;
    compliance_purges: Knex.CompositeTableType<CompliancePurgesRow, CompliancePurgesInsert, Changes<CompliancePurgesInsert>>;
    consumer_setup_values: Knex.CompositeTableType<ConsumerSetupValuesRow, ConsumerSetupValuesInsert, Changes<ConsumerSetupValuesInsert>>;
    control_policies: Knex.CompositeTableType<ControlPoliciesRow, ControlPoliciesInsert, Changes<ControlPoliciesInsert>>;
    control_room_policies: Knex.CompositeTableType<ControlRoomPoliciesRow, ControlRoomPoliciesInsert, Changes<ControlRoomPoliciesInsert>>;
    dag_nodes: Knex.CompositeTableType<DagNodesRow, DagNodesInsert, Changes<DagNodesInsert>>;
    dag_runs: Knex.CompositeTableType<DagRunsRow, DagRunsInsert, Changes<DagRunsInsert>>;
    database_bindings: Knex.CompositeTableType<DatabaseBindingsRow, DatabaseBindingsInsert, Changes<DatabaseBindingsInsert>>;
    database_branches: Knex.CompositeTableType<DatabaseBranchesRow, DatabaseBranchesInsert, Changes<DatabaseBranchesInsert>>;
    database_events: Knex.CompositeTableType<DatabaseEventsRow, DatabaseEventsInsert, Changes<DatabaseEventsInsert>>;
    database_logins: Knex.CompositeTableType<DatabaseLoginsRow, DatabaseLoginsInsert, Changes<DatabaseLoginsInsert>>;
    database_projects: Knex.CompositeTableType<DatabaseProjectsRow, DatabaseProjectsInsert, Changes<DatabaseProjectsInsert>>;
    database_provisioners: Knex.CompositeTableType<DatabaseProvisionersRow, DatabaseProvisionersInsert, Changes<DatabaseProvisionersInsert>>;
    database_roles: Knex.CompositeTableType<DatabaseRolesRow, DatabaseRolesInsert, Changes<DatabaseRolesInsert>>;
    dataset_items: Knex.CompositeTableType<DatasetItemsRow, DatasetItemsInsert, Changes<DatasetItemsInsert>>;
    datasets: Knex.CompositeTableType<DatasetsRow, DatasetsInsert, Changes<DatasetsInsert>>;
    deployments: Knex.CompositeTableType<DeploymentsRow, DeploymentsInsert, Changes<DeploymentsInsert>>;
    dev_box_sessions: Knex.CompositeTableType<DevBoxSessionsRow, DevBoxSessionsInsert, Changes<DevBoxSessionsInsert>>;
    dev_boxes: Knex.CompositeTableType<DevBoxesRow, DevBoxesInsert, Changes<DevBoxesInsert>>;
    domain_certificates: Knex.CompositeTableType<DomainCertificatesRow, DomainCertificatesInsert, Changes<DomainCertificatesInsert>>;
    dunning_steps: Knex.CompositeTableType<DunningStepsRow, DunningStepsInsert, Changes<DunningStepsInsert>>;
    earned_sums: Knex.CompositeTableType<EarnedSumsRow, EarnedSumsInsert, Changes<EarnedSumsInsert>>;
    evaluation_consents: Knex.CompositeTableType<EvaluationConsentsRow, EvaluationConsentsInsert, Changes<EvaluationConsentsInsert>>;
    evaluation_results: Knex.CompositeTableType<EvaluationResultsRow, EvaluationResultsInsert, Changes<EvaluationResultsInsert>>;
    evaluation_rules: Knex.CompositeTableType<EvaluationRulesRow, EvaluationRulesInsert, Changes<EvaluationRulesInsert>>;
    evaluations: Knex.CompositeTableType<EvaluationsRow, EvaluationsInsert, Changes<EvaluationsInsert>>;
    feature_flag_overrides: Knex.CompositeTableType<FeatureFlagOverridesRow, FeatureFlagOverridesInsert, Changes<FeatureFlagOverridesInsert>>;
    feature_flags: Knex.CompositeTableType<FeatureFlagsRow, FeatureFlagsInsert, Changes<FeatureFlagsInsert>>;
    file_upload_parts: Knex.CompositeTableType<FileUploadPartsRow, FileUploadPartsInsert, Changes<FileUploadPartsInsert>>;
    file_uploads: Knex.CompositeTableType<FileUploadsRow, FileUploadsInsert, Changes<FileUploadsInsert>>;
    file_words: Knex.CompositeTableType<FileWordsRow, FileWordsInsert, Changes<FileWordsInsert>>;
    files: Knex.CompositeTableType<FilesRow, FilesInsert, Changes<FilesInsert>>;
    free_calls: Knex.CompositeTableType<FreeCallsRow, FreeCallsInsert, Changes<FreeCallsInsert>>;
    grants: Knex.CompositeTableType<GrantsRow, GrantsInsert, Changes<GrantsInsert>>;
    idp_accounts: Knex.CompositeTableType<IdpAccountsRow, IdpAccountsInsert, Changes<IdpAccountsInsert>>;
    installed_agents: Knex.CompositeTableType<InstalledAgentsRow, InstalledAgentsInsert, Changes<InstalledAgentsInsert>>;
    instances: Knex.CompositeTableType<InstancesRow, InstancesInsert, Changes<InstancesInsert>>;
    invoices: Knex.CompositeTableType<InvoicesRow, InvoicesInsert, Changes<InvoicesInsert>>;
    job_archives: Knex.CompositeTableType<JobArchivesRow, JobArchivesInsert, Changes<JobArchivesInsert>>;
    job_events: Knex.CompositeTableType<JobEventsRow, JobEventsInsert, Changes<JobEventsInsert>>;
    jobs: Knex.CompositeTableType<JobsRow, JobsInsert, Changes<JobsInsert>>;
    kernel_runs: Knex.CompositeTableType<KernelRunsRow, KernelRunsInsert, Changes<KernelRunsInsert>>;
    ledger_accounts: Knex.CompositeTableType<LedgerAccountsRow, LedgerAccountsInsert, Changes<LedgerAccountsInsert>>;
    ledger_entries: Knex.CompositeTableType<LedgerEntriesRow, LedgerEntriesInsert, Changes<LedgerEntriesInsert>>;
    ledger_holds: Knex.CompositeTableType<LedgerHoldsRow, LedgerHoldsInsert, Changes<LedgerHoldsInsert>>;
    ledger_transactions: Knex.CompositeTableType<LedgerTransactionsRow, LedgerTransactionsInsert, Changes<LedgerTransactionsInsert>>;
    llm_caps: Knex.CompositeTableType<LlmCapsRow, LlmCapsInsert, Changes<LlmCapsInsert>>;
    llm_credentials: Knex.CompositeTableType<LlmCredentialsRow, LlmCredentialsInsert, Changes<LlmCredentialsInsert>>;
    llm_grants: Knex.CompositeTableType<LlmGrantsRow, LlmGrantsInsert, Changes<LlmGrantsInsert>>;
    llm_rates: Knex.CompositeTableType<LlmRatesRow, LlmRatesInsert, Changes<LlmRatesInsert>>;
    llm_spending: Knex.CompositeTableType<LlmSpendingRow, LlmSpendingInsert, Changes<LlmSpendingInsert>>;
    llm_usage: Knex.CompositeTableType<LlmUsageRow, LlmUsageInsert, Changes<LlmUsageInsert>>;
    mail_keys: Knex.CompositeTableType<MailKeysRow, MailKeysInsert, Changes<MailKeysInsert>>;
    mail_messages: Knex.CompositeTableType<MailMessagesRow, MailMessagesInsert, Changes<MailMessagesInsert>>;
    mail_threads: Knex.CompositeTableType<MailThreadsRow, MailThreadsInsert, Changes<MailThreadsInsert>>;
    mailbox_events: Knex.CompositeTableType<MailboxEventsRow, MailboxEventsInsert, Changes<MailboxEventsInsert>>;
    mailboxes: Knex.CompositeTableType<MailboxesRow, MailboxesInsert, Changes<MailboxesInsert>>;
    meta_runs: Knex.CompositeTableType<MetaRunsRow, MetaRunsInsert, Changes<MetaRunsInsert>>;
    model_use_counts: Knex.CompositeTableType<ModelUseCountsRow, ModelUseCountsInsert, Changes<ModelUseCountsInsert>>;
    notifications: Knex.CompositeTableType<NotificationsRow, NotificationsInsert, Changes<NotificationsInsert>>;
    oidc_payload: Knex.CompositeTableType<OidcPayloadRow, OidcPayloadInsert, Changes<OidcPayloadInsert>>;
    onboarding: Knex.CompositeTableType<OnboardingRow, OnboardingInsert, Changes<OnboardingInsert>>;
    one_time_codes: Knex.CompositeTableType<OneTimeCodesRow, OneTimeCodesInsert, Changes<OneTimeCodesInsert>>;
    open_calls: Knex.CompositeTableType<OpenCallsRow, OpenCallsInsert, Changes<OpenCallsInsert>>;
    organization_audit: Knex.CompositeTableType<OrganizationAuditRow, OrganizationAuditInsert, Changes<OrganizationAuditInsert>>;
    organization_domains: Knex.CompositeTableType<OrganizationDomainsRow, OrganizationDomainsInsert, Changes<OrganizationDomainsInsert>>;
    organization_members: Knex.CompositeTableType<OrganizationMembersRow, OrganizationMembersInsert, Changes<OrganizationMembersInsert>>;
    organizations: Knex.CompositeTableType<OrganizationsRow, OrganizationsInsert, Changes<OrganizationsInsert>>;
    outbox: Knex.CompositeTableType<OutboxRow, OutboxInsert, Changes<OutboxInsert>>;
    patches: Knex.CompositeTableType<PatchesRow, PatchesInsert, Changes<PatchesInsert>>;
    payment_customers: Knex.CompositeTableType<PaymentCustomersRow, PaymentCustomersInsert, Changes<PaymentCustomersInsert>>;
    payout_accounts: Knex.CompositeTableType<PayoutAccountsRow, PayoutAccountsInsert, Changes<PayoutAccountsInsert>>;
    payout_allocations: Knex.CompositeTableType<PayoutAllocationsRow, PayoutAllocationsInsert, Changes<PayoutAllocationsInsert>>;
    payout_lines: Knex.CompositeTableType<PayoutLinesRow, PayoutLinesInsert, Changes<PayoutLinesInsert>>;
    payout_losses_read: Knex.CompositeTableType<PayoutLossesReadRow, PayoutLossesReadInsert, Changes<PayoutLossesReadInsert>>;
    payout_lots: Knex.CompositeTableType<PayoutLotsRow, PayoutLotsInsert, Changes<PayoutLotsInsert>>;
    payout_notices: Knex.CompositeTableType<PayoutNoticesRow, PayoutNoticesInsert, Changes<PayoutNoticesInsert>>;
    payout_places: Knex.CompositeTableType<PayoutPlacesRow, PayoutPlacesInsert, Changes<PayoutPlacesInsert>>;
    payout_runs: Knex.CompositeTableType<PayoutRunsRow, PayoutRunsInsert, Changes<PayoutRunsInsert>>;
    payout_spends: Knex.CompositeTableType<PayoutSpendsRow, PayoutSpendsInsert, Changes<PayoutSpendsInsert>>;
    payout_transfers: Knex.CompositeTableType<PayoutTransfersRow, PayoutTransfersInsert, Changes<PayoutTransfersInsert>>;
    plan_checkouts: Knex.CompositeTableType<PlanCheckoutsRow, PlanCheckoutsInsert, Changes<PlanCheckoutsInsert>>;
    plans: Knex.CompositeTableType<PlansRow, PlansInsert, Changes<PlansInsert>>;
    platform_settings: Knex.CompositeTableType<PlatformSettingsRow, PlatformSettingsInsert, Changes<PlatformSettingsInsert>>;
    platform_tokens: Knex.CompositeTableType<PlatformTokensRow, PlatformTokensInsert, Changes<PlatformTokensInsert>>;
    policy_counts: Knex.CompositeTableType<PolicyCountsRow, PolicyCountsInsert, Changes<PolicyCountsInsert>>;
    policy_decisions: Knex.CompositeTableType<PolicyDecisionsRow, PolicyDecisionsInsert, Changes<PolicyDecisionsInsert>>;
    policy_denials: Knex.CompositeTableType<PolicyDenialsRow, PolicyDenialsInsert, Changes<PolicyDenialsInsert>>;
    policy_network_positions: Knex.CompositeTableType<PolicyNetworkPositionsRow, PolicyNetworkPositionsInsert, Changes<PolicyNetworkPositionsInsert>>;
    policy_rules: Knex.CompositeTableType<PolicyRulesRow, PolicyRulesInsert, Changes<PolicyRulesInsert>>;
    processor_events: Knex.CompositeTableType<ProcessorEventsRow, ProcessorEventsInsert, Changes<ProcessorEventsInsert>>;
    protocol_entries: Knex.CompositeTableType<ProtocolEntriesRow, ProtocolEntriesInsert, Changes<ProtocolEntriesInsert>>;
    protocol_moves: Knex.CompositeTableType<ProtocolMovesRow, ProtocolMovesInsert, Changes<ProtocolMovesInsert>>;
    protocol_scenario_runs: Knex.CompositeTableType<ProtocolScenarioRunsRow, ProtocolScenarioRunsInsert, Changes<ProtocolScenarioRunsInsert>>;
    protocol_simulations: Knex.CompositeTableType<ProtocolSimulationsRow, ProtocolSimulationsInsert, Changes<ProtocolSimulationsInsert>>;
    rate_limits: Knex.CompositeTableType<RateLimitsRow, RateLimitsInsert, Changes<RateLimitsInsert>>;
    receipt_chains: Knex.CompositeTableType<ReceiptChainsRow, ReceiptChainsInsert, Changes<ReceiptChainsInsert>>;
    receipt_keys: Knex.CompositeTableType<ReceiptKeysRow, ReceiptKeysInsert, Changes<ReceiptKeysInsert>>;
    receipts: Knex.CompositeTableType<ReceiptsRow, ReceiptsInsert, Changes<ReceiptsInsert>>;
    review_loops: Knex.CompositeTableType<ReviewLoopsRow, ReviewLoopsInsert, Changes<ReviewLoopsInsert>>;
    review_probes: Knex.CompositeTableType<ReviewProbesRow, ReviewProbesInsert, Changes<ReviewProbesInsert>>;
    review_runs: Knex.CompositeTableType<ReviewRunsRow, ReviewRunsInsert, Changes<ReviewRunsInsert>>;
    run_scores: Knex.CompositeTableType<RunScoresRow, RunScoresInsert, Changes<RunScoresInsert>>;
    run_thumbs: Knex.CompositeTableType<RunThumbsRow, RunThumbsInsert, Changes<RunThumbsInsert>>;
    runs: Knex.CompositeTableType<RunsRow, RunsInsert, Changes<RunsInsert>>;
    sandboxes: Knex.CompositeTableType<SandboxesRow, SandboxesInsert, Changes<SandboxesInsert>>;
    schedule_firings: Knex.CompositeTableType<ScheduleFiringsRow, ScheduleFiringsInsert, Changes<ScheduleFiringsInsert>>;
    schedules: Knex.CompositeTableType<SchedulesRow, SchedulesInsert, Changes<SchedulesInsert>>;
    scim_group_members: Knex.CompositeTableType<ScimGroupMembersRow, ScimGroupMembersInsert, Changes<ScimGroupMembersInsert>>;
    scim_group_roles: Knex.CompositeTableType<ScimGroupRolesRow, ScimGroupRolesInsert, Changes<ScimGroupRolesInsert>>;
    scim_groups: Knex.CompositeTableType<ScimGroupsRow, ScimGroupsInsert, Changes<ScimGroupsInsert>>;
    scim_tokens: Knex.CompositeTableType<ScimTokensRow, ScimTokensInsert, Changes<ScimTokensInsert>>;
    scim_user_values: Knex.CompositeTableType<ScimUserValuesRow, ScimUserValuesInsert, Changes<ScimUserValuesInsert>>;
    scim_users: Knex.CompositeTableType<ScimUsersRow, ScimUsersInsert, Changes<ScimUsersInsert>>;
    scm_deliveries: Knex.CompositeTableType<ScmDeliveriesRow, ScmDeliveriesInsert, Changes<ScmDeliveriesInsert>>;
    scorecard_cursor: Knex.CompositeTableType<ScorecardCursorRow, ScorecardCursorInsert, Changes<ScorecardCursorInsert>>;
    scorecards: Knex.CompositeTableType<ScorecardsRow, ScorecardsInsert, Changes<ScorecardsInsert>>;
    scored_contents: Knex.CompositeTableType<ScoredContentsRow, ScoredContentsInsert, Changes<ScoredContentsInsert>>;
    scoring_position: Knex.CompositeTableType<ScoringPositionRow, ScoringPositionInsert, Changes<ScoringPositionInsert>>;
    search_words: Knex.CompositeTableType<SearchWordsRow, SearchWordsInsert, Changes<SearchWordsInsert>>;
    skill_prices: Knex.CompositeTableType<SkillPricesRow, SkillPricesInsert, Changes<SkillPricesInsert>>;
    source_pushes: Knex.CompositeTableType<SourcePushesRow, SourcePushesInsert, Changes<SourcePushesInsert>>;
    source_tokens: Knex.CompositeTableType<SourceTokensRow, SourceTokensInsert, Changes<SourceTokensInsert>>;
    span_counts: Knex.CompositeTableType<SpanCountsRow, SpanCountsInsert, Changes<SpanCountsInsert>>;
    spans: Knex.CompositeTableType<SpansRow, SpansInsert, Changes<SpansInsert>>;
    sso_connections: Knex.CompositeTableType<SsoConnectionsRow, SsoConnectionsInsert, Changes<SsoConnectionsInsert>>;
    sso_identities: Knex.CompositeTableType<SsoIdentitiesRow, SsoIdentitiesInsert, Changes<SsoIdentitiesInsert>>;
    sso_openings: Knex.CompositeTableType<SsoOpeningsRow, SsoOpeningsInsert, Changes<SsoOpeningsInsert>>;
    studio_calls: Knex.CompositeTableType<StudioCallsRow, StudioCallsInsert, Changes<StudioCallsInsert>>;
    studio_guest_runs: Knex.CompositeTableType<StudioGuestRunsRow, StudioGuestRunsInsert, Changes<StudioGuestRunsInsert>>;
    studio_iterations: Knex.CompositeTableType<StudioIterationsRow, StudioIterationsInsert, Changes<StudioIterationsInsert>>;
    studio_plans: Knex.CompositeTableType<StudioPlansRow, StudioPlansInsert, Changes<StudioPlansInsert>>;
    studio_proposals: Knex.CompositeTableType<StudioProposalsRow, StudioProposalsInsert, Changes<StudioProposalsInsert>>;
    studio_runs: Knex.CompositeTableType<StudioRunsRow, StudioRunsInsert, Changes<StudioRunsInsert>>;
    subagent_runs: Knex.CompositeTableType<SubagentRunsRow, SubagentRunsInsert, Changes<SubagentRunsInsert>>;
    subscriptions: Knex.CompositeTableType<SubscriptionsRow, SubscriptionsInsert, Changes<SubscriptionsInsert>>;
    team_memories: Knex.CompositeTableType<TeamMemoriesRow, TeamMemoriesInsert, Changes<TeamMemoriesInsert>>;
    team_plans: Knex.CompositeTableType<TeamPlansRow, TeamPlansInsert, Changes<TeamPlansInsert>>;
    team_runs: Knex.CompositeTableType<TeamRunsRow, TeamRunsInsert, Changes<TeamRunsInsert>>;
    template_updates: Knex.CompositeTableType<TemplateUpdatesRow, TemplateUpdatesInsert, Changes<TemplateUpdatesInsert>>;
    template_versions: Knex.CompositeTableType<TemplateVersionsRow, TemplateVersionsInsert, Changes<TemplateVersionsInsert>>;
    test_money_events: Knex.CompositeTableType<TestMoneyEventsRow, TestMoneyEventsInsert, Changes<TestMoneyEventsInsert>>;
    test_money_objects: Knex.CompositeTableType<TestMoneyObjectsRow, TestMoneyObjectsInsert, Changes<TestMoneyObjectsInsert>>;
    test_money_requests: Knex.CompositeTableType<TestMoneyRequestsRow, TestMoneyRequestsInsert, Changes<TestMoneyRequestsInsert>>;
    thread_events: Knex.CompositeTableType<ThreadEventsRow, ThreadEventsInsert, Changes<ThreadEventsInsert>>;
    threads: Knex.CompositeTableType<ThreadsRow, ThreadsInsert, Changes<ThreadsInsert>>;
    top_ups: Knex.CompositeTableType<TopUpsRow, TopUpsInsert, Changes<TopUpsInsert>>;
    trace_exports: Knex.CompositeTableType<TraceExportsRow, TraceExportsInsert, Changes<TraceExportsInsert>>;
    trial_ratings: Knex.CompositeTableType<TrialRatingsRow, TrialRatingsInsert, Changes<TrialRatingsInsert>>;
    trial_results: Knex.CompositeTableType<TrialResultsRow, TrialResultsInsert, Changes<TrialResultsInsert>>;
    trial_rooms: Knex.CompositeTableType<TrialRoomsRow, TrialRoomsInsert, Changes<TrialRoomsInsert>>;
    trial_runs: Knex.CompositeTableType<TrialRunsRow, TrialRunsInsert, Changes<TrialRunsInsert>>;
    unreceipted_runs: Knex.CompositeTableType<UnreceiptedRunsRow, UnreceiptedRunsInsert, Changes<UnreceiptedRunsInsert>>;
    users: Knex.CompositeTableType<UsersRow, UsersInsert, Changes<UsersInsert>>;
    wait_mails: Knex.CompositeTableType<WaitMailsRow, WaitMailsInsert, Changes<WaitMailsInsert>>;
    waits: Knex.CompositeTableType<WaitsRow, WaitsInsert, Changes<WaitsInsert>>;
    wake_counts: Knex.CompositeTableType<WakeCountsRow, WakeCountsInsert, Changes<WakeCountsInsert>>;
    web_sessions: Knex.CompositeTableType<WebSessionsRow, WebSessionsInsert, Changes<WebSessionsInsert>>;
  }
}
