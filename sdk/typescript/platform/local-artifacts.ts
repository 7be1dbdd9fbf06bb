// Artifacts of an author's laptop: in memory, by run, each run's the caller's who began it.
import { MAX_ARTIFACT_BYTES } from '../../../contract/wire/limits.ts';
import type { ArtifactRef } from '../../../contract/wire/events.ts';
import type { CallerArtifact, RunIdentity } from '../runtime/platform.ts';

/** Bytes of artifacts kept; the oldest runs' go first. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;

interface Stored {
  data: Uint8Array;
  mimeType: string;
}

export class Artifacts {
  readonly #runs = new Map<string, { agent: string; owner: string | undefined; files: Map<string, Stored> }>();
  #bytes = 0;
  #base = '';

  servedAt(url: string): void {
    this.#base = url;
  }

  get(runId: string, name: string): Stored | undefined {
    return this.#runs.get(runId)?.files.get(name);
  }

  /** What `get` has, if it is this caller's. */
  getOf(agent: string, owner: string, runId: string, name: string): Stored | undefined {
    const run = this.#runs.get(runId);
    return run?.agent === agent && run.owner === owner ? run.files.get(name) : undefined;
  }

  /** Newest runs first. */
  listOf(agent: string, owner: string): CallerArtifact[] {
    const own = [...this.#runs].filter(([, run]) => run.agent === agent && run.owner === owner).reverse();
    return own.flatMap(([runId, { files }]) => [...files].map(([name, { mimeType, data }]) => ({ runId, name, mimeType, sizeBytes: data.byteLength })));
  }

  addressOf(runId: string, name: string): string {
    return `${this.#base}/artifacts/${runId}/${encodeURIComponent(name)}`;
  }

  add({ runId, agent, owner }: Pick<RunIdentity, 'runId' | 'agent' | 'owner'>, name: string, data: Uint8Array, mimeType: string): ArtifactRef {
    if (!/^[^/\\\p{Cc}]{1,255}$/u.test(name) || name === '.' || name === '..') throw new TypeError(`writeArtifact: "${name}" is no file name`);
    if (!/^[\w.+-]+\/[\w.+-]+(?:;[ -~]*)?$/.test(mimeType)) throw new TypeError(`writeArtifact: "${mimeType}" is no media type`);
    if (data.byteLength > MAX_ARTIFACT_BYTES) throw new TypeError(`writeArtifact: an artifact has ${MAX_ARTIFACT_BYTES} bytes at most`);
    const { files } = this.#runs.get(runId) ?? { files: new Map<string, Stored>() };
    this.#runs.set(runId, { agent, owner, files });
    const before = files.get(name)?.data.byteLength ?? 0;
    files.set(name, { data: Uint8Array.from(data), mimeType });
    this.#bytes += data.byteLength - before;
    this.#makeRoom(runId);
    return { name, uri: this.addressOf(runId, name), mime_type: mimeType, size_bytes: data.byteLength };
  }

  #makeRoom(keep: string): void {
    for (const [runId, { files }] of this.#runs) {
      if (this.#bytes <= MAX_STORED_BYTES) return;
      if (runId === keep) continue;
      for (const { data } of files.values()) this.#bytes -= data.byteLength;
      this.#runs.delete(runId);
    }
  }
}
