// What is signed in as a person, of all kinds in one list.
import type { z } from 'zod';
import type { signIns } from '#contract/identity/sign-ins.ts';
import { CLI_CLIENT_ID } from '#contract/identity/oauth.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { personOf } from '../../kernel/ctx.ts';
import { longAgo } from '../../kernel/lease.ts';
import { requireUser } from '../../kernel/policy.ts';
import { browserName } from './browser-name.ts';

type SignIn = z.input<(typeof signIns)['list']['out']>['items'][number];

const MOST = 200;

interface Row {
  sign_in_id: string;
  kind: SignIn['kind'];
  name: string | null;
  agent: string | null;
  organization: string | null;
  address: string | null;
  user_agent: string | null;
  created_at: Date;
  last_used_at: Date | null;
  ends_at: Date | null;
  /** Whose own sign-in made it; null: the installation's. */
  connection_id: string | null;
}

/** Tunnels that are open are marked every minute. */
const OPEN_TUNNEL = `not ${longAgo('b.last_used_at', 150)}`;

const SQL = `
  (select s.session_id as sign_in_id, 'browser' as kind, null as name, null as agent, o.slug as organization, s.address, s.user_agent,
     s.created_at, s.last_used_at, s.expires_at as ends_at, s.sso_connection_id as connection_id
   from web_sessions s left join sso_connections c on c.connection_id = s.sso_connection_id left join organizations o using (organization_id)
   where s.user_id = :user and sign_in_holds(s.session_id) order by s.last_used_at desc limit ${MOST})
  union all
  (select t.token_id, case t.kind when 'user' then 'command_line' else 'agent_page' end, nullif(t.label, ''), a.name, o.slug, t.address, t.user_agent,
     t.created_at, t.last_used_at, t.expires_at, t.sso_connection_id
   from platform_tokens t left join agents a on a.agent_id = t.agent_id
     left join sso_connections c on c.connection_id = t.sso_connection_id left join organizations o using (organization_id)
   where t.user_id = :user and t.kind in ('user', 'agent_session') and t.revoked_at is null and sign_in_holds(t.token_id)
   order by t.last_used_at desc nulls last limit ${MOST})
  union all
  (select p.sign_in_id, case p.client_id when '${CLI_CLIENT_ID}' then 'command_line' else 'program' end, coalesce(p.client_name, p.client_id), p.resource, null,
     p.address, p.user_agent, p.created_at, p.last_used_at, p.expires_at, null
   from program_sign_ins p join users u on u.issuer = p.issuer and u.subject = p.subject
   where u.user_id = :user and p.ended_at is null and (p.expires_at is null or p.expires_at > now()) and sign_in_holds(p.sign_in_id)
   order by p.last_used_at desc limit ${MOST})
  union all
  (select b.session_id, 'dev_box', null, a.name, o.slug, b.address, b.user_agent, b.created_at, b.last_used_at, b.created_at + interval '1 day', null
   from dev_box_sessions b join dev_boxes d using (box_id) join agents a using (agent_id) left join organizations o on o.organization_id = b.user_id
   where b.person_id = :user and ${OPEN_TUNNEL} order by b.last_used_at desc limit ${MOST})`;

export async function listSignIns(ctx: Ctx): Promise<{ items: SignIn[] }> {
  const user = requireUser(ctx, 'sign_in.list');
  const { rows } = await ctx.db.raw<{ rows: Row[] }>(SQL, { user: personOf(user) });
  // What an organization's provider vouches for shows and ends nothing else: its admins choose whom it
  // vouches for.
  const shown = user.sso === undefined ? rows : rows.filter((row) => row.connection_id === user.sso?.connection_id);
  const items = shown.map((row) => present(row, user.sign_in));
  return { items: items.toSorted((one, other) => Number(other.current) - Number(one.current) || used(other).localeCompare(used(one))) };
}

function present({ created_at, last_used_at, ends_at, ...row }: Row, current: string | undefined): SignIn {
  const { sign_in_id, kind, name, agent, organization, address, user_agent } = row;
  return {
    sign_in_id,
    kind,
    name: name ?? (kind === 'dev_box' ? 'SSH tunnel' : browserName(user_agent)),
    agent,
    organization,
    address,
    user_agent,
    signed_in_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
    ends_at: ends_at?.toISOString() ?? null,
    current: sign_in_id === current,
  };
}

function used({ last_used_at, signed_in_at }: SignIn): string {
  return last_used_at ?? signed_in_at;
}
