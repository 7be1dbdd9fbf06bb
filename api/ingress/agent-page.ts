// What a browser shows at the root of an agent that has no page of its own there: who it is, what it can do,
// how to call it. Every word of the agent's is text; no script, one style sheet.
import type { AgentFacts } from '#core/agents/route/describe.ts';
import { escapeHtml, layout, pageHeaders } from '#drivers/idp/pages.ts';
import { freeWords, priceWords } from '#contract/money/price-words.ts';
import { exampleOf } from '#contract/wire/example.ts';
import { isPageLook } from '../http/browser.ts';
import type { IngressRoute } from './route-cache.ts';
import type { HttpVisit, Outcome, Ready, Step } from './step.ts';

const MAX_SKILLS = 100;
const MAX_TEXT = 2_000;

export type Describe = (route: IngressRoute) => Promise<AgentFacts | undefined>;

export function createAgentPage(describe: Describe | undefined): Step<HttpVisit & Ready> {
  async function show(describe: Describe, { request, response, route, site }: HttpVisit & Ready): Promise<Outcome | undefined> {
    const facts = await describe(route);
    // The agent has a page there itself.
    if (!facts || facts.mount === '') return undefined;
    if (facts.mount !== undefined) response.writeHead(302, { location: `${facts.mount}/`, 'cache-control': 'no-store' }).end();
    else response.writeHead(200, pageHeaders()).end(request.method === 'HEAD' ? undefined : agentPage(site.origin, route, facts));
    return 'ok';
  }

  return (visit) => (describe && visit.path === '/' && isPageLook(visit.request) ? show(describe, visit) : undefined);
}

/** `address`: where it was asked for, without a final slash. */
export function agentPage(address: string, route: Pick<IngressRoute, 'agentName' | 'visibility' | 'version' | 'prices'>, { card }: AgentFacts): string {
  const text = (value: string): string => escapeHtml(value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value);
  const token = route.visibility === 'public' ? [] : ["-H 'authorization: Bearer TOKEN'"];
  const skills = card.skills.slice(0, MAX_SKILLS).map(({ id, description, input_schema }) => {
    const args = exampleOf(input_schema);
    const curl = [`curl ${address}/invoke/${id}`, ...token, "-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(args))}`].join(' \\\n  ');
    const cli = ['svc call', route.agentName, id, ...Object.entries(args).map(([name, value]) => wordOf(name, value))].join(' ');
    const price = route.prices?.get(id);
    const costs = price ? `<p>Costs ${priceWords(price)}. ${freeWords(price)}</p>` : '';
    return `<section><h2>${text(id)}</h2><p>${text(description)}</p>${costs}<pre>${text(curl)}</pre><pre>${text(cli)}</pre></section>`;
  });
  const more = card.skills.length > MAX_SKILLS ? `<p>${card.skills.length - MAX_SKILLS} more are in the card.</p>` : '';
  return layout(
    route.agentName,
    `
    <h1>${text(route.agentName)}</h1>
    <p class="small">version ${text(route.version)}</p>
    <p>${text(card.description)}</p>
    ${skills.join('')}${more}
    <section><h2>MCP</h2><p>Each skill is a tool at</p><pre>${text(`${address}/mcp`)}</pre></section>
    <section><h2>AG-UI</h2><p>For front ends: a run of this agent, as events, at</p><pre>${text(`${address}/ag-ui`)}</pre></section>
    <section><h2>Card</h2><p>For programs: <a href="/.well-known/agent-card">agent card</a>, <a href="/.well-known/agent-card.json">A2A card</a></p></section>`,
    'wide',
  );
}

/** For a POSIX shell. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

function wordOf(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const word = `${name}=${text}`;
  return /^[\w=.,:/@+-]+$/.test(word) ? word : quoted(word);
}
