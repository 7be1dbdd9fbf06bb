import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORGANIZATION_ROLES, type OrganizationRole } from '#contract/states.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { Actor } from './ctx.ts';
import { DomainError } from './errors.ts';
import { ACTION_CLASSES, ROLE_CLASSES } from './roles.ts';
import { type Action, type Recipient, may, requireUser, type Resource, rowsThatMay, RULES, whereMay } from './policy.ts';

const run = {
  kind: 'run',
  deploy_id: 'dep_1',
  skill: 's',
  caller: { kind: 'user', id: 'ann' },
  chain: [],
  thread_id: null,
  job_id: null,
  started_at: 0,
} as const;
function inAcme(role: OrganizationRole): Actor {
  const member = { member_id: 'mem_1', organization_id: 'acme', slug: 'acme', role, person_id: 'ann' };
  return { kind: 'user', user_id: 'acme', email: 'ann@x.y', operator: false, via: 'bearer', member };
}

const actors: Record<string, Actor> = {
  ann: { kind: 'user', user_id: 'ann', email: 'ann@x.y', operator: false, via: 'bearer' },
  bob: { kind: 'user', user_id: 'bob', email: 'bob@x.y', operator: true, via: 'session' },
  'ann as developer of acme': inAcme('developer'),
  'ann as auditor of acme': inAcme('auditor'),
  'ann as owner of acme': inAcme('owner'),
  'run of a for ann': { ...run, run_id: 'run_1', agent_id: 'agt_a', agent_name: 'a', owner_id: 'bob', user_id: 'ann', parent_run_id: null },
  'run of b for nobody': { ...run, run_id: 'run_2', agent_id: 'agt_b', agent_name: 'b', owner_id: 'ann', user_id: null, parent_run_id: 'run_1' },
  'token of a': { kind: 'api_token', token_id: 'tok_1', agent_id: 'agt_a', owner_id: 'bob' },
  'ann at the door of a': { kind: 'agent_session', token_id: 'tok_2', agent_id: 'agt_a', user_id: 'ann', email: 'ann@x.y', held_by: 'person' },
  platform: { kind: 'platform', service: 'worker' },
  anonymous: { kind: 'anonymous' },
};

/** One of each, of whom a question can be put to. */
function recipientOf(caller: string | null, run: string | null): Recipient {
  const recipient: Recipient = { asked_kind: 'owner', asked_role: null, asked_people: [], asked_guests: [], barred: [] };
  if (run === 'run_1') return { ...recipient, asked_kind: 'role', asked_role: 'auditor', barred: caller === 'ann' ? ['ann'] : [] };
  if (run === 'run_2')
    return { ...recipient, asked_kind: 'people', asked_people: caller === null ? [] : [caller], asked_guests: caller === 'bob' ? ['ann'] : [] };
  return { ...recipient, asked_kind: caller === null ? 'caller' : 'owner', barred: caller === null ? [] : [caller] };
}

const either = <T>(...values: T[]): T[] => values;
const resources: Required<Resource>[] = either<string | null>('ann', 'bob', 'acme', null).flatMap((owner) =>
  either('agt_a', 'agt_b').flatMap((agent) =>
    either<string | null>('ann', 'bob', null).flatMap((caller) =>
      either<string | null>('run_1', 'run_2', null).flatMap((one) =>
        either(true, false).flatMap((listed) =>
          either(true, false).map((operated) => ({
            owner,
            agent,
            caller,
            run: one,
            calling_run: one === 'run_1' ? 'run_2' : 'run_1',
            addressee: agent === 'agt_a' ? 'b' : 'a',
            listed,
            operated,
            recipient: recipientOf(caller, one),
          })),
        ),
      ),
    ),
  ),
);

const actions = Object.keys(RULES).filter((action): action is Action => action in RULES);

let db: Knex;
beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  await db.raw(
    `create table things (id int primary key, owner text, agent text, caller text, run text, calling_run text, addressee text, listed boolean, operated boolean,
      asked_kind text, asked_role text, asked_people text[], asked_guests text[], barred text[])`,
  );
  await db('things').insert(resources.map(({ recipient, ...resource }, id) => ({ id, ...resource, ...recipient })));
});
afterAll(() => db.destroy());

describe.each(Object.entries(actors))('%s', (_, actor) => {
  it.each(actions)('%s: a list shows what the action allows, and nothing else', async (action) => {
    const allowed = resources.flatMap((resource, id) => (may(actor, action, resource) ? [id] : []));
    const columns = {
      owner: 'owner',
      agent: 'agent',
      caller: 'caller',
      run: 'run',
      calling_run: 'calling_run',
      addressee: 'addressee',
      listed: 'listed',
      operated: 'operated',
      recipient: true as const,
    };
    try {
      const shown = await db('things')
        .where(whereMay(actor, action, columns))
        .orderBy('id')
        .pluck('id');
      expect(shown).toEqual(allowed);
    } catch (error) {
      // Refused at once: then there is nothing that it could be shown.
      if (!(error instanceof DomainError)) throw error;
      expect(allowed).toEqual([]);
    }
  });
});

