// One fault for each folder of production code, thought of by hand: each is one that people would meet. The
// first tier must find all of them.

export interface HandMade {
  file: string;
  kind: string;
  /** Stands in the file once. */
  before: string;
  after: string;
}

export const HAND_MADE: readonly HandMade[] = [
  {
    file: 'contract/wire/containment.ts',
    kind: 'a delegated grant outlives the one it comes from',
    before: 'child.expires_at <= parent.expires_at',
    after: 'child.expires_at >= parent.issued_at',
  },
  {
    file: 'api/ingress/headers.ts',
    kind: "a caller's own x-svc- headers reach the agent",
    before: " || folded.startsWith('x-svc-')",
    after: '',
  },
  { file: 'core/kernel/run-state.ts', kind: 'a run that was cancelled goes on', before: 'cancelled: [],', after: "cancelled: ['running']," },
  {
    file: 'db/pool.ts',
    kind: 'a number that is too large changes on the way',
    before: 'if (!Number.isSafeInteger(value))',
    after: 'if (Number.isNaN(value))',
  },
  {
    file: 'drivers/storage/disk.ts',
    kind: 'a reader of a part is given the whole',
    before: '{ fd: handle, ...range }',
    after: '{ fd: handle }',
  },
  {
    file: 'host/egress/policy.ts',
    kind: 'a pattern of hosts lets in a name that only ends like it',
    before: 'host.endsWith(wanted.slice(1))',
    after: 'host.endsWith(wanted.slice(2))',
  },
  { file: 'imports/agent.ts', kind: 'text of an imported agent is lost', before: 'ctx.emitTextDelta(delta)', after: 'undefined' },
  {
    file: 'workflows/human-wait.ts',
    kind: 'a question outlives its time',
    before: 'Math.max(1, expires_at - Date.now())',
    after: 'Math.max(120_000, expires_at - Date.now())',
  },
  {
    file: 'activities/waits.ts',
    kind: 'what several decided is not delivered',
    before: 'advanceApproval(platform(), waitId)',
    after: 'advanceApproval(platform(), waitId).then((advanced) => ({ ...advanced, tell: false }))',
  },
  {
    file: 'worker/outage.ts',
    kind: 'an outage of another part is waited for',
    before: 'if (!isOutage(error) || (await answers())) throw error;',
    after: 'if (!isOutage(error)) throw error;',
  },
  { file: 'sdk/typescript/runtime/event-log.ts', kind: 'an event is lost after a break', before: 'seq + 1 - this.oldest', after: 'seq + 2 - this.oldest' },
  { file: 'sdk/client/index.ts', kind: 'the package lacks its error', before: '  ApiError,\n', after: '' },
  {
    file: 'sdk/python/src/svc/grant.py',
    kind: 'a grant holds after its time',
    before: 'grant.expires_at > now and ',
    after: '',
  },
  { file: 'web/form/value.ts', kind: 'a form begins without what is usual', before: 'if (field.usual !== undefined) return field.usual;', after: '' },
  {
    file: 'cli/lib/errors.ts',
    kind: 'a script cannot tell that nobody is signed in',
    before: 'exitCode: EXIT.notSignedIn };',
    after: 'exitCode: EXIT.failure };',
  },
  { file: 'stack/restart.ts', kind: 'a restart that somebody asked for is taken for a failure', before: 'return true;', after: 'return false;' },
];
