// Prices of skills: what a call costs, and at most. A price never changes: a new version takes its place.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentParams, Instant, MAX_INT32, nextCursor, pageQuery } from '../shared.ts';
import { SkillName } from '../wire/names.ts';

/** Ten thousand credits. */
const MAX_PRICE_MICROS = 10_000_000_000;
export const MAX_FREE_CALLS = 1_000_000;

const micros = z.int().min(0).max(MAX_PRICE_MICROS);
const rates = {
  call_micros: micros.meta({ description: 'Micro-credits (a credit is worth one US dollar) of a call that goes well.' }),
  second_micros: micros.meta({ description: 'Price of each second, by the receipt; begun seconds count whole.' }),
  token_micros: micros.meta({ description: 'Price of each token of language models, except on a credential of the payer.' }),
  artifact_micros: micros.meta({ description: 'Price of each artifact.' }),
};
const max_micros = z.int().min(1).max(MAX_PRICE_MICROS).meta({ description: 'The maximum cost of a call. The platform holds it before the call starts.' });
const free_calls = z.int().min(0).max(MAX_FREE_CALLS).meta({ description: 'Calls that each account may make before it pays; they count when they begin.' });

export const SkillPriceIn = z
  .strictObject({
    call_micros: rates.call_micros.default(0),
    second_micros: rates.second_micros.default(0),
    token_micros: rates.token_micros.default(0),
    artifact_micros: rates.artifact_micros.default(0),
    max_micros: max_micros.optional().meta({ description: 'Absent: as much as call_micros, where nothing else is charged.' }),
    free_calls: free_calls.default(0),
  })
  .refine((price) => price.call_micros + price.second_micros + price.token_micros + price.artifact_micros > 0, {
    path: ['call_micros'],
    message: 'charge something: a call, its seconds, tokens or artifacts; a skill without a price costs nothing',
  })
  .refine((price) => price.max_micros !== undefined || price.second_micros + price.token_micros + price.artifact_micros === 0, {
    path: ['max_micros'],
    message: 'say the most that a call costs, since its seconds, tokens or artifacts are charged',
  })
  .refine((price) => price.max_micros === undefined || price.max_micros >= price.call_micros, {
    path: ['max_micros'],
    message: 'is less than call_micros',
  })
  .meta({ id: 'SkillPriceIn', examples: [{ call_micros: 20_000, free_calls: 5 }] });
export type SkillPriceIn = z.output<typeof SkillPriceIn>;

export const SkillPriceOut = z
  .strictObject({
    price_id: z.string(),
    skill: z.string(),
    version: z.int().min(1).max(MAX_INT32),
    ...rates,
    max_micros,
    free_calls,
    valid_from: Instant,
    valid_until: Instant.nullable().meta({ description: 'null: it is valid.' }),
  })
  .meta({ id: 'SkillPriceOut' });
export type SkillPriceOut = z.infer<typeof SkillPriceOut>;

const SkillPriceListOut = z.strictObject({ items: z.array(SkillPriceOut), next_cursor: nextCursor }).meta({ id: 'SkillPriceListOut' });

const PriceParams = AgentParams.extend({ skill: SkillName });

export const prices = svcGroup({
  list: {
    at: 'GET /v1/agents/{name}/prices',
    summary: 'List the prices of an agent: the valid one of each skill, or all versions',
    description: 'A skill that is not listed costs nothing. The owner of an agent pays nothing for its calls.',
    scope: 'authenticated',
    runs: true,
    params: AgentParams,
    query: pageQuery(100, 200, ['greet', 1]).extend({
      history: z.boolean().default(false).meta({ description: 'All versions, the newest of each skill first.' }),
      skill: SkillName.optional(),
    }),
    out: SkillPriceListOut,
    errors: [400, 401, 403, 404],
  },
  put: {
    at: 'PUT /v1/agents/{name}/prices/{skill}',
    summary: 'Set what a skill of your agent costs from now on',
    description:
      'The skill is one of the live deployment, or of the newest one. Calls that have begun cost what they cost before. The same price again changes nothing.',
    scope: 'authenticated',
    params: PriceParams,
    body: SkillPriceIn,
    out: SkillPriceOut,
    errors: [401, 403, 404, 409],
  },
  end: {
    at: 'DELETE /v1/agents/{name}/prices/{skill}',
    summary: 'Let a skill of your agent cost nothing from now on',
    scope: 'authenticated',
    params: PriceParams,
    status: 204,
    errors: [401, 403, 404],
  },
});
