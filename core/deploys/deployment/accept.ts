// Taking in an uploaded project: a form whose file is the archive.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { acceptArchive, type StoredArchive, storeArchive } from './accept-archive.ts';

export type TarballPart = { kind: 'field'; name: string; value: string } | { kind: 'file'; name: string; stream: Readable };

export async function acceptTarball(ctx: Ctx, parts: AsyncIterable<TarballPart>): Promise<z.infer<typeof AgentFromTarballOut>> {
  const user = requireUser(ctx, 'agent.deploy');
  return acceptArchive(ctx, user, (sourceKey) => readForm(ctx, parts, sourceKey));
}

async function readForm(ctx: Ctx, parts: AsyncIterable<TarballPart>, sourceKey: string): Promise<StoredArchive> {
  let stored: StoredArchive | undefined;
  const fields: Pick<StoredArchive, 'name' | 'public'> = {};
  for await (const part of parts) {
    if (part.kind === 'file') stored = await storeArchive(ctx, sourceKey, part.stream);
    else if (part.name === 'name') fields.name = part.value;
    else if (part.name === 'public') fields.public = part.value === 'true';
  }
  if (!stored) throw new BadRequest('source_missing', 'Send the project as a gzipped tar in the file field "source"');
  return { ...stored, ...fields };
}
