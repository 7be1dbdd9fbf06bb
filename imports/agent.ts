// An imported agent, as an agent like any other to the runtime that serves it: each of its skills is a call
// of the other side.
import { z } from 'zod';
import { modelOf } from '#contract/wire/arguments.ts';
import type { AgentCard, SkillCard } from '#contract/wire/card.ts';
import { type Credentials, type RemoteAgent, RemoteFault, type RemoteSkill } from '#drivers/remote-agent/port.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import type { RunContext } from '#sdk/typescript/authoring/context.ts';
import type { BoundSkill, Declaration } from '#sdk/typescript/authoring/declare.ts';
import { isQuick, schemaWork } from '#core/kernel/schema-work/ask.ts';
import { SkillInvocationError } from '#sdk/typescript/authoring/errors.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { checkable, type InputModel, type JsonSchema } from '#sdk/typescript/authoring/schema.ts';

/** How long a person has to answer what the other side asks. */
const ASK_SECONDS = 24 * 3600;

export interface Imported {
  card: AgentCard;
  skills: readonly RemoteSkill[];
  remote: RemoteAgent;
  credentials: Credentials;
}

class ImportedAgent extends Agent {
  override readonly name: string;
  override readonly description: string;
  override readonly version: string;

  constructor({ name, description, version }: AgentCard) {
    super();
    this.name = name;
    this.description = description;
    this.version = version;
  }
}

export function importedAgent({ card, skills, remote, credentials }: Imported): { agent: Agent; declaration: Declaration } {
  const theirs = new Map(skills.map((one) => [one.id, one]));
  const bound = card.skills.flatMap((skillCard): [string, BoundSkill][] => {
    const their = theirs.get(skillCard.id);
    if (!their) return [];
    const input = inputModel(card.name, skillCard);
    const handler = (ctx: RunContext, args: Record<string, unknown>): Promise<unknown> => call({ remote, credentials, their }, ctx, args);
    return [[skillCard.id, { id: skillCard.id, field: skillCard.id, card: skillCard, skill: skill({ input }, handler), input, output: undefined }]];
  });
  return { agent: new ImportedAgent(card), declaration: { card, skills: new Map(bound), resources: [] } };
}

async function call(
  { remote, credentials, their }: Pick<Imported, 'remote' | 'credentials'> & { their: RemoteSkill },
  ctx: RunContext,
  args: Record<string, unknown>,
): Promise<unknown> {
  try {
    return await remote.call({
      skill: their,
      args,
      credentials,
      signal: ctx.signal,
      listener: {
        progress: (message, done) => ctx.emitProgress(message, done),
        text: (delta) => ctx.emitTextDelta(delta),
        ask: (prompt, schema) => ask(ctx, prompt, schema),
        file: async (name, data, mimeType) => (await ctx.writeArtifact(fileName(name), data, mimeType)).uri,
      },
    });
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error;
    if (error.code !== 'auth_required') throw new SkillInvocationError(error.message, { code: 'remote_failed', cause: error });
    throw new SkillInvocationError(`${error.message} (its owner: svc auth status)`, { code: 'auth_required', cause: error });
  }
}

/** A form that cannot be shown is asked for as any object. */
async function ask(ctx: RunContext, prompt: string, schema: Record<string, unknown> | undefined): Promise<string> {
  if (!schema) return ctx.ask(prompt, ASK_SECONDS);
  try {
    return await ctx.ask(prompt, ASK_SECONDS, { schema });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return ctx.ask(prompt, ASK_SECONDS, { schema: { type: 'object' } });
  }
}

/** Names of artifacts are one segment of a path. */
function fileName(theirs: string): string {
  const plain = theirs.replaceAll(/[^\w.-]+/g, '_').replaceAll(/^\.+/g, '').slice(0, 100); // prettier-ignore
  return plain === '' ? 'file' : plain;
}

/**
 * What zod cannot say is left to the other side, which checks everything again; its defaults are its own to
 * fill in.
 */
function inputModel(agent: string, { input_schema: schema }: SkillCard): InputModel {
  if (!isQuick(schema)) return readApart(agent, checkable(schema));
  const model = attempt(schema);
  return model instanceof z.ZodObject ? model : z.looseObject({});
}

/**
 * One process serves the imported agents of all accounts: what can take long is not read on its event loop.
 */
function readApart(agent: string, schema: JsonSchema): InputModel {
  return z.looseObject({}).superRefine(async (args, context) => {
    const issues = (await schemaWork(agent, 'issues', { schema, args }))?.value ?? [];
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path, message });
  });
}

function attempt(schema: JsonSchema): z.ZodType | undefined {
  try {
    return modelOf(checkable(schema));
  } catch {
    return undefined;
  }
}
