// Every list of states and kinds that a schema, a row and a check of the database share. A test compares the
// migrated database with them.
export * from './money/states.ts';
export * from './orgs/states.ts';
export * from './studio/states.ts';

export const JOB_STATES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Of a run's row: a job's states, for the same reasons. */
export const RUN_ROW_STATES = JOB_STATES;
export type RunRowState = (typeof RUN_ROW_STATES)[number];
/**
 * Who holds a run: its caller; a workflow, since it began as a call and had to wait; a workflow, from the
 * start.
 */
export const RUN_KINDS = ['call', 'promoted', 'started'] as const;
/** Of a run as lists show it, and of a call that a run makes. */
export const RUN_STATES = ['running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];
/** Of a turn of a chat, and of a call as its caller reports it. */
export const UNPAUSED_RUN_STATES = ['running', 'succeeded', 'failed', 'cancelled'] as const;
/** Who called, as the reading account sees it. */
export const RUN_CALLERS = ['you', 'account', 'agent', 'token', 'anonymous', 'platform'] as const;
/** What the platform itself makes runs for, so that lists can leave them out. */
export const CALL_PURPOSES = ['challenge', 'evaluation', 'proof', 'simulation', 'trial'] as const;
export type CallPurpose = (typeof CALL_PURPOSES)[number];
export const END_STATES = ['succeeded', 'failed', 'cancelled'] as const;

export const WAIT_KINDS = ['question', 'input_request', 'handoff_approval', 'scope_request'] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];
export const WAIT_STATES = ['pending', 'answered', 'approved', 'denied', 'expired', 'cancelled'] as const;
export type WaitState = (typeof WAIT_STATES)[number];
/**
 * Of a task of a protocol that the platform keeps: `lost` when its run ended and its agent did not say how.
 */
export const PROTOCOL_TASK_STATES = ['open', 'ended', 'lost'] as const;
export const TASK_PROTOCOLS = ['a2a', 'mcp'] as const;
export type TaskProtocol = (typeof TASK_PROTOCOLS)[number];
/** Versions of A2A in whose form a push notification is written. */
export const PUSH_VERSIONS = ['1.0', '0.3'] as const;
export type PushVersion = (typeof PUSH_VERSIONS)[number];
/** Whom a question is put to: the account the run works for, or within the account that owns the agent. */
export const RECIPIENT_KINDS = ['caller', 'owner', 'people', 'role'] as const;

/** What a person decides of a hand-over or a scope request, and what its wait then is. */
export const DECISIONS = ['approve', 'deny'] as const;
export const DECIDED_STATES = ['approved', 'denied'] as const;
/** The same where votes may still be missing. */
export const VOTED_STATES = ['approved', 'denied', 'pending'] as const;
/**
 * What a rule of approval is about: a call of another agent, a step of a plan, more access to files, the
 * first write under a grant, and each of them where a rule of the account asked.
 */
export const APPROVAL_SUBJECTS = ['agent_call', 'plan_step', 'scope_request', 'file_writes', 'policy_ask'] as const;
export type ApprovalSubject = (typeof APPROVAL_SUBJECTS)[number];

