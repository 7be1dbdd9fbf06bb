// What a link shows: addresses of its agent and, once, its token.
import type { z } from 'zod';
import { type AgentIntegrationLinkCreatedOut, type AgentIntegrationLinkOut, INTEGRATION_TOKEN } from '#contract/identity/integration-links.ts';
import { pathTo } from '#contract/path-to.ts';
import { AgentCard, type SkillCard } from '#contract/wire/card.ts';
import { exampleOf } from '#contract/wire/example.ts';
import type { AgentsRow } from '#db/tables.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import type { PlatformConfig } from '../../kernel/ctx.ts';
import { presentToken, type ShownToken } from '../api-token/open.ts';

type Agent = Pick<AgentsRow, 'name' | 'card'>;
type Link = z.infer<typeof AgentIntegrationLinkOut>;

export function presentLink(config: PlatformConfig, agent: Agent, row: ShownToken): Link {
  if (row.placement === null) throw new Error(`token ${row.number} is no link: openTokens does not find it as one`);
  const { name } = agent;
  const sample = sampleSkill(agent, row.skills);
  return {
    link_id: row.number,
    ...presentToken(row),
    token_placement: row.placement,
    openapi_url: config.baseUrl + pathTo('GET /v1/agents/{name}/openapi.json', { name }),
    invoke_base_url: `${config.baseUrl}/v1/agents/${name}/api/invoke`,
    sample_invoke_url: sample ? config.baseUrl + pathTo('POST /v1/agents/{name}/api/invoke/{skill_name}', { name, skill_name: sample.id }) : null,
    mcp_url: `${agentUrl(config, name)}/mcp`,
  };
}

/** With the token, which is shown this once. */
export function presentNewLink(config: PlatformConfig, agent: Agent, row: ShownToken, token: string): z.infer<typeof AgentIntegrationLinkCreatedOut> {
  const link = presentLink(config, agent, row);
  const inUrl = link.token_placement === 'url_query';
  const withToken = (url: string): string => (inUrl ? `${url}?${INTEGRATION_TOKEN}=${token}` : url);
  const sample_invoke_url = link.sample_invoke_url === null ? null : withToken(link.sample_invoke_url);
  const shown = { ...link, openapi_url: withToken(link.openapi_url), sample_invoke_url, mcp_url: withToken(link.mcp_url) };
  const until = link.expires_at.slice(0, 10);
  return {
    ...shown,
    token,
    curl_example: curlOf(shown, inUrl ? undefined : token, sampleSkill(agent, row.skills)),
    security_notice: inUrl
      ? `These addresses hold the token, and other programs keep addresses in histories and logs. Use them only where a program cannot send headers. They call this agent on your account until ${until}: revoke the link as soon as it is not needed.`
      : `The token is shown this once. It calls this agent on your account until ${until}. Give it to one program only, and revoke the link when that program does not need it any more.`,
  };
}

function curlOf({ openapi_url, sample_invoke_url }: Pick<Link, 'openapi_url' | 'sample_invoke_url'>, bearer: string | undefined, sample?: SkillCard): string {
  const header = bearer === undefined ? [] : ['-H', quoted(`authorization: Bearer ${bearer}`)];
  if (sample_invoke_url === null || !sample) return ['curl', quoted(openapi_url), ...header].join(' ');
  const body = JSON.stringify(exampleOf(sample.input_schema));
  return ['curl', quoted(sample_invoke_url), ...header, '-H', quoted('content-type: application/json'), '-d', quoted(body)].join(' ');
}

/** The first that the link may call. */
function sampleSkill({ card }: Agent, scopes: readonly string[] | null): SkillCard | undefined {
  const read = AgentCard.safeParse(card);
  return read.success ? read.data.skills.find(({ id }) => scopes === null || scopes.includes(id)) : undefined;
}

/** For a POSIX shell. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
