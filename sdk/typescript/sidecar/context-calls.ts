// The run context as a worker reaches it: each method of the protocol, answered from the Run's own context.
import type { MetaRun } from '../authoring/meta-runs.ts';
import { CONTEXT_METHODS, type ContextParams, type ContextValue } from '../../../contract/wire/context-methods.ts';
import type { ContextMethod } from '../../../contract/wire/worker.ts';
import { llmCalls } from './llm-calls.ts';
import type { ExecResult, FileMatch, Memory, MemoryEntry, Patch, RunContext, SandboxHandle, WorkspaceView } from '../authoring/context.ts';

type Calls = { [M in ContextMethod]: (params: ContextParams<M>) => Promise<ContextValue<M>> };

/** One run's calls. Views and sandbox handles live as long as it does. */
export class ContextCalls {
  readonly #calls: Calls;
  readonly #views: WorkspaceView[] = [];
  readonly #handles = new Map<string, SandboxHandle>();

  constructor(ctx: RunContext) {
    this.#calls = this.#over(ctx);
  }

  /** @throws TypeError when the parameters do not fit, else what the context throws */
  async call(method: ContextMethod, params: Record<string, unknown>): Promise<unknown> {
    const parsed = CONTEXT_METHODS[method].params.safeParse(params);
    if (!parsed.success) {
      throw new TypeError(`${method}: ${parsed.error.issues.map((issue) => `${issue.path.join('.') || '(top)'}: ${issue.message}`).join('; ')}`);
    }
    return await invoke(this.#calls, method, parsed.data);
  }

  #over(ctx: RunContext): Calls {
    return {
      write_artifact: ({ name, data, mime_type }) => ctx.writeArtifact(name, Buffer.from(data, 'base64'), mime_type),
      ask: ({ prompt, timeout, schema, of, name }) => ctx.ask(prompt, timeout, { of, ...(schema && { schema }), ...(name !== undefined && { name }) }),
      answer: ({ question_id, answer }) => ctx.answer(question_id, answer),
      call: async ({ target, skill, args, grant, timeout }) => {
        const options = { ...(grant !== undefined && { grant }), ...(timeout !== undefined && { timeoutSeconds: timeout }) };
        const { result, events, artifacts, grantId } = await ctx.call(target, skill, args, options);
        return { result: result ?? null, events: [...events], artifacts: [...artifacts], grant_id: grantId };
      },
      request_scope: ({ reason, read, write_prefix, ttl_seconds, mode, timeout }) =>
        ctx.requestScope({ reason, read, writePrefix: write_prefix, ttlSeconds: ttl_seconds, mode, timeoutSeconds: timeout }),
      deny_scope: ({ request_id, reason }) => ctx.denyScope(request_id, reason),
      resolve_scope_grant: ({ request_id, grant_token }) => ctx.resolveScopeGrant(request_id, grant_token),
      find_agents: async ({ tags, capability, skill, limit }) => [
        ...(await ctx.findAgents({ tags, limit, ...(capability !== undefined && { capability }), ...(skill !== undefined && { skill }) })),
      ],
      get_agent: ({ name }) => ctx.getAgent(name),

      'workspace.search': async ({ query, types, limit }) => (await ctx.workspace.search(query, { types, limit })).map(matchOf),
      'workspace.open_view': async ({ purpose, hints, file_types, max_files, mode, reason }) =>
        this.#keep(await ctx.workspace.openView({ purpose, hints, fileTypes: file_types, maxFiles: max_files, mode, ...(reason !== '' && { reason }) })),
      'workspace.request_access': async ({ files, mode, reason, purpose }) => this.#keep(await ctx.workspace.requestAccess(files, { mode, reason, purpose })),
      'workspace.view': async () => this.#keep(await ctx.workspace.view()),
      'workspace.list_grants': async () => [...(await ctx.workspace.listGrants())],
      'workspace.delegate': ({ audience, allow_patterns, deny_patterns, mode, outputs_prefix, ttl_seconds }) =>
        ctx.workspace.delegate({
          audience,
          allowPatterns: allow_patterns,
          denyPatterns: deny_patterns,
          mode,
          outputsPrefix: outputs_prefix,
          ttlSeconds: ttl_seconds,
        }),
      'workspace.install_grant': async ({ grant }) => {
        await ctx.workspace.installGrant(grant);
        return null;
      },
      'view.read': async ({ view, path }) => ({ data: Buffer.from(await this.#view(view).read(path)).toString('base64') }),
      'view.write': async ({ view, path, data }) => patchOf(await this.#view(view).write(path, Buffer.from(data, 'base64'))),
      'view.delete': async ({ view, path }) => patchOf(await this.#view(view).delete(path)),
      'view.patches': async ({ view }) => (await this.#view(view).patches()).map(patchOf),

      'sandbox.create': async ({ name, image, memory_mib, cpus, workspace, secrets, egress, labels }) => {
        const limits = {
          ...(image !== undefined && { image }),
          ...(memory_mib !== undefined && { memoryMib: memory_mib }),
          ...(cpus !== undefined && { cpus }),
        };
        this.#handles.set(name, await ctx.sandbox.create({ name, ...limits, workspace, secrets, egress, labels }));
        return { name };
      },
      'sandbox.get': async ({ name }) => {
        this.#handles.set(name, await ctx.sandbox.get(name));
        return { name };
      },
      'sandbox.list': async () => [...(await ctx.sandbox.list())],
      'sandbox.remove': async ({ name }) => {
        this.#handles.delete(name);
        await ctx.sandbox.remove(name);
        return null;
      },
      'sandbox.run_python': async ({ code, ...options }) => execOf(await ctx.sandbox.runPython(code, onceOf(options))),
      'sandbox.run_shell': async ({ script, ...options }) => execOf(await ctx.sandbox.runShell(script, onceOf(options))),
      'sandbox.exec': async ({ name, command, args, timeout }) =>
        execOf(await (await this.#handle(ctx, name)).exec(command, args, timeout === undefined ? {} : { timeoutSeconds: timeout })),
      'sandbox.shell': async ({ name, script, timeout }) =>
        execOf(await (await this.#handle(ctx, name)).shell(script, timeout === undefined ? {} : { timeoutSeconds: timeout })),
      'sandbox.logs': async ({ name, tail }) => await (await this.#handle(ctx, name)).logs(tail === undefined ? {} : { tail }),
      'sandbox.stop': async ({ name }) => {
        await (await this.#handle(ctx, name)).stop();
        return null;
      },
      'sandbox.kill': async ({ name }) => {
        await (await this.#handle(ctx, name)).kill();
        return null;
      },

      'memory.get': async ({ namespace, key, shared }) => rememberedOf(await memoryIn(ctx, shared).get(key, { namespace })),
      'memory.put': async ({ namespace, key, value, metadata, ttl_seconds, if_version, shared }) =>
        rememberedOf(
          await memoryIn(ctx, shared).put(key, value, {
            namespace,
            metadata,
            ttlSeconds: ttl_seconds,
            ...(if_version !== undefined && { ifVersion: if_version }),
          }),
        ),
      'memory.delete': ({ namespace, key, shared }) => memoryIn(ctx, shared).delete(key, { namespace }),
      'memory.list': async ({ namespace, prefix, limit, cursor, shared }) => {
        const { items, nextCursor } = await memoryIn(ctx, shared).list({ namespace, prefix, limit, cursor });
        return { items: items.map(entryOf), next_cursor: nextCursor };
      },
      'memory.search': async ({ query, namespace, limit, shared }) =>
        (await memoryIn(ctx, shared).search(query, { namespace, limit })).map((found) => ({ ...entryOf(found), score: found.score })),

      ...llmCalls(ctx),

      'meta_runs.create': async ({ goal, ...more }) => metaRunOf(await ctx.metaRuns.create(goal, more)),
      'meta_runs.get': async ({ id }) => metaRunOrNull(await ctx.metaRuns.get(id)),
      'meta_runs.list': async ({ state, limit, cursor }) => {
        const { items, nextCursor } = await ctx.metaRuns.list({ state, limit, cursor });
        return { items: items.map(metaRunOf), next_cursor: nextCursor };
      },
      'meta_runs.update': async ({ id, version, goal, criteria, plan, progress, status }) => {
        const change = {
          ...(goal !== undefined && { goal }),
          ...(criteria !== undefined && { criteria }),
          ...(plan !== undefined && { plan }),
          ...(progress !== undefined && { progress }),
          ...(status !== undefined && { status }),
        };
        return metaRunOrNull(await ctx.metaRuns.update(id, version, change));
      },
      track_call: async ({ started_at, ended_at, output_sha256, error_code, args, ...same }) => {
        const times = { startedAt: started_at, endedAt: ended_at };
        await ctx.trackCall({ ...same, ...times, ...(args !== undefined && { args }), outputSha256: output_sha256, errorCode: error_code });
        return null;
      },
    };
  }

  #keep(view: WorkspaceView): ContextValue<'workspace.open_view'> {
    const number = this.#views.push(view) - 1;
    return { view: number, grant: view.grant, files: view.files.map(matchOf) };
  }

  #view(number: number): WorkspaceView {
    const view = this.#views[number];
    if (!view) throw new TypeError(`this run opened no view ${number}`);
    return view;
  }

  async #handle(ctx: RunContext, name: string): Promise<SandboxHandle> {
    let handle = this.#handles.get(name);
    if (!handle) this.#handles.set(name, (handle = await ctx.sandbox.get(name)));
    return handle;
  }
}

/**
 * The parameters were parsed by the model of this very method, which the compiler cannot follow from key to
 * value.
 */
function invoke(calls: Calls, method: ContextMethod, params: unknown): Promise<unknown> {
  return (calls[method] as (params: unknown) => Promise<unknown>)(params);
}

function metaRunOf({ createdAt, updatedAt, endedAt, criteria, plan, progress, ...same }: MetaRun): ContextValue<'meta_runs.create'> {
  const content = { criteria: [...criteria], plan: { ...plan }, progress: { ...progress } };
  return { ...same, ...content, created_at: createdAt, updated_at: updatedAt, ended_at: endedAt };
}

function metaRunOrNull(run: MetaRun | undefined): ContextValue<'meta_runs.get'> {
  return run ? metaRunOf(run) : null;
}

function memoryIn(ctx: RunContext, shared: boolean): Memory {
  return shared ? ctx.sharedMemory : ctx.memory;
}

function rememberedOf(entry: MemoryEntry | undefined): ContextValue<'memory.get'> {
  return entry ? entryOf(entry) : null;
}

function entryOf({ namespace, key, value, metadata, version, expiresAt, createdAt, updatedAt }: MemoryEntry): NonNullable<ContextValue<'memory.get'>> {
  return { namespace, key, value: value ?? null, metadata: { ...metadata }, version, expires_at: expiresAt, created_at: createdAt, updated_at: updatedAt };
}

function matchOf({ path, fileType, score, summary, sizeBytes }: FileMatch): ContextValue<'workspace.search'>[number] {
  return { path, file_type: fileType, score, summary, size_bytes: sizeBytes };
}

function onceOf({ image, timeout }: { image?: string | undefined; timeout?: number | undefined }): { image?: string; timeoutSeconds?: number } {
  return { ...(image !== undefined && { image }), ...(timeout !== undefined && { timeoutSeconds: timeout }) };
}

function patchOf({ patchId, path, operation, sizeBytes, sha256, state, reason }: Patch): ContextValue<'view.write'> {
  return { patch_id: patchId, path, operation, size_bytes: sizeBytes, sha256, state, reason };
}

function execOf({ stdout, stderr, exitCode, truncated, timedOut }: ExecResult): ContextValue<'sandbox.exec'> {
  return { stdout, stderr, exit_code: exitCode, truncated, timed_out: timedOut };
}
