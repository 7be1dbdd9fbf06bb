// The source is reviewed before it is deployed: by the rules for every source, by what the brief lets an
// agent reach, and, where it is strict, by a model.
import { AgentCard } from '#contract/wire/card.ts';
import { judgeApart } from '../../quality/review/apart.ts';
import { manifestOf } from '../../agents/source/manifest-of.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { storableJson } from '../../kernel/storable.ts';
import type { StudioStep } from './advance.ts';
import { mendOrEnd } from './mend.ts';
import { reviewByModel } from './model-review.ts';
import { beyond, reachOf } from './reach.ts';
import { briefIn, builtIn, type Finding, newestIteration } from './row.ts';
import { filesOf } from './source.ts';
import { move, say } from './step.ts';

const MAX_FINDINGS = 50;

export const reviewSourceStep: StudioStep = async (ctx, run, signal) => {
  const iteration = await newestIteration(ctx.db, run.run_id);
  const brief = briefIn(run);
  const files = await filesOf(ctx, run, iteration);
  const card = AgentCard.safeParse(builtIn(run)?.card).data;
  const findings = await findingsIn(run.owner_id, files, card, ctx.clock());
  if (iteration.written_by === 'model') findings.push(...(card ? beyond(card, await reachOf(ctx, run)) : [UNREAD]));
  if (brief.review === 'strict' && brief.model !== undefined && !findings.some(isCritical)) findings.push(...(await reviewByModel(ctx, run, files, signal)));
  const storedFindings = findings.slice(0, MAX_FINDINGS);
  await ctx
    .db('studio_iterations')
    .where({ run_id: run.run_id, number: iteration.number })
    .update({ findings: storableJson(storedFindings) });
  const critical = storedFindings.filter(isCritical);
  if (critical.length > 0) {
    const message = critical.map(({ rule, path, title }) => `${path ?? 'agent'}: ${title} (${rule})`).join('\n');
    await say(ctx.db, run, 'reviewing', { actor: 'reviewer', status: 'refused', message: message.slice(0, 500), findings: critical.length });
    return mendOrEnd(ctx, run, { code: 'studio_review_failed', message: `The review refuses the source:\n${message}` });
  }
  const summary = storedFindings.length === 0 ? 'Nothing was found' : `${storedFindings.length} findings, none of them critical`;
  await move(ctx.db, run, 'deploying', { actor: 'deployer', status: 'began', message: `${summary}; it is deployed for you only` });
  return 'again';
};

const UNREAD: Finding = {
  severity: 'critical',
  rule: 'card-unread',
  path: null,
  title: 'The hosts that it reaches are unknown: the agent does not start in the build machine',
};
const isCritical = ({ severity }: Finding): boolean => severity === 'critical';

async function findingsIn(author: string, files: readonly ProjectFile[], card: AgentCard | undefined, now: number): Promise<Finding[]> {
  const manifest = await manifestOf(author, files);
  const shown = card ?? AgentCard.parse({ name: manifest.name, description: '', version: manifest.version, skills: [] });
  const verdict = await judgeApart({ files, card: shown, manifest, lockSince: undefined, advisoriesFile: undefined, now: new Date(now) });
  return verdict.findings.filter(({ accepted }) => accepted === null).map(({ severity, rule, path, title }) => ({ severity, rule, path, title }));
}
