// Datasets: examples of what an agent is asked, written by its owner or taken from runs.
import type { Knex } from 'knex';
import { type DatasetItemIn, type DatasetItemOut, type DatasetOut, MAX_DATASETS, MAX_ITEM_BYTES, MAX_ITEMS } from '#contract/quality/evaluations.ts';
import type { DatasetItemsRow, DatasetsRow } from '#db/tables.ts';
import { agentFor, agentNamed } from '../../agents/agent/find.ts';
import type { AgentView } from '../../agents/agent/select.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, Forbidden, NotFound, PayloadTooLarge } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { storableJson } from '../../kernel/storable.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import { resultIn } from '../../runs/run/outcome.ts';

export async function listDatasets(ctx: Ctx, i: { name: string }): Promise<{ items: DatasetOut[] }> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'dataset.read', i.name);
  const { rows } = await ctx.db.raw<{ rows: { name: string; created_at: Date; items: number }[] }>(
    `select d.name, d.created_at, (select count(*)::int from dataset_items i where i.dataset_id = d.dataset_id) as items
     from datasets d where d.agent_id = ? order by d.name`,
    [agent_id],
  );
  return { items: rows.map(({ name, items, created_at }) => ({ dataset: name, items, created_at: created_at.toISOString() })) };
}

/** @throws NotFound dataset_not_found */
export async function listItems(ctx: Ctx, i: { name: string; dataset: string; limit: number; cursor?: string | undefined }): Promise<Page<DatasetItemOut>> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'dataset.read', i.name);
  const { dataset_id } = await datasetOf(ctx.db, agent_id, i);
  const query = ctx.db('dataset_items').where({ dataset_id }).orderBy('item_id').limit(i.limit + 1); // prettier-ignore
  if (i.cursor !== undefined) void query.where('item_id', '>', decodeCursor(i.cursor, ['string'])[0]);
  return toPage(await query, i.limit, presentItem, ({ item_id }) => [item_id]);
}

/**
 * @throws NotFound run_not_found; Conflict dataset_full, run_not_durable, run_not_ended; Forbidden
 * run_consent_required; PayloadTooLarge dataset_item_too_large
 */
export async function addItems(ctx: Ctx, i: { name: string; dataset: string; items: readonly DatasetItemIn[] }): Promise<{ items: DatasetItemOut[] }> {
  return act(ctx, 'dataset.change', agentNamed(i.name), async (ctx, agent) => {
    await ctx.db('agents').where({ agent_id: agent.agent_id }).forUpdate().first('agent_id');
    const { dataset_id } = (await ctx.db('datasets').where({ agent_id: agent.agent_id, name: i.dataset }).first()) ?? (await addDataset(ctx, agent, i));
    const [kept] = await ctx.db('dataset_items').where({ dataset_id }).count<{ count: string }[]>(); // prettier-ignore
    if (Number(kept?.count ?? 0) + i.items.length > MAX_ITEMS) throw new Conflict('dataset_full', `A dataset has at most ${MAX_ITEMS} examples`);
    const rows: Parameters<typeof insertItem>[1][] = [];
    // Ids are in the order of the request.
    for (const [n, item] of i.items.entries()) rows.push({ ...(await exampleOf(ctx.db, agent, item)), dataset_id, item_id: newId('itm', ctx.clock() + n) });
    const items: DatasetItemOut[] = [];
    for (const row of rows) items.push(await insertItem(ctx.db, row, new Date(ctx.clock())));
    return done({ agent: agent.agent_id }, { dataset: i.dataset, added: items.length }, { items });
  });
}

async function addDataset(ctx: TxCtx, { agent_id }: AgentView, i: { name: string; dataset: string }): Promise<DatasetsRow> {
  const all = await ctx.db('datasets').where({ agent_id }).limit(MAX_DATASETS).select('dataset_id');
  if (all.length >= MAX_DATASETS) throw new Conflict('dataset_full', `${i.name} has ${MAX_DATASETS} datasets: delete one first`);
  const [row] = await ctx
    .db('datasets')
    .insert({ dataset_id: newId('dst', ctx.clock()), agent_id, name: i.dataset, created_at: new Date(ctx.clock()) })
    .returning('*');
  if (!row) throw new Error('a dataset was not written');
  return row;
}

interface Example {
  skill: string;
  args: unknown;
  expected: unknown;
  has_expected: boolean;
  run_id: string | null;
  user_id: string | null;
}

