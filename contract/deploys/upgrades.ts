// Upgrades: the same source on the newest runtime, and a newer template merged into the source.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams } from '../shared.ts';
import { RUNTIME_UPGRADE_STATES, TEMPLATE_UPDATE_STATES, UPDATE_POLICIES } from '../states.ts';

export const AgentRuntimeUpgradeIn = z
  .strictObject({
    check: z.boolean().default(false).meta({ description: 'Only look: nothing is built.' }),
    force: z.boolean().default(false).meta({ description: 'Build again, though the agent runs on the newest runtime.' }),
  })
  .meta({ id: 'AgentRuntimeUpgradeIn' });

const Runtime = z.strictObject({
  runtime: z.string().nullable().meta({ description: 'Name of the runtime image; null: not known.' }),
  sdk: z.string().nullable().meta({ description: 'Name of the SDK in the image; null: not known, older than this was noted.' }),
});

export const AgentRuntimeUpgradeOut = z
  .strictObject({
    name: z.string(),
    state: z.enum(RUNTIME_UPGRADE_STATES).meta({
      description:
        'available: a newer runtime exists and no upgrade has started. rolled_back: the previous version serves; differences or the deployment state why.',
    }),
    live: Runtime,
    newest: Runtime,
    from_deploy_id: z.string().meta({ description: 'Its image is kept: `POST …/source/deploy?deploy_id=` brings it back.' }),
    deploy_id: z.string().nullable().meta({ description: 'Deployment of the upgrade under way, or of the last one.' }),
    job_id: z.string().nullable(),
    differences: z.array(z.string()).meta({ description: 'In what the card of the rebuilt agent differed, which stopped the switch.' }),
  })
  .meta({ id: 'AgentRuntimeUpgradeOut' });

const Choice = z.enum(['ours', 'theirs']);
export const AgentTemplateUpdateIn = z
  .strictObject({
    action: z.enum(['check', 'update', 'approve', 'reject']).default('update').meta({
      description: 'check: only look. update: merge; what is clean is deployed, unless update_policy is propose. approve and reject decide an open proposal.',
    }),
    choices: z
      .record(z.string().max(1_024), Choice)
      .default({})
      .meta({ description: 'With approve: for each path in conflict, which file to keep.', examples: [{ 'agent.ts': 'ours' }] }),
  })
  .meta({ id: 'AgentTemplateUpdateIn' });

const Version = z.strictObject({ version: z.string(), digest: z.string() });
export const TemplateConflictOut = z
  .strictObject({
    path: z.string(),
    kind: z.enum(['content', 'binary', 'both_added', 'deleted_by_us', 'deleted_by_them', 'path']),
    merged: z.string().nullable().meta({ description: 'The file with both sides marked; null where its lines cannot be merged, or are too many.' }),
  })
  .meta({ id: 'TemplateConflictOut' });

export const AgentTemplateUpdateOut = z
  .strictObject({
    name: z.string(),
    state: z.enum(TEMPLATE_UPDATE_STATES).meta({
      description:
        'none: the project has the newest version, or no template. conflicted: a user decides the conflicts of the proposal. approved: being deployed. applied: live.',
    }),
    template_ref: z.string().nullable(),
    update_policy: z.enum(UPDATE_POLICIES).nullable(),
    from: Version.nullable(),
    to: Version.nullable(),
    update_id: z.string().nullable(),
    changed_files: z.array(z.string()),
    conflicts: z.array(TemplateConflictOut),
    deploy_id: z.string().nullable(),
    job_id: z.string().nullable(),
  })
  .meta({ id: 'AgentTemplateUpdateOut' });

export const upgrades = group({
  upgradeRuntime: {
    at: 'POST /v1/agents/{name}/runtime-upgrade',
    summary: 'Rebuild the live version on the newest runtime',
    description:
      'The rebuilt agent goes live only with the card of the live one: names, schemas, settings. Otherwise the live one continues to serve. 409 while a deployment is under way.',
    scope: 'authenticated',
    params: AgentParams,
    body: AgentRuntimeUpgradeIn.nullable().optional(),
    out: AgentRuntimeUpgradeOut,
    errors: [401, 403, 404, 409, 429, 502],
    limit: 'deploy',
  },
  updateTemplate: {
    at: 'POST /v1/agents/{name}/template-update',
    summary: 'Merge the newest template into the source of the live version',
    description:
      'A three-way merge against the template that svc.yaml records. A clean merge is deployed. A merge with conflicts becomes a proposal, which a user decides. 409 during a deployment, or if there is nothing to decide.',
    scope: 'authenticated',
    params: AgentParams,
    body: AgentTemplateUpdateIn.nullable().optional(),
    out: AgentTemplateUpdateOut,
    errors: [400, 401, 403, 404, 409, 413, 429, 502],
    limit: 'deploy',
  },
});
