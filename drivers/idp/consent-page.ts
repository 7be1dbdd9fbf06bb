// What a person reads before a program may call an agent as them. All of the program's words are its own claims, but for where it lives.
import type { Client } from 'oidc-provider';
import { isLoopback } from './client-documents.ts';
import { escapeHtml, layout } from './pages.ts';

export interface ConsentView {
  issuer: string;
  /** Of the interaction, below the issuer. */
  path: string;
  client: Client;
  agents: readonly string[];
  person: string;
  redirectUri: string;
}

const MAX_NAME = 60;

/** The page shows the host of a client's metadata document, not the name the client chose. */
export function clientLabel({ clientId, clientName }: Pick<Client, 'clientId' | 'clientName'>): string {
  const host = URL.parse(clientId)?.host;
  const name = clientName
    ?.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME);
  if (host === undefined || host === '') return name || clientId;
  return name ? `${name} (${host})` : host;
}

export function consentPage({ issuer, path, client, agents, person, redirectUri }: ConsentView): string {
  const names = agents.map((agent) => `<strong>${escapeHtml(agent)}</strong>`).join(', ');
  const local = isLoopback(redirectUri);
  const back = local ? 'a program on this computer' : (URL.parse(redirectUri)?.host ?? '') || (URL.parse(redirectUri)?.protocol ?? '');
  const warning = local ? '<p class="bad">Allow it only if you have just begun this in a program on this computer.</p>' : '';
  return layout(
    'Allow',
    `
    <h1>Allow ${escapeHtml(clientLabel(client))}?</h1>
    <p>It asks to call the agent ${names} as ${escapeHtml(person)}. It gets nothing else of your account.</p>
    <p>The answer goes to <strong>${escapeHtml(back)}</strong>.</p>
    ${warning}
    <form method="post" action="${escapeHtml(new URL(issuer).pathname + path)}">
      <button type="submit" name="allow" value="yes">Allow</button>
      <button class="second" type="submit" name="allow" value="no">Refuse</button>
    </form>`,
  );
}
