// A write that the platform holds until a person has approved it: the run waits, gives up its clock
// meanwhile, and writes again.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { mintGrant } from '../../../contract/crypto/grant-token.ts';
import { Agent } from '../authoring/agent.ts';
import { WorkspaceDenied } from '../authoring/errors.ts';
import { skill } from '../authoring/skill.ts';
import { controlPlane } from '../platform/control-plane.ts';
import { serve } from '../test/serve.ts';

const HELD = 'scr_0192f0c4-7b1e-8a3c-8d2e-5f6a7b8c9d0e';
const key = new Uint8Array(32).fill(7);
const { token } = mintGrant({ grantId: 'grt_1', issuer: 'ada', audience: 'writer', bucket: 'usr:1', mode: 'read_write_overlay' }, key);

class Writer extends Agent {
  name = 'writer';
  description = 'For tests.';
  version = '1.0.0';
  go = skill({ timeoutSeconds: 1 }, async (ctx) => {
    try {
      const view = await ctx.workspace.view();
      return (await Promise.all(['a', 'b'].map((path) => view.write(path, 'x')))).map(({ path }) => path);
    } catch (error) {
      return error instanceof WorkspaceDenied ? `denied: ${error.message}` : String(error);
    }
  });
}

const KEY = { authorization: 'Bearer key' };
const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** A platform that holds writes until `approved`. */
async function plane() {
  const it = { approved: false, held: 0, wrote: [] as string[] };
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const path = request.url?.split('/files/')[1];
    request.resume();
    if (path === undefined) return answer(200, { wait_id: HELD, state: 'pending', expires_at: new Date().toISOString() });
    if (it.approved) {
      it.wrote.push(path);
      return answer(200, { patch_id: `ptc_${path}`, path, operation: 'write', size_bytes: 1, sha256: null, state: 'staged', reason: null });
    }
    it.held += 1;
    answer(409, { detail: { code: 'write_pending', message: 'A user must approve that this run writes files', wait_id: HELD } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close());
  // Safe: it listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = await serve(Writer, { apiKey: 'key', platform: controlPlane({ url, grantKey: Buffer.from(key).toString('base64url') }) });
  const result = agent
    .post('/invoke/go', {}, { headers: { ...KEY, 'svc-grant': token, 'x-svc-run-id': 'run_1', 'x-svc-run-token': 'svc_run_x' } })
    .then((answered) => answered.json());
  await vi.waitFor(() => expect(it.held).toBe(2));
  const tell = (body: object): Promise<number> => agent.post(`/scope-grants/${HELD}`, body, { headers: KEY }).then(({ status }) => status);
  return { it, result, tell };
}

it('one question holds both writes; approved, both are made', async () => {
  const { it: platform, result, tell } = await plane();
  // Longer than the skill may run: its clock stands still.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  platform.approved = true;
  await vi.waitFor(async () => expect(await tell({ grant_token: token })).toBe(200));
  expect(await result).toEqual(['a', 'b']);
  expect(platform.wrote.toSorted()).toEqual(['a', 'b']);
});

it('after a denial the skill gets the error, and nothing is written', async () => {
  const { it: platform, result, tell } = await plane();
  await vi.waitFor(async () => expect(await tell({ denied: { reason: 'not now' } })).toBe(200));
  expect(await result).toBe('denied: Writing was denied: not now');
  expect(platform.wrote).toEqual([]);
});
