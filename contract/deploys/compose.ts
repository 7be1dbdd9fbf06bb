// An agent made of other agents: a manifest names them and their skills, and what each takes from the others.
import { z } from 'zod';
import { group } from '../kit.ts';
import { MAX_INT32 } from '../shared.ts';
import { COMPOSE_PLANNINGS, DEPLOYMENT_STATES } from '../states.ts';
import { AgentName, AgentSlug, SkillName } from '../wire/names.ts';

const MAX_SUB_AGENTS = 32;
const MAX_DEFAULT_ARGS_LENGTH = 64_000;

const Tag = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'use up to 32 lower-case letters, digits and "-"');
const text = z.string().trim().min(1).max(2_000);

/** `1`, `1.2` or `1.2.3`: the first parts of the live version. */
const VersionPrefix = z.string().regex(/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){0,2}$/, 'use the first parts of a version, as 1, 1.2 or 1.2.3');

export const SubAgentIn = z
  .strictObject({
    name: AgentSlug.optional().meta({ description: 'Either a name or a tag.', examples: ['librarian'] }),
    tag: Tag.optional().meta({
      description:
        'Chosen now, as for a team: of the live agents with this tag that have the skills, the one that fits the goal best and of which most is surely good; among equals the own ones first, then the cheaper, then the most called.',
    }),
    version: VersionPrefix.optional().meta({ description: 'First parts of the version that must be live now.' }),
    skills: z
      .array(SkillName)
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'Only these can be called. Absent: all of it, with deterministic_dag its only one.' }),
    default_args: z
      .record(z.string().min(1).max(200), z.unknown())
      .refine((args) => JSON.stringify(args).length <= MAX_DEFAULT_ARGS_LENGTH, `at most ${MAX_DEFAULT_ARGS_LENGTH} characters as JSON`)
      .default({})
      .meta({
        description:
          'For those of the skills that have such an argument. A text `$input.name` stands for an argument of the composed skill, `$agent.skill.path` for a part of that skill’s result; `$$` begins a plain text. To give two skills different values, or to call one twice, name the agent twice.',
        examples: [{ limit: 5, text: '$librarian.search.text' }],
      }),
    required: z.boolean().default(true).meta({ description: 'false: when it cannot be reached or fails, the rest is done without it.' }),
  })
  .refine(({ name, tag }) => (name === undefined) !== (tag === undefined), 'give a name or a tag, one of them')
  .meta({ id: 'SubAgentIn' });
export type SubAgentIn = z.infer<typeof SubAgentIn>;

export const Composition = z
  .strictObject({
    planning: z.enum(COMPOSE_PLANNINGS).default('deterministic_dag').meta({
      description:
        'deterministic_dag: each skill is called once, when its inputs are ready. llm_dag: the goal of the call decides which of the skills are called.',
    }),
    max_nodes: z.int().min(1).max(64).default(8).meta({ description: 'Calls in one run.' }),
    max_parallel: z.int().min(1).max(8).default(3).meta({ description: 'Calls at the same time.' }),
    max_replans: z.int().min(0).max(5).default(1).meta({ description: 'Failed calls that are made again in one run; only of skills that are idempotent.' }),
    sub_agents: z.array(SubAgentIn).min(1).max(MAX_SUB_AGENTS),
  })
  .meta({ id: 'Composition' });
export type Composition = z.infer<typeof Composition>;

const CompositionGoal = z
  .strictObject({
    objective: text.meta({ examples: ['Answer a question from the reports of the library'] }),
    success_criteria: z.array(text).max(20).default([]),
    constraints: z.array(text).max(20).default([]),
  })
  .meta({ id: 'CompositionGoal' });

const manifest = {
  name: AgentName.meta({ description: 'Name of the composed agent.' }),
  description: z.string().max(2_000).default(''),
  composition: Composition,
  goal: CompositionGoal,
  memory: z
    .strictObject({ enabled: z.boolean(), ttl_days: z.int().min(1).max(365).default(30) })
    .meta({ id: 'CompositionMemory' })
    .default({ enabled: false, ttl_days: 30 })
    .meta({ description: 'enabled: the agent keeps the result of the last run for each caller, and has a skill that shows it.' }),
};
export const CompositionManifest = z.strictObject(manifest).meta({ id: 'CompositionManifest' });
export type CompositionManifest = z.infer<typeof CompositionManifest>;

const listing = z.boolean().optional().meta({ description: 'Listing in the public registry; absent: a new agent is unlisted, another stays as it is.' });

export const AgentComposeIn = z
  .union([z.strictObject({ ...manifest, public: listing }), z.strictObject({ manifest: CompositionManifest, public: listing })])
  .meta({
    id: 'AgentComposeIn',
    description: 'The manifest itself, or under `manifest`.',
    examples: [{ name: 'welcome-team', goal: { objective: 'Greet each guest by name' }, composition: { sub_agents: [{ name: 'greeter' }] } }],
  });
export type AgentComposeIn = z.infer<typeof AgentComposeIn>;

const SubAgentOut = z
  .strictObject({
    agent: z.string().nullable().meta({ description: 'null: none was found, and it is not required.' }),
    chosen_by: z.enum(['name', 'tag']),
    version: z.string().nullable(),
    required: z.boolean(),
    skills: z.array(z.strictObject({ skill: z.string(), arguments: z.array(z.string()), needs: z.array(z.string()) })).meta({
      description: 'The called skill, the names of its arguments (never values), and the steps whose results it uses.',
    }),
    problem: z.string().nullable().meta({ description: 'What keeps it from being called now, where it is not required.' }),
  })
  .meta({ id: 'ComposedSubAgentOut' });

export const AgentFromComposeOut = z
  .strictObject({
    name: z.string(),
    deploy_id: z.string(),
    job_id: z.string(),
    number: z.int().max(MAX_INT32),
    state: z.enum(DEPLOYMENT_STATES),
    url: z.string(),
    source_sha256: z.string(),
    sub_agents: z.array(SubAgentOut),
    arguments: z.array(z.string()).meta({ description: 'Arguments of the skill `run`: what no default and no other skill provides.' }),
    files: z.array(z.string()).meta({ description: 'Files of the generated source.' }),
  })
  .meta({ id: 'AgentFromComposeOut' });
export type AgentFromComposeOut = z.infer<typeof AgentFromComposeOut>;

export const compose = group({
  compose: {
    at: 'POST /v1/agents/compose',
    summary: 'Make an agent of other agents: source is generated from a manifest, and deployed',
    description:
      'Every sub-agent is looked at first: whether the caller may call it, its live version, its skills, and what it needs of the caller. The source is an ordinary project afterwards.',
    scope: 'authenticated',
    body: AgentComposeIn,
    out: AgentFromComposeOut,
    status: 201,
    errors: [400, 401, 402, 403, 409, 429, 500],
    limit: 'deploy',
  },
});
