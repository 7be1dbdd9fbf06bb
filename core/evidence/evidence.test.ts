// Graph, timeline and dossier over a real database: what is joined, who sees what, and what nobody sees.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EVIDENCE_LANES, EVIDENCE_TYPES } from '#contract/states.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addAgent } from '#test/support/verbs.ts';
import { newId } from '../kernel/ids.ts';
import { readDag } from './dag/read.ts';
import { readDossier } from './dossier/read.ts';
import { fillReceipts } from './test/fill.ts';
import { addFinding, addProof, CANARY, ensureCheckTables, populate, type Populated } from './test/populate.ts';
import { readTimeline } from './timeline/read.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let eve: TestUser;
let of: { agentId: string; name: string; ownerId: string; otherId: string; deployId: string } & Populated;
beforeAll(async () => {
  t = await testContext();
  await ensureCheckTables(t.ctx.db);
  [ada, ben, eve] = [await t.user('ada'), await t.user('ben'), await t.user('eve')];
});
afterAll(() => t.close());
beforeEach(async () => void (of = await one('public')));

async function one(visibility: 'public' | 'unlisted') {
  const { id, name } = await addAgent(t.ctx.db, ada.actor.user_id, { live: true, visibility });
  const row = await t.ctx.db('agents').where({ agent_id: id }).first('live_deploy_id');
  const whose = { agentId: id, name, ownerId: ada.actor.user_id, otherId: ben.actor.user_id, deployId: row?.live_deploy_id ?? '' };
  return { ...whose, ...(await populate(t.ctx.db, whose)) };
}

describe('the graph', () => {
  test('has every kind of evidence, joined by ids that the platform wrote', async () => {
    await addProof(t.ctx.db, of, { receiptId: of.receiptId });
    await addFinding(t.ctx.db, of);
    const { nodes, edges, warnings, watermark } = await readDag(ada, { name: of.name, limit: 250 });
    expect([...new Set(nodes.map(({ type }) => type))].toSorted()).toEqual([...EVIDENCE_TYPES].toSorted());
    const joined = edges.map(({ type, from, to }) => `${type} ${from} ${to}`);
    const version = 'version:1.0.0';
    const deployment = `deployment:${of.deployId}`;
    for (const wanted of [
      `parent_of agent:${of.agentId} ${version}`,
      `deploys_version ${deployment} ${version}`,
      `reviewed_by ${deployment} review:${of.reviewId}`,
      `supports review:${of.reviewId} ${version}`,
      `tests_version proof:${of.proofId} ${version}`,
      `supports receipt:${of.receiptId} proof:${of.proofId}`,
      `contradicts finding:${of.findingId} ${version}`,
      `parent_of grant:${of.grantId} grant:${of.handoffId}`,
      `authorizes grant:${of.grantId} receipt:${of.receiptId}`,
      `authorizes grant:${of.handoffId} handoff:${of.handoffId}`,
      `used_by_receipt handoff:${of.handoffId} receipt:${of.receiptId}`,
      `used_by_receipt ${deployment} receipt:${of.receiptId}`,
    ])
      expect(joined).toContain(wanted);
    expect(edges.every(({ join_rule }) => join_rule.length > 3)).toBe(true);
    // The repair that made the deployment is also of it: one of the two edges is left out, and it says so.
    expect(warnings.map(({ edge }) => [edge.from, edge.to].toSorted())).toEqual([[deployment, `mutation:${of.repairId}`].toSorted()]);
    expect(watermark).toMatchObject({ receipts_seq: 2, head_sha256: 'f'.repeat(64) });
  });

  test('is the same when it is asked again, but for the moment', async () => {
    const [{ watermark: _first, ...first }, { watermark: _again, ...again }] = [
      await readDag(ada, { name: of.name, limit: 250 }),
      await readDag(ada, { name: of.name, limit: 250 }),
    ];
    expect(again).toEqual(first);
  });

  test('keeps the live deployment and its version however much is newer', async () => {
    await fillReceipts(t.ctx.db, {
      agentId: of.agentId,
      deployId: of.deployId,
      callers: [ada.actor.user_id],
      count: 40,
      everySeconds: 1,
      until: '2030-01-01T00:00:00Z',
    });
    const { nodes, truncated, oldest } = await readDag(ada, { name: of.name, limit: 10 });
    expect(nodes).toHaveLength(10);
    const ids = nodes.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([`agent:${of.agentId}`, `deployment:${of.deployId}`, 'version:1.0.0']));
    expect([truncated, oldest]).toEqual([true, '2029-12-31T23:59:54.000Z']);
  });

  test('however few are asked for, they are the newest of all', async () => {
    await addProof(t.ctx.db, of, { receiptId: of.receiptId });
    await fillReceipts(t.ctx.db, { agentId: of.agentId, deployId: of.deployId, callers: [ada.actor.user_id], count: 9, everySeconds: 1, until: new Date().toISOString() }); // prettier-ignore
    const whole = (await readDag(ada, { name: of.name, limit: 1_000 })).nodes.map(({ id }) => id);
    const kept = [`agent:${of.agentId}`, `deployment:${of.deployId}`, 'version:1.0.0'];
    expect(whole.length).toBeGreaterThan(20);
    for (let limit = kept.length; limit <= whole.length; limit += 2) {
      const { nodes, truncated } = await readDag(ada, { name: of.name, limit });
      const newest = whole.filter((id) => !kept.includes(id)).slice(0, limit - kept.length);
      expect(nodes.map(({ id }) => id).toSorted(), `${limit}`).toEqual([...kept, ...newest].toSorted());
      expect(truncated, `${limit}`).toBe(limit < whole.length);
    }
  });

  test('what an agent reports of its calls is inferred', async () => {
    await t.ctx.db('subagent_runs').where({ grant_id: of.handoffId }).update({ source: 'reported' });
    const { nodes, edges } = await readDag(ada, { name: of.name, limit: 250 });
    expect(nodes.find(({ type }) => type === 'handoff')).toMatchObject({ confidence: 'inferred' });
    expect(edges.filter(({ from, to }) => [from, to].includes(`handoff:${of.handoffId}`)).map(({ confidence }) => confidence)).not.toContain('strict');
  });
});

