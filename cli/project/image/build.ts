// `svc build`: the project as an OCI image in an image layout on disk, made without a container tool; pushed
// by skopeo.
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentCard } from '#contract/wire/card.ts';
import { checkProject } from '../check.ts';
import type { Say } from '../../lib/progress.ts';
import { ProjectError } from '../problem.ts';
import { entryOf } from '../read.ts';
import { run, tail } from '../languages/run.ts';
import { buildWorker, isWorker } from '../languages/worker.ts';
import { appLayer, SERVE } from './app.ts';
import { baseLayer, NODE, pythonParts, USER } from './base.ts';
import type { Layer } from './layer.ts';

export interface BuiltImage {
  /** Folder with the OCI image layout. */
  layout: string;
  /** registry/name:version */
  reference: string;
  /** Of the manifest. */
  digest: string;
  bytes: number;
}

/** @throws ProjectError */
export async function buildImage(path: string, registry: string, say: Say, { allowSecrets = false }: { allowSecrets?: boolean } = {}): Promise<BuiltImage> {
  const { project, card } = await checkProject(path, say);
  const entry = entryOf(project);
  const worker = isWorker(entry) ? await buildWorker(project.folder, entry, { say }, project.manifest.frontend) : undefined;
  const python = entry.language === 'python' && worker ? await pythonParts(worker.command, project.folder) : undefined;
  const layout = join(project.folder, '.svc', 'image');
  say('collecting the runtime …\n');
  const base = await baseLayer(layout, python);
  say('packing the agent …\n');
  const app = await appLayer(layout, { project, entry, worker, python, secrets: card.required_secrets, allowSecrets }, say);
  const digest = await writeLayout(layout, card, [base, app]);
  return { layout, digest, reference: `${registry}/${card.name}:${card.version.replaceAll('+', '_')}`, bytes: base.size + app.size };
}

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

async function writeLayout(layout: string, card: AgentCard, layers: readonly Layer[]): Promise<string> {
  const blobs = join(layout, 'blobs', 'sha256');
  const config = await writeBlob(blobs, {
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { '8000/tcp': {} },
      Env: [
        'PATH=/usr/local/bin:/usr/bin:/bin',
        'HOME=/tmp',
        'NODE_ENV=production',
        'PYTHONDONTWRITEBYTECODE=1',
        'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
      ],
      Entrypoint: [NODE, '--enable-source-maps', SERVE],
      WorkingDir: '/app',
      Labels: {
        'org.opencontainers.image.title': card.name,
        'org.opencontainers.image.version': card.version,
        'org.opencontainers.image.description': card.description,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const manifest = await writeBlob(blobs, {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
    layers: layers.map(({ digest, size }) => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, size })),
  });
  await writeFile(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        ...manifest,
        annotations: { 'org.opencontainers.image.ref.name': card.version.replaceAll('+', '_') },
      },
    ],
  };
  await writeFile(join(layout, 'index.json.next'), JSON.stringify(index));
  await rename(join(layout, 'index.json.next'), join(layout, 'index.json'));
  await sweep(blobs, [config.digest, manifest.digest, ...layers.map(({ digest }) => digest)]);
  return manifest.digest;
}

async function writeBlob(blobs: string, value: unknown): Promise<{ digest: string; size: number }> {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = createHash('sha256').update(bytes).digest('hex');
  await mkdir(blobs, { recursive: true });
  await writeFile(join(blobs, digest), bytes);
  return { digest: `sha256:${digest}`, size: bytes.length };
}

/** What images before this one were made of. */
async function sweep(blobs: string, used: readonly string[]): Promise<void> {
  for (const name of await readdir(blobs)) if (!used.includes(`sha256:${name}`)) await rm(join(blobs, name));
}

/** @throws ProjectError */
export async function pushImage({ layout, reference }: BuiltImage, say: Say): Promise<void> {
  const tag = reference.slice(reference.lastIndexOf(':') + 1);
  // The image was made here, so no signature of its source is asked for; a registry on this machine speaks
  // plain HTTP, as Docker has it.
  const plain = /^(?:localhost|127(?:\.\d{1,3}){3})(?::|\/)/.test(reference) ? ['--dest-tls-verify=false'] : [];
  const result = await run('skopeo', ['--insecure-policy', 'copy', ...plain, `oci:${layout}:${tag}`, `docker://${reference}`], { cwd: layout, show: say });
  if (result.code === 0) return;
  if (result.code === null && /ENOENT/.test(result.stderr)) {
    throw new ProjectError([
      { message: 'the program "skopeo" is not on the PATH: install it (apt install skopeo, brew install skopeo), then run the command again' },
    ]);
  }
  throw new ProjectError([
    { message: `${reference} could not be pushed: ${tail(result.stderr, 2)}\nSign in with "skopeo login" where the registry asks for it` },
  ]);
}
