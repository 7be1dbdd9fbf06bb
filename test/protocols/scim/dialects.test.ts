// What Entra and Okta send, in the order in which they send it, and what they must be answered. The requests
// are written after their documentation.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { cites } from '../../spec/verifies.ts';
import { createWorld, type World } from '../../api/world.ts';
import { addOrganization, scimCall, type TestOrganization } from '../../support/scim.ts';

const Step = z.strictObject({
  does: z.string(),
  /** Method, path after `/v2`, body. `{name}` stands for what was kept. */
  send: z.tuple([z.string(), z.string()]).rest(z.record(z.string(), z.unknown())),
  /** Headers; null: without it. */
  with: z.record(z.string(), z.string().nullable()).optional(),
  status: z.int(),
  /** Parts of the answer. */
  body: z.record(z.string(), z.unknown()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Members that the answer has not. */
  without: z.array(z.string()).optional(),
  /** Name → path of the member of the answer that is kept under it. */
  keep: z.record(z.string(), z.string()).optional(),
});

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const routes = cites('scim.users', 'scim.createUser', 'scim.user', 'scim.replaceUser', 'scim.patchUser', 'scim.deleteUser', 'scim.groups', 'scim.schemas');
describe.each(['entra', 'okta'])('%s', routes, async (name) => {
  const steps = z.array(Step).parse(JSON.parse(await readFile(join(import.meta.dirname, `${name}.json`), 'utf8')));
  const kept: Record<string, string> = {};
  let of: TestOrganization;
  beforeAll(async () => {
    of = await addOrganization(world.ctx.db, name);
  });
  /** Version tags have quotation marks in them. */
  const filled = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_, text: unknown) =>
      typeof text === 'string' ? text.replaceAll(/\{(\w+)\}/g, (all, key: string) => kept[key] ?? all) : text,
    ) as T;

  test.each(steps.map((step) => [step.does, step] as const))('%s', async (_, step) => {
    const [method, path, body] = filled(step.send);
    const { authorization = `Bearer ${of.token}`, ...headers } = step.with ?? {};
    const sent = Object.fromEntries(Object.entries(headers).filter((one): one is [string, string] => one[1] !== null));
    const answer = await scimCall(world.url, { ...of, authorization }, method, encodeURI(path).replaceAll('%25', '%'), body, sent);
    expect([answer.status, answer.body]).toEqual([step.status, step.body ? expect.objectContaining(matching(filled(step.body))) : null]);
    for (const [header, value] of Object.entries(filled(step.headers ?? {}))) expect(answer.headers.get(header)).toBe(value);
    for (const member of step.without ?? []) expect(answer.body).not.toHaveProperty(member);
    for (const [key, from] of Object.entries(step.keep ?? {})) kept[key] = String(from.split('.').reduce<unknown>((at, part) => Object(at)[part], answer.body));
  });
});

/** Objects in it may have more members, lists not more values. */
function matching(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, within(one)]));
}

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within);
  return typeof value === 'object' && value !== null ? expect.objectContaining(matching({ ...value })) : value;
}
