// What an agent needs of those who call it: declared in its card, set by each of them, checked before a call.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';
import { SETUP_TYPES } from '../wire/card.ts';
import { SETTING_KINDS, SETTING_SCOPES } from '../states.ts';

/** Of all values of one person for one agent, as the header that carries them writes them. */
export const MAX_SETUP_LENGTH = 12_000;

const scalar = z.union([z.string().max(8_192), z.number(), z.boolean()]);
const source = z.enum(['user', 'org', 'default', 'missing']).meta({ description: 'Where a call finds the value.' });
const fieldName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'is not the name of a field');
const values = z
  .record(fieldName, scalar.nullable())
  .refine((record) => Object.keys(record).length <= 64, 'at most 64 values at once')
  .meta({ description: 'Values by name of the field; null removes a value. Other fields stay unchanged.', maxProperties: 64 });

export const SetupFieldOut = z
  .strictObject({
    name: z.string(),
    kind: z.enum(SETTING_KINDS),
    type: z.enum(SETUP_TYPES),
    title: z.string().nullable(),
    description: z.string(),
    required: z.boolean(),
    scope: z.enum(SETTING_SCOPES),
    default: scalar.nullable(),
    source,
    value: scalar.nullable().meta({ description: 'Null for a secret, set or not.' }),
    updated_at: Instant.nullable(),
  })
  .meta({ id: 'ConsumerSetupFieldOut' });
export const ConsumerSetupOut = z
  .strictObject({
    agent: z.string(),
    complete: z.boolean().meta({ description: 'Nothing that is required is missing.' }),
    missing: z.array(z.string()),
    fields: z.array(SetupFieldOut),
  })
  .meta({ id: 'ConsumerSetupOut' });
export const ConsumerSetupIn = z.strictObject({ values }).meta({ id: 'ConsumerSetupIn' });
export const OrgSetupIn = z
  .strictObject({ organization: z.string().regex(/^[a-z0-9-]{1,64}$/, 'is not the name of an organization'), values })
  .meta({ id: 'ConsumerOrgSetupIn' });
export const SetupInvocationIn = z
  .strictObject({ values: values.default({}).meta({ description: 'Tried on top of what is set, and not kept.' }) })
  .meta({ id: 'ConsumerSetupInvocationIn' });
export const SetupInvocationOut = z
  .strictObject({
    agent: z.string(),
    ready: z.boolean().meta({ description: 'A call would begin; else it is refused with setup_required before anything runs.' }),
    missing: z.array(z.string()),
    path: z.string().meta({ description: 'Where to set what is missing.' }),
    fields: z.array(z.strictObject({ name: z.string(), kind: z.enum(SETTING_KINDS), required: z.boolean(), source, value: scalar.nullable() })),
  })
  .meta({ id: 'ConsumerSetupInvocationOut' });

export const consumerSetup = group({
  get: {
    at: 'GET /v1/agents/{name}/consumer-setup',
    summary: 'Read the values that the agent needs from the caller, and which are set',
    scope: 'authenticated',
    params: AgentParams,
    out: ConsumerSetupOut,
    errors: [401, 403, 404],
  },
  put: {
    at: 'PUT /v1/agents/{name}/consumer-setup',
    summary: 'Set values for oneself',
    scope: 'authenticated',
    params: AgentParams,
    body: ConsumerSetupIn,
    out: ConsumerSetupOut,
    errors: [401, 403, 404, 413],
  },
  invocation: {
    at: 'POST /v1/agents/{name}/consumer-setup/invocation',
    summary: 'Read the values that a call of the caller would use',
    scope: 'authenticated',
    params: AgentParams,
    body: SetupInvocationIn,
    out: SetupInvocationOut,
    errors: [401, 403, 404],
  },
  putOrg: {
    at: 'PUT /v1/agents/{name}/consumer-setup/org',
    summary: 'Set values for an organization',
    description: 'For those who may manage it; an organization one does not belong to is not found.',
    scope: 'authenticated',
    params: AgentParams,
    body: OrgSetupIn,
    out: ConsumerSetupOut,
    errors: [401, 403, 404, 413],
  },
  delete: {
    at: 'DELETE /v1/agents/{name}/consumer-setup/{field_name}',
    summary: "Take back one's value of a field",
    scope: 'authenticated',
    params: AgentParams.extend({ field_name: fieldName }),
    status: 204,
    errors: [401, 403, 404],
  },
});
