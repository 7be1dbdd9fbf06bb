// States and kinds of the studio: rehearsals, protocols, teams, trials, runs and proposals.

/** Of one scenario of a rehearsal: `errored` has no verdict. */
export const SCENARIO_STATES = ['queued', 'running', 'passed', 'failed', 'skipped', 'errored', 'cancelled'] as const;
export type ScenarioState = (typeof SCENARIO_STATES)[number];
export const SIMULATION_VERDICTS = ['passed', 'failed', 'incomplete'] as const;
export type SimulationVerdict = (typeof SIMULATION_VERDICTS)[number];
/** Of a protocol in an agent's registry; its moves: core/studio/protocol-simulation/registry/moves.ts. */
export const PROTOCOL_STATES = [
  'draft',
  'schema_validated',
  'policy_reviewed',
  'sandbox_simulated',
  'enabled_private',
  'enabled_public',
  'deprecated',
  'retired',
] as const;
export type ProtocolState = (typeof PROTOCOL_STATES)[number];
export const RISK_CLASSES = ['low', 'medium', 'high'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];
/** Whether work goes to an agent, by what is known of it. */
export const ROUTING_STATES = ['trusted', 'candidate', 'degraded', 'blocked'] as const;
export type RoutingState = (typeof ROUTING_STATES)[number];
/** `merged`: it says the same as another, which has its sources. */
export const TEAM_MEMORY_STATES = ['current', 'stale', 'merged'] as const;
export const BRAIN_ARTIFACTS = ['population', 'selection', 'aging', 'dream', 'townhall'] as const;
export type BrainArtifact = (typeof BRAIN_ARTIFACTS)[number];
export const BRAIN_CHANGES = ['merged', 'aged'] as const;
/** Of work that waits for a team. `started`: its run says the rest. */
export const DISPATCH_STATES = ['queued', 'started', 'needs_person', 'cancelled'] as const;
export const TEAM_MEMORY_KINDS = ['outcome', 'failure', 'lesson'] as const;
export type TeamMemoryKind = (typeof TEAM_MEMORY_KINDS)[number];
/** `open`: contestants run · `evaluating`: all have ended, and people rate · `decided`: one is selected. */
export const TRIAL_ROOM_STATES = ['draft', 'open', 'evaluating', 'decided'] as const;
export type TrialRoomState = (typeof TRIAL_ROOM_STATES)[number];
/** Why a contestant ran. */
export const TRIAL_TRIGGERS = ['person', 'deploy'] as const;
export type TrialTrigger = (typeof TRIAL_TRIGGERS)[number];
/** Of a version against the one before it. */
export const TRIAL_VERDICTS = ['better', 'same', 'worse'] as const;
/** Kinds of agents that are written from a brief without a model. */
export const STUDIO_RECIPES = [
  'api_wrapper',
  'webhook_transformer',
  'file_retrieval',
  'scheduled_digest',
  'form_to_record',
  'table_report',
  'mail_triage',
  'approval_desk',
  'monitor_alert',
  'mcp_bridge',
] as const;
export type StudioRecipe = (typeof STUDIO_RECIPES)[number];
/** What is best done about a goal, the least work first. */
export const STUDIO_DECISIONS = ['use_existing', 'compose', 'fork', 'edit_existing', 'build_new'] as const;
export type StudioDecision = (typeof STUDIO_DECISIONS)[number];
/** Of a studio run. `partial`: it is live, and something about it is not as the brief wants it. */
export const STUDIO_STATES = ['queued', 'building', 'evaluating', 'reviewing', 'improving', 'deploying', 'live', 'partial', 'failed', 'cancelled'] as const;
export type StudioState = (typeof STUDIO_STATES)[number];
/** Who does a step of a studio run. */
const STUDIO_ACTORS = ['builder', 'reviewer', 'editor', 'deployer', 'coordinator'] as const;
export type StudioActor = (typeof STUDIO_ACTORS)[number];
export const STUDIO_REVIEWS = ['light', 'standard', 'strict'] as const;
export type StudioReview = (typeof STUDIO_REVIEWS)[number];
export const STUDIO_WRITERS = ['recipe', 'composition', 'copy', 'model'] as const;
/** Of an iteration. */
export const STUDIO_CHECKS = ['passed', 'failed'] as const;
export const PROPOSAL_STATES = ['open', 'accepted', 'rejected', 'expired'] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];
export const PROPOSAL_CATEGORIES = ['failures', 'cost', 'latency', 'dependencies', 'findings', 'unused', 'drift'] as const;
export type ProposalCategory = (typeof PROPOSAL_CATEGORIES)[number];
