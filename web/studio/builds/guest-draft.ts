// What a guest fills in. Which inputs a recipe needs is what the API asks for; each is a line of text here.
import type { FormIssue } from '../../form/issues.ts';
import type { Input } from '../../api/client.ts';
import type { BriefPart } from './brief-fields.tsx';

export interface GuestDraft extends BriefPart {
  inputs: Record<string, string>;
}

/** Text, or the JSON that it is: a list, a number, an object. */
export function valueOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? text : value;
  } catch {
    return text;
  }
}

export function guestBriefOf({ name, goal, recipe, inputs }: GuestDraft): Input<'agentStudio', 'createPublicGuest'>['body'] {
  const given = Object.entries(inputs).filter(([, text]) => text.trim() !== '');
  return {
    name: name.trim(),
    goal: goal.trim(),
    inputs: Object.fromEntries(given.map(([key, text]) => [key, valueOf(text.trim())])),
    ...(recipe !== '' && { recipe }),
  };
}

/** Inputs that the API named, and those that are filled in, each with what is said of it. */
export function inputFields({ inputs }: GuestDraft, issues: readonly FormIssue[]): { key: string; fault: string | undefined }[] {
  const faults = new Map<string, string>();
  for (const { path, message } of issues) if (path[0] === 'inputs' && path[1] !== undefined) faults.set(String(path[1]), message);
  return [...new Set([...Object.keys(inputs), ...faults.keys()])].map((key) => ({ key, fault: faults.get(key) }));
}
