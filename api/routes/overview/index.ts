// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { policyRuleRoutes } from '../policy/policy-rules.ts';
import { accountOverviewRoutes } from './account-overview.ts';
import { controlRoomRoutes, policyDenialRoutes } from './control-room.ts';

export const overviewArea = {
  accountOverview: accountOverviewRoutes,
  controlRoom: controlRoomRoutes,
  policy: { ...policyRuleRoutes, ...policyDenialRoutes },
} satisfies AreaHandlers;
