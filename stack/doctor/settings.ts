// The settings that count: those of the API that runs, else those of this shell; and files that they name.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Finding } from '#contract/platform/doctor.ts';
import { reasonOf, reporter } from '#core/platform/doctor/finding.ts';
import { readText } from '../files.ts';
import { isAlive } from '../process.ts';
import { accepts } from '../ports.ts';
import { readRecord } from '../records.ts';
import { places, readSettings, type Settings } from '../settings.ts';

const { ok, warning, problem } = reporter('settings');

type Variables = Readonly<Record<string, string | undefined>>;

export const OURS =
  /^(?:SVC_|DATABASE_URL|TEMPORAL_|OIDC_|STORAGE_URL|S3_|STRIPE_|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)/;
/** Decided for each part by the supervisor, or only of this command. */
const DECIDED = /^SVC_(?:SUPERVISED|DEBUG|READY_FILE|WORKER_SOCKET|CACHE_DIR|PARTS)$/;
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SVC_ACME_CA_FILE', 'SVC_MAIL_TLS_CERT'] as const;
const FILES = ['SVC_MAIL_TLS_KEY', 'SVC_ADVISORIES_FILE'] as const;
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;
const DAY_MS = 86_400_000;

export interface Current {
  settings: Settings;
  /** What a part is started with. */
  env: Record<string, string>;
  findings: Finding[];
}

/** Of the API that runs, where this user may read them. */
export function currentSettings(here: Settings): Current {
  const running = environmentOfApi(here);
  if (running === undefined) return { settings: here, env: here.inherited, findings: [] };
  const differing = Object.keys(here.inherited).filter((name) => OURS.test(name) && !DECIDED.test(name) && here.inherited[name] !== running[name]);
  const findings = differing.map((name) =>
    warning(
      `${name} has another value here than in the API that runs.`,
      'What runs keeps the value that it was started with. To take this one: npm run down, then npm run up.',
    ),
  );
  return { settings: readSettings(running), env: running, findings };
}

/** Files that settings name can be read, and certificates are good; proxies answer. */
export async function lookAtSettings(env: Variables): Promise<Finding[]> {
  const named = [...CERTIFICATES.flatMap((name) => lookAtCertificate(name, env[name])), ...FILES.flatMap((name) => lookAtFile(name, env[name]))];
  const proxies = await Promise.all(PROXIES.map((name) => lookAtProxy(name, env[name])));
  const wrong = [...named, ...proxies.flat()];
  return wrong.length > 0 ? wrong : [ok('The files and proxies that the settings name are there.')];
}

function lookAtCertificate(name: string, path: string | undefined): Finding[] {
  const unreadable = lookAtFile(name, path);
  if (path === undefined || path === '' || unreadable.length > 0) return unreadable;
  try {
    const days = Math.floor((Date.parse(new X509Certificate(readFileSync(path)).validTo) - Date.now()) / DAY_MS);
    if (days < 0) return [problem(`The certificate in ${name} (${path}) has expired.`, 'Put a newer one there, then start again: npm run down, npm run up.')];
    return days < 14 ? [warning(`The certificate in ${name} (${path}) ends in ${days} days.`, 'Renew it, then start again: npm run down, npm run up.')] : [];
  } catch (error) {
    return [
      problem(`${name} names ${path}, which holds no certificate in PEM: ${reasonOf(error)}.`, 'Name a file that begins with -----BEGIN CERTIFICATE-----.'),
    ];
  }
}

function lookAtFile(name: string, path: string | undefined): Finding[] {
  if (path === undefined || path === '') return [];
  try {
    readFileSync(path);
    return [];
  } catch (error) {
    return [
      problem(`${name} names ${path}, which cannot be read: ${reasonOf(error)}.`, 'Correct the path, or let the user that the platform runs as read it.'),
    ];
  }
}

async function lookAtProxy(name: string, value: string | undefined): Promise<Finding[]> {
  if (value === undefined || value === '') return [];
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (url === null) return [problem(`${name} is no URL.`, 'Write it as http://proxy.example.com:3128.')];
  return (await accepts(url.hostname, Number(url.port || (url.protocol === 'https:' ? 443 : 80))))
    ? []
    : [problem(`The proxy of ${name} (${url.host}) does not answer.`, 'Correct it, or unset it: downloads, and images of sandboxes, go through it.')];
}

function environmentOfApi({ stateDir }: Settings): Record<string, string> | undefined {
  const record = readRecord(places(stateDir).run, 'api')?.process;
  if (record === undefined || !isAlive(record)) return undefined;
  const text = readText(`/proc/${record.pid}/environ`);
  if (text === undefined) return undefined;
  return Object.fromEntries(
    text.split('\0').flatMap((line) => {
      const at = line.indexOf('=');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}
