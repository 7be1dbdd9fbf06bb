// What a dossier says of a card. A card may have half a megabyte, which takes some thirty milliseconds of a
// processor to be checked and hashed: large ones are read in a thread, one of an account at a time.
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { DossierOut } from '#contract/evidence/agent-evidence.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { fairThreads } from '../../kernel/fair-threads.ts';

export interface CardFacts {
  sha256: string;
  /** Undefined: the card is of an older form. */
  declared?: Pick<DossierOut['authority'], 'hosts' | 'internal_services' | 'files' | 'needs_approval'> & {
    secrets: number;
    skills: DossierOut['claims']['skills'];
  };
}

/** As JSON. */
export interface CardTask {
  card: string;
}

const threads = fairThreads<CardTask, CardFacts>('The thread that reads cards', new URL('./card-thread.ts', import.meta.url), {
  threads: 1,
  pieceMs: 10_000,
  waitingOfAccount: 50,
});
export const cardReadCounts = threads.counts;

/** Two milliseconds of a processor. */
const MAX_HERE = 32_768;

export async function cardFacts(owner: string, card: string): Promise<CardFacts> {
  if (card.length <= MAX_HERE) return cardFactsHere({ card });
  // Without a thread it is read here: the dossier says what is so.
  return (await threads.tryAsk(owner, { card })) ?? cardFactsHere({ card });
}

export function cardFactsHere({ card }: CardTask): CardFacts {
  const value: unknown = JSON.parse(card);
  const sha256 = canonicalSha256(value);
  const { data } = AgentCard.safeParse(value);
  if (!data) return { sha256 };
  const { runtime, workspace_access: files, required_secrets: secrets, skills } = data;
  return {
    sha256,
    declared: {
      hosts: runtime.egress.allow_hosts,
      internal_services: runtime.egress.allow_internal_services,
      files: files.enabled ? files.allowed_modes : [],
      needs_approval: files.require_human_approval,
      secrets: secrets.length,
      skills: skills.map(({ id, description, policy }) => ({ id, description, read_only: policy.read_only ?? null, destructive: policy.destructive ?? null })),
    },
  };
}
