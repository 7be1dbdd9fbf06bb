// Opening a dev box: the row, a token for the tunnel, and the host begins to start or wake the machine.
import { generateKeyPairSync } from 'node:crypto';
import type { Knex } from 'knex';
import type { z } from 'zod';
import { type AgentSshIn, type AgentSshOut, BOX_USER, TUNNEL_PROTOCOL, TUNNEL_TOKEN_SECONDS } from '#contract/identity/dev-box.ts';
import { pathTo } from '#contract/path-to.ts';
import type { BoxRuntime } from '#drivers/box/port.ts';
import type { DevBoxesRow } from '#db/tables.ts';
import { agentNamed } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import { type Ctx, personOf, type UserActor } from '../../kernel/ctx.ts';
import { BadRequest, Forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { requireUser } from '../../kernel/policy.ts';
import { planLimit } from '../../accounts/plan.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';
import { PLATFORM_TOKEN_PREFIX } from '../secret.ts';
import { fromColumns } from '../session/create.ts';
import { openSshKeys } from '#contract/crypto/openssh.ts';
import { hostKeyContext, openMachine } from './machine.ts';
import { readPublicKey } from './public-key.ts';
import { boxUrl } from './url.ts';

/** Open tokens of one box. */
const MOST_SESSIONS = 200;

/**
 * @throws BadRequest public_key_invalid, dev_box_unavailable @throws Forbidden dev_box_limit, dev_box_busy
 */
export async function openDevBox(ctx: Ctx, i: { name: string } & z.infer<typeof AgentSshIn>): Promise<z.infer<typeof AgentSshOut>> {
  const user = requireUser(ctx, 'dev_box.open');
  const boxes = boxDriver(ctx);
  const fresh = await newHostKey(ctx);
  const { row, name, token, expiresAt } = await act(ctx, 'dev_box.open', agentNamed(i.name), async (ctx, { agent_id, name }) => {
    const key = readPublicKey(i.public_key);
    const box = (await boxOf(ctx.db, user, agent_id)) ?? (await makeBox(ctx.db, user, agent_id, fresh));
    const now = ctx.clock();
    const [open] = await ctx
      .db('dev_box_sessions')
      .where({ box_id: box.box_id })
      .where('expires_at', '>', new Date(now))
      .count<{ count: number }[]>('* as count');
    if (Number(open?.count ?? 0) >= MOST_SESSIONS) throw new Forbidden('dev_box_busy', 'This dev box was opened too often in the last minutes: wait a moment');
    const secret = `${PLATFORM_TOKEN_PREFIX}box_${newSecret()}`;
    const session_id = newId('box', now);
    const expires_at = new Date(now + TUNNEL_TOKEN_SECONDS * 1000);
    await ctx.db('dev_box_sessions').insert({
      session_id,
      box_id: box.box_id,
      user_id: user.user_id,
      person_id: personOf(user),
      opened_by: user.sign_in ?? null,
      token_hash: hashSecret(secret),
      public_key: key,
      expires_at,
      ...fromColumns(ctx),
    });
    await ctx
      .db('dev_boxes')
      .where({ box_id: box.box_id })
      .update({ used_at: new Date(now) });
    return done({ dev_box: box.box_id }, { agent_id, session_id }, { row: box, name, token: secret, expiresAt: expires_at });
  });
  const state = await begin(ctx, boxes, row);
  return {
    url: `${ctx.config.baseUrl.replace(/^http/, 'ws')}${pathTo('POST /v1/agents/{name}/ssh', { name })}/tunnel`,
    protocol: TUNNEL_PROTOCOL,
    access_token: token,
    expires_at: expiresAt.toISOString(),
    user: BOX_USER,
    host_key: row.host_key,
    folder: `/home/${BOX_USER}/${name}`,
    state,
    web_url: boxUrl(ctx.config, name),
  };
}

/**
 * The machine starts while the caller connects. A host that does not answer is reported by the tunnel, which
 * asks again.
 */
async function begin(ctx: Ctx, boxes: BoxRuntime, row: DevBoxesRow): Promise<DevBoxesRow['state']> {
  const status = await openMachine(ctx, boxes, row, false).catch(() => undefined);
  return status?.state ?? row.state;
}

async function boxOf(tx: Knex, user: UserActor, agent_id: string): Promise<DevBoxesRow | undefined> {
  return await tx('dev_boxes').where({ owner_id: user.user_id, agent_id }).first();
}

async function makeBox(tx: Knex.Transaction, user: UserActor, agent_id: string, { box_id, host_key, host_key_sealed }: HostKey): Promise<DevBoxesRow> {
  // One after the other for each owner, so that the count is one.
  await lockName(tx, `dev boxes of ${user.user_id}`);
  const [count] = await tx('dev_boxes').where({ owner_id: user.user_id }).count<{ count: number }[]>('* as count');
  const already = await boxOf(tx, user, agent_id);
  if (already) return already;
  const most = await planLimit(tx, user.user_id, 'dev_boxes_per_account');
  if (Number(count?.count ?? 0) >= most)
    throw new Forbidden('dev_box_limit', `An account has at most ${most} dev boxes: delete an agent that you no longer need`);
  const [row] = await tx('dev_boxes').insert({ box_id, owner_id: user.user_id, agent_id, host_key, host_key_sealed }).returning('*');
  if (!row) throw new Error('an inserted row came back empty');
  return row;
}

interface HostKey {
  box_id: string;
  host_key: string;
  host_key_sealed: string;
}

async function newHostKey(ctx: Ctx): Promise<HostKey> {
  const box_id = newId('box', ctx.clock());
  const keys = openSshKeys(generateKeyPairSync('ed25519'));
  return { box_id, host_key: keys.public, host_key_sealed: await ctx.drivers.vault.seal(Buffer.from(keys.private), hostKeyContext(box_id)) };
}

function boxDriver(ctx: Ctx): BoxRuntime {
  const { boxes } = ctx.drivers;
  if (!boxes) throw new BadRequest('dev_box_unavailable', 'This installation has no host for dev boxes');
  return boxes;
}
