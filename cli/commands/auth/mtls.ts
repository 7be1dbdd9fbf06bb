import { Command, Option } from 'clipanion';
import { file } from '../../ask/given.ts';
import { AuthConnectCommand } from './connect.ts';

export class AuthMtlsCommand extends AuthConnectCommand {
  static override paths = [['auth', 'mtls']];
  static override usage = Command.Usage({
    description: 'connect an imported agent with a client certificate (mutual TLS)',
    details: 'The files are PEM; the key has no passphrase. They are sealed, and never shown again.',
    examples: [['With a private certificate authority', 'svc auth mtls ledger --cert client.pem --key client.key --ca ca.pem']],
  });

  cert = Option.String('--cert', { required: true, description: 'file with the certificate' });
  key = Option.String('--key', { required: true, description: 'file with its private key' });
  ca = Option.String('--ca', { description: "file with the authority that signed the agent's own certificate; default: the usual ones" });

  async execute(): Promise<number> {
    const [cert, key] = [await file('--cert', this.cert), await file('--key', this.key)];
    return this.connect({ kind: 'mtls', ...this.named, cert, key, ca: this.ca === undefined ? null : await file('--ca', this.ca) });
  }
}
