import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import type { BuildOutput } from '#drivers/runtime/port.ts';
import { invoke, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '../test/support.ts';

// The demo agents in Go and Rust, built with Debian's own tools in a machine without network, started and
// called. Slow: compilers under emulation, and the first run on a machine installs the tools. What compilers
// refuse: test/languages/{go,rust}.parts.test.ts.
const never = new AbortController().signal;
let host: TestHost;
beforeAll(async () => void (host = await testHost({ SVC_PAUSE_AFTER_SECONDS: '300' })));
afterAll(() => host?.end());

describe.each([{ language: 'go' as const }, { language: 'rust' as const }])('an agent in $language', ({ language }) => {
  async function build(): Promise<BuildOutput> {
    const dir = await mkdtemp(join(tmpdir(), 'svc-project-'));
    try {
      await cp(join(import.meta.dirname, '../../sdk', language), dir, { recursive: true });
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
  });
});
