// The packed frontend with its doors: the agent's own, and the platform's for people.
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { PlatformUserAuth } from '../../authoring/auth.ts';
import type { Log } from '../../authoring/context.ts';
import { PlatformUserAuthResolver } from '../../authoring/platform-user.ts';
import { createAuthenticate, type Authenticate } from '../authenticate.ts';
import type { FrontendOptions } from '../options.ts';
import { createFrontend, type FrontendFace } from './frontend.ts';

export interface FrontendSurroundings {
  card: AgentCard;
  authenticate: Authenticate;
  apiKey: () => string | undefined;
  log: Log;
}

/** @throws Error when the bundle does not exist */
export function openFrontend(options: FrontendOptions, { card, authenticate, apiKey, log }: FrontendSurroundings): Promise<FrontendFace> {
  const { controlPlaneUrl } = options;
  const people = { authModel: PlatformUserAuth, authResolver: new PlatformUserAuthResolver({ controlPlaneUrl }) };
  return createFrontend(options, { card, authenticate, authenticateUser: createAuthenticate(people, apiKey, log), attached: controlPlaneUrl !== undefined });
}
