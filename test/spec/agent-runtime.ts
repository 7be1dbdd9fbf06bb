// The sentences of the second document, and where each is proven: a file of tests, and words of the title of the test in it.
// A test may also cite a sentence itself: provesAgent('grants.wire', …). coverage.test.ts checks that what is named here is there.
import { test } from 'vitest';

const authoring = 'sdk/typescript/authoring';
const runtime = 'sdk/typescript/runtime';
const platform = 'sdk/typescript/platform';
const python = 'test/languages/python.parts.test.ts';
const sandbox = 'drivers/sandbox/conformance.ts';
const hostile = 'drivers/sandbox/hostile.vm.test.ts';
const scope = 'core/runs/scope';
const wait = 'workflows/human-wait.parts.test.ts';
const grant = 'core/workspace/grant/grants.test.ts';
const waiting = `${runtime}/waiting.test.ts`;
const local = `${platform}/local.test.ts`;
const http = `${runtime}/http.test.ts`;
const stream = `${runtime}/stream.test.ts`;
const resolvers = `${authoring}/resolvers.test.ts`;

interface Sentence {
  /** In a few words of ours. */
  says: string;
  /** File, then words of the title. */
  proof: readonly (readonly [file: string, title: string])[];
}

const sentence = (says: string, ...proof: Sentence['proof']): Sentence => ({ says, proof });