export const DEPLOYMENT_STATES = ['queued', 'building', 'starting', 'verifying', 'live', 'superseded', 'failed', 'cancelled'] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];
/** Not decided yet. */
export const OPEN_DEPLOYMENT_STATES: readonly DeploymentState[] = ['queued', 'building', 'starting', 'verifying'];
/** What of a project is checked in the machine that builds it. */
export const BUILD_CHECKS = ['tests', 'tests_and_types'] as const;
export type BuildChecks = (typeof BUILD_CHECKS)[number];
/** Of a review: `failed` has a critical finding, `errored` no verdict. */
export const REVIEW_STATES = ['queued', 'running', 'passed', 'warning', 'failed', 'errored', 'skipped'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];
export const FINDING_SEVERITIES = ['critical', 'warning', 'info'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];
/** Who found it: a challenge of the running agent, the review of its source, or a rehearsal. */
export const FINDING_SOURCES = ['review_loop', 'review_run', 'simulation'] as const;
export const FINDING_STATES = ['open', 'answered'] as const;
export const FINDING_ANSWERS = ['fixed', 'accepted', 'false_alarm'] as const;
/** What a review loop tries on an agent. */
export const ATTACKS = [
  'baseline',
  'types',
  'boundaries',
  'unicode',
  'shell',
  'sql',
  'paths',
  'prompts',
  'templates',
  'files',
  'memory',
  'grants',
  'replay',
  'parallel',
  'resume',
  'cancel',
  'huge',
  'proposed',
] as const;
export type Attack = (typeof ATTACKS)[number];
export const PROBE_STATES = ['planned', 'done'] as const;
/** What a reviewer may say in a review loop, and what the platform adds. */
export const REVIEW_LOOP_EVENTS = ['reviewer_started', 'finding_emitted', 'fix_proposed', 'loop_completed', 'loop_failed'] as const;
export type ReviewLoopEvent = (typeof REVIEW_LOOP_EVENTS)[number];
/** Of a repair by self-healing. */
export const REPAIR_STATES = ['queued', 'running', 'awaiting_secret', 'healed', 'needs_human'] as const;
export const TEST_OUTCOMES = ['passed', 'failed', 'not_run'] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];
export const REPAIR_ACTIONS = ['restart', 'put_back', 'ask_secret'] as const;
export type RepairAction = (typeof REPAIR_ACTIONS)[number];
export const UPGRADE_KINDS = ['runtime', 'template'] as const;
/** Of an agent's runtime: as its newest upgrade stands. */
export const RUNTIME_UPGRADE_STATES = ['current', 'available', 'building', 'verifying', 'live', 'rolled_back'] as const;
/** Of an agent's template: as its newest update stands. */
export const TEMPLATE_UPDATE_STATES = ['none', 'available', 'proposed', 'approved', 'applied', 'conflicted', 'rejected'] as const;
/** Those that are kept. */
export const TEMPLATE_UPDATE_ROW_STATES = ['proposed', 'approved', 'applied', 'conflicted', 'rejected'] as const;
export const UPDATE_POLICIES = ['none', 'notify', 'propose', 'auto_patch'] as const;
export const AGENT_KINDS = ['hosted', 'registered', 'imported'] as const;
/** How an imported agent is spoken to; svc: an agent of another installation of ours, over A2A. */
export const IMPORT_PROTOCOLS = ['a2a', 'mcp', 'svc'] as const;
/** What an imported agent is shown by whom it is called. */
export const CONNECTION_KINDS = ['api_key', 'bearer', 'mtls', 'oauth2', 'oidc'] as const;
export const CONNECTION_STATES = ['ready', 'auth_required'] as const;
/**
 * What a frontend's build gives: files that are served as they are, or also a program that writes each page
 * when it is asked for.
 */
export const FRONTEND_MODES = ['static', 'server-rendered'] as const;
/** Who may open an agent's frontend: as the agent's card says, people signed in here, everyone. */
export const FRONTEND_AUTHS = ['inherit', 'platform', 'public'] as const;
/** Of an agent's custom domain; its moves: core/agents/domain/states.ts. */
export const DOMAIN_STATES = ['pending', 'active', 'suspended', 'failed', 'removed'] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];
/** Of a custom domain's certificate, from its order on. */
export const CERTIFICATE_STATES = ['ordered', 'issued', 'replaced', 'failed', 'revoked'] as const;
/** What was seen of a record that a custom domain needs. */
export const DNS_RECORD_STATES = ['found', 'missing', 'different', 'unanswered', 'unchecked'] as const;
export type DnsRecordState = (typeof DNS_RECORD_STATES)[number];
export const VISIBILITIES = ['public', 'unlisted'] as const;
export const REUSE_POLICIES = ['closed', 'forkable'] as const;

/** How a composed agent decides what it calls. */
export const COMPOSE_PLANNINGS = ['deterministic_dag', 'llm_dag'] as const;

