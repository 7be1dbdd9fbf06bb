// Source that the platform generated, deployed by routes that answer neither 413 nor 502.
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway, BadRequest, DomainError, PayloadTooLarge, PlatformFailed } from '../../kernel/errors.ts';
import { acceptFiles } from './accept-files.ts';

/** @throws PlatformFailed source_not_committed; BadRequest source_too_large_unpacked */
export async function acceptGenerated(ctx: Ctx, i: Parameters<typeof acceptFiles>[1]): Promise<z.infer<typeof AgentFromTarballOut>> {
  return acceptFiles(ctx, i).catch((error: unknown): never => {
    if (error instanceof PayloadTooLarge)
      throw new BadRequest('source_too_large_unpacked', 'The generated source is larger than a project may be: choose less of what it is generated from');
    throw error instanceof BadGateway ? notCommitted(error) : error;
  });
}

/** Of what is read or written beside it. @throws PlatformFailed source_not_committed */
export async function fromSource<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown): never => {
    throw error instanceof DomainError ? error : notCommitted(error);
  });
}

function notCommitted(cause: unknown): PlatformFailed {
  const failed = new PlatformFailed('source_not_committed', 'Source hosting does not answer, so nothing was deployed: try again in a moment');
  failed.cause = cause;
  return failed;
}
