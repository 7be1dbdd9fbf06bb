// A local workspace under real grants: real tokens, real containment, writes staged as patches and settled
// when the run ends.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { WorkspaceAccess } from '../../../contract/wire/card.ts';
import { containmentFault, grantFilter } from '../../../contract/wire/containment.ts';
import { checkGrant, grantKeyOf, mintGrant, readUncheckedGrant } from '../../../contract/crypto/grant-token.ts';
import { GRANT_TTL_SECONDS, type Grant } from '../../../contract/wire/grant.ts';
import { matcher, patternOfPrefix } from '../../../contract/wire/patterns.ts';
import type { Delegation, FileMatch, Patch } from '../authoring/context.ts';
import { FileNotFound, GrantInvalid, WorkspaceDenied } from '../authoring/errors.ts';
import type { RunIdentity, WorkspaceServices } from '../runtime/platform.ts';
import type { RequestedScope } from './local-scope.ts';
import { searchStore } from './local-search.ts';
import { fileTypeOf, type FileStore } from './local-store.ts';

/** Its name in addresses. */
export const LOCAL_WORKSPACE = 'local';
const BUCKET = `usr:${LOCAL_WORKSPACE}`;
const OWNER = 'local';
/** Of grants given outside of a run, the newest. */
const MAX_MINTED_GRANTS = 64;

interface Staged {
  patch: Patch;
  content: Uint8Array | null;
}
interface RunState {
  granted: Grant[];
  staged: Map<string, Staged>;
}

export class LocalWorkspaces {
  readonly store: FileStore;
  readonly #secret = new Uint8Array(randomBytes(32));
  /** How often a grant was delegated. */
  readonly #depth = new Map<string, number>();
  readonly #runs = new Map<string, RunState>();
  #given: Grant[] = [];

  constructor(store: FileStore) {
    this.store = store;
  }

