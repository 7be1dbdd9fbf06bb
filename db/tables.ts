// Generated from the migrated schema by db/generate-tables.ts; a test fails when it is stale. Do not edit.
import type * as states from '#contract/states.ts';
import type { Table } from './table-types.ts';

export interface AccountAccessRow {
  user_id: string;
  agent_id: string;
  used: number;
  updated_at: Date;
}
export interface AcmeAccountsRow {
  directory_url: string;
  key_sealed: string;
  account_url: string | null;
  created_at: Date;
}
export interface AgentConnectionsRow {
  connection_id: number;
  agent_id: string;
  kind: (typeof states.CONNECTION_KINDS)[number];
  scheme_name: string;
  state: (typeof states.CONNECTION_STATES)[number];
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
export interface AgentConsentsRow {
  user_id: string;
  agent_id: string;
  created_at: Date;
}
export interface AgentDomainsRow {
  domain_id: string;
  agent_id: string;
  hostname: string;
  state: (typeof states.DOMAIN_STATES)[number];
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
export interface AgentFailuresRow {
  failure_id: number;
  deploy_id: string;
  code: string;
  at: Date;
}
export interface AgentFindingsRow {
  finding_id: string;
  agent_id: string;
  deploy_id: string;
  job_id: string | null;
  source: (typeof states.FINDING_SOURCES)[number];
  hash: string;
  severity: (typeof states.FINDING_SEVERITIES)[number];
  rule: string;
  skill: string | null;
  title: string;
  message: string;
  reproduction: unknown;
  confirmed: boolean;
  state: (typeof states.FINDING_STATES)[number];
  answer: (typeof states.FINDING_ANSWERS)[number] | null;
  reason: string | null;
  answered_by: string | null;
  answered_at: Date | null;
  created_at: Date;
}
export interface AgentHealthChangesRow {
  change_id: number;
  agent_id: string;
  at: Date;
  is_well: boolean;
  reason: string | null;
}
export interface AgentHealthHoursRow {
  agent_id: string;
  hour: Date;
  looks: number;
  well: number;
  counted_at: Date;
}
export interface AgentImportsRow {
  agent_id: string;
  url: string;
  endpoint: string;
  protocol: (typeof states.IMPORT_PROTOCOLS)[number];
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
  shared: boolean;
}
export interface AgentProofsRow {
  proof_id: string;
  agent_id: string;
  agent_name: string;
  owner_id: string;
  run_by: (typeof states.PROOF_RUNNERS)[number];
  published: boolean;
  deploy_id: string;
  version: string;
  skill_name: string;
  args: unknown;
  input_sha256: string;
  args_case: (typeof states.PROOF_CASES)[number];
  seed: string | null;
  properties: unknown;
  deadline_at: Date;
  deadline_seconds: number;
  budget_micros: number;
  grant_id: string | null;
  run_id: string | null;
  receipt_id: string | null;
  job_id: string | null;
  status: (typeof states.PROOF_STATES)[number];
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
export interface AgentRepairsRow {
  repair_id: string;
  agent_id: string;
  deploy_id: string;
  job_id: string | null;
  state: (typeof states.REPAIR_STATES)[number];
  policy: unknown;
  error: unknown;
  outcome: unknown;
  steps: unknown;
  missing: string[];
  source_sha256: string;
  tests: (typeof states.TEST_OUTCOMES)[number];
  changed_files: unknown;
  healed_deploy_id: string | null;
  created_at: Date;
  ended_at: Date | null;
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
export interface AgentsRow {
  agent_id: string;
  name: string;
  owner_id: string;
  kind: (typeof states.AGENT_KINDS)[number];
  endpoint_url: string | null;
  description: string;
  version: string | null;
  tags: string[];
  visibility: (typeof states.VISIBILITIES)[number];
  reuse_policy: (typeof states.REUSE_POLICIES)[number];
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
  allowed_origins: string[] | null;
}
export interface ApiProcessesRow {
  process_id: string;
  seen_at: Date;
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
export interface ApprovalPoliciesRow {
  organization_id: string;
  version: number;
  sha256: string;
  rules: unknown;
  made_by: string | null;
  made_at: Date;
}
export interface ApprovalVotesRow {
  vote_id: string;
  wait_id: string;
  organization_id: string;
  for_id: string | null;
  by_id: string | null;
  delegation_id: string | null;
  decision: (typeof states.DECISIONS)[number];
  reason: string;
  stage: number;
  request_id: string;
  at: Date;
  replaced_at: Date | null;
  counted: boolean;
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
  target_type: string | null;
}
export interface AutopilotsRow {
  owner_id: string;
  enabled: boolean;
  daily_hour: number;
  time_zone: string;
  last_day: string | null;
  updated_at: Date;
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
export interface BlobsRow {
  sha256: string;
  size_bytes: number;
  created_at: Date;
  used_at: Date;
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
  state: (typeof states.BOUNTY_STATES)[number];
  agent_id: string | null;
  claimed_by: string | null;
  created_at: Date;
  claimed_at: Date | null;
  ended_at: Date | null;
}
export interface BrainArtifactsRow {
  artifact_id: string;
  owner_id: string;
  kind: (typeof states.BRAIN_ARTIFACTS)[number];
  content: unknown;
  created_at: Date;
}
export interface BrainChangesRow {
  change_id: string;
  owner_id: string;
  kind: (typeof states.BRAIN_CHANGES)[number];
  memory_id: string;
  reason: string;
  created_at: Date;
  undone_at: Date | null;
}
export interface BrainDispatchesRow {
  dispatch_id: string;
  owner_id: string;
  wanted: unknown;
  goal: string;
  state: (typeof states.DISPATCH_STATES)[number];
  reason: string | null;
  dag_run_id: string | null;
  created_at: Date;
  started_at: Date | null;
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
export interface BrainRuntimesRow {
  owner_id: string;
  enabled: boolean;
  daily_hour: number;
  time_zone: string;
  daily_budget_cents: number;
  last_night: string | null;
  updated_at: Date;
}
export interface BucketsRow {
  bucket: string;
  file_count: number;
  size_bytes: number;
  reserved_files: number;
  reserved_bytes: number;
}
export interface CallContentsRow {
  run_id: string;
  agent_id: string;
  deploy_id: string;
  skill: string;
  user_id: string | null;
  request_id: string;
  state: (typeof states.UNPAUSED_RUN_STATES)[number];
  input: string | null;
  output: string | null;
  streamed: string | null;
  progress: unknown;
  error: unknown;
  left_out: boolean;
  started_at: Date;
  ended_at: Date | null;
  content_until: Date;
  expires_at: Date;
  log: string | null;
  log_until: Date | null;
}
export interface CallCountPlacesRow {
  agent_id: string;
  seq: number;
}
export interface CallSumsRow {
  agent_id: string;
  grain: (typeof states.COUNT_GRAINS)[number];
  facet: (typeof states.CALL_FACETS)[number];
  since: Date;
  word: string;
  relation: (typeof states.COUNTED_RELATIONS)[number];
  status: (typeof states.RECEIPT_STATUSES)[number];
  calls: number;
  duration_ms: number;
  histogram: unknown;
}
export interface CallWordsRow {
  agent_id: string;
  kind: (typeof states.COUNTED_WORDS)[number];
  word: string;
}
export interface CallerScopesRow {
  agent_id: string;
  user_id: string;
  scopes: string[];
  created_at: Date;
  updated_at: Date;
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
  state: (typeof states.CHARGE_STATES)[number];
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
export interface ChatTurnsRow {
  turn_id: string;
  thread_id: string;
  owner_id: string;
  idempotency_key: string | null;
  reading: string;
  state: (typeof states.UNPAUSED_RUN_STATES)[number];
  job_id: string | null;
  reply: unknown;
  first_seq: number;
  last_seq: number | null;
  created_at: Date;
  ended_at: Date | null;
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
export interface ComplianceProfileLogRow {
  agent_id: string;
  version: number;
  risk_tier: (typeof states.RISK_TIERS)[number];
  intended_purpose: string;
  human_oversight: string;
  notes: string;
  changed_by: string | null;
  changed_at: Date;
}
export interface ComplianceProfilesRow {
  agent_id: string;
  organization_id: string;
  risk_tier: (typeof states.RISK_TIERS)[number];
  intended_purpose: string;
  human_oversight: string;
  notes: string;
  version: number;
  updated_by: string | null;
  updated_at: Date;
}
export interface CompliancePurgesRow {
  purge_id: string;
  organization_id: string;
  job_id: string;
  requested_by: string | null;
  before: Date;
  created_at: Date;
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
  recent_calls: unknown;
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
export interface DagNodesRow {
  dag_run_id: string;
  number: number;
  agent_name: string;
  skill: string;
  args: unknown;
  depends_on: number[];
  state: (typeof states.PLAN_NODE_STATES)[number];
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
export interface DagRunsRow {
  dag_run_id: string;
  owner_id: string;
  thread_id: string | null;
  job_id: string;
  title: string;
  planner: (typeof states.PLANNERS)[number];
  thoughts: number;
  created_at: Date;
}
export interface DatabaseBindingsRow {
  binding_id: string;
  role_id: string;
  agent_id: string;
  variable: string;
  declared: boolean;
  created_at: Date;
}
export interface DatabaseBranchesRow {
  branch_id: string;
  project_id: string;
  name: string;
  parent_branch_id: string | null;
  database_name: string;
  state: (typeof states.DATABASE_STATES)[number];
  error: unknown;
  size_bytes: number;
  connections: number;
  measured_at: Date | null;
  created_at: Date;
  updated_at: Date;
}
export interface DatabaseEventsRow {
  event_id: string;
  project_id: string;
  branch: string | null;
  agent: string | null;
  kind: (typeof states.DATABASE_EVENT_KINDS)[number];
  detail: string | null;
  at: Date;
}
export interface DatabaseLoginsRow {
  login_id: string;
  role_id: string;
  login: string;
  state: (typeof states.DATABASE_LOGIN_STATES)[number];
  password_sealed: string;
  created_at: Date;
}
export interface DatabaseProjectsRow {
  project_id: string;
  owner_id: string;
  name: string;
  state: (typeof states.DATABASE_STATES)[number];
  error: unknown;
  server_name: string;
  host: string | null;
  port: number | null;
  tls: boolean | null;
  allowance: (typeof states.DATABASE_ALLOWANCES)[number];
  created_at: Date;
  updated_at: Date;
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
export interface DatabaseRolesRow {
  role_id: string;
  branch_id: string;
  access: (typeof states.DATABASE_ACCESSES)[number];
  rotated_at: Date;
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
export interface DatasetsRow {
  dataset_id: string;
  agent_id: string;
  name: string;
  created_at: Date;
}
export interface DeploymentsRow {
  deploy_id: string;
  agent_id: string;
  number: number;
  state: (typeof states.DEPLOYMENT_STATES)[number];
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
  upgrade_kind: (typeof states.UPGRADE_KINDS)[number] | null;
  differences: unknown;
  sdk: string | null;
  build_began_at: Date | null;
  build_ended_at: Date | null;
  runs_on: string | null;
}
export interface DevBoxSessionsRow {
  session_id: string;
  box_id: string;
  user_id: string;
  token_hash: string;
  public_key: string;
  created_at: Date;
  expires_at: Date;
  person_id: string | null;
  opened_by: string | null;
  address: string | null;
  user_agent: string | null;
  last_used_at: Date | null;
}
export interface DevBoxesRow {
  box_id: string;
  owner_id: string;
  agent_id: string;
  state: (typeof states.BOX_STATES)[number];
  host_key: string;
  host_key_sealed: string;
  created_at: Date;
  used_at: Date;
}
export interface DomainCertificatesRow {
  certificate_id: string;
  domain_id: string;
  state: (typeof states.CERTIFICATE_STATES)[number];
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
export interface DunningStepsRow {
  subscription_id: string;
  since: Date;
  step: number;
  claimed_at: Date;
  sent_at: Date | null;
}
export interface EarnedSumsRow {
  agent_id: string;
  grain: (typeof states.COUNT_GRAINS)[number];
  since: Date;
  skill: string;
  amount_micros: number;
}
export interface EvaluationConsentsRow {
  user_id: string;
  agent_id: string;
  created_at: Date;
}
export interface EvaluationResultsRow {
  evaluation_id: string;
  item_id: string;
  skill: string;
  args: unknown;
  has_expected: boolean;
  expected: unknown;
  state: (typeof states.RESULT_STATES)[number];
  run_id: string | null;
  passed: boolean | null;
  scores: unknown;
  error: unknown;
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
export interface EvaluationsRow {
  evaluation_id: string;
  agent_id: string;
  dataset: string;
  deploy_id: string;
  version: string | null;
  created_by: string;
  state: (typeof states.EVALUATION_STATES)[number];
  error: unknown;
  held_until: Date | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface FeatureFlagOverridesRow {
  user_id: string;
  flag_key: string;
  value: unknown;
  updated_at: Date;
}
export interface FeatureFlagsRow {
  flag_key: string;
  type: (typeof states.FLAG_TYPES)[number];
  choices: unknown;
  default_value: unknown;
  description: string;
  created_at: Date;
  updated_at: Date;
  overrides: number;
}
export interface FileUploadPartsRow {
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
  state: (typeof states.UPLOAD_STATES)[number];
  size_bytes: number;
  received_bytes: number;
  media: string | null;
  sha256: string | null;
  if_match: string | null;
  if_none_match: string | null;
  created_at: Date;
  expires_at: Date;
}
export interface FileWordsRow {
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
export interface FreeCallsRow {
  payer_id: string;
  agent_id: string;
  skill: string;
  used: number;
}
export interface GrantsRow {
  grant_id: string;
  parent_grant_id: string | null;
  kind: (typeof states.GRANT_KINDS)[number];
  owner_id: string;
  issuer: string;
  audience: string;
  bucket: string;
  mode: (typeof states.WORKSPACE_MODES)[number];
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
export interface IdpAccountsRow {
  account_id: string;
  email: string;
  name: string;
  operator: boolean;
  password_hash: string;
  email_verified: boolean;
}
export interface InstallationRow {
  only_one: boolean;
  key_fingerprint: string;
  created_at: Date;
}
export interface InstalledAgentsRow {
  user_id: string;
  agent_id: string;
  installed_at: Date;
}
export interface InstancesRow {
  instance_id: string;
  deploy_id: string;
  agent_id: string;
  node: string;
  state: (typeof states.INSTANCE_STATES)[number];
  api_key_sealed: string;
  runtime: string | null;
  created_at: Date;
  stopped_at: Date | null;
  unwell_reason: string | null;
  unwell_since: Date | null;
  wakes_counted_to: Date | null;
  network_denied: boolean;
}
export interface InvoicesRow {
  invoice_id: string;
  user_id: string;
  kind: (typeof states.INVOICE_KINDS)[number];
  subscription_id: string | null;
  number: string | null;
  state: (typeof states.INVOICE_STATES)[number];
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
export interface JobArchivesRow {
  job_id: string;
  storage_key: string;
  sha256: string;
  size_bytes: number;
  events: number;
  archived_at: Date;
  removed_at: Date | null;
}
export interface JobEventsRow {
  job_id: string;
  seq: number;
  kind: string;
  payload: unknown;
  at: Date;
}
export interface JobsRow {
  job_id: string;
  kind: string;
  state: (typeof states.JOB_STATES)[number];
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
  events_state: (typeof states.EVENT_LOG_STATES)[number];
}
export interface KernelRunsRow {
  job_id: string;
  owner_id: string;
  kind: (typeof states.KERNEL_RUN_KINDS)[number];
  world: (typeof states.WORLD_KINDS)[number];
  template: string | null;
  execution_mode: (typeof states.EXECUTION_MODES)[number];
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
  verdict: (typeof states.KERNEL_VERDICTS)[number] | null;
  digest: string | null;
  result: unknown;
  first_difference: number | null;
  budget_cents: number;
  deadline_at: Date;
  created_at: Date;
}
export interface LedgerAccountsRow {
  account_id: string;
  kind: (typeof states.LEDGER_ACCOUNT_KINDS)[number];
  owner_id: string | null;
  shard: number;
  balance_micros: number;
  held_micros: number;
  version: number;
  may_overdraw: boolean;
  created_at: Date;
  owed_micros: number;
}
export interface LedgerEntriesRow {
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
  state: (typeof states.LEDGER_HOLD_STATES)[number];
  expires_at: Date;
  created_at: Date;
  ended_at: Date | null;
}
export interface LedgerTransactionsRow {
  transaction_id: string;
  key: string;
  kind: (typeof states.LEDGER_TRANSACTION_KINDS)[number];
  reverses: string | null;
  refs: unknown;
  created_at: Date;
}
export interface LlmCapsRow {
  cap_id: string;
  user_id: string;
  limit_micros: number;
  spent_micros: number;
  reserved_micros: number;
  created_at: Date;
}
export interface LlmCredentialsRow {
  credential_id: string;
  user_id: string;
  name: string;
  provider: string;
  protocol: (typeof states.MODEL_PROTOCOLS)[number];
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
export interface LlmRatesRow {
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
  state: (typeof states.LLM_CALL_STATES)[number];
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
export interface MailKeysRow {
  domain: string;
  selector: string;
  private_sealed: string;
  public_key: string;
  created_at: Date;
}
export interface MailMessagesRow {
  mail_id: string;
  number: number;
  mailbox_id: string;
  thread_no: number | null;
  direction: (typeof states.MAIL_DIRECTIONS)[number];
  state: (typeof states.MAIL_STATES)[number];
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
export interface MailThreadsRow {
  thread_no: number;
  mailbox_id: string;
  thread_id: string | null;
  correspondent: string;
  subject: string;
  created_at: Date;
}
export interface MailboxEventsRow {
  event_id: string;
  mailbox_id: string;
  kind: (typeof states.MAIL_EVENT_KINDS)[number];
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
export interface MailboxesRow {
  mailbox_id: string;
  agent_id: string;
  address: string;
  state: (typeof states.MAILBOX_STATES)[number];
  declared_senders: string[];
  allowed_senders: string[];
  error: unknown;
  created_at: Date;
  updated_at: Date;
}
export interface MetaRunsRow {
  meta_run_id: string;
  agent_id: string;
  user_id: string;
  goal: string;
  criteria: unknown;
  plan: unknown;
  progress: unknown;
  status: (typeof states.META_RUN_STATES)[number];
  version: number;
  run_id: string | null;
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
}
export interface ModelUseCountsRow {
  agent_id: string;
  grain: (typeof states.COUNT_GRAINS)[number];
  since: Date;
  relation: (typeof states.CALLER_RELATIONS)[number];
  model: string;
  uses: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  cost_micros: number;
  unpriced: number;
}
export interface NodeImagesRow {
  image: string;
  node: string;
  made_at: Date;
}
export interface NotificationsRow {
  user_id: string;
  mail_from: Date | null;
  mailed_at: Date | null;
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
export interface OnboardingRow {
  user_id: string;
  tour_index: number;
  dismissed_at: Date | null;
}
export interface OneTimeCodesRow {
  code_hash: string;
  kind: (typeof states.ONE_TIME_CODE_KINDS)[number];
  user_id: string | null;
  audience: string | null;
  payload: unknown;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
  used_by: string | null;
}
export interface OpenCallsRow {
  call_id: string;
  process_id: string;
  began_at: Date;
  call: unknown;
  goes_on: boolean;
  receipt_id: string | null;
}
export interface OpenWorkflowsRow {
  workflow_id: string;
  type: string;
  message: unknown;
  started_at: Date;
  looked_at: Date | null;
  restarts: number;
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
export interface OrganizationDomainsRow {
  domain_id: string;
  organization_id: string;
  domain: string;
  nonce: string;
  state: (typeof states.ORGANIZATION_DOMAIN_STATES)[number];
  problem: string | null;
  failures: number;
  created_at: Date;
  verified_at: Date | null;
  checked_at: Date | null;
}
export interface OrganizationMembersRow {
  member_id: string;
  organization_id: string;
  user_id: string | null;
  email: string;
  role: (typeof states.ORGANIZATION_ROLES)[number];
  state: (typeof states.MEMBER_STATES)[number];
  source: (typeof states.MEMBER_SOURCES)[number];
  invited_by: string | null;
  created_at: Date;
  joined_at: Date | null;
  updated_at: Date;
  invitation: number;
  expires_at: Date | null;
  mail_claimed_at: Date | null;
  mailed_at: Date | null;
}
export interface OrganizationsRow {
  organization_id: string;
  slug: string;
  name: string;
  created_by: string | null;
  created_at: Date;
  auto_join_role: (typeof states.AUTO_JOIN_ROLES)[number] | null;
  scim_users: number;
  scim_groups: number;
}
export interface OutboxRow {
  outbox_id: string;
  kind: (typeof states.OUTBOX_KINDS)[number];
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
export interface PatchesRow {
  patch_id: string;
  bucket: string;
  path: string;
  operation: (typeof states.PATCH_OPERATIONS)[number];
  grant_id: string;
  run_id: string | null;
  sha256: string | null;
  size_bytes: number;
  mime_type: string | null;
  file_type: string | null;
  content: string | null;
  base_sha256: string | null;
  state: (typeof states.PATCH_STATES)[number];
  reason: string | null;
  created_at: Date;
  settled_at: Date | null;
}
export interface PaymentCustomersRow {
  user_id: string;
  processor: (typeof states.PAYMENT_PROCESSORS)[number];
  customer_id: string;
  created_at: Date;
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
  bank_state: (typeof states.BANK_PAYOUT_STATES)[number] | null;
  bank_amount: number | null;
  bank_currency: string | null;
  bank_failure: unknown;
  bank_at: Date | null;
}
export interface PayoutAllocationsRow {
  account_id: string;
  spend_version: number;
  lot_version: number;
  received_micros: number;
  other_micros: number;
  lost_micros: number;
}
export interface PayoutLinesRow {
  line_id: string;
  kind: (typeof states.PAYOUT_LINE_KINDS)[number];
  state: (typeof states.PAYOUT_LINE_STATES)[number];
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
  reason: (typeof states.PAYOUT_LINE_REASONS)[number] | null;
  transfer_id: string | null;
  at: Date;
  hold_until: Date | null;
  created_at: Date;
  of_transfer_id: string | null;
}
export interface PayoutLossesReadRow {
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
export interface PayoutNoticesRow {
  user_id: string;
  kind: (typeof states.PAYOUT_NOTICE_KINDS)[number];
  subject: string;
  details: unknown;
  created_at: Date;
  claimed_at: Date | null;
  sent_at: Date | null;
}
export interface PayoutPlacesRow {
  account_id: string;
  version: number;
}
export interface PayoutRunsRow {
  run_id: string;
  key: string;
  state: (typeof states.PAYOUT_RUN_STATES)[number];
  creator_id: string | null;
  requested_by: string | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface PayoutSpendsRow {
  account_id: string;
  version: number;
  transaction_id: string;
  kind: (typeof states.PAYOUT_SPEND_KINDS)[number];
  subject_id: string | null;
  amount_micros: number;
  received_micros: number;
  changed: boolean;
}
export interface PayoutTransfersRow {
  transfer_id: string;
  run_id: string;
  creator_id: string;
  destination: string;
  state: (typeof states.PAYOUT_TRANSFER_STATES)[number];
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
export interface PlanCheckoutsRow {
  user_id: string;
  checkout_key: string;
  processor: (typeof states.PAYMENT_PROCESSORS)[number];
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
export interface PlatformSettingsRow {
  key: string;
  value: number;
  version: number;
  updated_at: Date;
}
export interface PlatformTokensRow {
  token_id: string;
  token_hash: string;
  kind: (typeof states.TOKEN_KINDS)[number];
  user_id: string | null;
  agent_id: string | null;
  label: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  number: number;
  skills: string[] | null;
  placement: (typeof states.TOKEN_PLACEMENTS)[number] | null;
  routes: string[] | null;
  signed_in_at: Date | null;
  sso_connection_id: string | null;
  sso_whole_account: boolean;
  address: string | null;
  user_agent: string | null;
  opened_by: string | null;
}
export interface PolicyCountsRow {
  count_id: string;
  user_id: string;
  taken: number;
  created_at: Date;
}
export interface PolicyDecisionsRow {
  decision_id: string;
  owner_id: string;
  action: (typeof states.POLICY_ACTIONS)[number];
  outcome: (typeof states.POLICY_OUTCOMES)[number];
  reasons: string[];
  rules_version: number;
  policy_hash: string;
  request: unknown;
  decided_at: Date;
}
export interface PolicyDenialsRow {
  denial_id: string;
  denial_key: string;
  user_id: string;
  action: (typeof states.POLICY_ACTIONS)[number];
  outcome: (typeof states.DENIAL_OUTCOMES)[number];
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
export interface PolicyNetworkPositionsRow {
  node: string;
  boot_id: string;
  seq: number;
}
export interface PolicyRulesRow {
  owner_id: string;
  version: number;
  default_outcome: (typeof states.POLICY_DEFAULTS)[number];
  record_allowed: boolean;
  policies: unknown;
  hash: string;
  created_at: Date;
}
export interface ProcessorEventsRow {
  event_id: string;
  processor: (typeof states.PAYMENT_PROCESSORS)[number];
  type: string;
  subject: string | null;
  created_at: Date;
  taken_at: Date;
}
export interface ProgramSignInsRow {
  sign_in_id: string;
  issuer: string;
  subject: string;
  client_id: string;
  client_name: string | null;
  family: string;
  grant_hash: string | null;
  resource: string | null;
  address: string | null;
  user_agent: string | null;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date | null;
  ended_at: Date | null;
}
export interface ProtocolEntriesRow {
  entry_id: string;
  agent_id: string;
  protocol_id: string;
  version: string;
  display_name: string;
  risk_class: (typeof states.RISK_CLASSES)[number];
  suite: unknown;
  digest: string;
  kid: string;
  signature: string;
  state: (typeof states.PROTOCOL_STATES)[number];
  created_at: Date;
  updated_at: Date;
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
export interface ProtocolScenarioRunsRow {
  job_id: string;
  position: number;
  scenario: string;
  seed: number;
  state: (typeof states.SCENARIO_STATES)[number];
  attempt: number;
  events: unknown;
  observed: unknown;
  broken: unknown;
  reason: string | null;
  digest: string | null;
  started_at: Date | null;
  ended_at: Date | null;
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
  verdict: (typeof states.SIMULATION_VERDICTS)[number] | null;
  digest: string | null;
  created_at: Date;
  ended_at: Date | null;
}
export interface ProtocolTasksRow {
  agent_id: string;
  task_id: string;
  protocol: (typeof states.TASK_PROTOCOLS)[number];
  run_id: string;
  deploy_id: string;
  user_id: string | null;
  caller_kind: string;
  caller_id: string | null;
  owner_key: string;
  context_key: string | null;
  state: (typeof states.PROTOCOL_TASK_STATES)[number];
  status: string;
  questions: string[];
  snapshot: string;
  bytes: number;
  created_at: Date;
  changed_at: Date;
  expires_at: Date;
}
export interface PushMessagesRow {
  message_id: number;
  agent_id: string;
  task_id: string;
  config_id: string;
  content_type: string;
  body: string;
  attempts: number;
  due_at: Date;
  created_at: Date;
}
export interface RateLimitsRow {
  key: string;
  points: number;
  expire: number | null;
}
export interface ReceiptChainsRow {
  agent_id: string;
  seq: number;
  head_sha256: string | null;
}
export interface ReceiptKeysRow {
  kid: string;
  public_key: string;
  private_sealed: string;
  not_before: Date;
  not_after: Date;
  created_at: Date;
}
export interface ReceiptsRow {
  receipt_id: string;
  agent_id: string;
  seq: number | null;
  source: (typeof states.RECEIPT_SOURCES)[number];
  kid: string;
  token: string;
  payload: unknown;
  payload_sha256: string;
  skill: string;
  status: (typeof states.RECEIPT_STATUSES)[number];
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
  purpose: (typeof states.CALL_PURPOSES)[number] | null;
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
export interface ReviewProbesRow {
  job_id: string;
  number: number;
  iteration: number;
  attack: (typeof states.ATTACKS)[number];
  skill: string;
  proposed: unknown;
  state: (typeof states.PROBE_STATES)[number];
  outcome: unknown;
  run_ids: string[];
  findings: string[];
}
export interface ReviewRunsRow {
  review_id: string;
  agent_id: string;
  deploy_id: string;
  job_id: string | null;
  state: (typeof states.REVIEW_STATES)[number];
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
export interface RunReadsRow {
  run_id: string;
  path: string;
  sha256: string;
  size_bytes: number;
  at: Date;
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
export interface RunThumbsRow {
  run_id: string;
  agent_id: string;
  deploy_id: string | null;
  user_id: string;
  up: boolean;
  comment: string;
  at: Date;
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
  state: (typeof states.RUN_ROW_STATES)[number];
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
  kind: (typeof states.RUN_KINDS)[number];
  root_run_id: string | null;
  trace_id: string | null;
  parent_span_id: string | null;
  trace_state: string | null;
  adoptable: boolean;
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
  state: (typeof states.SANDBOX_STATES)[number];
  created_at: Date;
  used_at: Date;
}
export interface ScheduleFiringsRow {
  firing_id: string;
  schedule_id: string;
  cause: (typeof states.FIRING_CAUSES)[number];
  due_at: Date;
  state: (typeof states.FIRING_STATES)[number];
  job_id: string | null;
  run_id: string | null;
  error: unknown;
  started_at: Date;
  ended_at: Date | null;
}
export interface SchedulesRow {
  schedule_id: string;
  owner_id: string;
  title: string;
  cron: string;
  time_zone: string;
  overlap: (typeof states.SCHEDULE_OVERLAPS)[number];
  catchup_window_seconds: number;
  jitter_seconds: number;
  pause_on_failure: boolean;
  paused: boolean;
  paused_by: (typeof states.SCHEDULE_PAUSERS)[number] | null;
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
  skipped_times: (typeof states.SCHEDULE_SKIPPED_TIMES)[number];
  repeated_times: (typeof states.SCHEDULE_REPEATED_TIMES)[number];
  planned_until: Date | null;
}
export interface ScimGroupMembersRow {
  group_id: string;
  user_id: string;
}
export interface ScimGroupRolesRow {
  organization_id: string;
  group_name: string;
  shown_name: string;
  role: (typeof states.SCIM_ROLES)[number];
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
export interface ScimUserValuesRow {
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
export interface ScmDeliveriesRow {
  delivery_id: string;
  received_at: Date;
}
export interface ScorecardCursorRow {
  one: boolean;
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
export interface ScoredContentsRow {
  run_id: string;
  agent_id: string;
  args: unknown;
  result: unknown;
  kept_at: Date;
}
export interface ScoringPositionRow {
  one: boolean;
  receipt_id: string;
}
export interface SearchWordsRow {
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
export interface SourcePushesRow {
  agent_id: string;
  commit_id: string;
  token_name: string;
  pushed_at: Date;
}
export interface SourceTokensRow {
  token_name: string;
  token_hash: string;
  agent_id: string;
  owner_id: string;
  mode: (typeof states.SOURCE_TOKEN_MODES)[number];
  holder: (typeof states.SOURCE_TOKEN_HOLDERS)[number];
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  person_id: string | null;
  opened_by: string | null;
}
export interface SpanCountsRow {
  run_id: string;
  spans: number;
  bytes: number;
  refused: number;
  began_at: Date;
}
export interface SpansRow {
  kept_at: Date;
  run_id: string;
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  owner_id: string;
  agent_name: string;
  source: (typeof states.SPAN_SOURCES)[number];
  name: string;
  kind: (typeof states.SPAN_KINDS)[number];
  start_ns: number;
  end_ns: number;
  status: (typeof states.SPAN_STATUSES)[number];
  message: string | null;
  attributes: unknown;
  events: unknown;
}
export interface SsoConnectionsRow {
  connection_id: string;
  organization_id: string;
  issuer: string;
  client_id: string;
  secret_sealed: string;
  domains: string[];
  default_role: (typeof states.SSO_ROLES)[number];
  makes_members: boolean;
  required: boolean;
  session_hours: number;
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
}
export interface SsoIdentitiesRow {
  organization_id: string;
  issuer: string;
  subject: string;
  user_id: string;
  created_at: Date;
  last_used_at: Date;
  linked_at: Date | null;
}
export interface SsoOpeningsRow {
  opening_id: string;
  organization_id: string;
  opened_by: string | null;
  opened_at: Date;
  claimed_at: Date | null;
  mailed_at: Date | null;
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
export interface StudioGuestRunsRow {
  token_sha256: string;
  brief: unknown;
  recipe: (typeof states.STUDIO_RECIPES)[number];
  files: unknown;
  created_at: Date;
  expires_at: Date;
  run_id: string | null;
}
export interface StudioIterationsRow {
  run_id: string;
  number: number;
  commit: string;
  written_by: (typeof states.STUDIO_WRITERS)[number];
  checks: (typeof states.STUDIO_CHECKS)[number] | null;
  message: string | null;
  findings: unknown;
  created_at: Date;
}
export interface StudioPlansRow {
  plan_id: string;
  owner_id: string;
  brief: unknown;
  brief_sha256: string;
  decision: (typeof states.STUDIO_DECISIONS)[number];
  reason: string;
  candidates: unknown;
  recipes: unknown;
  model: string | null;
  created_at: Date;
  expires_at: Date;
}
export interface StudioProposalsRow {
  proposal_id: string;
  owner_id: string;
  agent_id: string;
  agent_name: string;
  state: (typeof states.PROPOSAL_STATES)[number];
  severity: (typeof states.FINDING_SEVERITIES)[number];
  category: (typeof states.PROPOSAL_CATEGORIES)[number];
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
export interface StudioRunsRow {
  run_id: string;
  owner_id: string;
  plan_id: string;
  job_id: string | null;
  brief: unknown;
  decision: (typeof states.STUDIO_DECISIONS)[number];
  agents: string[];
  recipe: (typeof states.STUDIO_RECIPES)[number] | null;
  model: string | null;
  state: (typeof states.STUDIO_STATES)[number];
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
export interface SubagentRunsRow {
  grant_id: string;
  owner_id: string;
  agent_name: string;
  skill: string;
  caller_agent: string | null;
  caller_run_id: string | null;
  source: (typeof states.CALL_SOURCES)[number];
  run_id: string | null;
  calls: number;
  rerun_of: string | null;
  reported: unknown;
  started_at: Date;
  args: unknown;
}
export interface SubscriptionsRow {
  subscription_id: string;
  processor: (typeof states.PAYMENT_PROCESSORS)[number];
  user_id: string;
  plan: string;
  seats: number;
  state: (typeof states.SUBSCRIPTION_STATES)[number];
  cancel_at_period_end: boolean;
  period_start: Date;
  period_end: Date;
  past_due_since: Date | null;
  end_wanted: (typeof states.SUBSCRIPTION_ENDS)[number] | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
}
export interface TaskPushesRow {
  agent_id: string;
  task_id: string;
  config_id: string;
  url: string;
  version: (typeof states.PUSH_VERSIONS)[number];
  sealed: string;
  created_at: Date;
}
export interface TeamMemoriesRow {
  memory_id: string;
  owner_id: string;
  dag_run_id: string | null;
  kind: (typeof states.TEAM_MEMORY_KINDS)[number];
  about: string;
  text: string;
  sources: string[];
  created_at: Date;
  state: (typeof states.TEAM_MEMORY_STATES)[number];
  reason: string | null;
  merged_into: string | null;
  confirmed_at: Date | null;
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
export interface TemplateUpdatesRow {
  update_id: string;
  agent_id: string;
  of_deploy_id: string;
  state: (typeof states.TEMPLATE_UPDATE_ROW_STATES)[number];
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
export interface TemplateVersionsRow {
  digest: string;
  ref: string;
  version: string;
  files: unknown;
  created_at: Date;
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
export interface TestMoneyObjectsRow {
  object_id: string;
  kind: (typeof states.TEST_MONEY_KINDS)[number];
  owner_id: string;
  data: unknown;
  created_at: Date;
}
export interface TestMoneyRequestsRow {
  key: string;
  sha256: string;
  answer: unknown;
  created_at: Date;
}
export interface ThreadEventsRow {
  thread_id: string;
  seq: number;
  kind: string;
  payload: unknown;
  at: Date;
}
export interface ThreadsRow {
  thread_id: string;
  owner_id: string;
  title: string;
  titled: boolean;
  handoffs: (typeof states.HANDOFF_RULES)[number];
  last_seq: number;
  created_at: Date;
  touched_at: Date;
  archived_at: Date | null;
}
export interface TopUpsRow {
  top_up_id: string;
  user_id: string;
  processor: (typeof states.PAYMENT_PROCESSORS)[number];
  state: (typeof states.TOP_UP_STATES)[number];
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
export interface TraceExportsRow {
  endpoint: string;
  receipt_id: string;
  held_until: Date | null;
  failed: number;
  error: string | null;
  ended_at: Date | null;
  run_id: string | null;
}
export interface TrialRatingsRow {
  run_id: string;
  user_id: string;
  score: number;
  notes: string;
  blind: boolean;
  updated_at: Date;
}
export interface TrialResultsRow {
  run_id: string;
  case_no: number;
  state: (typeof states.RESULT_STATES)[number];
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
  trigger: (typeof states.TRIAL_TRIGGERS)[number];
  score: unknown;
  compared: unknown;
  deadline_at: Date;
  created_at: Date;
  ended_at: Date | null;
}
export interface UnreceiptedRunsRow {
  run_id: string;
  ended_at: Date;
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
  kind: (typeof states.ACCOUNT_KINDS)[number];
  account_number: number;
  keep_content_days: number;
}
export interface WaitMailsRow {
  wait_id: string;
  user_id: string;
  created_at: Date;
  claimed_at: Date | null;
  mailed_at: Date | null;
}
export interface WaitsRow {
  wait_id: string;
  kind: (typeof states.WAIT_KINDS)[number];
  state: (typeof states.WAIT_STATES)[number];
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
  called_by: string[];
  asked_kind: (typeof states.RECIPIENT_KINDS)[number];
  asked_role: (typeof states.ORGANIZATION_ROLES)[number] | null;
  asked_people: string[];
  asked_guests: string[];
  barred: string[];
}
export interface WakeCountsRow {
  agent_id: string;
  grain: (typeof states.COUNT_GRAINS)[number];
  since: Date;
  tier: (typeof states.SLEEP_TIERS)[number];
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
  sso_whole_account: boolean;
  address: string | null;
  user_agent: string | null;
}
export interface WorkflowCodeRow {
  only_one: boolean;
  build_id: string;
  set_at: Date;
}
declare module 'knex/types/tables.js' {
  interface Tables {
    account_access: Table<AccountAccessRow, 'updated_at'>;
    acme_accounts: Table<AcmeAccountsRow, 'created_at'>;
    agent_connections: Table<AgentConnectionsRow, 'connection_id' | 'state' | 'facts' | 'version' | 'created_at' | 'updated_at', 'failure'>;
    agent_consents: Table<AgentConsentsRow, 'created_at'>;
    agent_domains: Table<AgentDomainsRow, 'state' | 'round' | 'failures' | 'seen' | 'asks_certificate' | 'created_at'>;
    agent_failures: Table<AgentFailuresRow, 'failure_id' | 'at'>;
    agent_findings: Table<AgentFindingsRow, never, 'reproduction'>;
    agent_health_changes: Table<AgentHealthChangesRow, 'change_id'>;
    agent_health_hours: Table<AgentHealthHoursRow, 'looks' | 'well'>;
    agent_imports: Table<AgentImportsRow, 'security' | 'probed_at' | 'answered_at' | 'changes' | 'created_at', 'failure'>;
    agent_memories: Table<AgentMemoriesRow, 'metadata' | 'version' | 'created_at' | 'updated_at' | 'shared'>;
    agent_proofs: Table<AgentProofsRow, 'properties' | 'has_result' | 'checks' | 'events' | 'file_ops' | 'created_at', 'error' | 'result'>;
    agent_repairs: Table<AgentRepairsRow, 'steps' | 'missing' | 'tests' | 'changed_files' | 'created_at', 'outcome'>;
    agent_secrets: Table<AgentSecretsRow, 'version' | 'created_at' | 'updated_at', 'inject'>;
    agent_sessions: Table<AgentSessionsRow, 'started_at', 'seal'>;
    agents: Table<
      AgentsRow,
      | 'description'
      | 'tags'
      | 'visibility'
      | 'reuse_policy'
      | 'skills'
      | 'deploy_count'
      | 'call_count'
      | 'search_text'
      | 'created_at'
      | 'updated_at'
      | 'code_editor'
      | 'unanswered',
      'card'
    >;
    api_processes: Table<ApiProcessesRow, 'seen_at'>;
    approval_delegations: Table<ApprovalDelegationsRow>;
    approval_policies: Table<ApprovalPoliciesRow>;
    approval_votes: Table<ApprovalVotesRow, 'counted'>;
    artifacts: Table<ArtifactsRow, 'created_at'>;
    audit_log: Table<AuditLogRow, 'at' | 'details'>;
    autopilots: Table<AutopilotsRow>;
    billing_overrides: Table<BillingOverridesRow, 'updated_at'>;
    blobs: Table<BlobsRow, 'created_at' | 'used_at'>;
    bounties: Table<BountiesRow, never, 'example_input' | 'example_output'>;
    brain_artifacts: Table<BrainArtifactsRow>;
    brain_changes: Table<BrainChangesRow>;
    brain_dispatches: Table<BrainDispatchesRow>;
    brain_feedback: Table<BrainFeedbackRow>;
    brain_runtimes: Table<BrainRuntimesRow>;
    buckets: Table<BucketsRow, 'file_count' | 'size_bytes' | 'reserved_files' | 'reserved_bytes'>;
    call_contents: Table<CallContentsRow, 'left_out', 'progress' | 'error'>;
    call_count_places: Table<CallCountPlacesRow>;
    call_sums: Table<CallSumsRow>;
    call_words: Table<CallWordsRow>;
    caller_scopes: Table<CallerScopesRow, 'created_at' | 'updated_at'>;
    charges: Table<ChargesRow, 'cap_ids' | 'counted', 'units'>;
    chat_turns: Table<ChatTurnsRow, 'state' | 'reply' | 'created_at'>;
    compliance_exports: Table<ComplianceExportsRow, never, 'counts'>;
    compliance_policies: Table<CompliancePoliciesRow>;
    compliance_profile_log: Table<ComplianceProfileLogRow>;
    compliance_profiles: Table<ComplianceProfilesRow>;
    compliance_purges: Table<CompliancePurgesRow>;
    consumer_setup_values: Table<ConsumerSetupValuesRow, 'updated_at', 'value'>;
    control_policies: Table<ControlPoliciesRow, 'updated_at' | 'recent_calls'>;
    control_room_policies: Table<ControlRoomPoliciesRow, 'changed_at'>;
    dag_nodes: Table<DagNodesRow, 'depends_on' | 'state' | 'ask' | 'others' | 'attempt' | 'may_fail' | 'gate', 'error' | 'brief'>;
    dag_runs: Table<DagRunsRow, 'thoughts' | 'created_at'>;
    database_bindings: Table<DatabaseBindingsRow>;
    database_branches: Table<DatabaseBranchesRow, 'size_bytes' | 'connections', 'error'>;
    database_events: Table<DatabaseEventsRow>;
    database_logins: Table<DatabaseLoginsRow>;
    database_projects: Table<DatabaseProjectsRow, 'allowance', 'error'>;
    database_provisioners: Table<DatabaseProvisionersRow>;
    database_roles: Table<DatabaseRolesRow>;
    dataset_items: Table<DatasetItemsRow, never, 'expected'>;
    datasets: Table<DatasetsRow>;
    deployments: Table<DeploymentsRow, 'warnings' | 'created_at', 'card' | 'error' | 'differences'>;
    dev_box_sessions: Table<DevBoxSessionsRow, 'created_at'>;
    dev_boxes: Table<DevBoxesRow, 'state' | 'created_at' | 'used_at'>;
    domain_certificates: Table<DomainCertificatesRow, 'state' | 'created_at', 'challenge'>;
    dunning_steps: Table<DunningStepsRow>;
    earned_sums: Table<EarnedSumsRow>;
    evaluation_consents: Table<EvaluationConsentsRow>;
    evaluation_results: Table<EvaluationResultsRow, 'scores', 'expected' | 'error'>;
    evaluation_rules: Table<EvaluationRulesRow, 'skills'>;
    evaluations: Table<EvaluationsRow, never, 'error'>;
    feature_flag_overrides: Table<FeatureFlagOverridesRow, 'updated_at'>;
    feature_flags: Table<FeatureFlagsRow, 'description' | 'created_at' | 'updated_at' | 'overrides', 'choices'>;
    file_upload_parts: Table<FileUploadPartsRow>;
    file_uploads: Table<FileUploadsRow, 'received_bytes'>;
    file_words: Table<FileWordsRow>;
    files: Table<FilesRow, 'created_at' | 'updated_at'>;
    free_calls: Table<FreeCallsRow>;
    grants: Table<GrantsRow, 'deny_patterns' | 'depth'>;
    idp_accounts: Table<IdpAccountsRow, 'operator' | 'email_verified'>;
    installation: Table<InstallationRow, 'only_one' | 'created_at'>;
    installed_agents: Table<InstalledAgentsRow, 'installed_at'>;
    instances: Table<InstancesRow, 'created_at' | 'network_denied'>;
    invoices: Table<InvoicesRow>;
    job_archives: Table<JobArchivesRow, 'archived_at'>;
    job_events: Table<JobEventsRow, 'payload' | 'at'>;
    jobs: Table<JobsRow, 'input' | 'last_seq' | 'created_at' | 'events_state', 'output' | 'error'>;
    kernel_runs: Table<
      KernelRunsRow,
      'input' | 'done' | 'digests' | 'samples' | 'most_calls' | 'calls' | 'contestants' | 'budget_cents' | 'created_at',
      'result'
    >;
    ledger_accounts: Table<LedgerAccountsRow, 'shard' | 'balance_micros' | 'held_micros' | 'version' | 'owed_micros'>;
    ledger_entries: Table<LedgerEntriesRow>;
    ledger_holds: Table<LedgerHoldsRow>;
    ledger_transactions: Table<LedgerTransactionsRow>;
    llm_caps: Table<LlmCapsRow, 'spent_micros' | 'reserved_micros'>;
    llm_credentials: Table<LlmCredentialsRow, 'key_hint' | 'is_default' | 'check_state' | 'created_at' | 'updated_at', 'prices'>;
    llm_grants: Table<LlmGrantsRow>;
    llm_rates: Table<LlmRatesRow>;
    llm_spending: Table<LlmSpendingRow, 'spent_micros' | 'reserved_micros'>;
    llm_usage: Table<LlmUsageRow, 'state' | 'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'estimated' | 'reserved_micros' | 'cap_ids' | 'counted'>;
    mail_keys: Table<MailKeysRow, 'created_at'>;
    mail_messages: Table<MailMessagesRow, 'number' | 'in_reply_to' | 'size_bytes' | 'attempts' | 'created_at', 'verdict'>;
    mail_threads: Table<MailThreadsRow, 'thread_no' | 'created_at'>;
    mailbox_events: Table<MailboxEventsRow, 'at'>;
    mailboxes: Table<MailboxesRow, 'declared_senders' | 'allowed_senders' | 'created_at' | 'updated_at', 'error'>;
    meta_runs: Table<MetaRunsRow, 'version' | 'created_at' | 'updated_at'>;
    model_use_counts: Table<ModelUseCountsRow>;
    node_images: Table<NodeImagesRow, 'made_at'>;
    notifications: Table<NotificationsRow>;
    oidc_payload: Table<OidcPayloadRow>;
    onboarding: Table<OnboardingRow, 'tour_index'>;
    one_time_codes: Table<OneTimeCodesRow, 'payload' | 'created_at'>;
    open_calls: Table<OpenCallsRow, 'began_at' | 'goes_on'>;
    open_workflows: Table<OpenWorkflowsRow, 'started_at' | 'restarts'>;
    organization_audit: Table<OrganizationAuditRow>;
    organization_domains: Table<OrganizationDomainsRow, 'failures'>;
    organization_members: Table<OrganizationMembersRow, 'invitation'>;
    organizations: Table<OrganizationsRow, 'scim_users' | 'scim_groups'>;
    outbox: Table<OutboxRow, 'message' | 'created_at' | 'due_at' | 'attempts'>;
    patches: Table<PatchesRow, 'size_bytes' | 'state' | 'created_at'>;
    payment_customers: Table<PaymentCustomersRow>;
    payout_accounts: Table<PayoutAccountsRow, 'revision', 'bank_failure'>;
    payout_allocations: Table<PayoutAllocationsRow, 'lost_micros'>;
    payout_lines: Table<PayoutLinesRow>;
    payout_losses_read: Table<PayoutLossesReadRow>;
    payout_lots: Table<PayoutLotsRow, 'lost_left'>;
    payout_notices: Table<PayoutNoticesRow>;
    payout_places: Table<PayoutPlacesRow>;
    payout_runs: Table<PayoutRunsRow>;
    payout_spends: Table<PayoutSpendsRow>;
    payout_transfers: Table<PayoutTransfersRow, 'reversed_micros', 'error'>;
    plan_checkouts: Table<PlanCheckoutsRow>;
    plans: Table<PlansRow, 'updated_at'>;
    platform_settings: Table<PlatformSettingsRow, 'version' | 'updated_at'>;
    platform_tokens: Table<PlatformTokensRow, 'label' | 'created_at' | 'number' | 'sso_whole_account'>;
    policy_counts: Table<PolicyCountsRow, 'created_at'>;
    policy_decisions: Table<PolicyDecisionsRow>;
    policy_denials: Table<PolicyDenialsRow, 'count'>;
    policy_network_positions: Table<PolicyNetworkPositionsRow>;
    policy_rules: Table<PolicyRulesRow, 'created_at'>;
    processor_events: Table<ProcessorEventsRow>;
    program_sign_ins: Table<ProgramSignInsRow, 'sign_in_id' | 'created_at' | 'last_used_at'>;
    protocol_entries: Table<ProtocolEntriesRow>;
    protocol_moves: Table<ProtocolMovesRow>;
    protocol_scenario_runs: Table<ProtocolScenarioRunsRow, 'attempt' | 'events' | 'observed' | 'broken'>;
    protocol_simulations: Table<ProtocolSimulationsRow, 'template_refs' | 'spent_micros'>;
    protocol_tasks: Table<ProtocolTasksRow, 'questions'>;
    push_messages: Table<PushMessagesRow, 'message_id' | 'attempts' | 'due_at' | 'created_at'>;
    rate_limits: Table<RateLimitsRow, 'points'>;
    receipt_chains: Table<ReceiptChainsRow, 'seq'>;
    receipt_keys: Table<ReceiptKeysRow, 'created_at'>;
    receipts: Table<ReceiptsRow, 'created_at' | 'caller_gone'>;
    review_loops: Table<ReviewLoopsRow, 'iteration' | 'reviewer_heard' | 'model_asked' | 'posted', 'scope'>;
    review_probes: Table<ReviewProbesRow, 'run_ids' | 'findings', 'proposed' | 'outcome'>;
    review_runs: Table<ReviewRunsRow, 'summary' | 'findings' | 'critical_count' | 'warning_count' | 'info_count' | 'created_at', 'error'>;
    run_reads: Table<RunReadsRow, 'at'>;
    run_scores: Table<RunScoresRow>;
    run_thumbs: Table<RunThumbsRow>;
    runs: Table<RunsRow, 'depth' | 'state' | 'chain' | 'attempt' | 'event_cursor' | 'event_count' | 'event_bytes' | 'ran_ms' | 'kind' | 'adoptable', 'args'>;
    sandboxes: Table<SandboxesRow, 'labels' | 'created_at' | 'used_at'>;
    schedule_firings: Table<ScheduleFiringsRow, 'started_at', 'error'>;
    schedules: Table<
      SchedulesRow,
      'failures_in_a_row' | 'version' | 'synced_version' | 'created_at' | 'updated_at' | 'skipped_times' | 'repeated_times',
      'last_error'
    >;
    scim_group_members: Table<ScimGroupMembersRow>;
    scim_group_roles: Table<ScimGroupRolesRow>;
    scim_groups: Table<ScimGroupsRow>;
    scim_tokens: Table<ScimTokensRow>;
    scim_user_values: Table<ScimUserValuesRow>;
    scim_users: Table<ScimUsersRow>;
    scm_deliveries: Table<ScmDeliveriesRow, 'received_at'>;
    scorecard_cursor: Table<ScorecardCursorRow, 'one'>;
    scorecards: Table<ScorecardsRow>;
    scored_contents: Table<ScoredContentsRow, never, 'args' | 'result'>;
    scoring_position: Table<ScoringPositionRow, 'one'>;
    search_words: Table<SearchWordsRow>;
    skill_prices: Table<SkillPricesRow>;
    source_pushes: Table<SourcePushesRow, 'pushed_at'>;
    source_tokens: Table<SourceTokensRow, 'created_at'>;
    span_counts: Table<SpanCountsRow, 'refused'>;
    spans: Table<SpansRow>;
    sso_connections: Table<SsoConnectionsRow, 'required'>;
    sso_identities: Table<SsoIdentitiesRow>;
    sso_openings: Table<SsoOpeningsRow>;
    studio_calls: Table<StudioCallsRow>;
    studio_guest_runs: Table<StudioGuestRunsRow>;
    studio_iterations: Table<StudioIterationsRow, 'findings'>;
    studio_plans: Table<StudioPlansRow>;
    studio_proposals: Table<StudioProposalsRow>;
    studio_runs: Table<StudioRunsRow, 'trials' | 'next', 'schedule' | 'built' | 'error'>;
    subagent_runs: Table<SubagentRunsRow, 'calls', 'reported' | 'args'>;
    subscriptions: Table<SubscriptionsRow>;
    task_pushes: Table<TaskPushesRow>;
    team_memories: Table<TeamMemoriesRow, 'state'>;
    team_plans: Table<TeamPlansRow>;
    team_runs: Table<TeamRunsRow>;
    template_updates: Table<TemplateUpdatesRow, 'changed' | 'conflicts' | 'created_at'>;
    template_versions: Table<TemplateVersionsRow, 'created_at'>;
    test_money_events: Table<TestMoneyEventsRow, 'attempts'>;
    test_money_objects: Table<TestMoneyObjectsRow>;
    test_money_requests: Table<TestMoneyRequestsRow>;
    thread_events: Table<ThreadEventsRow, 'payload' | 'at'>;
    threads: Table<ThreadsRow, 'titled' | 'handoffs' | 'last_seq' | 'created_at' | 'touched_at'>;
    top_ups: Table<TopUpsRow, 'credited_micros' | 'taken_micros' | 'tax_cents' | 'disputed' | 'revision' | 'moves'>;
    trace_exports: Table<TraceExportsRow, 'failed'>;
    trial_ratings: Table<TrialRatingsRow>;
    trial_results: Table<TrialResultsRow, 'parts', 'output' | 'error'>;
    trial_rooms: Table<TrialRoomsRow, never, 'decision'>;
    trial_runs: Table<TrialRunsRow, never, 'map' | 'score' | 'compared'>;
    unreceipted_runs: Table<UnreceiptedRunsRow>;
    users: Table<UsersRow, 'operator' | 'created_at' | 'last_seen_at' | 'kind' | 'account_number' | 'keep_content_days'>;
    wait_mails: Table<WaitMailsRow>;
    waits: Table<
      WaitsRow,
      'state' | 'request' | 'created_at' | 'called_by' | 'asked_kind' | 'asked_people' | 'asked_guests' | 'barred',
      'resolution' | 'approval'
    >;
    wake_counts: Table<WakeCountsRow>;
    web_sessions: Table<WebSessionsRow, 'created_at' | 'last_used_at' | 'sso_whole_account'>;
    workflow_code: Table<WorkflowCodeRow, 'only_one' | 'set_at'>;
  }
}
