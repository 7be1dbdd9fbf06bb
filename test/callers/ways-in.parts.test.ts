// Every way in × the resolvers of Python agents: what ways-in.test.ts proves of TypeScript.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WAYS, type WayName } from '../../docs/callers.ts';
import { AgentDsl } from '#contract/wire/dsl.ts';
import { startSidecar } from '#sdk/typescript/sidecar.ts';
import { cites } from '../spec/verifies.ts';
import type { TestUser } from '../support/context.ts';
import { PYTHON, pythonWithSdk, SDK, WITHOUT_PYTHON } from '../support/languages/python.ts';
import type { LiveAgent } from '../support/runs.ts';
import { KEY, openWorld, type World } from './world.ts';

const AGENTS = join(SDK, 'tests/agents');
const KINDS = ['Nothing', 'Model', 'People', 'Fixed', 'Key', 'Author', 'Asks'] as const;
type Kind = (typeof KINDS)[number];

describe.skipIf(!PYTHON)(`Python agents (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let w: World;
  let [ada, ben]: TestUser[] = [];
  const agents = new Map<Kind, LiveAgent>();

  beforeAll(async () => {
    const python = await pythonWithSdk();
    w = await openWorld();
    [ada, ben] = [await w.t.user('ada'), await w.t.user('ben')];
    // In one process: a Python that loads pydantic for each takes a third of a second.
    const compile = `import json\nfrom svc.project import compile_agent\nprint(json.dumps([compile_agent(f"callers:{kind}") for kind in ${JSON.stringify(KINDS)}]))`;
    const { stdout } = await promisify(execFile)(python, ['-c', compile], { cwd: AGENTS });
    const compiled: unknown[] = JSON.parse(stdout) as unknown[]; // a list, as printed
    for (const [at, kind] of KINDS.entries()) {
      const entrypoint = `callers:${kind}`;
      const dsl = compiled[at];
      const worker = { command: python, args: ['-m', 'svc', 'worker', entrypoint], cwd: AGENTS };
      const start = (listen: { path: string }) => startSidecar({ dsl, worker, apiKey: KEY, secrets: { KEY: 'theirs' }, listen, onLog: () => undefined });
      agents.set(kind, await w.serve(ada, start, { card: AgentDsl.parse(dsl).card }));
    }
  });
  afterAll(() => w.close());

  const at = (kind: Kind): LiveAgent => agents.get(kind) ?? expect.fail(`no agent ${kind}`);

  async function toldOf(user: TestUser | undefined, scopes: string[]): Promise<Record<string, unknown>> {
    const row = await w.t.ctx
      .db('users')
      .where({ user_id: user?.actor.user_id ?? '' })
      .first();
    return { sub: row?.user_id, user_id: row?.account_number, email: row?.email, org_id: null, org_slug: null, scopes };
  }

  function authOf(kind: Kind, told: Record<string, unknown>): Record<string, unknown> {
    const { user_id, org_slug: _, ...jwt } = told;
    return {
      Nothing: {},
      Model: told,
      People: told,
      Fixed: { sub: 'fixed', org_id: null, email: null, scopes: [] },
      Key: { api_key_id: told['sub'], scopes: told['scopes'] },
      Author: jwt,
      Asks: { who: `user ${String(told['sub'])} ${String(user_id)}` },
    }[kind];
  }

  test.for(Object.keys(WAYS) as WayName[])(
    'by %s the owner is known to each of them, with all scopes; another account without, and it passes for no credential',
    cites('auth.resolvers'),
    async (way) => {
      const [owner, other] = [await toldOf(ada, ['admin']), await toldOf(ben, [])];
      for (const kind of KINDS) {
        const by = (user: TestUser | undefined, name: string) => w.ways[way]({ by: user, agent: at(kind), skill: name });
        for (const name of ['who', 'admin']) {
          const { seen, text } = await by(ada, name);
          expect(seen, `${kind} ${text}`).toEqual({
            auth: authOf(kind, owner),
            caller: { ...owner, kind: 'user', trusted: true, agent: null, on_behalf_of: null },
          });
        }
        const { seen, text } = await by(ben, 'who');
        if (kind === 'Key' || kind === 'Author') expect(seen, kind).toBeUndefined();
        else
          expect(seen, `${kind} ${text}`).toEqual({
            auth: authOf(kind, other),
            caller: { ...other, kind: 'user', trusted: false, agent: null, on_behalf_of: null },
          });
        expect((await by(ben, 'admin')).seen, kind).toBeUndefined();
      }
    },
  );

  test("the caller's own credential comes first, and nobody who is not known passes by the platform's word", async () => {
    for (const kind of ['Key', 'Author'] as const) {
      const by = (authorization: string) => w.ways.host({ agent: at(kind), skill: 'who', headers: { authorization } });
      expect((await by('Bearer theirs')).seen, kind).toMatchObject({ auth: kind === 'Key' ? { api_key_id: 'configured' } : { sub: 'theirs' }, caller: null });
      expect((await by('Bearer wrong')).status, kind).toBe(401);
    }
    for (const kind of ['People', 'Key', 'Author', 'Asks'] as const) expect((await w.ways.host({ agent: at(kind), skill: 'who' })).status, kind).toBe(401);
  });
});
