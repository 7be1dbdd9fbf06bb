// The source is reviewed before it is deployed: by the rules for every source, by what the brief lets an agent reach, and, where it is strict, by a model.
import type { StudioBrief } from '#contract/studio/studio-brief.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { judgeApart } from '../../agents/review/apart.ts';
import { manifestIn } from '../../agents/source/manifest-of.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { storableJson } from '../../kernel/storable.ts';
import type { StudioStep } from './advance.ts';
import { textOf } from './check-source.ts';
import { mendOrEnd } from './mend.ts';
import { reviewByModel } from './model-review.ts';
import { briefIn, builtIn, type Finding, lastIteration } from './row.ts';
import { filesOf } from './source.ts';
import { move, say } from './step.ts';

const MAX_KEPT = 50;

export const reviewSource: StudioStep = async (ctx, run, signal) => {
  const iteration = await lastIteration(ctx.db, run.run_id);
  if (!iteration) throw new Error('a run is reviewed before its source is written');
  const brief = briefIn(run);
  const files = await filesOf(ctx, run, iteration);
  const card = AgentCard.safeParse(builtIn(run)?.card).data;
  const findings = await findingsIn(files, card, ctx.clock());
  // What somebody else wrote reaches what it reached before.
  if (card && iteration.written_by !== 'copy') findings.push(...beyond(card, brief, iteration.written_by));
  if (!card && iteration.written_by === 'model')
    findings.push({
      severity: 'critical',
      rule: 'card-unread',
      path: null,
      title: 'What it reaches cannot be told: the agent does not start where it is built',
    });
  if (brief.review === 'strict' && brief.model !== undefined && !findings.some(isCritical)) findings.push(...(await reviewByModel(ctx, run, files, signal)));
  const kept = findings.slice(0, MAX_KEPT);
  await ctx
    .db('studio_iterations')
    .where({ run_id: run.run_id, number: iteration.number })
    .update({ findings: storableJson(kept) });
  const critical = kept.filter(isCritical);
  if (critical.length > 0) {
    const message = critical.map(({ rule, path, title }) => `${path ?? 'agent'}: ${title} (${rule})`).join('\n');
    await say(ctx.db, run, 'reviewing', { actor: 'reviewer', status: 'refused', message: message.slice(0, 500), findings: critical.length });
    return mendOrEnd(ctx, run, { code: 'studio_review_failed', message: `The review refuses the source:\n${message}` });
  }
  const said = kept.length === 0 ? 'Nothing was found' : `${kept.length} findings, none of them critical`;
  await move(ctx.db, run, 'deploying', { actor: 'deployer', status: 'began', message: `${said}; it is deployed for you alone` });
  return 'again';
};

const isCritical = ({ severity }: Finding): boolean => severity === 'critical';

async function findingsIn(files: readonly ProjectFile[], card: AgentCard | undefined, now: number): Promise<Finding[]> {
  const manifest = manifestIn(textOf(files.find(({ path }) => path === 'svc.yaml')));
  const shown = card ?? AgentCard.parse({ name: manifest.name, description: '', version: manifest.version, skills: [] });
  const verdict = await judgeApart({ files, card: shown, manifest, lockSince: undefined, advisoriesFile: undefined, now: new Date(now) });
  return verdict.findings.filter(({ accepted }) => accepted === null).map(({ severity, rule, path, title }) => ({ severity, rule, path, title }));
}

const HOST = /\bhttps?:\/\/([A-Za-z0-9.-]+)/g;

/** What an agent reaches and asks for is what the brief says, whoever writes it: a model can widen nothing. */
export function beyond(card: AgentCard, brief: StudioBrief, writtenBy: string): Finding[] {
  const critical = (rule: string, title: string): Finding => ({ severity: 'critical', rule, path: null, title });
  const { egress } = card.runtime;
  const named = new Set([...JSON.stringify([brief.inputs, brief.goal]).matchAll(HOST)].map(([, host]) => host?.toLowerCase()));
  // A recipe is ours: what it reaches, it says in its README.
  const hosts = writtenBy === 'model' ? egress.allow_hosts.filter((host) => !named.has(host.toLowerCase())) : [];
  const secrets = card.required_secrets.filter((name) => writtenBy === 'model' && !brief.integrations.includes(name));
  return [
    ...hosts.map((host) => critical('egress-beyond-brief', `It wants to reach ${host}, which the brief does not name`)),
    ...(writtenBy === 'model' && !egress.deny_internet_by_default ? [critical('egress-open', 'It wants to reach the whole internet')] : []),
    ...(writtenBy === 'model' && egress.allow_internal_services.length > 0 ? [critical('egress-internal', 'It wants to reach services of the platform')] : []),
    ...secrets.map((name) => critical('secret-beyond-brief', `It wants the secret ${name}, which the brief does not name`)),
  ];
}
