// What another agent says of itself, as a card of ours.
import { canonicalJson } from '#contract/wire/canonical.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { MAX_CARD_LENGTH } from '#contract/wire/limits.ts';
import { type RemoteCard, RemoteFault } from '#drivers/remote-agent/port.ts';
import { storable } from '../../kernel/storable.ts';

/** Calls of one imported agent at the same time, from here. */
const CONCURRENCY = 256;
const MAX_RUNTIME_SECONDS = 600;

/** @throws RemoteFault remote_card_invalid */
export function cardFrom(name: string, remote: RemoteCard): AgentCard {
  const card = AgentCard.safeParse(
    storable({
      name,
      description: remote.description,
      version: remote.version,
      skills: remote.skills.map(({ remote: _remote, typed: _typed, ...skill }) => skill),
      capabilities: {},
      runtime: { concurrency: CONCURRENCY, resources: { max_runtime_seconds: MAX_RUNTIME_SECONDS } },
    }),
  );
  if (!card.success) {
    const [issue] = card.error.issues;
    throw new RemoteFault('remote_card_invalid', `The card cannot be kept at ${issue?.path.join('.') ?? 'its top'}: ${issue?.message ?? 'it is malformed'}`);
  }
  if (JSON.stringify(card.data).length > MAX_CARD_LENGTH)
    throw new RemoteFault('remote_card_invalid', `The card is longer than ${MAX_CARD_LENGTH} characters once it is one of ours`);
  return card.data;
}

/** Sentences for the owner; empty: nothing that a caller would notice. */
export function cardChanges(before: RemoteCard, now: RemoteCard): string[] {
  const [old, next] = [before, now].map(({ skills }) => new Map(skills.map((skill) => [skill.id, text(skill)])));
  const added = [...(next?.keys() ?? [])].filter((id) => !old?.has(id));
  const removed = [...(old?.keys() ?? [])].filter((id) => !next?.has(id));
  const changed = [...(next ?? [])].filter(([id, skill]) => old?.has(id) === true && old.get(id) !== skill).map(([id]) => id);
  const findings = [
    ...(added.length > 0 ? [`new skills: ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`skills that are gone: ${removed.join(', ')}`] : []),
    ...(changed.length > 0 ? [`skills described differently: ${changed.join(', ')}`] : []),
    ...(['version', 'description', 'endpoint', 'protocol', 'protocol_version'] as const).flatMap((member) =>
      before[member] === now[member] ? [] : [member === 'description' ? 'another description' : `${member} ${before[member]} is ${now[member]} now`],
    ),
    ...(text(before.security) === text(now.security) ? [] : ['other requirements of its callers: see svc auth status']),
  ];
  return findings.map((one) => one.slice(0, 500));
}

/** Whatever order its members came in. */
function text(value: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return canonicalJson(plain);
}
