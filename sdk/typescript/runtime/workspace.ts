// The workspace as a skill sees it: what grant is held, what the agent's own policy allows, and views of
// files under one grant. Checks here give clear errors early; the platform, which has the files, checks
// again.
import type { WorkspaceAccess } from '../../../contract/wire/card.ts';
import { GRANT_TTL_SECONDS, type Grant } from '../../../contract/wire/grant.ts';
import { SCOPE_REPLY_TIMEOUT_SECONDS } from '../../../contract/wire/events.ts';
import type { Delegation, FileMatch, OpenView, Patch, Workspace, WorkspaceView } from '../authoring/context.ts';
import { GrantInvalid, ScopeDenied, WorkspaceDenied, WriteNeedsApproval } from '../authoring/errors.ts';
import type { VerifyGrant } from './origin.ts';
import type { GrantWithToken } from './pending.ts';
import type { Access, WorkspaceServices } from './platform.ts';
import type { Granted, ScopeCard } from './waiting.ts';

export interface WorkspaceParts {
  policy: WorkspaceAccess;
  verify: VerifyGrant;
  services: () => WorkspaceServices;
  /** Resolves when the run may write; denied, it rejects. */
  waitForWrite: (refused: WriteNeedsApproval) => Promise<void>;
  waitForGrant: (card: ScopeCard, timeoutSeconds: number, send: (requestId: string) => Promise<Access>) => Promise<Granted>;
}

export class RunWorkspace implements Workspace {
  readonly #parts: WorkspaceParts;
  /**
   * Tokens of the grants this run was given, by id: without its token a grant proves nothing to the platform.
   */
  readonly #tokens = new Map<string, GrantWithToken>();
  #held: GrantWithToken | undefined;
  /** Questions by which writes are held, until they are decided. */
  readonly #questions = new Map<string, Promise<void>>();

  constructor(parts: WorkspaceParts, passedOn: GrantWithToken | undefined) {
    this.#parts = parts;
    if (passedOn) this.#keep(passedOn);
  }

  get grant(): Grant | null {
    return this.#held?.grant ?? null;
  }
  get token(): string | null {
    return this.#held?.token ?? null;
  }

  async view(): Promise<WorkspaceView> {
    return this.#viewOf({ held: this.#require('view()'), files: [] });
  }

