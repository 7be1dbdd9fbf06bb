// The tool of one test file, and the API that it is signed in to.
import { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import { makeTool, type Tool } from './tool.ts';

export const signedIn = { env: { SVC_TOKEN: 'ada' } };
/** Lines on standard input. */
export const piped = (...lines: string[]) => ({ ...signedIn, stdin: Readable.from(lines.map((line) => `${line}\n`)) });
/** Lines of a person at a terminal. */
export const typing = (...lines: string[]) => ({ ...piped(...lines), interactive: true });

/** Both are gone after the file's tests. */
export async function toolAt<A extends { url: string; close(): Promise<unknown> }>(api: A): Promise<{ api: A; tool: Tool }> {
  const tool = await makeTool(api.url, '/nowhere');
  afterAll(async () => {
    await tool.remove();
    await api.close();
  });
  return { api, tool };
}
