// What an agent that a language model writes may reach and ask for: what its brief names, and what the source
// reached that it was given. It can widen nothing.
import type { StudioBrief } from '#contract/studio/studio-brief.ts';
import { AgentCard } from '#contract/wire/card.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import { type ProjectFile, textOf } from '../../agents/source/pack.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { briefIn, type Finding } from './row.ts';
import { filesOf } from './source.ts';

export interface StudioReach {
  hosts: ReadonlySet<string>;
  services: ReadonlySet<string>;
  secrets: ReadonlySet<string>;
  /** The whole internet. */
  anywhere: boolean;
}

const ADDRESS = /\bhttps?:\/\/([A-Za-z0-9.-]+)/g;
const QUOTED_HOST = /['"]((?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+)['"]/g;

/**
 * Of a copy: what the agent reaches that it is of. Of a recipe or a composition, which are ours: the hosts in
 * their source.
 */
export async function reachOf(ctx: Ctx, run: StudioRunsRow): Promise<StudioReach> {
  const brief = briefIn(run);
  if (run.decision === 'fork' || run.decision === 'edit_existing') {
    const agent = await ctx
      .db('agents')
      .where({ name: run.agents[0] ?? '' })
      .whereNull('deleted_at')
      .first('card');
    return briefReach(brief, { card: AgentCard.safeParse(agent?.card).data });
  }
  const first = await ctx.db('studio_iterations').where({ run_id: run.run_id, number: 0 }).first('commit');
  return briefReach(brief, { files: first ? await filesOf(ctx, run, first) : [] });
}

export function briefReach(
  brief: Pick<StudioBrief, 'goal' | 'inputs' | 'integrations'>,
  by: { card?: AgentCard | undefined; files?: readonly ProjectFile[] },
): StudioReach {
  const { card, files = [] } = by;
  const own = files.filter(({ path }) => path.endsWith('.ts') && !path.endsWith('.test.ts')).map(textOf);
  const hosts = [
    ...[...JSON.stringify([brief.inputs, brief.goal]).matchAll(ADDRESS)].map(([, host = '']) => host),
    ...own.flatMap((text) => [...text.matchAll(QUOTED_HOST)].map(([, host = '']) => host)),
    ...(card?.runtime.egress.allow_hosts ?? []),
  ];
  return {
    hosts: new Set(hosts.map((host) => host.toLowerCase())),
    services: new Set(card?.runtime.egress.allow_internal_services),
    secrets: new Set([...brief.integrations, ...(card?.required_secrets ?? [])]),
    anywhere: card !== undefined && !card.runtime.egress.deny_internet_by_default,
  };
}

export function beyond({ runtime: { egress }, required_secrets }: AgentCard, reach: StudioReach): Finding[] {
  const critical = (rule: string, title: string): Finding => ({ severity: 'critical', rule, path: null, title });
  return [
    ...egress.allow_hosts
      .filter((host) => !reach.hosts.has(host.toLowerCase()))
      .map((host) => critical('egress-beyond-brief', `It wants to reach ${host}, which the brief does not name`)),
    ...egress.allow_internal_services
      .filter((service) => !reach.services.has(service))
      .map((service) => critical('egress-internal', `It wants to reach ${service} of the platform`)),
    ...required_secrets
      .filter((name) => !reach.secrets.has(name))
      .map((name) => critical('secret-beyond-brief', `It wants the secret ${name}, which the brief does not name`)),
    ...(egress.deny_internet_by_default || reach.anywhere ? [] : [critical('egress-open', 'It wants to reach the whole internet')]),
  ];
}
