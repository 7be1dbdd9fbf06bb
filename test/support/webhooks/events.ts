// Push events as Forgejo and GitHub shape them, with names of our own, and signed as they sign.
import { createHmac, randomUUID } from 'node:crypto';

export interface PushEvent {
  repository: string;
  after: string;
  ref?: string;
  /** Milliseconds since the epoch. */
  at?: number;
}

export interface Sent {
  body: object;
  headers: Record<string, string>;
}

const person = { name: 'ada', email: 'ada@example.test', username: 'ada' };
const zeros = '0'.repeat(40);

export function forgejoPush({ repository, after, ref = 'refs/heads/main', at = Date.now() }: PushEvent, secret: string): Sent {
  const [owner = '', name = ''] = repository.split('/');
  const instant = new Date(at).toISOString();
  const commit = { id: after, message: 'change\n', url: `https://git.example.test/${repository}/commit/${after}`, author: person, committer: person };
  const body = {
    ref,
    before: zeros,
    after,
    compare_url: '',
    commits: [{ ...commit, verification: null, timestamp: instant, added: ['agent.ts'], removed: [], modified: [] }],
    total_commits: 1,
    head_commit: { ...commit, timestamp: instant },
    repository: {
      id: 7,
      owner: { id: 1, login: owner, full_name: '', email: person.email, username: owner },
      name,
      full_name: repository,
      private: true,
      clone_url: `https://git.example.test/${repository}.git`,
      default_branch: 'main',
      updated_at: instant,
    },
    pusher: { id: 1, login: owner, username: owner },
    sender: { id: 1, login: owner, username: owner },
  };
  return { body, headers: { 'x-forgejo-event': 'push', 'x-forgejo-delivery': randomUUID(), 'x-forgejo-signature': signature(body, secret) } };
}

export function githubPush({ repository, after, ref = 'refs/heads/main', at = Date.now() }: PushEvent, secret: string): Sent {
  const [owner = '', name = ''] = repository.split('/');
  const body = {
    ref,
    before: zeros,
    after,
    created: true,
    deleted: /^0+$/.test(after),
    forced: false,
    compare: `https://github.example.test/${repository}/compare`,
    commits: [],
    head_commit: { id: after, tree_id: zeros, distinct: true, message: 'change', timestamp: new Date(at).toISOString(), author: person, committer: person },
    repository: {
      id: 7,
      node_id: 'R_7',
      name,
      full_name: repository,
      private: true,
      owner: { name: owner, login: owner },
      pushed_at: Math.floor(at / 1000),
      default_branch: 'main',
    },
    pusher: { name: 'ada', email: person.email },
    sender: { login: 'ada', id: 1, type: 'User' },
  };
  return { body, headers: { 'x-github-event': 'push', 'x-github-delivery': randomUUID(), 'x-hub-signature-256': `sha256=${signature(body, secret)}` } };
}

function signature(body: object, secret: string): string {
  return createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex');
}
