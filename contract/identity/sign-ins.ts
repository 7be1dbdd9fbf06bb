// What is signed in as a person: browsers, programs, visits at agents' addresses, tunnels into dev boxes.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant } from '../shared.ts';

const SIGN_IN_KINDS = ['browser', 'command_line', 'program', 'agent_page', 'dev_box'] as const;

const SignInOut = z
  .strictObject({
    sign_in_id: z.string(),
    kind: z.enum(SIGN_IN_KINDS).meta({
      description:
        "browser: a session of the dashboard. command_line: svc login. program: another program that the person allowed to call an agent, or to know who they are. agent_page: a visit at an agent's own address. dev_box: an open SSH tunnel.",
    }),
    name: z.string().meta({ description: 'What it is, as far as it says so itself.' }),
    agent: z.string().nullable().meta({
      description:
        'The only agent, or the address of it, that it reaches, or the userinfo address of a program that only knows who the person is; null: everything of the account.',
    }),
    organization: z.string().nullable().meta({ description: 'Slug of the organization by whose own sign-in it was made.' }),
    address: z.string().nullable().meta({ description: 'Network address from which it was signed in; null: it is not known.' }),
    user_agent: z.string().nullable(),
    signed_in_at: Instant,
    last_used_at: Instant.nullable().meta({ description: 'Up to ten minutes old.' }),
    ends_at: Instant.nullable().meta({ description: 'When it ends if nothing is done; null: it has no end of its own.' }),
    current: z.boolean().meta({ description: 'This request belongs to it.' }),
  })
  .meta({ id: 'SignInOut' });
const SignInListOut = z.strictObject({ items: z.array(SignInOut) }).meta({ id: 'SignInListOut' });
const SignInsEndedOut = z.strictObject({ ended: z.int().min(0) }).meta({ id: 'SignInsEndedOut' });

export const signIns = svcGroup({
  list: {
    at: 'GET /v1/me/sign-ins',
    summary: 'List the sign-ins of this person: at most 200 of each kind, the last used first',
    scope: 'account',
    personal: true,
    out: SignInListOut,
    errors: [401, 403],
  },
  end: {
    at: 'DELETE /v1/me/sign-ins/{sign_in_id}',
    summary: 'End one: its tokens are refused and its connections are closed within seconds',
    description:
      "What it opened ends with it: git credentials, tunnels, visits at agents. A browser that is ended is signed out of the platform's own identity provider too.",
    scope: 'account',
    personal: true,
    params: z.object({ sign_in_id: z.string().max(100).meta({ description: 'An id of the list; current: the sign-in of this request.' }) }),
    status: 204,
    errors: [401, 403, 404],
  },
  endOthers: {
    at: 'POST /v1/me/sign-ins/end-others',
    summary: 'End all but the one that this request belongs to, and what that one opened',
    scope: 'account',
    personal: true,
    out: SignInsEndedOut,
    errors: [401, 403],
  },
});
