// What every runtime driver must do, whatever runs the agents. A driver's test calls this with the driver and
// a project to build.
import { Readable } from 'node:stream';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { AgentRuntime, LogLine, StartInput } from './port.ts';
import { callAgent, invoke, proberSource, sourceOf, startInput, uniqueId } from './test/agents.ts';

type Line = Omit<LogLine, 'seq'>;
const never = new AbortController().signal;

export function runtimeConformance(driver: () => AgentRuntime): void {
  describe('runtime port', () => {
    let image = '';
    let input: StartInput;
    const build = async (files: Record<string, string>, entrypoint: string, lines: Line[] = [], signal = never) => {
      const dir = await mkdtemp(join(tmpdir(), 'svc-project-'));
      try {
        for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
        return await driver().build(
          { build_id: uniqueId('b'), tenant: 'test', source: sourceOf(dir), language: 'typescript', entrypoint },
          (line) => lines.push(line),
          signal,
        );
      } finally {
        await rm(dir, { recursive: true, force: true });
      }
    };

    beforeAll(async () => {
      const source = proberSource();
      const built = await driver().build(
        { build_id: uniqueId('b'), tenant: 'test', source, language: 'typescript', entrypoint: 'agent:Prober' },
        () => undefined,
        never,
      );
      expect(built).toMatchObject({ image: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), size_bytes: expect.any(Number), cached: false });
      image = built.image;
      input = startInput(image);
      await driver().start(input, () => undefined, never);
    }, 180_000);

    test('a build that fails is the author’s to mend: file, line and what is wrong', async () => {
      const lines: Line[] = [];
      const broken = "import { Agent } from '@svc/sdk';\nimport pad from 'left-padder';\nexport class A extends Agent { name = pad('a') }\n";
      await expect(build({ 'agent.ts': broken }, 'agent:A', lines)).rejects.toMatchObject({
        code: 'build_failed',
        message: expect.stringMatching(/agent\.ts:2:\d+: error: Could not resolve: "left-padder".*npm install left-padder/),
      });
      expect(lines.some((line) => line.text.includes('left-padder'))).toBe(true);
      await expect(build({ 'agent.ts': 'export const a = 1;' }, 'agent:Missing')).rejects.toMatchObject({
        code: 'build_failed',
        message: expect.stringContaining('export class Missing'),
      });
      await expect(build({ 'other.ts': '' }, 'agent:A')).rejects.toMatchObject({
        code: 'build_failed',
        message: expect.stringContaining('there is no agent.ts'),
      });
    });

    test('a build can be cancelled', async () => {
      const abort = new AbortController();
      const source = new Readable({ read: () => undefined }); // never ends
      const building = driver().build(
        { build_id: uniqueId('b'), tenant: 'test', source, language: 'typescript', entrypoint: 'agent:A' },
        () => undefined,
        abort.signal,
      );
      setTimeout(() => abort.abort(), 500);
      await expect(building).rejects.toMatchObject({ code: 'cancelled' });
    });

    test('the same sources give the same image', async () => {
      const files = {
        'agent.ts':
          "import { Agent } from '@svc/sdk';\nexport class A extends Agent { override name = 'a'; override description = ''; override version = '1.0.0' }\n",
      };
      expect((await build(files, 'agent:A')).image).toBe((await build(files, 'agent:A')).image);
    });

    test('start gives the card, and again the same for the same id', async () => {
      const again = await driver().start(input, () => undefined, never);
      expect(again).toMatchObject({ instance_id: input.instance_id, card: { name: 'prober', version: '0.1.0' } });
      expect((await driver().instances()).filter((one) => one.instance_id === input.instance_id)).toHaveLength(1);
    });

    test('the agent is reached at its address, behind its key, with env and secrets', async () => {
      expect((await invoke(driver(), input.instance_id, 'reveal')).body).toMatchObject({ secret: 'the-secret-value', env: 'hi', leaked: false });
      const address = driver().address(input.instance_id);
      expect((await callAgent(address, '/invoke/count', {}, 'another-key')).status).toBe(401);
      expect((await callAgent(address, '/healthz')).status).toBe(200);
    });

    test('what it prints is its log, numbered, readable from any line on', async () => {
      const text = uniqueId('line-');
      await invoke(driver(), input.instance_id, 'say', { text });
      const printedLines = await vi.waitFor(async () => {
        const lines = await driver().logs(input.instance_id, { limit: 10_000 });
        const mine = lines.filter((line) => line.text.includes(text));
        expect(mine.map((line) => [line.stream, line.text]).sort()).toEqual([
          ['stderr', `err:${text}`],
          ['stdout', text],
        ]);
        return mine;
      }, 5_000);
      const first = printedLines[0]?.seq ?? 0;
      expect((await driver().logs(input.instance_id, { after: first })).every((line) => line.seq > first)).toBe(true);
      expect(await driver().logs(input.instance_id, { after: first - 1, limit: 1 })).toMatchObject([{ seq: first }]);
    });

    test.each(['paused', 'suspended'] as const)('a %s agent goes on where it was at the next request', async (tier) => {
      const before = (await invoke(driver(), input.instance_id, 'count')).body;
      await driver().sleep(input.instance_id, tier);
      expect((await driver().instances()).find((one) => one.instance_id === input.instance_id)).toMatchObject({ tier });
      expect((await invoke(driver(), input.instance_id, 'count')).body).toBe(Number(before) + 1);
      const status = (await driver().instances()).find((one) => one.instance_id === input.instance_id);
      expect(status?.tier).toBe('awake');
      expect(status?.wakes?.at(-1)).toMatchObject({ from: tier, ms: expect.any(Number), slept_ms: expect.any(Number) });
    });

    test('a cold agent starts anew at the next request; wake() does so without one', async () => {
      await driver().sleep(input.instance_id, 'cold');
      expect((await driver().instances()).find((one) => one.instance_id === input.instance_id)).toMatchObject({ tier: 'cold', memory_bytes: 0 });
      await driver().wake(input.instance_id);
      expect((await invoke(driver(), input.instance_id, 'count')).body).toBe(1);
    });

    test('an agent that cannot start says why, with its own words', async () => {
      const code =
        "import { Agent } from '@svc/sdk';\nconsole.error('no database configured');\nthrow new Error('refusing to start');\nexport class A extends Agent { override name = 'a'; override description = ''; override version = '1.0.0' }\n";
      const { image: broken } = await build({ 'agent.ts': code }, 'agent:A');
      const lines: Line[] = [];
      const start = driver().start(startInput(broken), (line) => lines.push(line), never);
      await expect(start).rejects.toMatchObject({ code: 'start_failed', message: expect.stringContaining('refusing to start') });
      expect(lines.some((line) => line.text === 'no database configured')).toBe(true);
      expect(lines.some((line) => /agent\.ts:3/.test(line.text))).toBe(true);
    });

    test('unknown ids are not found; stopping them is no error', async () => {
      await expect(driver().wake('nobody')).rejects.toMatchObject({ code: 'not_found' });
      await expect(driver().logs('nobody')).rejects.toMatchObject({ code: 'not_found' });
      await expect(driver().start(startInput(`sha256:${'0'.repeat(64)}`), () => undefined, never)).rejects.toMatchObject({ code: 'not_found' });
      await driver().stop('nobody');
    });

    test('keepOnly ends and deletes the rest', async () => {
      const extra = startInput(image);
      await driver().start(extra, () => undefined, never);
      expect((await driver().keepOnly({ instances: [], images: [], started_before: 1 })).stopped).toEqual([]);
      const { stopped } = await driver().keepOnly({ instances: [input.instance_id], images: [] });
      expect(stopped).toContain(extra.instance_id);
      expect((await driver().instances()).map((one) => one.instance_id)).toEqual([input.instance_id]);
      expect((await invoke(driver(), input.instance_id, 'say', { text: 'its image was kept' })).status).toBe(200);
      await driver().stop(input.instance_id);
      await driver().stop(input.instance_id);
      expect(await driver().instances()).toEqual([]);
    });
  });
}
