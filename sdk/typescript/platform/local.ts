// The platform of an author's laptop and of tests, in one process: artifacts in memory, questions answered by whoever is near.
import type { ArtifactRef } from '../../../contract/wire/events.ts';
import { NotAvailable, SandboxUnavailable, WorkspaceDenied } from '../authoring/errors.ts';
import type { RunIdentity, RunPlatform, RunServices, Settled } from '../runtime/platform.ts';

export interface LocalOptions {
  grantKey?: Uint8Array;
}

export function localPlatform(options: LocalOptions = {}): RunPlatform {
  const artifacts = new Map<string, { data: Uint8Array; mimeType: string }>();
  let base = '';
  return {
    grantKey: options.grantKey,
    listening: (_agent, url) => void (base = url),
    artifact: (runId, name) => artifacts.get(`${runId}/${name}`),
    attach: (run: RunIdentity): RunServices => ({
      writeArtifact: async (name, data, mimeType): Promise<ArtifactRef> => {
        artifacts.set(`${run.runId}/${name}`, { data: Uint8Array.from(data), mimeType });
        return { name, uri: `${base}/artifacts/${run.runId}/${encodeURIComponent(name)}`, mime_type: mimeType, size_bytes: data.byteLength };
      },
      openQuestion: async (): Promise<Settled | undefined> => undefined,
      requestScope: async () => ({ state: 'pending', files: [] }),
      giveUp: async () => undefined,
      call: async () => refuse('call()'),
      findAgents: async () => [],
      getAgent: async () => refuse('getAgent()'),
      workspace: {
        search: async () => noGrant(),
        openView: async () => ({ state: 'pending', files: [] }),
        requestAccess: async () => ({ state: 'pending', files: [] }),
        listGrants: async () => [],
        delegate: async () => noGrant(),
        read: async () => noGrant(),
        write: async () => noGrant(),
        delete: async () => noGrant(),
        patches: async () => noGrant(),
      },
      sandbox: {
        create: async () => noSandbox(),
        get: async () => noSandbox(),
        list: async () => noSandbox(),
        remove: async () => noSandbox(),
        runPython: async () => noSandbox(),
        runShell: async () => noSandbox(),
      },
    }),
  };
}

function refuse(what: string): never {
  throw new NotAvailable(what);
}
function noGrant(): never {
  throw new WorkspaceDenied('there is no workspace here');
}
function noSandbox(): never {
  throw new SandboxUnavailable();
}
