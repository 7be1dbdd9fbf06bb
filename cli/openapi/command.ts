// What preview and generate have in common: the description, and which agent it shall become.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Option } from 'clipanion';
import type { z } from 'zod';
import type { AgentOpenAPIPreviewOut } from '#contract/imports/from-openapi.ts';
import { ApiCommand, listing } from '../lib/api-command.ts';
import { CliError, UsageError } from '../lib/errors.ts';
import { plain } from '../lib/output.ts';
import type { Wish } from './description.ts';

export type Preview = z.output<typeof AgentOpenAPIPreviewOut>;

export abstract class DescriptionCommand extends ApiCommand {
  url = Option.String({ required: false, name: 'URL' });
  agentName = Option.String('--name,-n', { description: 'name of the agent (default: from the title)' });
  description = Option.String('--description,-d', { description: 'description of the agent (default: that of the API)' });
  baseUrl = Option.String('--base-url', { description: 'where the API is (default: the first server of the description)' });
  public = Option.Boolean('--public', { description: 'list the agent in the public registry' });
  private = Option.Boolean('--private', { description: 'do not list it (the default)' });
  tag = Option.Array('--tag', [], { description: 'only operations of this group; repeatable' });
  method = Option.Array('--method', [], { description: 'only operations of this method, as GET; repeatable' });
  match = Option.String('--match', { description: 'only operations whose method, path and name fit this regular expression' });
  operation = Option.Array('--operation', [], { description: 'this operation too, by name or operation id; repeatable' });
  pin = Option.Array('--pin', [], { description: 'a separate skill beside the search: a name, tag:…, method:… or match:…; repeatable' });
  mode = Option.String('--mode', { description: 'each: a skill for each operation; search: three skills over all; auto (the default): search above 40' });
  auth = Option.String('--auth', {
    description: 'how the API takes its credential, if the description does not state it: bearer, basic, header:NAME, query:NAME or cookie:NAME',
  });
  out = Option.String('--out,-o', { description: 'write the source to this folder' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  protected async wish(): Promise<Wish> {
    const isPublic = listing(this.public, this.private);
    const { wishOf } = await import('./description.ts');
    const { url: source, agentName: name, description, baseUrl, tag: tags, method: methods, match, operation: operations, pin: pins, mode, auth } = this;
    return await wishOf({ source, name, description, baseUrl, isPublic, tags, methods, match, operations, pins, mode, auth }, this.context.stdin);
  }
}

/** @throws UsageError where there is something already */
export async function writeSource(folder: string, files: Preview['files']): Promise<void> {
  const target = resolve(folder);
  const there = await readdir(target).catch(() => []);
  if (there.length > 0) throw new UsageError(`--out: ${folder} is not empty. Choose another folder.`);
  for (const { path, content } of files) {
    if (content === null) throw new CliError(`${path} is too long to be sent. Choose fewer operations.`);
    const file = join(target, path);
    if (!file.startsWith(`${target}/`)) throw new CliError(`${path} would be outside of ${folder}. Nothing more is written.`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** What the platform says of a description, in the words of this tool's options. */
export function noteOf(warning: string): string {
  return `Note: ${plain(warning.replaceAll(/\bbase_url\b/g, '--base-url').replaceAll(/\bauth (?=bearer\b)/g, '--auth '))}`;
}

/** As `svc init` leaves a project: npm, editors and tests find the SDK in it. */
export async function equip(folder: string): Promise<void> {
  const { linkSdk } = await import('../project/sdk.ts');
  const { SDK_SPEC, vendorSdk } = await import('../project/vendor.ts');
  const file = join(folder, 'package.json');
  const manifest: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, `${JSON.stringify({ ...manifest, dependencies: { '@svc/sdk': SDK_SPEC } }, null, 2)}\n`);
  await vendorSdk(folder);
  await linkSdk(resolve(folder));
}
