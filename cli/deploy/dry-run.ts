// What `svc deploy` would send and leave out, and why; nothing is sent, and no sign-in is needed.
import { MAX_SOURCE_BYTES, MAX_SOURCE_ENTRIES, MAX_UNPACKED_SOURCE_BYTES } from '#contract/wire/limits.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain, table, type Output } from '../lib/output.ts';
import { readProject } from '../project/read.ts';
import { listSource } from './pack.ts';
import { whyLeftOut } from './reasons.ts';
import { secretOf } from './secrets.ts';
import { size } from '../lib/size.ts';
import { sizesOf, tooLarge, total } from './size.ts';

/** Resolves with the exit code: 1 where the deploy would be refused. */
export async function dryRun(folder: string, allowSecrets: boolean, output: Output): Promise<number> {
  const { manifest } = await readProject(folder);
  const source = await listSource(folder, { silent: true });
  const files = await sizesOf(folder, source.files);
  const leftOut = [
    ...(await Promise.all(source.ignored.map(async (path) => ({ path, why: await whyLeftOut(folder, path) })))),
    ...source.skipped.map((path) => ({ path, why: 'a link or a special file' })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const secrets: { path: string; why: string }[] = [];
  for (const path of allowSecrets ? [] : source.files) {
    const kind = await secretOf(folder, path);
    if (kind !== undefined) secrets.push({ path, why: kind });
  }
  const large = await tooLarge(folder, files);
  const limits = { files: MAX_SOURCE_ENTRIES, bytes: MAX_UNPACKED_SOURCE_BYTES, packed_bytes: MAX_SOURCE_BYTES };
  const refused = [...(large === undefined ? [] : [large]), ...(secrets.length === 0 ? [] : ['Files look like secrets.'])];
  const document = { name: manifest.name, version: manifest.version, bytes: total(files), files, left_out: leftOut, secrets, limits, refused };
  output.result(document, () => [
    `Would send ${manifest.name} ${manifest.version}: ${files.length} ${files.length === 1 ? 'file' : 'files'}, ${size(document.bytes)}`,
    ...rows(files.map(({ path, bytes }) => [size(bytes), path])),
    ...(leftOut.length === 0 ? [] : ['Left out:', ...rows(leftOut.map(({ path, why }) => [path, why]))]),
    ...(secrets.length === 0 ? [] : ['Looks like a secret, so the deploy is refused without --allow-secrets:', ...rows(secrets.map(({ path, why }) => [path, why]))]), // prettier-ignore
    `Limits: ${limits.files} files, ${size(limits.bytes)}, ${size(limits.packed_bytes)} packed. Nothing was sent.`,
  ]);
  if (large !== undefined) output.hint(output.bad(large));
  return refused.length === 0 ? EXIT.ok : EXIT.failure;
}

function rows(cells: readonly (readonly string[])[]): string[] {
  return table(['', ''], cells.map((row) => row.map(plain))).slice(1).map((line) => `  ${line}`); // prettier-ignore
}
