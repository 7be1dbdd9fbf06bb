import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import type { BuildOutput } from '#drivers/runtime/port.ts';
import { invoke, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '../test/support.ts';

// The demo agents in Go and Rust, built with Debian's own tools in a machine without network, started and called. Slow: compilers under
// emulation, and the first run on a machine installs the tools.
const never = new AbortController().signal;
let host: TestHost;
beforeAll(async () => void (host = await testHost({ SVC_PAUSE_AFTER_SECONDS: '300' })), 120_000);
afterAll(() => host?.end(), 60_000);

describe.each([
  { language: 'go' as const, source: 'main.go', wrong: /main\.go:\d+/ },
  { language: 'rust' as const, source: 'src/main.rs', wrong: /src\/main\.rs:\d+/ },
])('an agent in $language', ({ language, source, wrong }) => {
  async function build(change: (text: string) => string = (text) => text): Promise<BuildOutput> {
    const dir = await mkdtemp(join(tmpdir(), 'svc-project-'));
    try {
      await cp(join(import.meta.dirname, '../../sdk', language), dir, { recursive: true });
      await writeFile(join(dir, source), change(await readFile(join(dir, source), 'utf8')));
      const input = { build_id: uniqueId('b'), tenant: 'test', source: sourceOf(dir), language, entrypoint: 'main:Sum' };
      return await host.runtime.build(input, () => undefined, never);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }

  test('is built, started and called', async () => {
    const built = await build();
    expect(built.card).toMatchObject({ name: `sum-${language}` });
    const input = startInput(built.image);
    const { card } = await host.runtime.start(input, () => undefined, never);
    // The declaration leaves defaults out, the served card has them.
    expect(card).toEqual(AgentCard.parse(built.card));
    expect((await invoke(host.runtime, input.instance_id, 'sum', { a: 2, b: 40 })).body).toBe(42);
    expect((await invoke(host.runtime, input.instance_id, 'sum', { a: 'x', b: 1 })).status).toBe(400);
    await host.runtime.stop(input.instance_id);
  }, 900_000);

  test('that does not compile is reported with file and line', async () => {
    await expect(build((text) => `${text}\nthis is not ${language}\n`)).rejects.toMatchObject({ code: 'build_failed', message: expect.stringMatching(wrong) });
  }, 300_000);
});
