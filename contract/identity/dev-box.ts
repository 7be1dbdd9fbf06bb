// A dev box: a machine with an agent's repository, behind SSH in a WebSocket.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';
import { BOX_STATES } from '../states.ts';

/** For how long the token opens tunnels. One that is open goes on as long as who opened it may. */
export const TUNNEL_TOKEN_SECONDS = 300;
export const TUNNEL_PATH = '/v1/agents/{name}/ssh/tunnel';
/** What the WebSocket carries: bytes of SSH as binary messages, and notes for people as text. */
export const TUNNEL_PROTOCOL = 'svc-ssh.v1';
export const BOX_USER = 'agent';

export const AgentSshIn = z
  .strictObject({
    public_key: z
      .string()
      .min(1)
      .max(1_024)
      .meta({
        description:
          'One line as ssh-keygen writes it, of a key made for this: Ed25519, ECDSA, or RSA of 2048 bits and more. The only key that the tunnel takes.',
        examples: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAID5SsbW6mXq/YgbBjbGlHtzbSHJPiugKDQ/yCmKdR9IJ'],
      }),
  })
  .meta({ id: 'AgentSshIn' });

export const AgentSshOut = z
  .strictObject({
    url: z.string().meta({ description: 'Address of the WebSocket (wss, where the platform has https). Send the access token as `Authorization: Bearer`.' }),
    protocol: z.string().meta({ description: 'Subprotocol of the WebSocket. Binary messages are the bytes of SSH, text messages are notes for people.' }),
    access_token: z.string().meta({ description: 'Opens tunnels only to this box, until expires_at. Shown only once.' }),
    expires_at: Instant,
    user: z.string().meta({ description: 'Name to sign in with over SSH.' }),
    host_key: z.string().meta({ description: 'Public key of the box, the same for its whole life: check it.' }),
    folder: z.string().meta({ description: 'Where the repository is in the box.' }),
    state: z
      .enum(BOX_STATES)
      .meta({ description: 'The state of the box at the time of the request: a stopped box starts in seconds, the first start takes minutes.' }),
    web_url: z.string().nullable().meta({
      description: 'The address at which the owner reaches the server of `svc dev` in the box. null: the name of the agent is too long for an address.',
    }),
  })
  .meta({ id: 'AgentSshOut' });

export const devBox = group({
  ssh: {
    at: 'POST /v1/agents/{name}/ssh',
    summary: "Open the agent's dev box for SSH",
    description:
      'Makes or wakes the dev box of this agent and this owner. Two things open it: the access token opens the tunnel, and inside the tunnel SSH takes the public key of this request and no other. Without connections the box is suspended, later it has no machine; the files in its home folder stay.',
    scope: 'authenticated',
    params: AgentParams,
    body: AgentSshIn,
    out: AgentSshOut,
    errors: [400, 401, 403, 404],
  },
});
