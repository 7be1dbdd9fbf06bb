// The newest source is judged in a machine of its own, without secrets: does it build, do its types hold, do
// its own tests pass.
import { Readable } from 'node:stream';
import type { BuildChecks } from '#contract/states.ts';
import type { StudioIterationsRow, StudioRunsRow } from '#db/tables.ts';
import { type BuildOutput, isFinal, RuntimeError } from '#drivers/runtime/port.ts';
import { builtParts } from '../../deploys/deployment/build.ts';
import { noteImage } from '../../deploys/deployment/image-nodes.ts';
import { deploymentLog } from '../../deploys/deployment/log.ts';
import { languageOf } from '../../agents/source/language.ts';
import { languageVersionOf, manifestOf, versionFilesOf } from '../../agents/source/manifest-of.ts';
import { packProject } from '../../agents/source/pack.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { inScratch } from '../../kernel/scratch.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import type { StudioStep } from './advance.ts';
import { mendOrEnd } from './mend.ts';
import { type Built, newestIteration } from './row.ts';
import { filesOf } from './source.ts';
import { move, say } from './step.ts';

export const checkSource: StudioStep = async (ctx, run, signal, node) => {
  const iteration = await newestIteration(ctx.db, run.run_id);
  const checkResult = await judged(ctx, run, iteration, signal);
  const where = { run_id: run.run_id, number: iteration.number };
  if ('refused' in checkResult) {
    await ctx
      .db('studio_iterations')
      .where(where)
      .update({ checks: 'failed', message: storableText(checkResult.refused) });
    await say(ctx.db, run, 'evaluating', { actor: 'reviewer', status: 'refused', message: checkResult.refused.slice(0, 500), iteration: iteration.number });
    return mendOrEnd(ctx, run, { code: 'studio_checks_failed', message: checkResult.refused });
  }
  const { image, size_bytes, card, runs_on } = checkResult.output;
  if (node !== undefined) await noteImage(ctx.db, image, node);
  const built: Built = { iteration: iteration.number, image, size_bytes, sdk: checkResult.sdk, runs_on: runs_on ?? null, card: card ?? null };
  await ctx.db('studio_iterations').where(where).update({ checks: 'passed' });
  await move(ctx.db, run, 'reviewing', { actor: 'reviewer', status: 'done', message: 'It builds, and its checks pass' }, { built: storableJson(built) });
  return 'again';
};

/** @throws RuntimeError of the host, which a retry may mend */
async function judged(
  ctx: Ctx,
  run: StudioRunsRow,
  iteration: StudioIterationsRow,
  signal: AbortSignal,
): Promise<{ output: BuildOutput; sdk: string | null } | { refused: string }> {
  const files = await filesOf(ctx, run, iteration);
  const log = run.job_id === null ? undefined : deploymentLog(ctx, run.job_id);
  try {
    const manifest = await manifestOf(run.owner_id, files);
    const paths = new Set(files.map(({ path }) => path));
    const language = languageOf(manifest.entrypoint, (path) => paths.has(path)) ?? 'typescript';
    // Asked before: a host that is exchanged meanwhile is at worst taken for older than it is.
    const version = await ctx.drivers.runtime.current().catch(() => undefined);
    const output = await inScratch(ctx, 'checked', async (folder) =>
      ctx.drivers.runtime.build(
        {
          build_id: `${run.run_id}-${iteration.number}`,
          tenant: run.owner_id,
          source: Readable.from(await packProject(folder, files), { objectMode: false }),
          language,
          language_version: languageVersionOf(language, manifest, versionFilesOf(files)),
          ...builtParts(manifest),
          checks: checksOf(iteration, language),
        },
        (line) => log?.line(line),
        signal,
      ),
    );
    return { output, sdk: version?.sdk ?? null };
  } catch (error) {
    const theirs = error instanceof DomainError || (error instanceof RuntimeError && isFinal(error));
    if (!theirs) throw error;
    return { refused: error.message };
  } finally {
    await log?.close();
  }
}

/** What somebody else wrote is taken as it is. */
function checksOf({ written_by }: StudioIterationsRow, language: string): BuildChecks | undefined {
  if (written_by === 'copy') return undefined;
  // The types of recipes and compositions hold whatever they are filled with: only a model writes new ones.
  return written_by === 'model' && language === 'typescript' ? 'tests_and_types' : 'tests';
}
