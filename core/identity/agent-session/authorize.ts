// The signed-in person goes over to an agent's origin: a code that works once, soon, and for that agent only.
import { BOX_SUFFIX } from '#contract/wire/names.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { agentForPerson } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { mintCode } from '../code/one-time.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import { hasConsent } from './consent.ts';

/** Where an agent's origin takes the code. */
const AGENT_SESSION_PATH = '/.svc/session';

export class ConsentRequired extends Forbidden {
  constructor(agent: string) {
    super('consent_required', `you have not agreed yet that the agent ${agent} learns who you are: open consent_url in your browser`);
  }
}

export async function authorizeAgentSession(
  ctx: Ctx,
  { agent: name, next }: { agent: string; next: string },
): Promise<{ agent: string; url: string; expires_at: string }> {
  return act(ctx, 'agent_session.authorize', requireUser, async (ctx, user) => {
    // A dev box is its owner's, and its agent's: the session is of the agent, at the origin of the box.
    const atBox = name.endsWith(BOX_SUFFIX);
    const action = atBox ? ({ own: 'dev_box.open', member: 'dev_box.open' } as const) : ({ own: 'agent_session.authorize', member: 'agent.call' } as const);
    const agent = await agentForPerson(ctx.db, user, action, atBox ? name.slice(0, -BOX_SUFFIX.length) : name);
    const userId = personOf(user);
    // A browser goes where any page sends it: that is not yet the person's will. Who sends a token means it.
    // An agent of the organization whose provider made the session learns no more than that has said; what it
    // may learn of the person otherwise, they decide in a session of their own.
    const asks = user.via === 'session' && user.limited_to === undefined;
    if (asks && !(await hasConsent(ctx.db, { userId, agentId: agent.agent_id }))) throw new ConsentRequired(agent.name);
    const { code, expiresAt } = await mintCode(
      ctx.db,
      { kind: 'agent_session', userId, audience: agent.agent_id, payload: { next, sso: user.sso, opened_by: user.sign_in } },
      ctx.clock(),
    );
    const url = new URL(AGENT_SESSION_PATH, agentUrl(ctx.config, atBox ? name : agent.name));
    url.search = new URLSearchParams({ code, next }).toString();
    return done({ agent: agent.agent_id }, {}, { agent: agent.name, url: String(url), expires_at: expiresAt.toISOString() });
  });
}
