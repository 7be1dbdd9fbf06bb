// Cached sign-ins: ~/.svc/credentials.json (0600 in a 0700 folder), one entry per control plane.
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError } from '../lib/errors.ts';
import { withLock } from '../lib/lock.ts';

export const Credential = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  /** Milliseconds since the epoch; absent: unknown. */
  expires_at: z.number().optional(),
  issuer: z.string().optional(),
  client_id: z.string().optional(),
  email: z.string().optional(),
});
export type Credential = z.infer<typeof Credential>;

const Content = z.object({ version: z.literal(1), apis: z.record(z.string(), Credential) });
type Content = z.infer<typeof Content>;

export class CredentialStore {
  readonly path: string;
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = home;
    this.path = join(home, 'credentials.json');
  }

  async get(api: string): Promise<Credential | undefined> {
    return (await this.#read()).apis[api];
  }

  /**
   * Changes one entry while no other process can: reads it again, calls `change`, and writes the result
   * (undefined: delete it). Resolves with the new entry.
   */
  async update(
    api: string,
    change: (current: Credential | undefined) => Promise<Credential | undefined> | Credential | undefined,
  ): Promise<Credential | undefined> {
    return withLock(join(this.#folder, 'credentials.lock'), async () => {
      const content = await this.#read();
      const current = content.apis[api];
      const next = await change(current);
      if (next === current) return next;
      const { [api]: _old, ...others } = content.apis;
      await this.#write({ version: 1, apis: next === undefined ? others : { ...others, [api]: next } });
      return next;
    });
  }

  async #read(): Promise<Content> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { version: 1, apis: {} };
      throw error;
    }
    const parsed = Content.safeParse(parseJson(text));
    if (!parsed.success) throw new CliError(`${this.path} is damaged. Remove it and sign in again with: svc login`);
    return parsed.data;
  }

  /** Written beside, flushed, then renamed: at every moment there is a whole file, old or new. */
  async #write(content: Content): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    const temporary = `${this.path}.${randomUUID()}`;
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
      await file.sync();
      await file.close();
      await rename(temporary, this.path);
    } catch (error) {
      await file.close().catch(() => {});
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
