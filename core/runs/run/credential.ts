// The run credential: what a running skill proves itself with at the platform and at other agents. Stateless,
// so that a call which only computes costs one HMAC and no row: `svc_run_` base64url(claims) "."
// base64url(HMAC-SHA256 over the claims' text).
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { fromBase64Url } from '#contract/wire/base64url.ts';
import type { Vault } from '#drivers/vault/port.ts';
import type { RunActor } from '../../kernel/ctx.ts';

export const RUN_TOKEN_PREFIX = 'svc_run_';

/** Eight calls deep, each with the longest names, fit well below this. */
const maxLength = 8192;

const name = z.string().min(1).max(256);
/** Short names: the credential travels with every call. */
const Claims = z.strictObject({
  r: name,
  a: z.tuple([name, name]),
  d: name,
  o: name,
  s: name,
  u: name.nullable(),
  /** Member of the organization that `u` is. */
  m: name.optional(),
  c: z.tuple([name, name.nullable()]),
  h: z.array(name).min(1).max(32),
  p: name.nullable(),
  t: name.nullable(),
  j: name.nullable(),
  /** For a durable run: hash of its input, grant. */
  w: z.tuple([name, name.nullable()]).optional(),
  /** First run of the chain. */
  g: name.optional(),
  /** What its caller said of its trace. */
  e: z
    .tuple([
      z.string().regex(/^[0-9a-f]{32}$/),
      z
        .string()
        .regex(/^[0-9a-f]{16}$/)
        .nullable(),
    ])
    .optional(),
  /** Push addresses that its request names. */
  n: z.array(z.string().length(64)).max(4).optional(),
  /** It only looks. */
  l: z.literal(true).optional(),
  /** Begun, milliseconds since the epoch. */
  i: z.int(),
  /** Ends, milliseconds since the epoch, unless the run's row is still open. */
  x: z.int(),
});

export interface ReadCredential {
  actor: RunActor;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Prepared once: made from bytes at each call, the key costs more than the HMAC. */
const keys = new WeakMap<Vault, KeyObject>();

async function keyOf(vault: Vault): Promise<KeyObject> {
  const known = keys.get(vault);
  if (known) return known;
  const key = createSecretKey(await vault.derive('run-credentials'));
  keys.set(vault, key);
  return key;
}

export async function mintRunCredential(vault: Vault, run: RunActor, expiresAt: number): Promise<string> {
  const claims: z.infer<typeof Claims> = {
    r: run.run_id,
    a: [run.agent_id, run.agent_name],
    d: run.deploy_id,
    o: run.owner_id,
    s: run.skill,
    u: run.user_id,
    ...(run.person_id === undefined ? {} : { m: run.person_id }),
    c: [run.caller.kind, run.caller.id],
    h: [...run.chain],
    p: run.parent_run_id,
    t: run.thread_id,
    j: run.job_id,
    ...(run.adoptable ? { w: [run.adoptable.input_sha256, run.adoptable.grant_id] } : {}),
    ...(run.root_run_id === undefined ? {} : { g: run.root_run_id }),
    ...(run.trace ? { e: [run.trace.trace_id, run.trace.parent_span_id] satisfies [string, string | null] } : {}),
    ...(run.names ? { n: [...run.names] } : {}),
    ...(run.looks ? { l: true } : {}),
    i: run.started_at,
    x: expiresAt,
  };
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${RUN_TOKEN_PREFIX}${payload}.${macOf(payload, await keyOf(vault)).toString('base64url')}`;
}

/** Undefined unless the platform made it. It may have expired: look at `expiresAt`. */
export async function readRunCredential(vault: Vault, token: string): Promise<ReadCredential | undefined> {
  if (token.length > maxLength || !token.startsWith(RUN_TOKEN_PREFIX)) return undefined;
  const [payload, signature, ...rest] = token.slice(RUN_TOKEN_PREFIX.length).split('.');
  if (!payload || !signature || rest.length > 0) return undefined;
  const given = fromBase64Url(signature);
  const due = macOf(payload, await keyOf(vault));
  if (given?.length !== due.length || !timingSafeEqual(given, due)) return undefined;
  const claims = Claims.safeParse(parsed(fromBase64Url(payload)));
  return claims.success ? { actor: actorOf(claims.data), expiresAt: claims.data.x } : undefined;
}

function actorOf({ r, a, d, o, s, u, m, c, h, p, t, j, w, g, e, n, l, i }: z.infer<typeof Claims>): RunActor {
  return {
    kind: 'run',
    run_id: r,
    agent_id: a[0],
    agent_name: a[1],
    deploy_id: d,
    owner_id: o,
    skill: s,
    user_id: u,
    ...(m === undefined ? {} : { person_id: m }),
    caller: { kind: c[0], id: c[1] },
    chain: h,
    parent_run_id: p,
    thread_id: t,
    job_id: j,
    started_at: i,
    ...(g === undefined ? {} : { root_run_id: g }),
    ...(e ? { trace: { trace_id: e[0], parent_span_id: e[1] } } : {}),
    ...(n ? { names: n } : {}),
    ...(l ? { looks: l } : {}),
    ...(w ? { adoptable: { input_sha256: w[0], grant_id: w[1] } } : {}),
  };
}

function macOf(payload: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(payload, 'ascii').digest();
}

function parsed(bytes: Uint8Array | undefined): unknown {
  try {
    return bytes && JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