  async search(query: string, { types = [], limit = 20 }: { types?: readonly string[]; limit?: number } = {}): Promise<readonly FileMatch[]> {
    if (!this.#held) this.#requirePolicy();
    return await this.#parts.services().search(this.token, query, { types, limit });
  }

  async openView(view: OpenView): Promise<WorkspaceView> {
    const { policy } = this.#parts;
    this.#requirePolicy();
    const mode = view.mode ?? 'read_only';
    const reason = this.#reason(view.reason ?? view.purpose);
    this.#requireMode(mode);
    const wanted = { ...view, mode, reason, maxFiles: Math.min(view.maxFiles ?? 10, policy.max_files) };
    const card = this.#card({ reason, read: [...(view.hints ?? [])], writePrefix: null, ttlSeconds: GRANT_TTL_SECONDS, mode });
    return await this.#negotiate(card, (id) => this.#parts.services().openView(id, this.token, wanted, SCOPE_REPLY_TIMEOUT_SECONDS));
  }

  async requestAccess(
    files: readonly string[],
    { mode, reason, purpose = '' }: { mode: OpenView['mode'] & string; reason: string; purpose?: string },
  ): Promise<WorkspaceView> {
    const { policy } = this.#parts;
    this.#requirePolicy();
    this.#requireMode(mode);
    if (files.length === 0) throw new TypeError('requestAccess: name at least one file');
    if (files.length > policy.max_files) {
      throw new ScopeDenied(`the agent's workspaceAccess allows ${policy.max_files} files at a time (maxFiles); ${files.length} were asked for`);
    }
    const accessRequest = { mode, reason: this.#reason(reason), purpose };
    const card = this.#card({ reason: accessRequest.reason, read: files, writePrefix: null, ttlSeconds: GRANT_TTL_SECONDS, mode });
    return await this.#negotiate(card, (id) => this.#parts.services().requestAccess(id, this.token, files, accessRequest, SCOPE_REPLY_TIMEOUT_SECONDS));
  }

  listGrants(): Promise<readonly Grant[]> {
    return this.#parts.services().listGrants();
  }

  async delegate(delegation: Delegation): Promise<string> {
    return await this.#parts.services().delegate(this.#require('delegate()').token, delegation);
  }

  async installGrant(grant: Grant | string): Promise<void> {
    const grantWithToken = typeof grant === 'string' ? { token: grant, grant: this.#parts.verify(grant) } : this.#tokens.get(grant.grant_id);
    if (!grantWithToken) throw new GrantInvalid('this run was not given that grant: install its token instead');
    this.install(grantWithToken);
  }

  /** @throws GrantInvalid for a grant of another bucket: a run never crosses over. */
  install(held: GrantWithToken): void {
    if (this.#held && this.#held.grant.bucket !== held.grant.bucket) throw new GrantInvalid('the grant is for another bucket than the one that is held');
    this.#keep(held);
  }

  #keep(held: GrantWithToken): void {
    this.#tokens.set(held.grant.grant_id, held);
    this.#held = held;
  }

  async #negotiate(card: ScopeCard, send: (requestId: string) => Promise<Access>): Promise<WorkspaceView> {
    const granted = await this.#parts.waitForGrant(card, SCOPE_REPLY_TIMEOUT_SECONDS, send);
    this.install(granted.held);
    return this.#viewOf(granted);
  }

  #card(asked: Omit<ScopeCard, 'grantId'>): ScopeCard {
    return { ...asked, grantId: this.grant?.grant_id ?? null };
  }

  #viewOf({ held, files }: Granted): WorkspaceView {
    const { grant } = held;
    const services = this.#parts.services;
    // A wider grant that came later serves this view too: it superseded the one it was opened under.
    const token = (): string => (this.#held && this.#held.grant.bucket === grant.bucket && expired(grant) ? this.#held : held).token;
    const writable = (): void => {
      if (grant.mode === 'read_only') throw new WorkspaceDenied('the grant is read_only: ask for read_write_overlay with requestScope() or openView()');
    };
    return {
      grant,
      files,
      read: async (path) => await services().read(token(), path),
      write: async (path, content): Promise<Patch> => {
        writable();
        const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
        return await this.#onceApproved(() => services().write(token(), path, bytes));
      },
      delete: async (path): Promise<Patch> => {
        writable();
        return await this.#onceApproved(() => services().delete(token(), path));
      },
      patches: () => services().patches(token()),
    };
  }

  /** Made again when a person has approved that this run writes. */
  async #onceApproved<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof WriteNeedsApproval)) throw error;
      const { heldBy } = error;
      // Writes at the same time are held by one question.
      const approved = this.#questions.get(heldBy) ?? this.#parts.waitForWrite(error).finally(() => this.#questions.delete(heldBy));
      this.#questions.set(heldBy, approved);
      await approved;
      return await write();
    }
  }

  #require(what: string): GrantWithToken {
    if (!this.#held)
      throw new WorkspaceDenied(`${what} needs a grant, and this run holds none: open one with openView() or requestAccess(), or have the caller pass one`);
    return this.#held;
  }
  #requirePolicy(): void {
    if (!this.#parts.policy.enabled) throw new WorkspaceDenied('this agent declares no workspace access: set workspaceAccess = WorkspaceAccess.dynamic()');
  }
  #requireMode(mode: string): void {
    const allowed: readonly string[] = this.#parts.policy.allowed_modes;
    if (!allowed.includes(mode)) throw new ScopeDenied(`the agent's workspaceAccess allows ${allowed.join(', ') || 'no mode'} (allowedModes), not ${mode}`);
  }
  #reason(reason: string): string {
    if (this.#parts.policy.require_reason && reason.trim() === '')
      throw new ScopeDenied("the agent's workspaceAccess requires a reason: say what the files are for");
    return reason;
  }
}

function expired(grant: Grant): boolean {
  return grant.expires_at * 1000 <= Date.now();
}
