// What a project's folder says of itself: its manifest, and the file where it begins.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isVersionFile, languageVersion, LanguageVersionError, type ReadVersionFile, versionFilesIn } from '#contract/wire/language-version.ts';
import { type Manifest, ManifestError, parseManifest, SERVICE_OF_NODE } from '#contract/wire/manifest.ts';
import type { BuildLanguage } from '#drivers/runtime/port.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';
import { entryCandidates, languageOf } from './language.ts';
import { type ProjectFile, textOf } from './pack.ts';

const maxManifestBytes = 64 * 1024;

/**
 * @param author whose project it is @throws BadRequest manifest_missing, manifest_invalid, or what
 * parseManifest refuses
 */
export async function readManifest(author: string, folder: string): Promise<Manifest> {
  const path = join(folder, 'svc.yaml');
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > maxManifestBytes)
    throw new BadRequest('manifest_invalid', `svc.yaml is larger than ${maxManifestBytes} bytes, the limit: keep only what describes the agent`);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new BadRequest('manifest_missing', 'The project has no svc.yaml at its top: `svc init` writes one');
  });
  return manifestIn(author, text);
}

/** Of a project that is no folder. @throws as manifestIn */
export function manifestOf(author: string, files: readonly ProjectFile[]): Promise<Manifest> {
  const file = files.find(({ path }) => path === 'svc.yaml');
  return manifestIn(author, file ? textOf(file) : '');
}

/** @throws BadRequest manifest_invalid, or what parseManifest refuses */
async function manifestIn(author: string, text: string): Promise<Manifest> {
  const read = await schemaWork(author, 'yaml', withoutMark(text));
  if (!read) throw new BadRequest('manifest_invalid', 'svc.yaml takes too long to read: keep only what describes the agent');
  if ('problem' in read.value) throw new BadRequest('manifest_invalid', `svc.yaml is not YAML: ${read.value.problem}`);
  try {
    return parseManifest(read.value.value);
  } catch (error) {
    if (error instanceof ManifestError) throw new BadRequest(error.code, error.message, { issues: error.issues });
    throw error;
  }
}

/**
 * @throws BadRequest entrypoint_missing, language_version_unsupported, or manifest_invalid for a service
 * whose language brings it in another way
 */
export async function requireEntryModule(folder: string, manifest: Manifest): Promise<void> {
  const candidates = entryCandidates(manifest.entrypoint);
  const there = new Set<string>();
  for (const path of [...candidates, 'go.mod', 'Cargo.toml']) {
    const fileStats = await stat(join(folder, path)).catch(() => undefined);
    if (fileStats?.isFile()) there.add(path);
  }
  const language = languageOf(manifest.entrypoint, (path) => there.has(path));
  if (manifest.service && (language === 'typescript' || language === 'javascript')) throw new BadRequest('manifest_invalid', `svc.yaml: ${SERVICE_OF_NODE}`);
  if (language !== undefined) return void languageVersionOf(language, manifest, await versionFilesIn(folder, { stat, readFile }));
  throw new BadRequest(
    'entrypoint_missing',
    `svc.yaml says entrypoint ${manifest.entrypoint}, but there is no ${candidates.join(' or ')} in the project, nor a go.mod or Cargo.toml`,
  );
}

/** Undefined: the default. @throws BadRequest language_version_unsupported */
export function languageVersionOf(language: BuildLanguage, manifest: Manifest, read: ReadVersionFile): string | undefined {
  try {
    return languageVersion(language, manifest, read);
  } catch (error) {
    if (error instanceof LanguageVersionError) throw new BadRequest('language_version_unsupported', error.message);
    throw error;
  }
}

/** Of a project that is no folder. */
export const versionFilesOf =
  (files: readonly ProjectFile[]): ReadVersionFile =>
  (name) => {
    const file = files.find(({ path }) => path === name);
    return file && isVersionFile({ path: name, size: file.content.length }) ? textOf(file) : undefined;
  };
