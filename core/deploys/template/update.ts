// Bringing a newer template into a project: looked for, merged, deployed or proposed, decided.
import type { z } from 'zod';
import type { AgentTemplateUpdateIn, AgentTemplateUpdateOut, TemplateConflictOut } from '#contract/deploys/upgrades.ts';
import { Manifest, type TemplateLineage } from '#contract/wire/manifest.ts';
import type { DeploymentsRow, TemplateUpdatesRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { agentFor, agentNamed } from '../../agents/agent/find.ts';
import { acceptFiles } from '../deployment/accept-files.ts';
import { requireNoCriticalFinding } from '../../agents/agent/may-deploy.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { templateByDigest, releasedTemplates, type Template } from './known.ts';
import { decided, mergeTemplate, readsAsYaml, type TemplateMerge, fileText } from './merge.ts';

type In = { name: string } & z.infer<typeof AgentTemplateUpdateIn>;
type Out = z.infer<typeof AgentTemplateUpdateOut>;

interface Subject {
  name: string;
  agentId: string;
  live: DeploymentsRow;
  manifest: Manifest & { template: TemplateLineage };
  from: Template;
  to: Template;
}

/**
 * @throws Conflict agent_not_live, template_none, template_unknown, deployment_under_way, no_proposal,
 * conflicts_undecided, promotion_frozen; what acceptFiles refuses
 */
export async function updateTemplate(ctx: Ctx, i: In): Promise<Out> {
  const user = requireUser(ctx, 'agent.update_template');
  const { agent_id } = await agentFor(ctx.db, user, 'agent.update_template', i.name);
  const subject = await subjectOf(ctx, i.name, agent_id, i.action === 'check');
  if (i.action === 'reject') await reject(ctx, i.name);
  else if (subject && i.action !== 'check') await work(ctx, subject, i);
  return present(ctx, i.name, agent_id, subject);
}

/** Undefined, where one only looks: nothing is live, or the project began with no template. */
async function subjectOf(ctx: Ctx, name: string, agentId: string, looks: boolean): Promise<Subject | undefined> {
  const live = await ctx.db('deployments').where({ agent_id: agentId, state: 'live' }).first();
  if (!live) {
    if (looks) return undefined;
    throw new Conflict('agent_not_live', `${name} has no live version: deploy it first`);
  }
  const manifest = Manifest.safeParse(live.manifest).data;
  const template = manifest?.template;
  const to = template && (await releasedTemplates()).get(template.ref);
  if (!manifest || !template || !to) {
    if (looks) return undefined;
    throw new Conflict('template_none', `svc.yaml of ${name} names no template of this installation: there is nothing to update from`);
  }
  const from = await templateByDigest(ctx.db, template.digest);
  if (from) return { name, agentId, live, manifest: { ...manifest, template }, from, to };
  if (looks) return undefined;
  const message = `The template ${template.ref} ${template.version} (${template.digest.slice(0, 19)}) is not stored here, so your changes cannot be separated from it: update by hand, with a new project of svc init as the model`;
  throw new Conflict('template_unknown', message);
}

async function work(ctx: Ctx, subject: Subject, { action, choices }: In): Promise<void> {
  const open = await openUpdate(ctx, subject.agentId);
  if (action === 'approve' && open?.state !== 'proposed' && open?.state !== 'conflicted') {
    throw new Conflict('no_proposal', `${subject.name} has no open proposal: ask for one with action update`);
  }
  if (subject.from.digest === subject.to.digest || open?.state === 'approved') return;
  const busy = await ctx.db('deployments').where({ agent_id: subject.agentId }).whereIn('state', OPEN_DEPLOYMENT_STATES).first('number');
  if (busy) throw new Conflict('deployment_under_way', `Deployment ${busy.number} is under way: try again once it has ended`);
  const merge = await mergeTemplate(ctx, subject.live, subject.manifest, subject.from, subject.to);
  const approved = action === 'approve';
  const proposes = subject.manifest.template.update_policy === 'propose' && !approved;
  const files = decided(merge, approved ? choices : {}, subject.from, subject.to);
  if (files && readsAsYaml(files) && !proposes) {
    await requireNoCriticalFinding(ctx.db, { agent_id: subject.agentId, name: subject.name });
    return apply(ctx, subject, merge, files);
  }
  await propose(ctx, subject, merge);
  if (!approved) return;
  const undecided = merge.conflicts.map(({ path }) => path).filter((path) => !Object.hasOwn(choices, path));
  throw new Conflict('conflicts_undecided', `Choose ours or theirs for ${undecided.slice(0, 10).join(', ')}`, { paths: undecided.slice(0, 100) });
}

async function apply(ctx: Ctx, subject: Subject, merge: TemplateMerge, files: readonly ProjectFile[]): Promise<void> {
  await acceptFiles(ctx, {
    files,
    message: `Update the template ${subject.to.ref} to ${subject.to.version}`,
    // Both exist, or neither: endTemplateUpdate writes the outcome of the deployment into the row.
    beside: async (tx, deploy_id) => {
      await tx('template_updates').where({ agent_id: subject.agentId }).whereNull('ended_at').delete();
      await tx('template_updates').insert({ ...rowOf(ctx, subject, merge), deploy_id, state: 'approved' });
    },
  });
}

async function propose(ctx: Ctx, subject: Subject, merge: TemplateMerge): Promise<void> {
  const conflicts: z.infer<typeof TemplateConflictOut>[] = merge.conflicts.map(({ path, kind }) => ({ path, kind, merged: marked(merge, path, kind) }));
  await act(ctx, 'agent.update_template', agentNamed(subject.name), async (ctx) => {
    await ctx.db('agents').where({ agent_id: subject.agentId }).forUpdate().first('agent_id');
    await ctx.db('template_updates').where({ agent_id: subject.agentId }).whereNull('ended_at').delete();
    const row = rowOf(ctx, subject, merge);
    await ctx.db('template_updates').insert({ ...row, state: conflicts.length > 0 ? 'conflicted' : 'proposed', conflicts: storableJson(conflicts) });
    const facts = { name: subject.name, update_id: row.update_id, conflicts: conflicts.length };
    return done({ agent: subject.agentId }, facts, undefined, { action: 'template.propose' });
  });
}

const maxMarked = 64 * 1024;

function marked({ files }: TemplateMerge, path: string, kind: string): string | null {
  if (kind !== 'content' && kind !== 'both_added') return null;
  const shown = fileText(files.find((file) => file.path === path));
  return shown.length > maxMarked || shown.includes('\0') ? null : storableText(shown);
}

function rowOf(ctx: Ctx, { agentId, live, from, to }: Subject, { changed }: TemplateMerge) {
  return {
    update_id: newId('tup', ctx.clock()),
    agent_id: agentId,
    of_deploy_id: live.deploy_id,
    ref: to.ref,
    from_version: from.version,
    from_digest: from.digest,
    to_version: to.version,
    to_digest: to.digest,
    changed: storableJson(changed.slice(0, 1_000)),
  };
}

async function reject(ctx: Ctx, name: string): Promise<void> {
  await act(ctx, 'agent.update_template', agentNamed(name), async (ctx, { agent_id }) => {
    const [row] = await ctx
      .db('template_updates')
      .where({ agent_id })
      .whereIn('state', ['proposed', 'conflicted'])
      .update({ state: 'rejected', ended_at: ctx.db.raw('now()') })
      .returning('update_id');
    if (!row) throw new Conflict('no_proposal', 'There is no open proposal to reject');
    return done({ agent: agent_id }, { update_id: row.update_id }, undefined, { action: 'template.reject' });
  });
}

async function openUpdate({ db }: Ctx, agentId: string): Promise<TemplateUpdatesRow | undefined> {
  return db('template_updates').where({ agent_id: agentId }).whereNull('ended_at').first();
}

async function present(ctx: Ctx, name: string, agentId: string, subject: Subject | undefined): Promise<Out> {
  const last = await ctx.db('template_updates').where({ agent_id: agentId }).orderBy('created_at', 'desc').orderBy('update_id', 'desc').first();
  const job = last?.deploy_id == null ? undefined : await ctx.db('deployments').where({ deploy_id: last.deploy_id }).first('job_id');
  const isNewest = subject === undefined || subject.from.digest === subject.to.digest;
  // The last one counts while it is open, and for as long as no newer template is there.
  const counts = last && (last.ended_at === null || isNewest || last.to_digest === subject.to.digest);
  return {
    name,
    state: counts && !(isNewest && last.state === 'rejected') ? last.state : isNewest ? 'none' : 'available',
    template_ref: subject?.to.ref ?? null,
    update_policy: subject?.manifest.template.update_policy ?? null,
    from: subject ? { version: subject.from.version, digest: subject.from.digest } : null,
    to: subject ? { version: subject.to.version, digest: subject.to.digest } : null,
    update_id: counts ? last.update_id : null,
    changed_files: counts ? namesIn(last.changed) : [],
    conflicts: counts && last.ended_at === null ? conflictsIn(last.conflicts) : [],
    deploy_id: counts ? last.deploy_id : null,
    job_id: job?.job_id ?? null,
  };
}

// Safe: both are written only here.
const namesIn = (value: unknown): string[] => value as string[];
const conflictsIn = (value: unknown): z.infer<typeof TemplateConflictOut>[] => value as z.infer<typeof TemplateConflictOut>[];
