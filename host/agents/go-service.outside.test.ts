// The example of a service in Go, in a machine: minutes under emulation. Python's is in python.vm.test.ts.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import { ServiceDeclaration } from '#contract/wire/service.ts';
import type { BuildOutput } from '#drivers/runtime/port.ts';
import { invoke, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '../test/support.ts';

const never = new AbortController().signal;
let host: TestHost;
beforeAll(async () => void (host = await testHost({ SVC_PAUSE_AFTER_SECONDS: '300' })));
afterAll(() => host?.end());

test('a service in Go is built, and its operations are called; without its description the build fails with that reason', async () => {
  const service = (openapi: string) => ({ name: 'orders-go', version: '0.1.0', declaration: ServiceDeclaration.parse({ openapi, ready: '/healthz' }) });
  const build = (openapi: string): Promise<BuildOutput> => {
    const source = sourceOf(join(import.meta.dirname, '../../examples/go-service'));
    const input = { build_id: uniqueId('b'), tenant: 'test', source, language: 'go' as const, entrypoint: 'main:main', service: service(openapi) };
    return host.runtime.build(input, () => undefined, never);
  };
  const built = await build('openapi.yaml');
  expect(built.card).toMatchObject({ name: 'orders-go', skills: [{ id: 'getOrder' }, { id: 'deleteOrder' }, { id: 'refundOrder' }] });
  const input = startInput(built.image);
  const { card } = await host.runtime.start(input, () => undefined, never);
  expect(card).toEqual(AgentCard.parse(built.card));
  const call = (skill: string, args: object) => invoke(host.runtime, input.instance_id, skill, args);
  expect((await call('refundOrder', { id: '7', body: { amount: 20 } })).body).toEqual({ id: '7', amount: 120, refunded: true });
  expect((await call('getOrder', { id: '7' })).body).toMatchObject({ refunded: true });
  expect(await call('getOrder', { id: '8' })).toMatchObject({ status: 404, body: { detail: { message: expect.stringContaining('there is no order 8') } } });
  await host.runtime.stop(input.instance_id);
  await expect(build('other.yaml')).rejects.toMatchObject({ code: 'build_failed', message: expect.stringContaining('there is no other.yaml in the project') });
});
