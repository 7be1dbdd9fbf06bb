// The tool of one test file, and the API that it is signed in to.
import { afterAll } from 'vitest';
import { lines, makeTool, type Tool } from './tool.ts';

export const signedIn = { env: { SVC_TOKEN: 'ada' } };
/** Lines on standard input. */
export const piped = (...typed: string[]) => ({ ...signedIn, stdin: lines(...typed) });
/** Lines of a person at a terminal. */
export const typing = (...typed: string[]) => ({ ...piped(...typed), interactive: true });

/** Both are gone after the file's tests. */
export async function toolAt<A extends { url: string; close(): Promise<unknown> }>(api: A): Promise<{ api: A; tool: Tool }> {
  const tool = await makeTool(api.url, '/nowhere');
  afterAll(async () => {
    await tool.remove();
    await api.close();
  });
  return { api, tool };
}
