import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';
import { plain } from '../lib/output.ts';
import { agentName } from '../project/name.ts';

export class SshCommand extends ApiCommand {
  static override paths = [['ssh']];
  static override usage = Command.Usage({
    description: "open a shell in the agent's dev box: a machine with Node, Python, git, the SDK and the agent's repository",
    details:
      'The box starts or wakes when you connect, is suspended when no connection is open, and keeps the files of its home folder. Writes the alias svc-AGENT for ssh, scp, sftp, rsync and editors (VS Code: Remote-SSH to svc-AGENT). With --tunnel the box is served at a local port until Ctrl-C.',
    examples: [
      ['The project in this folder', 'svc ssh'],
      ['One command there; its exit code is that of svc', 'svc ssh reporter -- npm test'],
      ['How to connect, without connecting', 'svc ssh reporter --print'],
      ['For programs that cannot start a command', 'svc ssh reporter --tunnel --port 2222'],
    ],
  });

  /** An agent, and after it what is run there: an optional place beside a rest stays empty. */
  words = Option.Rest({ name: 'AGENT' });
  override api = Option.String('--api', { hidden: true });
  print = Option.Boolean('--print', false, { description: 'print how to connect, and do not' });
  tunnel = Option.Boolean('--tunnel', false, { description: 'serve the box at a local TCP port' });
  port = Option.String('--port', '0', { description: 'with --tunnel: the port; 0 picks a free one' });
  json = Option.Boolean('--json', false, { description: 'print JSON; implies --print' });

  /** For the advice where there is none of that name. */
  get agent(): string | undefined {
    return this.words[0];
  }

  async execute(): Promise<number> {
    const port = integer('--port', this.port, { min: 0, max: 65_535 });
    const command = this.words.slice(1);
    if (command.length > 0 && (this.tunnel || this.print || this.json)) throw new UsageError('A command goes without --tunnel, --print and --json.');
    if (port !== 0 && !this.tunnel) throw new UsageError('--port goes with --tunnel.');
    const agent = await agentName(this.agent, '.');
    const { askForBox } = await import('../ssh/tunnel.ts');
    const { writeAlias } = await import('../ssh/files.ts');
    const where = { home: this.context.settings.home, api: this.apiUrl, agent };
    const client = this.client();
    const { box, files } = await askForBox(client, where, { renew: true });
    const output = this.output(this.json);
    if (!(await writeAlias(files, where, box.user)))
      output.note(`~/.ssh/config could not be written. Give ssh the file yourself: ssh -F ${files.config} ${files.alias}`);
    if (this.tunnel) {
      const { serveTunnel } = await import('../ssh/serve.ts');
      return await serveTunnel({ client, where, files, user: box.user, port, output, print: this.print || this.json });
    }
    if (this.print || this.json) {
      const { alias, key } = files;
      const line = `ssh ${alias}`;
      output.result({ agent, alias, command: line, identity_file: key, known_hosts: files.knownHosts, ...box }, () => [
        `Connect   ${line}`,
        `Copy      scp FILE ${alias}:   rsync -a FOLDER/ ${alias}:FOLDER/`,
        `Editor    code --remote ssh-remote+${alias} ${box.folder}`,
        `Folder    ${box.folder}`,
        ...(box.web_url === null ? [] : [`Web       ${box.web_url}   (what svc dev serves)`]),
        `State     ${box.state}`,
      ]);
      return 0;
    }
    if (box.state === 'stopped') output.note('The dev box starts …');
    const { runSsh } = await import('../ssh/run.ts');
    return await runSsh({ files, box, note: (text) => output.note(plain(text)) }, [files.alias, ...command]);
  }
}
