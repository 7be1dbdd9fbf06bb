import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { testCtx } from '#test/support/verbs.ts';
import { act, done, recorded, unchanged } from './act.ts';
import { audit } from './audit.ts';
import type { Ctx, UserActor } from './ctx.ts';
import { Forbidden } from './errors.ts';
import { requireUser } from './policy.ts';

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());

const ada: UserActor = { kind: 'user', user_id: 'usr_ada', email: 'ada@example.com', operator: false, via: 'bearer' };
const team: UserActor = {
  ...ada,
  user_id: 'usr_team',
  member: { member_id: 'mem_1', organization_id: 'usr_team', slug: 'team', role: 'admin', person_id: 'usr_ada' },
};
const rows = ({ requestId }: Ctx) => db('audit_log').where({ request_id: requestId }).select('action', 'target_type', 'target_id', 'owner_id', 'details');
/** Something that the verb changes. */
const change = async (ctx: Ctx, key: string) => ctx.db('rate_limits').insert({ key, points: 1 });
const changed = async (key: string) => db('rate_limits').where({ key });

describe('act', () => {
  it('asks, changes and writes one row about what was done', async () => {
    const ctx = testCtx(db, { actor: ada });
    const answer = await act(ctx, 'thread.delete', requireUser, async (ctx, user) => {
      await change(ctx, 'act-1');
      return done({ thread: 'thr_1' }, { by: user.user_id }, 'gone');
    });
    expect(answer).toBe('gone');
    expect(await changed('act-1')).toHaveLength(1);
    expect(await rows(ctx)).toEqual([{ action: 'thread.delete', target_type: 'thread', target_id: 'thr_1', owner_id: 'usr_ada', details: { by: 'usr_ada' } }]);
  });

  it('acts as the actor that the subject names', async () => {
    const ctx = testCtx(db, { actor: ada });
    await act(
      ctx,
      'thread.delete',
      (ctx, action) => ({ actor: team, asked: requireUser(ctx, action) }),
      async (ctx) => done({ thread: 'thr_2' }, { actor: ctx.actor.kind === 'user' ? ctx.actor.user_id : null }),
    );
    expect(await rows(ctx)).toMatchObject([{ owner_id: 'usr_team', details: { actor: 'usr_team' } }]);
  });

  it('takes a narrower word for the log', async () => {
    const ctx = testCtx(db, { actor: ada });
    await act(ctx, 'schedule.update', requireUser, async () => done({ schedule: 'sch_1' }, {}, undefined, { action: 'schedule.pause' }));
    expect(await rows(ctx)).toMatchObject([{ action: 'schedule.pause' }]);
  });

  it('changes nothing for who may not', async () => {
    const ctx = testCtx(db, { actor: { kind: 'api_token', token_id: 'tok_1', agent_id: 'agt_1', owner_id: 'usr_2' } });
    const refused = act(ctx, 'thread.delete', requireUser, async (ctx) => {
      await change(ctx, 'act-2');
      return done({ thread: 'thr_1' }, {});
    });
    await expect(refused).rejects.toThrow(Forbidden);
    expect([...(await changed('act-2')), ...(await rows(ctx))]).toEqual([]);
    // Nothing was looked up for it: not even a transaction was opened.
    const opens = async (): Promise<never> => Promise.reject(new Error('a transaction was opened'));
    await expect(act(ctx, 'thread.delete', requireUser, async () => done({ thread: 'thr_1' }, {}), opens)).rejects.toThrow(Forbidden);
  });

  it('changes nothing where the verb asks nobody, or about something else', async () => {
    const ctx = testCtx(db, { actor: ada });
    const unasked = act(
      ctx,
      'thread.delete',
      () => ada,
      async (ctx) => {
        await change(ctx, 'act-3');
        return done({ thread: 'thr_1' }, {});
      },
    );
    await expect(unasked).rejects.toThrow('thread.delete: nobody asked who may do it');
    const another = act(
      ctx,
      'thread.delete',
      (ctx) => requireUser(ctx, 'thread.create'),
      async () => done({ thread: 'thr_1' }, {}),
    );
    await expect(another).rejects.toThrow('thread.delete: nobody asked');
    expect([...(await changed('act-3')), ...(await rows(ctx))]).toEqual([]);
  });

  it('leaves no row where nothing changed, and one where a part of it wrote it', async () => {
    const ctx = testCtx(db, { actor: ada });
    await act(ctx, 'thread.delete', requireUser, async () => unchanged(undefined));
    expect(await rows(ctx)).toEqual([]);
    await act(ctx, 'thread.delete', requireUser, async (ctx) => {
      await audit(ctx, 'thread.delete', { thread: 'thr_4' });
      return recorded(undefined);
    });
    expect(await rows(ctx)).toHaveLength(1);
  });

  it('changes nothing where a verb says that a row was written, and none was', async () => {
    const ctx = testCtx(db, { actor: ada });
    await expect(act(ctx, 'thread.delete', requireUser, async () => recorded(undefined))).rejects.toThrow('thread.delete: no audit row was written');
  });

  it('a row of a verb that it calls counts for it; what that verb was allowed counts only with it', async () => {
    const ctx = testCtx(db, { actor: ada });
    await act(ctx, 'thread.delete', requireUser, async (ctx) => {
      await act(ctx, 'thread.create', requireUser, async () => done({ thread: 'thr_5' }, {}));
      return recorded(undefined);
    });
    expect(await rows(ctx)).toMatchObject([{ action: 'thread.create' }]);
    const outer = act(
      ctx,
      'thread.update',
      () => ada,
      async (ctx) => {
        await act(ctx, 'thread.create', requireUser, async () => done({ thread: 'thr_6' }, {}));
        return recorded(undefined);
      },
    );
    await expect(outer).rejects.toThrow('thread.update: nobody asked');
  });
});
