import { expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { allowedOrigins } from '#contract/agents/allowed-origins.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

const asked: unknown[] = [];
let declared: string[] | null = null;
const { tool } = await toolAt(
  await serveForTest(
    { allowedOrigins },
    {
      allowedOrigins: {
        get: () => Promise.resolve({ allowed_origins: null, declared, effective: declared === null ? ('any' as const) : ('listed' as const) }),
        set: (_ctx, { body }) => {
          asked.push(body.allowed_origins);
          return Promise.resolve({
            allowed_origins: body.allowed_origins,
            declared: null,
            effective: body.allowed_origins === null ? ('none' as const) : ('listed' as const),
          });
        },
      },
    },
  ),
);
const svc = (...argv: string[]) => tool.run(['origins', ...argv], signedIn);

test('origins are set, emptied and removed, and shown with where they come from', async () => {
  expect(await svc('set', 'reporter', 'https://app.example.com')).toMatchObject({ code: EXIT.ok, out: 'https://app.example.com\n' });
  expect(await svc('set', 'reporter', '--none')).toMatchObject({ out: 'No page of another origin (set by the owner).\n' });
  expect(await svc('set', 'reporter', '--default')).toMatchObject({ out: expect.stringContaining('default of an unlisted agent') });
  expect(asked).toEqual([['https://app.example.com'], [], null]);
  expect(await svc('list', 'reporter')).toMatchObject({
    out: expect.stringContaining('Any public origin'),
    err: expect.stringContaining('svc origins set reporter'),
  });
  declared = [];
  expect((await svc('list', 'reporter')).out).toBe('No page of another origin (of svc.yaml).\n');
  for (const wrong of [[], ['https://app.example.com', '--none'], ['--none', '--default']])
    expect((await svc('set', 'reporter', ...wrong)).code).toBe(EXIT.usage);
});
