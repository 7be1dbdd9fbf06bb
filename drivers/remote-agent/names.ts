// From the names and schemas of other people's agents to ours: whatever they are, a card of ours holds.
import { withoutEnds } from '#contract/wire/trim.ts';
import { createHash } from 'node:crypto';
import { ANSWER_TOOL, AgentName, Semver, SkillName } from '#contract/wire/names.ts';

const MAX_NAME = 64;
const HASH = 6;

/**
 * One name by our rules for each of theirs, the same for the same list, and for a longer one where they do
 * not meet.
 */
export function skillNames(theirs: readonly string[]): string[] {
  const plain = theirs.map(plainSkillName);
  return plain.map((name, at) => {
    const unique = plain.filter((other) => other === name).length === 1 && name !== ANSWER_TOOL;
    if (unique) return name;
    return `${name.slice(0, MAX_NAME - HASH - 1)}_${hash(`${theirs[at]}`)}`;
  });
}

function plainSkillName(theirs: string): string {
  if (SkillName.safeParse(theirs).success) return theirs;
  const letters = withoutEnds(theirs.normalize('NFKD').replaceAll(/[^A-Za-z0-9_-]+/g, '_'), '_-');
  const named = letters === '' ? `skill_${hash(theirs)}` : /^[A-Za-z]/.test(letters) ? letters : `s_${letters}`;
  return named.slice(0, MAX_NAME);
}

/** A name for the registry, of an agent's own name or of its host; undefined when nothing of it can stay. */
export function agentNameOf(theirs: string): string | undefined {
  const slug = theirs
    .normalize('NFKD')
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
  return AgentName.safeParse(slug).success ? slug : undefined;
}

/** Cards of other protocols may call a version what they like. */
export function versionOf(theirs: string): string {
  if (Semver.safeParse(theirs).success) return theirs;
  const [, major = '0', minor = '0', patch = '0'] = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?/.exec(theirs) ?? [];
  return [major, minor, patch].map(Number).join('.');
}

/** At most so much of a text, whole characters. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH);
}