export const PLAN_NODE_STATES = ['pending', 'asking', 'running', 'succeeded', 'failed', 'cancelled', 'skipped'] as const;
export type PlanNodeState = (typeof PLAN_NODE_STATES)[number];
/** Of a run of simulated worlds. */
export const KERNEL_RUN_KINDS = ['simulation', 'evolution'] as const;
export type KernelRunKind = (typeof KERNEL_RUN_KINDS)[number];
export const WORLD_KINDS = ['market', 'tournament', 'school', 'adversarial_arena', 'resource_competition', 'capability_lifecycle', 'partnership'] as const;
export type WorldKind = (typeof WORLD_KINDS)[number];
/** hybrid: agents of the platform take some of the turns. */
export const EXECUTION_MODES = ['bounded', 'hybrid'] as const;
/** Whether every invariant held. */
export const KERNEL_VERDICTS = ['held', 'violated'] as const;
export type KernelVerdict = (typeof KERNEL_VERDICTS)[number];
export const META_RUN_STATES = ['planning', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;
export const HANDOFF_RULES = ['ask_foreign', 'ask_always', 'never'] as const;

export const SCHEDULE_OVERLAPS = ['skip', 'buffer_one', 'allow_all', 'cancel_other'] as const;
/** A time that the clock skips when it is set forward, and one that it shows twice when it is set back. */
export const SCHEDULE_SKIPPED_TIMES = ['run_after', 'leave_out'] as const;
export const SCHEDULE_REPEATED_TIMES = ['once', 'twice'] as const;
export const SCHEDULE_CLOCK_CHANGES = ['skipped', 'repeated'] as const;
export const SCHEDULE_PAUSERS = ['owner', 'failure'] as const;
export const FIRING_CAUSES = ['time', 'manual'] as const;
export const FIRING_STATES = ['starting', 'running', 'succeeded', 'failed', 'cancelled', 'missed'] as const;
export type FiringState = (typeof FIRING_STATES)[number];

/** Of a database project and of each of its branches. */
export const DATABASE_STATES = ['pending', 'ready', 'failed', 'deleting', 'deleted'] as const;
export const DATABASE_ACCESSES = ['read_only', 'read_write', 'owner'] as const;
export type DatabaseAccess = (typeof DATABASE_ACCESSES)[number];
/** What the size of a database project leaves its roles. */
export const DATABASE_ALLOWANCES = ['full', 'delete_only', 'closed'] as const;
export type DatabaseAllowance = (typeof DATABASE_ALLOWANCES)[number];
/**
 * A login of a role. pending: not yet on the server. current: in use. previous: replaced by a rotation, until
 * no connection uses it.
 */
export const DATABASE_LOGIN_STATES = ['pending', 'current', 'previous'] as const;
export const DATABASE_EVENT_KINDS = [
  'branch_pending',
  'branch_ready',
  'branch_failed',
  'branch_deleting',
  'branch_deleted',
  'project_deleting',
  'project_deleted',
  'role_rotating',
  'role_rotated',
  'role_revealed',
  'bound',
  'unbound',
  'allowance_changed',
] as const;
export type DatabaseEventKind = (typeof DATABASE_EVENT_KINDS)[number];

/** Of an agent's mailbox. */
export const MAILBOX_STATES = ['pending', 'provisioning', 'ready', 'failed', 'disabled', 'removed'] as const;
export type MailboxState = (typeof MAILBOX_STATES)[number];
export const MAIL_EVENT_KINDS = ['mail_received', 'mail_sent', 'mail_skipped', 'mail_send_rate_limited'] as const;
export type MailEventKind = (typeof MAIL_EVENT_KINDS)[number];
/** Why a mail did not run the agent, or an answer was not sent. */
export const MAIL_SKIP_REASONS = [
  'not_authenticated',
  'dmarc_reject',
  'dmarc_quarantine',
  'sender_not_allowed',
  'automatic',
  'bounce',
  'malformed',
  'mailbox_full',
  'mailbox_closed',
  'no_on_email',
  'not_started',
  'run_failed',
  'bad_reply',
  'not_delivered',
  'day_limit',
  'correspondent_limit',
] as const;
export type MailSkipReason = (typeof MAIL_SKIP_REASONS)[number];

export const GRANT_KINDS = ['mint', 'delegate', 'extend'] as const;
export const WORKSPACE_MODES = ['read_only', 'read_write_overlay'] as const;
export const UPLOAD_STATES = ['open', 'stored'] as const;
export const PATCH_OPERATIONS = ['write', 'delete'] as const;
export const PATCH_STATES = ['staged', 'committed', 'rejected'] as const;
export const SANDBOX_STATES = ['running', 'stopped'] as const;
/** Of a dev box. stopped: it has no machine; its files are kept. */
export const BOX_STATES = ['starting', 'running', 'suspended', 'stopped'] as const;

/** What an account's policy is asked about, before it happens. */
export const POLICY_ACTIONS = ['handoff', 'grant', 'expand_scope', 'write_file', 'egress', 'spend', 'publish', 'deploy'] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];
/** Of what was not simply allowed: it was refused, or a person was asked. */
export const DENIAL_OUTCOMES = ['deny', 'ask'] as const;
/** What a line of the control room's latest receipts is read from. */
export const CONTROL_ROOM_SOURCES = ['receipt', 'meta_run', 'subagent_run'] as const;
export type ControlRoomSource = (typeof CONTROL_ROOM_SOURCES)[number];

