// <mount>/config.json: all a packed page needs to call its agent.
import { z } from 'zod';
import { FRONTEND_AUTHS } from '../../../../contract/states.ts';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import type { Frontend } from '../../../../contract/wire/manifest.ts';

const SkillContract = z.object({
  id: z.string(),
  description: z.string(),
  stream: z.boolean(),
  scopes: z.array(z.string()),
  input_schema: z.record(z.string(), z.unknown()),
  output_schema: z.record(z.string(), z.unknown()),
  /** Where to POST the arguments, relative to the page's origin. */
  url: z.string(),
});

export const FrontendConfig = z
  .object({
    agent: z.object({ name: z.string(), version: z.string(), description: z.string() }),
    /** Path the bundle is served at, without a trailing slash. */
    mount: z.string(),
    auth: z.enum(FRONTEND_AUTHS),
    /** Where a browser signs in, and out; null without a platform. */
    sign_in_url: z.string().nullable(),
    sign_out_url: z.string().nullable(),
    skills: z.array(SkillContract),
  })
  .meta({ id: 'FrontendConfig' });
export type FrontendConfig = z.infer<typeof FrontendConfig>;

/** Answered by the platform on the agent's own origin. `next`: the page to come back to, a path of it. */
export function signInPath(next: string): string {
  return `/.svc/session/start?${new URLSearchParams({ next })}`;
}
const SIGN_OUT_PATH = '/.svc/session/end';

export function frontendConfig(card: AgentCard, { mount, auth }: Pick<Frontend, 'mount' | 'auth'>, attached: boolean): FrontendConfig {
  return {
    agent: { name: card.name, version: card.version, description: card.description },
    mount,
    auth,
    sign_in_url: attached ? signInPath(`${mount}/`) : null,
    sign_out_url: attached ? SIGN_OUT_PATH : null,
    skills: card.skills.map(({ id, description, stream, scopes, input_schema, output_schema }) => ({
      id,
      description,
      stream,
      scopes,
      input_schema,
      output_schema,
      url: `/invoke/${id}`,
    })),
  };
}
