// Builds the image of a deployment from its source, and moves it from building to starting.
import type { Readable } from 'node:stream';
import type { AgentCard } from '#contract/wire/card.ts';
import { type Manifest, parseManifest } from '#contract/wire/manifest.ts';
import type { BuildInput } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { languageOfSource } from '../../agents/source/language.ts';
import { languageVersionOf } from '../../agents/source/manifest-of.ts';
import { checkCard } from './card.ts';
import { DeploymentFault } from '../../agents/agent/deployment-fault.ts';
import { withDeploymentLog } from './log.ts';
import { nodeWith, noteImage } from './image-nodes.ts';
import { advance, deploymentRow, loseImage } from './stages.ts';

export interface BuildOf {
  retried: boolean;
  /** Name of this host. */
  node: string;
  /** Hosts that did not take the start. */
  without?: readonly string[];
  signal: AbortSignal;
  /** Called for each line of the build's log. */
  progress?: () => void;
}

/** Resolves with the host to start it on. @throws DeploymentFault; RuntimeError of the host */
export async function buildDeployment(ctx: Ctx, deployId: string, { retried, node, without, signal, progress }: BuildOf): Promise<string> {
  const row = await deploymentRow(ctx.db, deployId);
  // Built in an earlier attempt, or a restart of what is live.
  if (row.image) {
    const at = await nodeWith(ctx, row.image, { node, ...(without && { without }) });
    if (at !== undefined) {
      await advance(ctx, deployId, 'building', 'starting');
      return at;
    }
    if ((await loseImage(ctx, deployId, row.image)) === 'ended') throw ended();
  }
  await withDeploymentLog(ctx, row.job_id, signal, async (log) => {
    if (row.image) log.platform('No host that answers has its image: it is built again');
    else if (retried) log.platform('The build was interrupted and starts again');
    const manifest = parseManifest(row.manifest);
    const chosen = await languageIn(await ctx.drivers.storage.get(row.source_key), manifest);
    const source = await ctx.drivers.storage.get(row.source_key);
    // Asked before: a host that is exchanged meanwhile is at worst taken for older than it is. One that does
    // not know the question is older.
    const version = await ctx.drivers.runtime.current().catch(() => undefined);
    const input = { build_id: deployId, tenant: row.created_by, source, ...chosen, ...builtParts(manifest) };
    const line: typeof log.line = (one) => {
      progress?.();
      log.line(one);
    };
    const built = await ctx.drivers.runtime.build(input, line, signal);
    if (chosen.language_version !== undefined && built.runs_on === undefined)
      throw new DeploymentFault(
        'language_version_unsupported',
        'The runtime host is older than this release and cannot choose a version: update it, then deploy again',
      );
    log.platform(`Built ${built.image.slice(0, 19)} (${built.size_bytes} bytes${built.cached ? ', dependencies from the cache' : ''})`);
    await noteImage(ctx.db, built.image, node);
    const card = built.card === undefined ? {} : { card: JSON.stringify(builtCard(built.card, manifest)) };
    const outcome = await advance(ctx, deployId, 'building', 'starting', {
      image: built.image,
      image_bytes: built.size_bytes,
      ...(version && { sdk: version.sdk }),
      ...(built.runs_on && { runs_on: built.runs_on }),
      ...card,
    });
    if (outcome === 'ended') throw ended();
  });
  return node;
}

function ended(): DeploymentFault {
  return new DeploymentFault('cancelled', 'The deployment was cancelled while it was built');
}

/** A source of an earlier release may ask for what is refused now. @throws DeploymentFault */
async function languageIn(source: Readable, manifest: Manifest): Promise<Pick<BuildInput, 'language' | 'language_version'>> {
  const { language = 'typescript', read } = await languageOfSource(source, manifest.entrypoint);
  try {
    return { language, language_version: languageVersionOf(language, manifest, read) };
  } catch (error) {
    throw error instanceof BadRequest ? new DeploymentFault(error.code, error.message) : error;
  }
}

/**
 * What the build read, checked like a served one: a fault ends the deployment before a machine is started for
 * it.
 */
function builtCard(value: unknown, manifest: Manifest): AgentCard {
  const { card, fault } = checkCard(value, manifest);
  if (fault) throw new DeploymentFault(fault.code, fault.message);
  return card;
}

/** The part of the manifest that a build gets. */
export function builtParts({ name, version, entrypoint, frontend, service }: Manifest): Pick<BuildInput, 'entrypoint' | 'frontend' | 'service'> {
  return { entrypoint, frontend, service: service && { name, version, declaration: service } };
}
