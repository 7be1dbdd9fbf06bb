// Plans, as operators see and change them.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { MAX_SEATS, PlanName, PlanOut } from '../money/billing.ts';
import { Instant, MAX_INT32, SequenceNumber } from '../shared.ts';
import { SETTINGS } from './settings.ts';

/** Limits that the plan of an account may set: those that belong to one account. */
export const PLAN_LIMITS = [
  'agents_per_account',
  'schedules_per_account',
  'dev_boxes_per_account',
  'funded_calls_per_agent',
  'databases_per_account',
  'database_branches_per_account',
  'database_mib_per_account',
  'database_mib',
] as const;

const limit = (name: (typeof PLAN_LIMITS)[number]) => z.int().min(SETTINGS[name].minimum).max(SETTINGS[name].maximum).optional();
const PlanLimits = z
  .strictObject({
    agents_per_account: limit('agents_per_account'),
    schedules_per_account: limit('schedules_per_account'),
    dev_boxes_per_account: limit('dev_boxes_per_account'),
    funded_calls_per_agent: limit('funded_calls_per_agent'),
    databases_per_account: limit('databases_per_account'),
    database_branches_per_account: limit('database_branches_per_account'),
    database_mib_per_account: limit('database_mib_per_account'),
    database_mib: limit('database_mib'),
  })
  .meta({ id: 'PlanLimits' });

export const PlanIn = z
  .strictObject({
    name: z.string().trim().min(1).max(60),
    description: z.string().max(500),
    price_cents: z.int().min(0).max(10_000_000).meta({ description: 'For new subscriptions; those that run keep their price.' }),
    max_seats: z.int().min(1).max(MAX_SEATS),
    included_micros: z.int().min(0).max(1_000_000_000_000),
    limits: PlanLimits,
    position: z.int().min(0).max(1_000).meta({ description: 'In the list of plans.' }),
    offered: z.boolean().meta({ description: 'It can be bought. Who has it keeps it.' }),
    version: SequenceNumber.meta({ description: 'The version last read; 0 for a new plan: the write is refused when the plan has another version by now.' }),
  })
  .meta({ id: 'PlanIn' });

export const AdminPlanOut = PlanOut.extend({
  position: z.int().min(0),
  offered: z.boolean(),
  accounts: z.int().min(0).max(MAX_INT32).meta({ description: 'Number of accounts with the plan now.' }),
  version: SequenceNumber,
  updated_at: Instant,
}).meta({ id: 'AdminPlanOut' });

export const plans = svcGroup({
  list: {
    at: 'GET /v1/admin/plans',
    summary: 'Every plan, with how many accounts have it',
    scope: 'operator',
    out: z.strictObject({ items: z.array(AdminPlanOut) }).meta({ id: 'AdminPlanListOut' }),
    errors: [401, 403],
  },
  put: {
    at: 'PUT /v1/admin/plans/{plan}',
    summary: 'Define a plan, or change one',
    description: 'The plan `free` is that of every account without another; it has no price. A plan is not deleted: it is offered no longer.',
    scope: 'operator',
    params: z.object({ plan: PlanName }),
    body: PlanIn,
    out: AdminPlanOut,
    errors: [401, 403, 409],
  },
});
