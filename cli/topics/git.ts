// The repository of an agent, and how git signs in to it.
import { text } from 'node:stream/consumers';
import { Option } from 'clipanion';
import { oneOf } from '../lib/api-command.ts';
import { customCommand } from '../lib/command.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';

export const clone = customCommand('clone', {
  about: "clone your agent's source, ready to push",
  details:
    'A push to main deploys, and git push prints the build log. git asks this tool for a token each time (svc git-credential), so that none is in a file. With --remote the repository of --project gets the agent as a remote, and nothing is cloned.',
  examples: [
    ['Into the folder greeter', 'svc clone greeter'],
    ['A project that is in git already', 'svc clone greeter --remote svc'],
  ],
  arguments: { agent: 'AGENT', folder: '[FOLDER]' },
  options: () => ({
    remote: Option.String('--remote', { description: 'add it as this remote of an existing repository' }),
    project: Option.String('--project,-p', '.', { description: 'folder of that repository, with --remote' }),
  }),
  run: async ({ agent, folder, remote, project }, { client, context, output, apiUrl }) => {
    const source = await client.agents.source({ params: { name: agent } });
    const [{ credentialSettings }, { runGit }] = [await import('../git/settings.ts'), await import('../git/run.ts')];
    const launcher = [process.execPath, process.argv[1] ?? 'svc'];
    const settings = credentialSettings(apiUrl, { path: context.env.PATH, launcher });
    const git = async (args: readonly string[]): Promise<void> => {
      const code = await runGit(context, args);
      if (code !== 0) throw new CliError('git failed; its words are above.', EXIT.failure);
    };
    // The address by which this tool reaches the platform, which need not be the platform's own word for
    // itself.
    const url = `${apiUrl}${new URL(source.clone_url).pathname}`;
    if (remote === undefined) {
      const target = folder ?? source.name;
      await git(['clone', ...settings.flatMap(({ name, value }) => ['--config', `${name}=${value}`]), '--', url, target]);
      const { restoreSdk } = await import('../project/vendor.ts');
      const archive = await restoreSdk(target);
      if (archive !== undefined) output.note(`Wrote ${archive}: the SDK that package.json names, which the platform does not keep. Commit it.`);
      output.hint(`Change it, commit, then deploy it with: git -C ${target} push origin HEAD:${source.default_branch}`);
      return { place: target, made: { ...source, folder: target } };
    }
    const at = ['-C', project];
    await git([...at, 'remote', 'add', '--', remote, url]);
    for (const [n, { name, value }] of settings.entries()) await git([...at, 'config', '--local', ...(n === 0 ? ['--replace-all'] : ['--add']), name, value]);
    output.hint(`Deploy what is committed with: git push ${remote} HEAD:${source.default_branch}`);
    return { place: url, made: { ...source, remote } };
  },
  json: ({ made }) => made,
  lines: ({ place }) => [place],
});

/** What git calls: https://git-scm.com/docs/gitcredentials */
export const gitCredential = customCommand('git-credential', {
  about: 'give git a token for one of your repositories, as a credential helper',
  details:
    'git runs it; svc clone sets that up. For an address of this platform it prints a token that opens this one repository for 15 minutes, for any other nothing. It stores nothing, so store and erase do nothing.',
  examples: [
    [
      'As svc clone sets it up',
      "git config credential.http://localhost:8080.helper '!svc git-credential' && git config credential.http://localhost:8080.useHttpPath true",
    ],
  ],
  arguments: { operation: 'OPERATION' },
  run: async ({ operation: typed, json }, { client, context, apiUrl }) => {
    const operation = oneOf('OPERATION', typed, ['get', 'store', 'erase']);
    const request = await text(context.stdin);
    const name = operation === 'get' ? repositoryIn(request, apiUrl) : undefined;
    if (name === undefined) return undefined;
    try {
      const { token, expires_at } = await client.sourceEditor.createToken({ params: { name }, body: { mode: 'write' } });
      return { username: 'svc', password: token, expires_at };
    } catch (error) {
      // Otherwise git would ask the person for a name and a password.
      if (!json) context.stdout.write('quit=1\n');
      throw error;
    }
  },
  lines: ({ username, password, expires_at }) => [
    `username=${username}`,
    `password=${password}`,
    `password_expiry_utc=${Math.floor(Date.parse(expires_at) / 1000)}`,
  ],
});

/** The agent whose repository it is; undefined: it is not at this platform. */
function repositoryIn(request: string, api: string): string | undefined {
  const attributes = new Map(request.split('\n').map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  const { protocol, host, pathname } = new URL(api);
  if (`${attributes.get('protocol')}:` !== protocol || attributes.get('host') !== host) return undefined;
  const prefix = `${pathname === '/' ? '' : pathname.slice(1) + '/'}git/`;
  const path = attributes.get('path') ?? '';
  return path.startsWith(prefix) ? /^([a-z0-9-]{1,128})\.git$/.exec(path.slice(prefix.length))?.[1] : undefined;
}
