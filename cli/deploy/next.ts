// After a deploy: what a person can open, and what to type next.
import { ON_EMAIL } from '#contract/wire/mail.ts';
import type { Api } from '../lib/api.ts';
import { fieldsOf } from '../ask/field.ts';
import type { Output } from '../lib/output.ts';
import { readProject } from '../project/read.ts';
import type { Accepted } from './deploy.ts';

export async function sayWhatNext(client: Api, { name, url }: Accepted, folder: string, output: Output): Promise<void> {
  const { frontend } = (await readProject(folder)).manifest;
  if (frontend) output.note(`Open it: ${url}${frontend.mount}`);
  // It is live already: what cannot be read now is no failure of the deploy.
  const agent = await client.agents.get({ params: { name } }).catch(() => undefined);
  const skills = agent?.card?.skills ?? [];
  // Only mail calls on_email.
  const skill = skills.find(({ id }) => id !== ON_EMAIL);
  if (!skill && skills.length > 0) return output.hint(`Its address, and who may write to it: svc mailbox get ${name}`);
  if (!skill) return output.hint(`See what it offers with: svc describe ${name}`);
  const needed = (fieldsOf(skill.input_schema) ?? []).flatMap(({ name: field, required }) => (required ? [` ${field}=…`] : []));
  output.hint(`Call it: svc call ${name} ${skill.id}${needed.join('')}`);
}