  keyOf(audience: string): Uint8Array {
    return grantKeyOf(this.#secret, audience);
  }

  /** A grant as the person of this machine would give it. */
  mint(delegation: Delegation): string {
    const { audience, allowPatterns, denyPatterns, mode = 'read_only', outputsPrefix = null, ttlSeconds = GRANT_TTL_SECONDS } = delegation;
    const input = { issuer: OWNER, audience, mode, outputsPrefix, ttlSeconds, ...(allowPatterns && { allowPatterns }), ...(denyPatterns && { denyPatterns }) };
    const { grant, token } = this.#mint(input, 0);
    this.#given = [grant, ...this.#given].slice(0, MAX_MINTED_GRANTS);
    return token;
  }

  /**
   * What may be shown to a caller: by the grant it sends, and by those given here to this agent. @throws
   * GrantInvalid
   */
  readable(agent: string, token: string | undefined, { given }: { given: boolean }): (path: string) => boolean {
    const now = Math.floor(Date.now() / 1000);
    const standing = given ? this.#given.filter(({ audience, expires_at: ends }) => audience === agent && ends > now) : [];
    const filters = [...(token === undefined ? [] : [this.check({ agent }, token)]), ...standing].map((grant) => grantFilter(grant, 'read'));
    return (path) => filters.some((sees) => sees(path));
  }

  /** A superseding grant: what was held and what is asked for. */
  extend(run: RunIdentity, held: Grant | null, asked: RequestedScope): string {
    const write = asked.writePrefix !== null || asked.mode === 'read_write_overlay';
    const mode = write ? 'read_write_overlay' : (held?.mode ?? 'read_only');
    const allowPatterns = [
      ...new Set([...(held?.allow_patterns ?? []), ...asked.read, ...(asked.writePrefix === null ? [] : [patternOfPrefix(asked.writePrefix)])]),
    ];
    const denyPatterns = [...new Set([...(held?.deny_patterns ?? []), ...run.policy.deny_patterns])];
    const outputsPrefix = asked.writePrefix ?? held?.outputs_prefix ?? null;
    const depth = held ? (this.#depth.get(held.grant_id) ?? 0) : 0;
    const input = { issuer: OWNER, audience: run.agent, mode, allowPatterns, denyPatterns, outputsPrefix, ttlSeconds: asked.ttlSeconds } as const;
    const { grant, token } = this.#mint(input, depth);
    this.#state(run).granted.unshift(grant);
    return token;
  }

  /** @throws GrantInvalid */
  check(run: Pick<RunIdentity, 'agent'>, token: string): Grant {
    const checked = checkGrant(token, this.keyOf(run.agent), { audience: run.agent, now: Math.floor(Date.now() / 1000) });
    if (!checked.ok || checked.grant.bucket !== BUCKET) throw new GrantInvalid();
    return checked.grant;
  }

  services(run: RunIdentity): Omit<WorkspaceServices, 'openView' | 'requestAccess'> {
    return {
      search: async (token, query, { types, limit }) => await this.search(run.policy, token === null ? null : this.check(run, token), query, types, limit),
      listGrants: async () => this.#state(run).granted,
      delegate: async (token, delegation) => this.#delegate(run, token, delegation),
      read: (token, path) => this.#read(run, token, path),
      write: (token, path, content) => this.#stage(run, token, path, content),
      delete: async (token, path) => {
        await this.#read(run, token, path);
        return await this.#stage(run, token, path, null);
      },
      patches: async (token) => {
        const filter = grantFilter(this.check(run, token), 'read');
        return [...this.#state(run).staged.values()].map(({ patch }) => patch).filter(({ path }) => filter(path));
      },
    };
  }

  search(policy: WorkspaceAccess, grant: Grant | null, query: string, types: readonly string[], limit: number): Promise<FileMatch[]> {
    const denied = matcher(policy.deny_patterns);
    const visible = grant ? grantFilter(grant, 'read') : (path: string) => !denied(path);
    return searchStore(this.store, { query, types, limit, visible });
  }

  async matchesOf(paths: readonly string[]): Promise<FileMatch[]> {
    const files = await Promise.all(paths.map(async (path) => ({ path, content: await this.store.read(path) })));
    return files.flatMap(({ path, content }) =>
      content ? [{ path, fileType: fileTypeOf(path), score: 1, summary: null, sizeBytes: content.byteLength }] : [],
    );
  }

  /** What a run staged becomes the person's files when it succeeded, and is forgotten otherwise. */
  async settle(runId: string, outcome: 'succeeded' | 'failed'): Promise<void> {
    const state = this.#runs.get(runId);
    this.#runs.delete(runId);
    if (outcome === 'failed') return;
    for (const [path, { content }] of state?.staged ?? []) await (content ? this.store.write(path, content) : this.store.delete(path));
  }

  async #read(run: RunIdentity, token: string, path: string): Promise<Uint8Array> {
    if (!grantFilter(this.check(run, token), 'read')(path)) throw new WorkspaceDenied(`the grant does not let you read "${path}"`);
    const staged = this.#state(run).staged.get(path);
    const content = staged ? staged.content : await this.store.read(path);
    if (!content) throw new FileNotFound(path);
    return content;
  }

  async #stage(run: RunIdentity, token: string, path: string, content: Uint8Array | null): Promise<Patch> {
    if (!grantFilter(this.check(run, token), 'write')(path)) throw new WorkspaceDenied(`the grant does not let you write "${path}"`);
    const { staged } = this.#state(run);
    const others = [...staged].reduce((sum, [at, { patch }]) => (at === path ? sum : sum + patch.sizeBytes), 0);
    const sizeBytes = content?.byteLength ?? 0;
    if (others + sizeBytes > run.policy.max_total_size_bytes) {
      throw new WorkspaceDenied(`what is staged would have more than ${run.policy.max_total_size_bytes} bytes (workspaceAccess.maxTotalSizeBytes)`);
    }
    const patch: Patch = {
      patchId: `pat_${randomUUID()}`,
      path,
      operation: content ? 'write' : 'delete',
      sizeBytes,
      sha256: content ? createHash('sha256').update(content).digest('hex') : null,
      state: 'staged',
      reason: null,
    };
    staged.set(path, { patch, content: content && Uint8Array.from(content) });
    return patch;
  }

  #delegate(run: RunIdentity, token: string | null, delegation: Delegation): string {
    if (token === null) throw new WorkspaceDenied('delegate() needs a grant to derive from');
    const parent = { ...this.check(run, token), depth: this.#depth.get(this.check(run, token).grant_id) ?? 0 };
    const { audience, allowPatterns = ['**'], denyPatterns = [], mode = 'read_only', outputsPrefix = null, ttlSeconds = GRANT_TTL_SECONDS } = delegation;
    const left = parent.expires_at - Math.floor(Date.now() / 1000);
    const input = {
      issuer: run.agent,
      audience,
      mode,
      // "All of it" is all that is held.
      allowPatterns: allowPatterns.length === 1 && allowPatterns[0] === '**' ? parent.allow_patterns : allowPatterns,
      denyPatterns: [...new Set([...denyPatterns, ...parent.deny_patterns])],
      outputsPrefix: outputsPrefix ?? (mode === 'read_only' ? null : parent.outputs_prefix),
      ttlSeconds: Math.min(ttlSeconds, left),
    };
    const child = this.#mint(input, parent.depth + 1);
    const fault = containmentFault(parent, child.grant);
    if (fault) throw new WorkspaceDenied(fault.message);
    this.#state(run).granted.unshift(child.grant);
    return child.token;
  }

  #mint(input: Omit<Parameters<typeof mintGrant>[0], 'grantId' | 'bucket'>, depth: number): { grant: Grant; token: string } {
    const minted = mintGrant({ ...input, grantId: `grt_${randomUUID()}`, bucket: BUCKET }, this.keyOf(input.audience));
    this.#depth.set(minted.grant.grant_id, depth);
    return minted;
  }

  #state({ runId }: RunIdentity): RunState {
    const known = this.#runs.get(runId);
    if (known) return known;
    const state: RunState = { granted: [], staged: new Map() };
    this.#runs.set(runId, state);
    return state;
  }
}

/** What a token says; null for none. It is checked where it is used. */
export function grantIn(token: string | null): Grant | null {
  return (token === null ? undefined : readUncheckedGrant(token)) ?? null;
}
