// What a person reads before a program may call an agent as them, or learns who they are. All of the
// program's words are its own claims, but for where it lives.
import type { Client } from 'oidc-provider';
import { isLoopback } from './client-documents.ts';
import { escapeHtml, layout } from './pages.ts';
import { isRegistered } from './registered-clients.ts';

export interface ConsentView {
  issuer: string;
  /** Of the interaction, below the issuer. */
  path: string;
  client: Client;
  /** Empty: it only signs the person in. */
  agents: readonly string[];
  /** Scopes of what it learns of the person. */
  learns: readonly ('email' | 'profile')[];
  person: string;
  redirectUri: string;
}

const MAX_NAME = 60;

/**
 * Beside the name stands the host of its document; of a client that registered itself, that nobody else has
 * named it so.
 */
export function clientLabel({ clientId, clientName }: Pick<Client, 'clientId' | 'clientName'>): string {
  const host = URL.parse(clientId)?.host;
  const name = clientName
    ?.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME);
  if (isRegistered(clientId)) return name ? `a program that calls itself “${name.replaceAll(/[“”„‟"]/g, "'")}”` : 'a program without a name';
  if (host === undefined || host === '') return name || clientId;
  return name ? `${name} (${host})` : host;
}

export function consentPage({ issuer, path, client, agents, learns, person, redirectUri }: ConsentView): string {
  const local = isLoopback(redirectUri);
  const back = local ? 'a program on this computer' : (URL.parse(redirectUri)?.host ?? '') || (URL.parse(redirectUri)?.protocol ?? '');
  const warning = local ? '<p class="bad">Allow it only if you have just begun this in a program on this computer.</p>' : '';
  const named = isRegistered(client.clientId)
    ? '<p class="bad">It registered itself, and nobody has checked its name. Allow it only if you have just connected a program to this agent, and know where the answer goes.</p>'
    : '';
  return layout(
    'Allow',
    `
    <h1>Allow ${escapeHtml(clientLabel(client))}?</h1>
    <p>${requestText({ agents, learns, person })} It gets nothing else of your account.</p>
    <p>The answer goes to <strong>${escapeHtml(back)}</strong>.</p>
    ${named}
    ${warning}
    <form method="post" action="${escapeHtml(new URL(issuer).pathname + path)}">
      <button type="submit" name="allow" value="yes">Allow</button>
      <button class="second" type="submit" name="allow" value="no">Refuse</button>
    </form>`,
  );
}

function requestText({ agents, learns, person }: Pick<ConsentView, 'agents' | 'learns' | 'person'>): string {
  const names = agents.map((agent) => `<strong>${escapeHtml(agent)}</strong>`).join(', ');
  const call = `It asks to call the agent ${names} as ${escapeHtml(person)}`;
  // The scope "email" has the name with it.
  const known = learns.includes('email') ? `your name and your email address, ${escapeHtml(person)}` : 'your name';
  if (agents.length === 0 && learns.length === 0)
    return 'It asks you to sign in, and learns an id that is always yours: neither your name nor your email address.';
  if (agents.length === 0) return `It asks you to sign in, and learns ${known}.`;
  return learns.length === 0 ? `${call}.` : `${call}, and to learn ${known}.`;
}