describe('the timeline', () => {
  test('page by page it is all of it, once and in order, also of one instant', async () => {
    await t.ctx.db('receipts').where({ agent_id: of.agentId }).update({ created_at: '2026-01-01T00:00:00.123456Z' });
    await t.ctx.db('grants').where({ audience: of.name }).update({ issued_at: '2026-01-01T00:00:00.123456Z' });
    await fillReceipts(t.ctx.db, { agentId: of.agentId, deployId: null, callers: [null], count: 23, everySeconds: 0, until: '2026-01-01T00:00:00.123456Z' });
    const whole = await readTimeline(ada, { name: of.name, limit: 500 });
    expect(whole.next_cursor).toBeNull();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await readTimeline(ada, { name: of.name, limit: 3, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(whole.items.map(({ id }) => id));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(35);
    expect(whole.items.map(({ sort_key }) => sort_key)).toEqual(
      whole.items
        .map(({ sort_key }) => sort_key)
        .toSorted()
        .reverse(),
    );
    await expect(readTimeline(ada, { name: of.name, limit: 3, cursor: 'junk' })).rejects.toMatchObject({ code: 'bad_cursor' });
  });

  test('every lane has what belongs to it', async () => {
    for (const lane of EVIDENCE_LANES) {
      const { items } = await readTimeline(ada, { name: of.name, limit: 100, lane });
      expect(items.length, lane).toBeGreaterThan(0);
      expect(new Set(items.map((item) => item.lane))).toEqual(new Set([lane]));
    }
  });
});

describe('who sees what', () => {
  test('nobody sees arguments, results, logs, paths, questions, errors or tokens', async () => {
    await addProof(t.ctx.db, of, { receiptId: of.receiptId });
    await addFinding(t.ctx.db, of);
    for (const who of [ada, ben, eve]) {
      const answers = [
        await readDag(who, { name: of.name, limit: 1_000 }),
        await readTimeline(who, { name: of.name, limit: 500 }),
        await readDossier(who, { name: of.name }),
      ];
      expect(JSON.stringify(answers)).toContain(of.deployId);
      expect(JSON.stringify(answers)).not.toContain(CANARY);
    }
  });

  test('others see the public part of a listed agent and what is their own', async () => {
    await addProof(t.ctx.db, of, { receiptId: of.receiptId });
    await addFinding(t.ctx.db, of);
    const kinds = async (who: TestUser) => [...new Set((await readTimeline(who, { name: of.name, limit: 500 })).items.map(({ type }) => type))].toSorted();
    expect(await kinds(eve)).toEqual(['agent', 'deployment', 'proof', 'review']);
    expect(await kinds(ben)).toEqual(['agent', 'deployment', 'grant', 'proof', 'receipt', 'review']);
    const { items, redaction, watermark } = await readTimeline(ben, { name: of.name, limit: 500 });
    const ids = items.map(({ id }) => id);
    expect(ids).toContain(`receipt:${of.othersReceiptId}`);
    expect(ids).toContain(`grant:${of.othersGrantId}`);
    expect(ids).not.toContain(`receipt:${of.receiptId}`);
    expect(redaction).toEqual(expect.arrayContaining(['findings', "others' receipts", 'repairs and updates']));
    expect(watermark).toMatchObject({ receipts_seq: null, head_sha256: null });
    const { edges } = await readDag(ben, { name: of.name, limit: 250 });
    expect(JSON.stringify(edges)).not.toContain(of.grantId);
  });

  test("an account's files are nothing that the owner of the agent hears of", async () => {
    const { items } = await readTimeline(ada, { name: of.name, limit: 500 });
    expect(items.map(({ id }) => id)).not.toContain(`grant:${of.othersGrantId}`);
  });

  test('a proof that is not published is for who ran it', async () => {
    await addProof(t.ctx.db, of, { published: false, receiptId: of.receiptId });
    const proofs = async (who: TestUser) =>
      (await readTimeline(who, { name: of.name, limit: 500, lane: 'quality' })).items.filter(({ type }) => type === 'proof').length;
    expect([await proofs(ada), await proofs(ben), await proofs(eve)]).toEqual([1, 0, 0]);
  });

  test('of an agent that is not listed others do not hear at all', async () => {
    const hidden = await one('unlisted');
    for (const read of [
      readDossier,
      (who: TestUser, i: { name: string }) => readDag(who, { ...i, limit: 10 }),
      (who: TestUser, i: { name: string }) => readTimeline(who, { ...i, limit: 10 }),
    ]) {
      await expect(read(ben, { name: hidden.name })).rejects.toMatchObject({ code: 'agent_not_found' });
      await expect(read(ada, { name: hidden.name })).resolves.toMatchObject({ agent: hidden.name });
    }
  });
});

describe('the dossier', () => {
  const trust = async (who = ada) => {
    const { trust: found, risk } = await readDossier(who, { name: of.name });
    return [found.state, risk.open, risk.items.map(({ code }) => code)];
  };

  test('says what was checked, and what is open', async () => {
    expect(await trust()).toEqual(['reviewed', false, []]);
    await addProof(t.ctx.db, of, { receiptId: of.receiptId });
    expect(await trust()).toEqual(['proofed', false, []]);
    await addFinding(t.ctx.db, of);
    expect(await trust()).toEqual(['blocked', true, ['critical_unanswered']]);
    expect(await trust(eve)).toEqual(['blocked', true, ['critical_unanswered']]);
    await addProof(t.ctx.db, { ...of, proofId: `prf_${newId('rcp').slice(4)}` }, { receiptId: of.othersReceiptId });
    expect((await trust())[0], 'a later proof erases no finding').toBe('blocked');
    await t.ctx.db.raw(`update agent_findings set state = 'answered', answer = 'fixed', answered_at = now() where finding_id = ?`, [of.findingId]);
    expect(await trust()).toEqual(['proofed', false, []]);
  });

  test('a version that nobody has checked is a risk, an earlier one checked or not', async () => {
    await t.ctx.db('review_runs').where({ review_id: of.reviewId }).delete();
    expect(await trust()).toEqual(['unproven', true, ['live_unchecked']]);
  });

  test('a failing proof after one that passed is a regression; who is not the owner cannot make it one', async () => {
    await addProof(t.ctx.db, of, { receiptId: of.receiptId, at: new Date(Date.now() - 60_000) });
    const next = { ...of, proofId: `prf_${newId('rcp').slice(4)}` };
    await addProof(t.ctx.db, next, { status: 'failed', published: false, byCaller: true, receiptId: of.othersReceiptId });
    expect((await trust())[0]).toBe('proofed');
    await addProof(t.ctx.db, { ...of, proofId: `prf_${newId('rcp').slice(4)}` }, { status: 'failed' });
    expect(await trust()).toEqual(['regressed', true, ['proof_failed']]);
  });

  test("critical findings of the live version's review block until they are answered one by one", async () => {
    const findings = ['h1', 'h2', 'h3'].map((hash) => ({ hash, severity: 'critical', title: 'x', message: CANARY, accepted: hash === 'h3' ? 'ours' : null }));
    await t.ctx
      .db('review_runs')
      .where({ review_id: of.reviewId })
      .update({ state: 'failed', critical_count: 2, findings: JSON.stringify(findings) });
    expect((await trust())[0]).toBe('blocked');
    await addFinding(t.ctx.db, of, { hash: 'h1', answered: true });
    expect((await trust())[0]).toBe('blocked');
    await addFinding(t.ctx.db, { ...of, findingId: `fnd_${newId('rcp').slice(4)}` }, { hash: 'h2', answered: true });
    expect(await trust()).toEqual(['warning', true, ['review_failed']]);
  });

  test('a skill that declares to change or destroy nothing is checked against the files in its receipts', async () => {
    const skill = { id: 'greet', name: 'Greet', input_schema: {}, output_schema: {} };
    const declares = (policy: object) => t.ctx.db('deployments').where({ deploy_id: of.deployId }).update({ card: JSON.stringify({ skills: [{ ...skill, policy }] }) }); // prettier-ignore
    const did = (...operations: string[]) =>
      t.ctx
        .db('receipts')
        .where({ receipt_id: of.othersReceiptId })
        .update({
          source: 'platform',
          skill: 'greet',
          deploy_id: of.deployId,
          payload: JSON.stringify({ files: operations.map((operation) => ({ path: `${CANARY}/x`, operation, sha256: null, size_bytes: null })) }),
        });
    await declares({ read_only: true, destructive: false });
    await did('read');
    expect(await trust()).toEqual(['reviewed', false, []]);
    await did('read', 'write');
    expect(await trust()).toEqual(['warning', true, ['read_only_changed_files']]);
    await did('delete');
    expect(await trust()).toEqual(['warning', true, ['read_only_changed_files', 'not_destructive_deleted_files']]);
    const [seen, public_] = [await readDossier(ada, { name: of.name }), await readDossier(eve, { name: of.name })];
    expect(seen.risk.items[0]).toMatchObject({
      ref: `receipt:${of.othersReceiptId}`,
      message: 'The skill greet declares that it changes nothing, and changed files.',
    });
    expect(public_.risk.items[0]).toMatchObject({ code: 'read_only_changed_files', ref: null });
    expect(JSON.stringify([seen, public_])).not.toContain(CANARY);
    await declares({ destructive: true });
    expect(await trust()).toEqual(['reviewed', false, []]);
    await declares({ read_only: true });
    await t.ctx.db('receipts').where({ receipt_id: of.othersReceiptId }).update({ source: 'self', seq: null });
    expect(await trust(), 'what an owner handed in is not what the platform saw').toEqual(['reviewed', false, []]);
  });

  test('a finding that did not show again is not believed', async () => {
    await addFinding(t.ctx.db, of, { confirmed: false });
    expect((await trust())[0]).toBe('reviewed');
  });

  test('others see neither whose it is nor its source', async () => {
    const mine = await readDossier(ada, { name: of.name });
    expect(mine).toMatchObject({
      ownership: { owner: ada.actor.user_id, yours: true },
      live: { source_sha256: '0'.repeat(64) },
      quality: { calls: 2, trial: { dataset: 'cases' } },
      redaction: [],
    });
    const theirs = await readDossier(eve, { name: of.name });
    expect(theirs).toMatchObject({
      ownership: { owner: null, yours: false },
      live: { source_sha256: null, source_commit: null },
      authority: { secrets: null, grants: null },
      quality: { trial: null },
    });
    expect(theirs.redaction).toContain('source');
  });

  test('without a version that is live it says so', async () => {
    const { name } = await addAgent(t.ctx.db, ada.actor.user_id);
    expect(await readDossier(ada, { name })).toMatchObject({ live: null, trust: { state: 'unknown' }, risk: { open: false } });
  });
});
