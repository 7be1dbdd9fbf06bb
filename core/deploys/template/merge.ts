// A newer template and what the author made of the older one, merged.
import { parse as parseYaml } from 'yaml';
import type { Manifest, TemplateLineage } from '#contract/wire/manifest.ts';
import { fillTemplate, withLineage } from '#contract/wire/template.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { readFiles } from '../../agents/source/read-files.ts';
import { type MergeConflict, mergeFiles } from '../../agents/source/three-way.ts';
import type { Template } from './known.ts';

export interface TemplateMerge {
  files: ProjectFile[];
  conflicts: MergeConflict[];
  /** Paths that differ from what is live. */
  changed: string[];
  theirs: ReadonlyMap<string, ProjectFile>;
  ours: ReadonlyMap<string, ProjectFile>;
}

const manifestFile = 'svc.yaml';
/** Where no package.json says another. */
const anySdk = 'file:vendor/svc-sdk.tgz';

export async function mergeTemplate(
  ctx: Ctx,
  live: Pick<DeploymentsRow, 'source_key'>,
  manifest: Manifest & { template: TemplateLineage },
  from: Template,
  to: Template,
): Promise<TemplateMerge> {
  const ours = (await readFiles(await ctx.drivers.storage.get(live.source_key))).map(({ path, content, executable }) => ({
    path,
    content,
    executable: executable === true,
  }));
  const packageJson = fileText(ours.find(({ path }) => path === 'package.json'));
  const values = {
    name: manifest.name,
    description: manifest.template.description,
    sdk: /"(file:vendor\/[^"]+)"/.exec(packageJson)?.[1] ?? anySdk,
    auth: manifest.frontend?.auth,
    // The same on both sides: the author may have changed the block, and the merge must not.
    lineage: manifest.template,
  };
  const filled = (template: Template): ProjectFile[] => Object.entries(fillTemplate(template.files, values)).map(([path, content]) => ({ path, content }));
  const [base, theirs] = [filled(from), filled(to)];
  const scratch = await ctx.drivers.scratch();
  const merge = await mergeFiles(base, ours, theirs, { scratch, labels: { ours: 'yours', theirs: `template ${to.version}` } });
  const files = merge.files.map((file) => (file.path === manifestFile ? { ...file, content: withLineage(fileText(file), from, to) } : file));
  const before = new Map(ours.map((file) => [file.path, file]));
  const after = new Map(files.map((file) => [file.path, file]));
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => fileText(before.get(path), 'latin1') !== fileText(after.get(path), 'latin1'),
  );
  return { files, conflicts: merge.conflicts, changed: changed.toSorted(), ours: before, theirs: new Map(theirs.map((file) => [file.path, file])) };
}

/** The files with every conflict decided; undefined where a choice is missing. */
export function decided(
  { files, conflicts, ours, theirs }: TemplateMerge,
  choices: Readonly<Record<string, 'ours' | 'theirs'>>,
  from: Template,
  to: Template,
): ProjectFile[] | undefined {
  const result = new Map(files.map((file) => [file.path, file]));
  for (const { path } of conflicts) {
    const choice = Object.hasOwn(choices, path) ? choices[path] : undefined;
    if (choice === undefined) return undefined;
    const file = (choice === 'ours' ? ours : theirs).get(path);
    if (!file) result.delete(path);
    else result.set(path, path === manifestFile ? { ...file, content: withLineage(fileText(file), from, to) } : file);
  }
  return [...result.values()];
}

export function fileText(file: ProjectFile | undefined, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  return file === undefined ? '' : Buffer.from(file.content).toString(encoding);
}

/** Whether the merged manifest can be read: a person's edit and the template's may not fit together. */
export function readsAsYaml(files: readonly ProjectFile[]): boolean {
  try {
    parseYaml(fileText(files.find(({ path }) => path === manifestFile)), { maxAliasCount: 0 });
    return true;
  } catch {
    return false;
  }
}