const as = (name: string): Actor => actors[name] ?? { kind: 'anonymous' };

describe('what matters most', () => {
  it('is not left to a rule that somebody adds: another account reads, changes and lists nothing of yours', () => {
    const annsOwn = { owner: 'ann', listed: false };
    expect(actions.filter((action) => may(as('bob'), action, annsOwn))).toEqual([]);
  });

  it('an operator has no more rights over accounts than anybody', () => {
    expect(as('bob')).toMatchObject({ operator: true });
    expect(may(as('bob'), 'thread.read', { owner: 'ann' })).toBe(false);
  });

  it('only an operator governs what belongs to the installation', () => {
    const governed = (name: string) => actions.filter((action) => may(as(name), action, { owner: null, operated: true }));
    expect(governed('bob')).toEqual(expect.arrayContaining(['feature_flag.put', 'feature_flag.override']));
    for (const name of Object.keys(actors).filter((other) => other !== 'bob'))
      expect(
        governed(name).filter((action) => governed('bob').includes(action)),
        name,
      ).toEqual([]);
    // What belongs to an account is out of reach of an operator's action too.
    expect(may(as('bob'), 'feature_flag.put', { owner: 'ann' })).toBe(false);
  });

  it('a run reads no files, threads, jobs and keys of the user it works for', () => {
    const may_ = (action: Action) => may(as('run of a for ann'), action, { owner: 'ann', agent: 'agt_a' });
    expect(actions.filter(may_)).toEqual([
      'agent_memory.delete',
      'agent_memory.put',
      'agent_memory.read',
      'meta_run.create',
      'meta_run.read',
      'meta_run.update',
      // Of the agent, for all whom it works for.
      'shared_memory.delete',
      'shared_memory.put',
      'shared_memory.read',
    ]);
  });

  it('a run calls the agents of its author, not those of the user it works for', () => {
    expect(may(as('run of a for ann'), 'agent.call', { owner: 'bob' })).toBe(true);
    expect(may(as('run of a for ann'), 'agent.call', { owner: 'ann' })).toBe(false);
  });

  it('asks those to sign in who have not, and others for a user', () => {
    expect(() => requireUser({ actor: as('anonymous') }, 'file.read')).toThrow('Sign in first');
    expect(() => requireUser({ actor: as('token of a') }, 'file.read')).toThrow('signed-in user');
    expect(() => rowsThatMay(as('anonymous'), 'thread.read', { owner: 'o' })).toThrow('Sign in first');
    expect(requireUser({ actor: as('ann') }, 'file.read')).toBe(as('ann'));
  });
});

describe('a role in an organization', () => {
  const acmes = { owner: 'acme', agent: 'agt_a', caller: 'acme', listed: true, operated: false };

  it.each(ORGANIZATION_ROLES)('%s: allows the actions of its classes on what the organization has, and no other', (role) => {
    const actor = inAcme(role);
    for (const action of actions) {
      const allowed = ROLE_CLASSES[role].includes(ACTION_CLASSES[action]);
      const byOwner = may({ kind: 'user', user_id: 'acme', email: '', operator: false, via: 'bearer' }, action, acmes);
      expect(may(actor, action, acmes), action).toBe(allowed && byOwner);
      const asked = () => requireUser({ actor }, action);
      const rules: readonly string[] = RULES[action];
      if (allowed && (rules.includes('owner') || rules.includes('recipient'))) expect(asked()).toBe(actor);
      else expect(asked, action).toThrow(DomainError);
    }
  });

  it('an auditor changes, calls and pays nothing', () => {
    const allowed = actions.filter((action) => may(inAcme('auditor'), action, acmes));
    expect(allowed.filter((action) => !['audit', 'read'].includes(ACTION_CLASSES[action]))).toEqual([]);
    for (const action of ['agent.call', 'agent.deploy', 'agent.install', 'wait.resolve', 'llm_credential.put', 'bounty.post', 'file.write'] as const)
      expect(may(inAcme('auditor'), action, acmes), action).toBe(false);
  });

  it("who acts for an organization reaches neither their own things nor another account's", () => {
    for (const owner of ['ann', 'bob']) expect(actions.filter((action) => may(inAcme('owner'), action, { owner, caller: owner }))).toEqual([]);
  });

  it('who acts for themselves reaches nothing of the organization', () => {
    expect(actions.filter((action) => may(as('ann'), action, { owner: 'acme', caller: 'acme' }))).toEqual([]);
  });

  it('for an organization no role has what belongs to a person, or to the installation', () => {
    const none = actions.filter((action) => ACTION_CLASSES[action] === 'personal' || ACTION_CLASSES[action] === 'installation');
    expect(none.length).toBeGreaterThan(20);
    for (const action of none) expect(may(inAcme('owner'), action, { ...acmes, operated: true }), action).toBe(false);
    expect(() => requireUser({ actor: inAcme('owner') }, 'cli_session.create')).toThrow('belongs to a person');
  });
});