export const AGENT_RUNTIME = {
  'service.hosted': sentence('one class becomes a service with its own address', ['test/e2e/first-call.test.ts', 'builds in a microVM and goes live']),
  'service.routes': sentence(
    'liveness, card, skills, tools, app',
    [http, 'answers liveness and card'],
    [`${runtime}/mcp.test.ts`, 'lists every skill as a tool'],
    [`${runtime}/frontend/frontend.test.ts`, 'is served at its mount'],
  ),
  'service.handover': sentence(
    'files of a caller reach another agent by a grant alone',
    [local, 'reach each other by name, a fresh context per callee, under a delegated grant'],
    ['core/agents/call/runs.test.ts', 'a grant that is passed on is named'],
  ),
  'service.isolation': sentence(
    'agent code cannot weaken its isolation',
    ['test/e2e/first-call.test.ts', 'there is no way out of the guest'],
    [hostile, 'finds no way out'],
    ['contract/wire/card.test.ts', 'knows one isolation only'],
  ),

  'class.attributes': sentence(
    'every attribute, with its default',
    [`${authoring}/declare.test.ts`, 'carries every attribute'],
    [`${authoring}/declare.test.ts`, 'leaves everything else to the defaults'],
    ['sdk/python/tests/test_declare.py', 'test_defaults_are_the_specifications'],
  ),
  'class.config': sentence('the config model is checked and passed', [`${runtime}/config.test.ts`, 'is checked, defaulted and found on the agent']),
  'class.secrets': sentence('missing secrets are told at deploy', [`${runtime}/config.test.ts`, 'warns of a required secret']),
  'class.hooks': sentence('startup and shutdown run once each', [http, 'starts once before the first invocation'], [python, 'shutdown runs the hook once']),
  'class.health': sentence('health() is the liveness check', [http, 'asks health()']),

  'skill.parameters': sentence('every parameter of the decorator', [`${authoring}/declare.test.ts`, 'carries every attribute and skill parameter']),
  'skill.rules': sentence(
    'asynchronous, context first, annotated, nothing variadic',
    ['sdk/python/tests/test_declare.py', 'test_every_problem_is_told_at_once'],
    [`${authoring}/declare.test.ts`, 'are all told at once'],
  ),
  'skill.schema': sentence('a closed object; required is what has no default', ['sdk/python/tests/test_declare.py', 'test_schemas_are_closed']),
  'skill.retries': sentence('only idempotent skills are tried again', [`${runtime}/executor.test.ts`, 'tries again where the author allowed it']),
  'card.fields': sentence(
    'the card, field for field, in both languages',
    ['contract/wire/card.test.ts', 'has the defaults of the specification'],
    ['sdk/golden/golden.test.ts', 'the card'],
    [python, 'compiles to the card TypeScript has'],
  ),

  'grants.fields': sentence('a grant, field for field', ['sdk/golden/grant.test.ts', 'minted and signed']),
  'grants.wire': sentence(
    'payload and HMAC, no altered token accepted',
    ['test/fuzz/grant-tokens.test.ts', 'mutated tokens, none accepted'],
    ['test/fuzz/grant-tokens.parts.test.ts', 'mutated grant tokens'],
  ),
  'grants.mint': sentence('mint_grant and its defaults', [`${authoring}/grants.test.ts`, 'mint_grant returns the grant']),
  'grants.verify': sentence('verify_grant raises GrantInvalid on any failure', [`${authoring}/grants.test.ts`, 'verify_grant raises GrantInvalid']),
  'grants.audience': sentence('the receiving side checks the audience', [grant, 'by nobody else: another agent']),

  'workspace.policy': sentence(
    'none() and dynamic(), with their bounds',
    [local, 'WorkspaceAccess.none()'],
    [local, 'the policy bounds number, mode and reason'],
    [local, 'keeps to max_total_size_bytes'],
  ),
  'workspace.search': sentence(
    'search(query, types, limit = 20)',
    [local, 'search(query, types, limit = 20)'],
    [`${scope}/scope.test.ts`, 'search: under a grant'],
  ),
  'workspace.open_view': sentence(
    'open_view picks files for a purpose',
    [local, 'open_view picks files'],
    [`${scope}/scope.test.ts`, 'a view is picked for a purpose'],
  ),
  'workspace.request_access': sentence(
    'request_access names files',
    [local, 'request_access asks for named files'],
    [`${scope}/scope.test.ts`, 'files by name'],
  ),
  'workspace.delegate': sentence(
    'delegate gives a contained token',
    [local, 'delegate() gives a contained grant'],
    [grant, 'a run hands on what it holds'],
    ['contract/wire/containment.test.ts', 'never reads or writes a path that its parent may not'],
  ),
  'workspace.install': sentence('install_grant supersedes', [local, 'install_grant supersedes']),
  'workspace.patches': sentence(
    'writes are patches, committed or rejected outside',
    [local, 'stages writes as patches'],
    [local, 'rejects them when the run failed'],
  ),
  'workspace.no_paths': sentence('no path of the platform reaches an agent', [local, 'serves a folder: real files']),

  'sandbox.handle': sentence(
    'create, get, list, remove, exec, shell, logs, stop, kill',
    [sandbox, 'gives arguments to the program untouched'],
    [sandbox, 'keeps logs, also after stop'],
    [sandbox, 'stop asks politely'],
    [sandbox, 'kill ends at once'],
    ['core/runs/sandbox/sandbox.test.ts', 'create, exec, stop, remove'],
  ),
  'sandbox.one_shot': sentence('run_python and run_shell leave nothing', ['core/runs/sandbox/sandbox.test.ts', 'one-shots leave nothing']),
  'sandbox.spec': sentence(
    'spec defaults, secrets, egress, workspace',
    [`${platform}/control-plane.test.ts`, 'drives sandboxes, with secrets by value'],
    ['core/runs/sandbox/sandbox.test.ts', 'a granted workspace is mounted'],
    [hostile, 'reaches through the proxy only what its owner named'],
  ),
  'sandbox.image': sentence('any image', ['drivers/sandbox/images.vm.test.ts', 'are pulled from a registry and run']),
  'sandbox.truncated': sentence('too much output is cut, and said so', [sandbox, 'keeps the first and the last half']),
  'sandbox.unavailable': sentence('without a runtime: SandboxUnavailable', [local, 'raises SandboxUnavailable']),

  'run.artifacts': sentence(
    'write_artifact, emit_artifact and the reference',
    [local, 'are stored, announced by emit_artifact'],
    ['core/runs/artifact/artifact.test.ts', 'a link opens its own file until it ends'],
  ),
  'run.events': sentence(
    'progress, text, events of its own, errors that do not raise',
    [stream, 'carry numbered events in order'],
    [python, 'streams events in order'],
  ),
  'run.call': sentence('call returns result, events, artifacts, grant_id', [local, 'return a CallResult']),
  'run.secret': sentence('secret(name)', [`${runtime}/config.test.ts`, 'blots out the values of secrets']),
  'run.cancelled': sentence(
    'check_cancelled raises once the caller left',
    [stream, 'stop the skill when the caller goes away'],
    [python, 'by check_cancelled'],
  ),
  'run.scopes': sentence(
    'scopes are enforced before the handler',
    [http, 'enforces scopes against what'],
    [resolvers, 'enforces its scopes before the handler'],
  ),
  'run.deadlines': sentence('skill timeout and max_runtime_seconds', [`${runtime}/executor.test.ts`, 'answers at the deadline'], [waiting, 'stops the clock']),
  'run.concurrency': sentence('no more at once than concurrency', [`${runtime}/executor.test.ts`, 'never runs more than']),

  'ask.event': sentence('ask emits question and returns the text', [waiting, 'emits the event'], [wait, 'an answer is stored, and told to the running skill']),
  'ask.timeout': sentence(
    '180 s by default, then a time-out',
    [waiting, 'is open for 180 seconds by default'],
    [waiting, 'raises a timeout error'],
    [wait, 'after the deadline'],
  ),
  'ask.answer': sentence('answer returns a bool', [waiting, 'answer(question_id, answer) returns a bool']),
  'scope.opt_in': sentence(
    'without opt-in: ScopeExpansionNotAllowed',
    [waiting, 'raises ScopeExpansionNotAllowed'],
    [`${scope}/scope.test.ts`, 'a skill that has not opted in'],
  ),
  'scope.approved': sentence(
    'a fresh grant is verified, installed, returned',
    [waiting, 'resolves the pending request by a fresh signed grant'],
    [wait, 'an approved scope request becomes a grant'],
  ),
  'scope.denied': sentence('deny_scope raises ScopeDenied', [waiting, 'raises ScopeDenied with the reason'], [waiting, 'deny_scope and resolve_scope_grant']),
  'scope.buckets': sentence(
    'crossing buckets is always denied',
    [`${scope}/decide.test.ts`, '%s is always denied'],
    [`${scope}/scope.test.ts`, 'grant is denied, anonymous callers too'],
  ),
  'scope.auto': sentence('read-only, short and harmless is approved at once', [`${scope}/decide.test.ts`, 'lowest-risk request']),
  'scope.asks': sentence('mode upgrades and write prefixes always ask', [`${scope}/decide.test.ts`, '%s always asks'], [waiting, 'always asks for %s']),

  'endpoints.invoke': sentence(
    'POST /invoke/{skill}: JSON or events',
    [http, 'runs a skill and names the run'],
    [stream, 'give the result alone to a caller that asks for JSON'],
  ),
  'endpoints.mcp': sentence('MCP over Streamable HTTP', ['test/protocols/mcp-conformance.parts.test.ts', ''], [`${runtime}/mcp.test.ts`, 'structured content']),
  'endpoints.a2a': sentence('tasks, REST and JSON-RPC on every agent', ['test/protocols/a2a.parts.test.ts', 'the card names both bindings']),
  'endpoints.scope_grants': sentence(
    'POST /scope-grants/{id} is the platform’s alone',
    [waiting, 'takes the key and nothing else'],
    [waiting, 'another token is 403 grant_invalid'],
  ),
  'endpoints.app': sentence(
    '/app and /app/config.json follow the auth mode',
    [`${runtime}/frontend/frontend.test.ts`, 'publishes its contract'],
    [`${runtime}/frontend/frontend.test.ts`, 'inherit: whom the agent lets in'],
    [`${runtime}/frontend/frontend.test.ts`, 'platform: signed-in people'],
  ),
  'client.http': sentence('the HTTP client posts to /invoke/{skill}', [`${platform}/a2a-client.test.ts`, 'posts to /invoke/{skill}']),
  'client.memory': sentence('in memory each callee has a fresh context', [local, 'a fresh context per callee']),
  'client.timeout': sentence('calls end after their timeout', [local, 'end after their timeout']),
  'client.loops': sentence('loops and depth are bounded', ['core/agents/call/runs.test.ts', 'loops and depth are bounded'], [local, 'do not go in circles']),
  discovery: sentence(
    'find_agents and get_agent query the registry',
    [`${platform}/a2a-client.test.ts`, 'query the registry'],
    [`${platform}/a2a-client.test.ts`, 'gives up after its timeout'],
    [`${scope}/scope.test.ts`, 'agents that a run may call'],
  ),
  'audit.grants': sentence(
    'GET /v1/me/grants/{id}: the row and all that came from it',
    [grant, 'a grant with all that came from it'],
    ['api/routes/workspace/grants.test.ts', 'grant is not there'],
  ),
  manifest: sentence(
    'svc.yaml, and what it refuses',
    ['contract/wire/manifest.test.ts', 'reads the three required keys'],
    ['contract/wire/manifest.test.ts', 'refuses expose.public'],
    ['contract/wire/manifest.test.ts', 'fills the frontend block'],
  ),

  'auth.key': sentence('SVC_API_KEY guards all but liveness and card', [http, 'where a key is set'], [http, 'answers liveness and card without a key']),
  'auth.401': sentence('401 by default; a resolver may set its own status', [resolvers, '%s is refused'], [python, 'which may set its own status']),
  'auth.resolvers': sentence(
    'the six resolvers',
    [resolvers, 'APIKeyAuthResolver requires'],
    [resolvers, 'NoAuthResolver is always'],
    [resolvers, 'maps the answer by the default fields'],
    [resolvers, 'verifies the session cookie'],
    [resolvers, 'maps by fields of its own'],
    [resolvers, 'trusts identity headers only when told'],
  ),
  'auth.timeout': sentence('remote resolvers give up after 5 s', [resolvers, 'gives up after its timeout']),
  'auth.grants': sentence('a bad grant is 403', [`${runtime}/detached.test.ts`, 'is refused with 403 and nothing else said']),

  'events.heartbeat': sentence('a comment after 15 s of silence', [stream, 'carry a comment while nothing happens']),
  'events.bridge': sentence('the platform bridges them', ['test/e2e/first-call.test.ts', 'a streaming skill arrives as events']),
  'events.golden': sentence('the same events from both languages', ['sdk/golden/worker.test.ts', 'each event fits the payload']),
  'errors.input': sentence('SkillInputError is 400, with every issue', [http, 'lists every issue']),
  'errors.names': sentence(
    'the errors by name, in both languages',
    ['sdk/golden/worker.test.ts', 'keeps code, message, status'],
    [python, 'errors by name with nothing of the inside'],
  ),
  'errors.inside': sentence('what failed inside stays inside', [stream, 'end with the failure, without internals']),
  'workers.death': sentence('a worker that dies takes only its runs with it', [python, 'a worker that dies takes only its runs']),
  'versioning.semver': sentence('a version that is no semver is refused', [`${authoring}/declare.test.ts`, '%s']),

  'resources.gpu': sentence('gpu is declared and carried on the card', ['contract/wire/card.test.ts', 'has the defaults of the specification']),
  'class.required_env': sentence('required_env is carried on the card', [`${authoring}/declare.test.ts`, 'carries every attribute']),
} as const satisfies Record<string, Sentence>;

export type SentenceId = keyof typeof AGENT_RUNTIME;

/** A test that cites a sentence itself. */
export function provesAgent(id: SentenceId, what: string, prove: () => Promise<void> | void): void {
  test(`[${id}] ${what}`, prove);
}

/** What is true by declaration only, and why no test shows it at work. */
export const UNPROVEN: Partial<Record<SentenceId, string>> = {
  'resources.gpu': 'the declaration is proven; emulated machines have no GPU that could be given to an agent',
};
