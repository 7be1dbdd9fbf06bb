// The skill and arguments in a RunAgentInput of AG-UI (`POST /ag-ui` at an agent's address), for the receipt.
import { hashOf, sha256 } from '../run/hash.ts';
import { asRecord, nonEmptyText } from './untrusted-json.ts';

/** The call of a request that starts a run. */
export interface Beginning {
  skill: string;
  /** By who sent it; otherwise the agent chooses. */
  named: boolean;
  inputSha256: string;
  /** As the request has them. */
  args: unknown;
}

/** Undefined: it starts nothing, but contains answers for a run that waits. */
export function beginningOfRun(body: Uint8Array, input: unknown): Beginning | undefined {
  const { resume, forwardedProps, messages } = asRecord(input);
  if (Array.isArray(resume) && resume.length > 0) return undefined;
  const { skill: named, args } = asRecord(forwardedProps);
  const content = Array.isArray(messages) ? asRecord(messages.findLast((message) => asRecord(message)['role'] === 'user'))['content'] : undefined;
  const words = wordsOf(content);
  const addressed = nonEmptyText(named) ?? addressee(words);
  const skill = addressed ?? 'message';
  return {
    skill: skill.slice(0, 128),
    named: addressed !== undefined,
    inputSha256: hashOf(args ?? words) ?? sha256(body),
    args: nonEmptyText(named) === undefined ? undefined : (args ?? words),
  };
}

/** `@skill …` */
export function addressee(words: string): string | undefined {
  return /^\s*@([A-Za-z][\w-]{0,63})(?:\s|$)/.exec(words)?.[1];
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => nonEmptyText(asRecord(part)['text']) ?? []).join('\n');
}
