// Whom a tunnel's token lets in: to one box, for a few minutes, as long as box, agent and account are what they were.
import type { Ctx } from '../../kernel/ctx.ts';
import { Unauthorized } from '../../kernel/errors.ts';
import { hashSecret } from '../../kernel/secret.ts';

export interface TunnelSession {
  session_id: string;
  box_id: string;
  owner_id: string;
  agent_name: string;
  host_key_sealed: string;
  /** The one key that its SSH takes. */
  public_key: string;
}

/** @throws Unauthorized token_invalid: the same for every reason */
export async function tunnelSession(ctx: Pick<Ctx, 'db' | 'clock'>, { name, token }: { name: string; token: string }): Promise<TunnelSession> {
  const row: TunnelSession | undefined = await ctx
    .db('dev_box_sessions as s')
    .join('dev_boxes as b', 'b.box_id', 's.box_id')
    .join('agents as a', 'a.agent_id', 'b.agent_id')
    .join('users as u', 'u.user_id', 's.user_id')
    .where({ 's.token_hash': hashSecret(token), 'a.name': name })
    .where('s.expires_at', '>', new Date(ctx.clock()))
    .whereNull('a.deleted_at')
    .whereRaw('a.owner_id = b.owner_id and s.user_id = b.owner_id')
    .whereRaw('not exists (select 1 from control_policies p where p.user_id = b.owner_id and p.suspended)')
    .first('s.session_id', 's.box_id', 's.public_key', 'b.owner_id', 'b.host_key_sealed', 'a.name as agent_name');
  if (!row) throw new Unauthorized('token_invalid', 'This token opens no tunnel to a dev box of this agent: ask for another');
  return row;
}
