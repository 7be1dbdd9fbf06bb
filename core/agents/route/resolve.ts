// Where an agent's traffic goes now: its live deployment's serving instance, or nowhere.
import { AgentCard, type SetupField } from '#contract/wire/card.ts';
import { AllowedOrigins } from '#contract/wire/origins.ts';
import type { AgentAddress } from '#drivers/agent-http/address.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { fieldsOf } from '../card/setup-fields.ts';
import { type LivePrice, type LivePrices, livePricesOf, readLivePrices } from './live-prices.ts';

export interface AgentRoute {
  agentId: string;
  agentName: string;
  ownerId: string;
  deployId: string;
  version: string;
  /** Empty: it runs elsewhere. */
  image: string;
  /** Digest of the runtime image the instance runs on; of an imported agent, its protocol. */
  runtime: string;
  visibility: 'public' | 'unlisted';
  /** Of the instance; the first bytes of a connection wake it. */
  address: AgentAddress;
  /** Web pages that may call it from other origins; absent: by the default of its visibility. */
  allowedOrigins?: readonly string[];
  /** What the agent's server requires as bearer; held by the platform only. */
  apiKey: string;
  /** How long a call may take, milliseconds: the card's max_runtime_seconds. */
  maxRuntimeMs: number;
  /** What it needs of its callers; absent or empty: nothing. */
  consumerSetup?: readonly SetupField[];
  /** Only accounts call it, and their calls count; absent: nothing is counted. */
  accountAccess?: true;
  /** Its failures are counted, since svc.yaml asks for self-healing. */
  selfHealing?: true;
  /** What a dev box serves: only to its owner, passed on unchanged. */
  box?: true;
  /** What it declared of itself when it was deployed. */
  card?: AgentCard;
  /** What its skills cost; absent: nothing. */
  prices?: LivePrices;
}

/** It is imported: its calls leave the platform. */
export function isElsewhere({ image }: Pick<AgentRoute, 'image'>): boolean {
  return image === '';
}

/** Sealed values open only where they were sealed for. */
export function apiKeyContext(instanceId: string): string {
  return `instance/${instanceId}/api-key`;
}

export async function resolveRoute(ctx: Pick<Ctx, 'db' | 'drivers'>, agentName: string): Promise<AgentRoute | undefined> {
  const { rows } = await ctx.db.raw<{ rows: Row[] }>(
    `select a.agent_id, a.name, a.owner_id, a.visibility, a.allowed_origins, d.manifest->'expose'->'allowed_origins' as declared_origins, d.deploy_id, d.version, d.image, d.card, d.manifest->'account_access'->'required' = 'true' as account_access, d.manifest->'self_healing' is not null as self_healing, i.runtime, i.instance_id, i.api_key_sealed,
            ${livePricesOf('a.agent_id')} as prices
     from agents a
     join deployments d on d.deploy_id = a.live_deploy_id
     join instances i on i.deploy_id = d.deploy_id and i.state = 'serving'
     where a.name = :agentName and a.deleted_at is null
       and not exists (select 1 from control_policies p where p.user_id = a.owner_id and p.suspended)
     order by i.created_at desc limit 1`,
    { agentName },
  );
  const [row] = rows;
  if (!row) return undefined;
  const prices = readLivePrices(row.prices);
  const key = await ctx.drivers.vault.open(row.api_key_sealed, apiKeyContext(row.instance_id));
  return {
    agentId: row.agent_id,
    agentName: row.name,
    ownerId: row.owner_id,
    deployId: row.deploy_id,
    version: row.version,
    image: row.image ?? '',
    runtime: row.runtime ?? 'unknown',
    visibility: row.visibility,
    address: ctx.drivers.runtime.address(row.instance_id),
    apiKey: Buffer.from(key).toString(),
    maxRuntimeMs: row.card.runtime.resources.max_runtime_seconds * 1000,
    consumerSetup: fieldsOf(row.card),
    ...(row.account_access === true && { accountAccess: true }),
    ...(row.self_healing && { selfHealing: true }),
    ...originsOf(row),
    ...cardOf(row.card),
    ...(prices && { prices }),
  };
}

/** A card of an older platform that does not read any more costs its agent the card, not its route. */
function cardOf(stored: unknown): { card?: AgentCard } {
  const read = AgentCard.safeParse(stored);
  return read.success ? { card: read.data } : {};
}

function originsOf({ allowed_origins, declared_origins }: Row): { allowedOrigins?: readonly string[] } {
  const allowedOrigins = allowed_origins ?? AllowedOrigins.safeParse(declared_origins).data;
  return allowedOrigins === undefined ? {} : { allowedOrigins };
}

interface Row {
  agent_id: string;
  name: string;
  owner_id: string;
  visibility: 'public' | 'unlisted';
  allowed_origins: string[] | null;
  declared_origins: unknown;
  deploy_id: string;
  version: string;
  image: string | null;
  runtime: string | null;
  card: AgentCard;
  account_access: boolean | null;
  self_healing: boolean;
  instance_id: string;
  api_key_sealed: string;
  prices: Record<string, LivePrice> | null;
}