export const RECEIPT_SOURCES = ['platform', 'self'] as const;
export const RECEIPT_STATUSES = ['ok', 'error', 'cancelled'] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];
/** Of a proof: what its verdict is, once it has one. */
export const PROOF_STATES = ['running', 'passed', 'failed'] as const;
export type ProofState = (typeof PROOF_STATES)[number];
export const PROOF_VERDICTS = ['passed', 'failed'] as const;
/** Where the arguments of a proof are from: who ran it, the examples of the card, its schema and a seed. */
export const PROOF_CASES = ['given', 'example', 'sampled'] as const;
export type ProofCase = (typeof PROOF_CASES)[number];
/** Who ran a proof: the owner of the agent, or a user who may call it. */
export const PROOF_RUNNERS = ['owner', 'caller'] as const;
/** Of an agent, by its published proofs. */
export const PROOF_STANDINGS = ['proven', 'failing', 'withdrawn', 'stale', 'unproven'] as const;
export type ProofStanding = (typeof PROOF_STANDINGS)[number];
/** Why a proof says nothing of what runs now. */
export const PROOF_STALE_REASONS = ['version_changed', 'too_old'] as const;
export type ProofStaleReason = (typeof PROOF_STALE_REASONS)[number];
export const MODEL_PROTOCOLS = ['openai', 'anthropic'] as const;
/**
 * Whose model credential an agent's runs use: its owner's, its caller's, or the caller's where they allow it
 * and else the owner's.
 */
export const MODEL_PAYERS = ['owner', 'caller', 'caller_or_owner'] as const;
/** What a feature flag's value is; `choice`: one of a list of strings. */
export const FLAG_TYPES = ['boolean', 'string', 'number', 'choice'] as const;

export const CREDENTIAL_CHECK_STATES = ['unchecked', 'works', 'failed'] as const;

/** What an agent asks of its caller before it runs, and for how many people one value counts. */
export const SETTING_KINDS = ['config', 'secret'] as const;
export const SETTING_SCOPES = ['user', 'org'] as const;

export const LOG_STREAMS = ['stdout', 'stderr', 'system'] as const;
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

// Only in rows: no schema of the wire has these.
export const OUTBOX_KINDS = ['start', 'signal', 'update', 'cancel'] as const;
export const ONE_TIME_CODE_KINDS = ['oidc_state', 'cli_session', 'cli_confirm', 'agent_session', 'sso_state', 'sso_token'] as const;
export const TOKEN_KINDS = ['user', 'platform', 'agent_session', 'agent_api'] as const;
/**
 * What a source token may do with its repository, and who got it: a service of the platform, the owner's git,
 * the owner's editor.
 */
export const SOURCE_TOKEN_MODES = ['read', 'write'] as const;
export const SOURCE_TOKEN_HOLDERS = ['service', 'git', 'editor'] as const;
export const TOKEN_PLACEMENTS = ['header', 'url_query'] as const;
export const INSTANCE_STATES = ['starting', 'serving', 'draining', 'stopped'] as const;
export const LLM_CALL_STATES = ['running', 'ok', 'failed', 'cancelled', 'lost'] as const;
export const PLANNERS = ['steps', 'rules', 'model', 'team'] as const;
export const BUDGET_CLASSES = ['low', 'standard', 'high'] as const;
export type BudgetClass = (typeof BUDGET_CLASSES)[number];
export const RISKS = ['low', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];
export const CALL_SOURCES = ['call', 'reported', 'rerun'] as const;
export const MAIL_DIRECTIONS = ['in', 'out'] as const;
/** Of one mail: those that come, then those that go. */
export const MAIL_STATES = ['accepted', 'running', 'answered', 'done', 'skipped', 'queued', 'sent', 'thread_only', 'failed'] as const;
export const SPAN_KINDS = ['internal', 'server', 'client', 'producer', 'consumer'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];
export const SPAN_STATUSES = ['unset', 'ok', 'error'] as const;
export type SpanStatus = (typeof SPAN_STATUSES)[number];
/** Who says so: the platform, of what it saw; an agent, of its own code. */
export const SPAN_SOURCES = ['platform', 'agent'] as const;
export type SpanSource = (typeof SPAN_SOURCES)[number];
export const EVALUATION_STATES = ['running', 'succeeded', 'failed', 'cancelled'] as const;
/** Of one example of an evaluation. */
export const RESULT_STATES = ['queued', 'running', 'done'] as const;
export const EVENT_LOG_STATES = ['kept', 'archived', 'removed'] as const;

