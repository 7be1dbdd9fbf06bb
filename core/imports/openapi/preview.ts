import type { z } from 'zod';
import type { AgentOpenAPIPreviewOut } from '#contract/imports/from-openapi.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type GenerateInput, generateFrom } from './description.ts';

/** Nothing is stored. @throws BadRequest description_unread, description_invalid */
export async function previewOpenApi(ctx: Ctx, i: GenerateInput): Promise<z.infer<typeof AgentOpenAPIPreviewOut>> {
  requireUser(ctx, 'agent.deploy');
  const { name, preview } = await generateFrom(ctx, i);
  return { name, ...preview };
}
