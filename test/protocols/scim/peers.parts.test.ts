// Other people's checkers of SCIM servers, unmodified, against the API.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { freeSeats } from '#core/orgs/test/organization.ts';
import { createWorld, type World } from '../../api/world.ts';
import { PYTHON, pythonWith, WITHOUT_PYTHON } from '../../support/languages/python.ts';
import { addOrganization, type TestOrganization } from '../../support/scim.ts';

const run = promisify(execFile);
const PACKAGES = ['scim2-tester==0.5.2', 'scim2-client[httpx2]==0.13.2', 'scim2-models==0.12.3', 'scim-sanity==0.7.4'];

describe.skipIf(!PYTHON)(`other people's checkers (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let world: World;
  let acme: TestOrganization;
  let python: string;
  let address: string;
  beforeAll(async () => {
    [world, python] = await Promise.all([createWorld(), pythonWith('scim-checkers-2', PACKAGES)]);
    await freeSeats(world.ctx, 1_000);
    acme = await addOrganization(world.ctx.db, 'acme');
    address = `${world.url}/v1/scim/${acme.slug}/v2`;
  });
  afterAll(() => world.close());

  test('scim2-tester reports nothing', async () => {
    const { stdout } = await run(python, [join(import.meta.dirname, 'tester.py'), address, acme.token], { maxBuffer: 1 << 26 });
    const { checked, reported } = z.object({ checked: z.int(), reported: z.array(z.unknown()) }).parse(JSON.parse(stdout));
    expect(reported).toEqual([]);
    expect(checked).toBeGreaterThan(100);
  });

  test("scim2-client's bulk requests are done, and it finds no fault in the answers", async () => {
    const { stdout } = await run(python, [join(import.meta.dirname, 'bulk.py'), address, acme.token]);
    expect(JSON.parse(stdout)).toEqual({
      made: ['201', '201', '201'],
      manager_of_each_other: true,
      members: 2,
      later: ['200', '404 None', '409 uniqueness', '204'],
    });
  });

  test('scim-sanity reports what it sends a group that nobody can be in, and nothing else', async () => {
    const options = ['-m', 'scim_sanity', 'probe', address, '--token', acme.token, '--json-output', '--i-accept-side-effects'];
    const { stdout } = await run(python, options, { maxBuffer: 1 << 26 }).catch((error: { stdout: string }) => error);
    const { results } = z
      .object({ results: z.array(z.looseObject({ name: z.string(), status: z.string(), message: z.string().nullish() })) })
      .parse(JSON.parse(stdout));
    const reported = results.filter(({ status }) => !/pass|skip/i.test(status)).map(({ name, message }) => `${name}: ${message}`);
    // It adds a member "fake-member-id", who is nobody: a group of that member would be a mistake that nobody
    // sees.
    expect(reported).toEqual(['PATCH /Groups/{id} add member: Expected 200, got 400']);
    expect(results.length).toBeGreaterThan(20);
  });
});