/**
 * What the evidence of an agent is made of. `trial`: a version checked against a dataset. `decision`: what a
 * person was asked.
 */
export const EVIDENCE_TYPES = [
  'agent',
  'version',
  'deployment',
  'mutation',
  'review',
  'finding',
  'proof',
  'trial',
  'grant',
  'handoff',
  'session',
  'receipt',
  'job',
  'model_usage',
  'decision',
] as const;
export type EvidenceType = (typeof EVIDENCE_TYPES)[number];
/** How one piece of evidence stands to another. */
export const EVIDENCE_EDGES = [
  'deploys_version',
  'tests_version',
  'reviewed_by',
  'parent_of',
  'authorizes',
  'used_by_receipt',
  'supports',
  'contradicts',
  'triggered_deployment',
] as const;
export type EvidenceEdgeType = (typeof EVIDENCE_EDGES)[number];
/**
 * strict: joined by an id that the platform wrote; partial: a part of it is missing or left out; inferred:
 * from a statement of a party. In this order.
 */
export const EVIDENCE_CONFIDENCES = ['strict', 'partial', 'inferred'] as const;
export type EvidenceConfidence = (typeof EVIDENCE_CONFIDENCES)[number];
export const EVIDENCE_LANES = ['version', 'authority', 'mutation', 'quality', 'process', 'cost', 'control'] as const;
export type EvidenceLane = (typeof EVIDENCE_LANES)[number];
export const TRUST_STATES = ['unknown', 'unproven', 'reviewed', 'proofed', 'warning', 'blocked', 'regressed', 'stale'] as const;
export type TrustState = (typeof TRUST_STATES)[number];
/** What sums of calls, earnings, models and wakes are kept by; in UTC. */
export const COUNT_GRAINS = ['hour', 'day', 'month'] as const;
/**
 * The words that sums of calls are kept under: all, skill, version, caller, code (of failures), earned (skill
 * and caller).
 */
export const CALL_FACETS = ['all', 'skill', 'version', 'caller', 'code', 'earned'] as const;
export type CallFacet = (typeof CALL_FACETS)[number];
/** How a caller stands to the agent: its owner, another account, or none that is known. */
export const CALLER_RELATIONS = ['owner', 'other', 'none'] as const;
export type CallerRelation = (typeof CALLER_RELATIONS)[number];
/** Of sums of calls; '': they do not tell callers apart. */
export const COUNTED_RELATIONS = ['', ...CALLER_RELATIONS] as const;
/** Words of agents that counts are kept by. */
export const COUNTED_WORDS = ['skill', 'code'] as const;
/** From where an instance woke. */
export const SLEEP_TIERS = ['paused', 'suspended', 'cold'] as const;
/** What an account's rules say: yes, only with a person's approval, no. */
export const POLICY_OUTCOMES = ['allow', 'ask', 'deny'] as const;
export type PolicyOutcome = (typeof POLICY_OUTCOMES)[number];
/** What holds where no rule matches. */
export const POLICY_DEFAULTS = ['allow', 'deny'] as const;
export type PolicyDefault = (typeof POLICY_DEFAULTS)[number];
/** Kinds of events on the stream of an account. reset: anything may have changed. */
export const ACCOUNT_EVENT_KINDS = ['reset', 'job', 'wait', 'agent', 'deployment'] as const;
export type AccountEventKind = (typeof ACCOUNT_EVENT_KINDS)[number];
