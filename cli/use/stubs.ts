// Agents in use: their cards, cached in ~/.svc/agents, so that their tools are commands with flags of their
// own.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AgentCard } from '#contract/wire/card.ts';
import { AgentName } from '#contract/wire/names.ts';
import { CliError } from '../lib/errors.ts';
import { completionOf } from './completion.ts';

export const Stub = z.object({
  /** Of the control plane it was fetched from; calls go there. */
  api: z.string(),
  agent: AgentName,
  url: z.string(),
  fetched_at: z.string(),
  card: AgentCard,
});
export type Stub = z.infer<typeof Stub>;

/** So that a shell reads them in no time. */
const MAX_SEEN = 500;

export class Stubs {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, 'agents');
  }

  /** undefined: not in use. @throws CliError when the file is damaged */
  async get(agent: string): Promise<Stub | undefined> {
    if (!AgentName.safeParse(agent).success) return undefined;
    const text = await readFile(this.#file(agent), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const stub = Stub.safeParse(parse(text));
    if (stub.success) return stub.data;
    throw new CliError(`The stored card of ${agent} is damaged or from an older version. Fetch it again with: svc use ${agent}`);
  }

  async names(): Promise<string[]> {
    const files = await readdir(this.#folder).catch(() => []);
    return files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : [])).toSorted();
  }

  async put(stub: Stub): Promise<void> {
    await this.#write(this.#file(stub.agent), `${JSON.stringify(stub, null, 2)}\n`);
    await this.#remember();
  }

  /** Whether it was there. */
  async remove(agent: string): Promise<boolean> {
    const there = (await this.names()).includes(agent);
    if (there) await rm(this.#file(agent), { force: true });
    await this.#remember();
    return there;
  }

  /** Agents that were seen, for completion; previous ones are forgotten. */
  async keepSeen(names: readonly string[]): Promise<void> {
    await this.#write(join(this.#folder, 'seen'), names.slice(0, MAX_SEEN).join('\n'));
    await this.#remember();
  }

  async #seen(): Promise<string[]> {
    const text = await readFile(join(this.#folder, 'seen'), 'utf8').catch(() => '');
    return text.split('\n').filter((name) => AgentName.safeParse(name).success);
  }

  /** What the shell completes, in a form that it can read without this tool. */
  async #remember(): Promise<void> {
    const stubs = await Promise.all((await this.names()).map((name) => this.get(name).catch(() => undefined)));
    const [{ toolOf }, { agentCommands }] = await Promise.all([import('../parser/tool.ts'), import('./agent-commands.ts')]);
    const commands = agentCommands((await toolOf(false)).definitions());
    const readableStubs = stubs.filter((stub) => stub !== undefined);
    await this.#write(join(this.#folder, 'completion'), completionOf(readableStubs, await this.#seen(), commands));
  }

  #file(agent: string): string {
    return join(this.#folder, `${agent}.json`);
  }

  /** Written beside, then renamed: a shell that reads meanwhile finds a whole file. */
  async #write(path: string, text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${randomUUID()}.tmp`;
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, path);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
