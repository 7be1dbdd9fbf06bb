// <mount>/config.json: all a packed page needs to call its agent.
import { z } from 'zod';
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
    auth: z.enum(['inherit', 'platform', 'public']),
    /** Where a browser signs in, and out; null without a platform. */
    sign_in_url: z.string().nullable(),
    sign_out_url: z.string().nullable(),
    skills: z.array(SkillContract),
  })
  .meta({ id: 'FrontendConfig' });
export type FrontendConfig = z.infer<typeof FrontendConfig>;

/** `next`: the page to come back to, a path of this origin. */
export function signInUrl(controlPlane: string, agent: string, next: string): string {
  const url = new URL('/v1/auth/agent-session/authorize', controlPlane);
  url.search = new URLSearchParams({ agent, next }).toString();
  return url.href;
}

export const SIGN_OUT_PATH = '/.svc/session/end';

export function frontendConfig(card: AgentCard, { mount, auth }: Pick<Frontend, 'mount' | 'auth'>, controlPlane: string | undefined): FrontendConfig {
  return {
    agent: { name: card.name, version: card.version, description: card.description },
    mount,
    auth,
    sign_in_url: controlPlane === undefined ? null : signInUrl(controlPlane, card.name, `${mount}/`),
    sign_out_url: controlPlane === undefined ? null : SIGN_OUT_PATH,
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
