// A message of a person. It is interpreted first, outside any transaction; then one transaction writes the
// message, the turn and the work it starts.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { Handoffs } from '#contract/conversation/chat-threads.ts';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { ChatTurnsRow, ThreadsRow } from '#db/tables.ts';
import { requireUser } from '../../kernel/policy.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { BadRequest, Conflict, Invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { act, recorded, unchanged } from '../../kernel/act.ts';
import { createPlan } from '../plan/create.ts';
import { startRun } from '../../runs/durable/start.ts';
import { appendThreadEvents } from '../../threads/append.ts';
import { addThread } from '../../threads/create.ts';
import { threadFor } from '../../threads/find.ts';
import { type Reply, replyOf } from './model.ts';
import { assistantSays, personSays } from './say.ts';
import { understand, type Understood } from './understand.ts';

export interface ChatMessageIn {
  thread_id?: string | undefined;
  message: string;
  agent?: string | undefined;
  skill?: string | undefined;
  args?: Record<string, unknown> | undefined;
  grant_id?: string | undefined;
  model: boolean;
  handoffs?: z.infer<typeof Handoffs> | undefined;
  key?: string | undefined;
}

export interface BegunTurn {
  turn: ChatTurnsRow;
  /** Of a turn of one step: may be driven at once. */
  runId: string | undefined;
}

/**
 * @throws Invalid with the character of a mistake; NotFound; Conflict agent_not_live, idempotency_key_reused
 */
export async function startTurn(ctx: Ctx, i: ChatMessageIn): Promise<BegunTurn> {
  const user = requireUser(ctx, 'chat.turn');
  if (i.message.trim() === '' && i.agent === undefined) throw new Invalid([{ path: ['body', 'message'], message: 'say something, or name an agent' }]);
  const { key, ...request } = i;
  const sha256 = requestHash(request);
  const known = key === undefined ? undefined : await sameKey(ctx.db, user, key, sha256);
  if (known) return { turn: known, runId: undefined };
  if (i.thread_id !== undefined) await threadFor(ctx.db, user, 'chat.turn', i.thread_id);
  const understood = await understand(ctx, user, i);
  return act(ctx, 'chat.turn', requireUser, async (ctx) => {
    if (key !== undefined) {
      await lockName(ctx.db, `turn/${user.user_id}/${key}`);
      const first = await sameKey(ctx.db, user, key, sha256);
      if (first) return unchanged({ turn: first, runId: undefined });
    }
    const thread = await threadOfTurn(ctx, user, i);
    return recorded(await write(ctx, { user, thread, i, understood, sha256 }));
  });
}

interface Writing {
  user: UserActor;
  thread: ThreadsRow;
  i: ChatMessageIn;
  understood: Understood;
  sha256: string;
}

async function write(ctx: TxCtx, { user, thread, i, understood, sha256 }: Writing): Promise<BegunTurn> {
  const turn_id = newId('trn', ctx.clock());
  const message = understood.said;
  const { thread_id } = thread;
  const begun = await appendThreadEvents(ctx.db, thread_id, [
    personSays(ctx, turn_id, message),
    { kind: 'turn.started', payload: { turn_id, reading: understood.reading } },
  ]);
  await ctx
    .db('threads')
    .where({ thread_id })
    .update({ touched_at: ctx.db.raw('now()'), archived_at: null, ...(thread.titled ? {} : { title: titleOf(message), titled: true }) });
  const first_seq = (begun ?? 2) - 1;
  const row = { turn_id, thread_id, owner_id: user.user_id, idempotency_key: i.key ?? null, reading: understood.reading, first_seq };
  const started = await startWork(ctx, user, thread_id, i, understood);
  const reply: Reply = { request_sha256: sha256, ...understood.reply };
  const over = started === undefined;
  const last = over
    ? await appendThreadEvents(ctx.db, thread_id, [
        ...(reply.candidates?.length ? [{ kind: 'turn.candidates', payload: { turn_id, candidates: reply.candidates } }] : []),
        assistantSays(ctx, turn_id, reply.text ?? ''),
        { kind: 'turn.ended', payload: { turn_id, state: 'succeeded' } },
      ])
    : undefined;
  const [turn] = await ctx
    .db('chat_turns')
    .insert({
      ...row,
      state: over ? 'succeeded' : 'running',
      reply: storableJson(reply),
      job_id: started?.job_id ?? null,
      last_seq: last ?? null,
      ended_at: over ? new Date(ctx.clock()).toISOString() : null,
    })
    .returning('*');
  if (!turn) throw new Error('the turn was not stored');
  await audit(ctx, 'chat.turn', { chat_turn: turn_id }, { thread_id, reading: understood.reading });
  return { turn, runId: started?.run_id };
}

interface Started {
  job_id: string;
  run_id?: string;
}

async function startWork(ctx: TxCtx, user: UserActor, threadId: string, i: ChatMessageIn, understood: Understood): Promise<Started | undefined> {
  const { work } = understood;
  if (work === undefined) return undefined;
  const plan = { ownerId: user.user_id, threadId, title: titleOf(understood.said) };
  if (work === 'model') return createPlan(ctx, { ...plan, planner: 'model', nodes: [] });
  const [planner, nodes] = 'rules' in work ? (['rules', work.rules] as const) : (['steps', work] as const);
  const [step, ...more] = nodes;
  if (!step) return undefined;
  if (more.length > 0) {
    if (i.grant_id !== undefined) throw new BadRequest('grant_for_several', 'A grant is addressed to one agent: send it with a message of one step');
    return createPlan(ctx, { ...plan, planner, nodes });
  }
  const { agent, skill, args } = step;
  return startRun(ctx, { userId: user.user_id, agent, skill, args, threadId, ...(i.grant_id === undefined ? {} : { grantId: i.grant_id }) });
}

async function threadOfTurn(ctx: TxCtx, user: UserActor, i: ChatMessageIn): Promise<ThreadsRow> {
  // Held: two messages at once are two turns, one after the other in the thread.
  if (i.thread_id !== undefined) return threadFor(ctx.db, user, 'chat.turn', i.thread_id, true);
  return addThread(ctx, { ownerId: user.user_id, title: 'New conversation', titled: false, handoffs: i.handoffs });
}

async function sameKey(db: Knex, user: UserActor, key: string, sha256: string): Promise<ChatTurnsRow | undefined> {
  const turn = await db('chat_turns').where({ owner_id: user.user_id, idempotency_key: key }).first();
  if (turn && replyOf(turn).request_sha256 !== sha256)
    throw new Conflict('idempotency_key_reused', 'This idempotency key was sent with another message: use a new key for each');
  return turn;
}

function requestHash(request: object): string {
  try {
    return canonicalSha256(JSON.parse(JSON.stringify(request)));
  } catch {
    throw new BadRequest('args_not_canonical', 'The message or its arguments cannot be hashed: send them flatter, in well-formed Unicode');
  }
}

function titleOf(said: string): string {
  const line = storableText(said).replaceAll(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line || 'Conversation';
}
