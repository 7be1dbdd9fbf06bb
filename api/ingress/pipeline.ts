// What happens to a request at an agent's address, in this order. Each step answers it, or hands what it
// found on to the next; what a step throws refuses it (ingress.ts).
import { SSE_HEARTBEAT_SECONDS } from '#contract/wire/events.ts';
import type { HostOwner } from '#contract/wire/host-owner.ts';
import { requireAllSkills } from '#core/agents/route/may-call.ts';
import { type AdmitOptions, createAdmit } from './admit.ts';
import type { AgentSessions } from './agent-sessions.ts';
import { createAgentPage, type Describe } from './agent-page.ts';
import { type CallAgent, createCall } from './call.ts';
import { createChallenge } from './challenge.ts';
import { crossOrigin } from './cross-origin.ts';
import type { CustomDomains } from './custom-domains.ts';
import { createDevBox } from './dev-box.ts';
import { createHeaders } from './headers.ts';
import { createHost, createSiteAt } from './host.ts';
import { createIdentify, type Identify } from './identify.ts';
import { createMetadata } from './metadata.ts';
import { createPass, type PassOptions } from './pass.ts';
import { onePath } from './path.ts';
import type { IngressRoute, Table } from './route-cache.ts';
import { createRoute } from './route.ts';
import { createSession } from './session.ts';
import { type HttpVisit, type UpgradeVisit, inOrder, type Platform, type Ready, type Step, type Steps } from './step.ts';
import { createTask, type TaskOptions } from './task.ts';
import { passUpgrade, webSocketOnly } from './upgrade.ts';
import { createVisitor, createVisitors } from './visitor.ts';
import { createWhileAllowed, type WhileAllowed } from './while-allowed.ts';

export interface Parts {
  platform: Platform;
  network?: {
    /** The owner of a host name; default: only by the platform's configuration. */
    ownerOf?: (host: string | undefined) => HostOwner;
    /** Names of people's own at which agents answer; absent: there are none. */
    domains?: Pick<CustomDomains, 'hosts' | 'challenge'>;
    /** A proxy of ours stands in front; the last address of X-Forwarded-For is its word. Default false. */
    trustProxy?: boolean;
  };
  /** Visitors with browsers; absent: there is no sign-in at an agent's origin. */
  sessions?: AgentSessions;
  admit: AdmitOptions & { whileAllowed: WhileAllowed };
  /** What the platform says of an agent at its address; absent: the agent answers for itself. */
  about?: { describe?: Describe; cards?: Step<HttpVisit & Ready> };
  call: TaskOptions & { callAgent: CallAgent; identify?: Identify };
  pass: PassOptions;
  /** Silence of an event stream after which its caller gets a comment; default 15 000 ms. */
  heartbeatMs?: number;
}

export function createPipeline(parts: Parts, routes: Table<IngressRoute>): { http: Steps<HttpVisit>; upgrade: Steps<UpgradeVisit> } {
  const { platform, network = {}, sessions, about = {}, call, heartbeatMs = SSE_HEARTBEAT_SECONDS * 1000 } = parts;
  const { config } = platform;
  const siteAt = createSiteAt(config, network.domains?.hosts);
  const visitors = sessions && createVisitors(sessions);
  const signIn = visitors && { sessions: { ...sessions, end: visitors.end }, baseUrl: config.baseUrl, clock: sessions.clock, siteAt };
  // Of requests and of WebSockets.
  const host = createHost(config, siteAt);
  const route = createRoute(routes);
  const visitor = createVisitor(visitors);
  const admit = createAdmit(platform, parts.admit);
  const headers = createHeaders(config, network.trustProxy ?? false);
  const whileAllowed = createWhileAllowed(parts.admit.whileAllowed);
  const allSkills = ({ actor }: Ready): void => requireAllSkills(actor);
  const identify = createIdentify(call.identify);
  const pass = createPass(parts.pass, heartbeatMs);
  return {
    http: inOrder<HttpVisit>()
      .next(host) // Whose name it is: an agent's, its dev box's or a custom domain; nobody's is refused.
      .next(onePath) // Which of several spellings of a path counts.
      .next(createChallenge(network.domains)) // Whether the certificate authority asks: the platform answers.
      .next(createSession(signIn, routes)) // Whether a person signs in or out at this address.
      .next(createMetadata(platform)) // Whether a program asks how it is let in.
      .next(route) // Which deployment serves, if any.
      .next(crossOrigin) // Whether a page of another origin may call; a preflight ends here.
      .next(visitor) // Whose browser it is, by the cookie of this origin.
      .next(admit) // Who calls, and whether they may.
      .next(headers) // What the agent is told of the caller.
      .next(whileAllowed) // Until when: an answer ends with the rights of its caller.
      .next(createDevBox(pass)) // Whether a dev box serves: all it serves is passed on.
      .next(createAgentPage(about.describe)) // Whether a person looks at an agent that has no page.
      .next(about.cards ?? ((): undefined => undefined)) // Whether the agent's card is read: the platform signs it.
      .next(createCall(call.callAgent, heartbeatMs)) // Whether it is a call: it becomes a run, with a receipt.
      .next(allSkills) // Whether a token for some skills opens more: it does not.
      .next(createTask(call)) // Where a task or a stream goes on, and whose tasks the agent may show.
      .next(identify) // Whether the agent learns who asks.
      .next(pass), // What else the agent serves is passed on as it is.
    upgrade: inOrder<UpgradeVisit>()
      .next(webSocketOnly)
      .next(host)
      .next(route)
      .next(visitor)
      .next(admit)
      .next(headers)
      .next(allSkills)
      .next(identify)
      .next(whileAllowed)
      .next(passUpgrade),
  };
}
