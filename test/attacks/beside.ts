// Calls of the operations that are no routes of the public contract, with records of Ada's and valid bodies; and which of them are about who asks.
import { routesOf, type DeclaredRoute } from '#contract/inventory.ts';
import { isSchema, locate } from '#contract/kit.ts';
import { pathOf } from '#contract/route-table.ts';
import { sample } from '#contract/sample.ts';
import { internal } from '#api/handlers.ts';

export const BESIDE: DeclaredRoute[] = routesOf(internal.contract);

/** Valid bodies where none can be made of the schema. */
const BODIES: Record<string, object> = {
  'approvals.setPolicy': { rules: [] },
  'approvals.delegate': { to: 'ben@example.com', ends_at: '2100-01-01T00:00:00Z' },
  'organizationSettings.accept': { token: `mem_${'0'.repeat(36)}.${'A'.repeat(43)}` },
  'sourceEditor.save': { message: 'Mine now', changes: [{ path: 'agent.ts', content: 'x', blob: null }] },
  'folders.move': { from: 'drafts/', to: 'mine/' },
  'prices.put': { call_micros: 20_000 },
  'sourceEditor.deploy': { commit: 'a'.repeat(40) },
  'studioGuests.create': { name: 'watch', goal: 'Alert me when the website is down', inputs: { url: 'https://harbour.example.org/' } },
};

/** What a route requires in headers. */
const HEADERS: Record<string, Record<string, string>> = {
  'fileUploads.create': { 'upload-length': '3', 'upload-metadata': `path ${Buffer.from('mine.txt').toString('base64')}` },
  'fileUploads.append': { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
};

/** They answer about the account that asks, whoever's the names in the path are. */
const OF_THE_CALLER = [
  'accountEvents.stream',
  'charges.list',
  'evaluations.consents',
  'evaluations.withdrawConsent',
  'fileUploads.create',
  'fileUploads.list',
  'inbox.waits',
  'organizationSettings.accept',
  'organizationSettings.joinable',
  'inbox.notifications',
  'inbox.setNotifications',
  'policyDenials.list',
  'policyRules.get',
  'policyRules.put',
  'policyRules.test',
  'policyRules.decisions',
  'schedulePreviews.show',
  'signIns.endOthers',
  'signIns.list',
  'studioRuns.list',
  'topUps.list',
];
/** Everybody may ask; what only operators see is not among it for others. A guest run is of who has its token. */
const OF_EVERYBODY = ['agentUptime.get', 'installation.get', 'studioGuests.create', 'studioGuests.get'];

/** Whether they may be answered. 409: what the caller has of their own is at another version. 410: an invitation that does not exist. */
export const isOfTheCaller = (id: string, { ok, status }: Response): boolean =>
  [...OF_THE_CALLER, ...OF_EVERYBODY].includes(id) && (ok || status === 409 || status === 410);

interface Sent {
  url: string;
  records: Record<string, string>;
  token: string | undefined;
  headers?: Record<string, string>;
}

export function callBeside({ id, spec }: DeclaredRoute, { url, records, token, headers = {} }: Sent): Promise<Response> {
  const names = Object.keys(spec.params?._zod.def.shape ?? {});
  const params = Object.fromEntries(names.map((one) => [one, records[`${id}.${one}`] ?? records[one] ?? 'x']));
  const query = spec.query ? Object(sample(spec.query)) : {};
  const body = spec.body && isSchema(spec.body) ? JSON.stringify(BODIES[id] ?? sample(spec.body)) : undefined;
  return fetch(url + pathOf(spec, { params, query }), {
    method: locate(spec).method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...HEADERS[id],
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}
