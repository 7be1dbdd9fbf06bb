// The description a caller means: sent along, or fetched from where they say. Then it is read in a thread of
// its own.
import type { z } from 'zod';
import { type AgentOpenAPIGenerateIn, MAX_DESCRIPTION_BYTES } from '#contract/imports/from-openapi.ts';
import { DocumentUnread } from '#drivers/outbound/document.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { BadDescription } from './generate/document.ts';
import { type Generated, generateInThread } from './generate/in-thread.ts';
import type { OperationFilter } from './generate/model.ts';

export type GenerateInput = z.output<typeof AgentOpenAPIGenerateIn>;

/** @throws BadRequest description_unread, description_invalid */
export async function generateFrom(ctx: Pick<Ctx, 'drivers'>, i: GenerateInput): Promise<Generated> {
  const text = i.document ?? (await fetched(ctx, i.url ?? ''));
  const options = {
    name: i.name,
    description: i.description,
    baseUrl: i.base_url,
    sourceUrl: i.url,
    include: choiceOf(i.include),
    pins: choiceOf(i.pins),
    mode: i.mode,
    auth: i.auth,
  };
  try {
    return await generateInThread({ text, options, public: i.public });
  } catch (error) {
    if (error instanceof BadDescription) throw new BadRequest('description_invalid', error.message);
    throw error;
  }
}

async function fetched({ drivers }: Pick<Ctx, 'drivers'>, url: string): Promise<string> {
  try {
    return await drivers.documents.read(url, { maxBytes: MAX_DESCRIPTION_BYTES, accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' });
  } catch (error) {
    if (error instanceof DocumentUnread)
      throw new BadRequest(
        'description_unread',
        `The description could not be read: ${error.message}. Give its final address, or send its text as document (with svc: give the file)`,
      );
    throw error;
  }
}

function choiceOf(choice: GenerateInput['include']): OperationFilter {
  return { tags: choice?.tags ?? [], methods: choice?.methods ?? [], match: choice?.match, names: choice?.names ?? [] };
}