async function exampleOf(tx: Knex.Transaction, agent: AgentView, item: DatasetItemIn): Promise<Example> {
  if (!('run_id' in item)) {
    const { skill, args, expected } = item;
    return { skill, args, expected: expected ?? null, has_expected: 'expected' in item && expected !== undefined, run_id: null, user_id: null };
  }
  const run = await tx('runs').where({ run_id: item.run_id, agent_id: agent.agent_id }).first();
  if (!run) {
    const call = await tx('receipts').where({ run_id: item.run_id, agent_id: agent.agent_id, source: 'platform' }).first('run_id');
    if (!call) throw new NotFound('run_not_found', `${agent.name} has no run ${item.run_id}`);
  }
  // Before anything is said of it: whether another person's run has ended is theirs to know.
  if (run && run.user_id !== agent.owner_id) await requireConsent(tx, agent, run.user_id, item.run_id);
  if (!run || run.kind === 'call' || run.args === null)
    throw new Conflict('run_not_durable', `${item.run_id} was a plain call: nothing keeps its arguments. Add them as an example, or call with --detach`);
  if (isOpenRun(run)) throw new Conflict('run_not_ended', `${item.run_id} has not ended`);
  const expects = item.expect_result && run.state === 'succeeded';
  const expected = expects ? resultIn((await jobOfRun(tx, run.run_id))?.output) : null;
  return { skill: run.skill, args: run.args, expected, has_expected: expects, run_id: run.run_id, user_id: run.user_id };
}

async function requireConsent(tx: Knex.Transaction, agent: AgentView, userId: string | null, runId: string): Promise<void> {
  const { agent_id } = agent;
  // Locked: a consent that is taken back at the same time also takes back what is added now.
  const given = userId !== null && (await tx('evaluation_consents').where({ agent_id, user_id: userId }).forShare().first('user_id'));
  if (!given)
    throw new Forbidden('run_consent_required', `The caller of ${runId} has not consented that you keep it: they can, with svc consent ${agent.name}`);
}

async function insertItem(tx: Knex.Transaction, row: Example & { item_id: string; dataset_id: string }, created_at: Date): Promise<DatasetItemOut> {
  const [args, expected] = [storableJson(row.args), storableJson(row.expected)];
  if (args.length + expected.length > MAX_ITEM_BYTES)
    throw new PayloadTooLarge('dataset_item_too_large', `An example has at most ${MAX_ITEM_BYTES} bytes of arguments and expected result`);
  const [written] = await tx('dataset_items').insert({ ...row, args, expected, created_at }).returning('*'); // prettier-ignore
  if (!written) throw new Error('an example was not written');
  return presentItem(written);
}

/** @throws NotFound dataset_not_found, dataset_item_not_found */
export async function deleteItem(ctx: Ctx, i: { name: string; dataset: string; item_id: string }): Promise<void> {
  await act(ctx, 'dataset.change', agentNamed(i.name), async (ctx, { agent_id }) => {
    const { dataset_id } = await datasetOf(ctx.db, agent_id, i);
    const gone = await ctx.db('dataset_items').where({ dataset_id, item_id: i.item_id }).delete();
    if (gone === 0) throw new NotFound('dataset_item_not_found', `${i.dataset} has no example ${i.item_id}`);
    return done({ agent: agent_id }, { dataset: i.dataset, removed: i.item_id });
  });
}

/** @throws NotFound dataset_not_found */
export async function deleteDataset(ctx: Ctx, i: { name: string; dataset: string }): Promise<void> {
  await act(ctx, 'dataset.change', agentNamed(i.name), async (ctx, { agent_id }) => {
    const { dataset_id } = await datasetOf(ctx.db, agent_id, i);
    await ctx.db('datasets').where({ dataset_id }).delete();
    return done({ agent: agent_id }, { dataset: i.dataset, deleted: true });
  });
}

export async function datasetOf(db: Knex, agentId: string, i: { name: string; dataset: string }): Promise<DatasetsRow> {
  const row = await db('datasets').where({ agent_id: agentId, name: i.dataset }).first();
  if (!row) throw new NotFound('dataset_not_found', `${i.name} has no dataset ${i.dataset}`);
  return row;
}

function presentItem(row: DatasetItemsRow): DatasetItemOut {
  const { item_id, skill, run_id } = row;
  return {
    item_id,
    skill,
    // Safe: the schema of the request, or a run's own arguments.
    args: row.args as Record<string, unknown>,
    ...(row.has_expected && { expected: row.expected }),
    run_id,
    created_at: row.created_at.toISOString(),
  };
}
