// The program of the part `temporal-ui`: main.ts PORT UI-PORT NAMESPACE SECRETS-FOLDER
import { join } from 'node:path';
import { openKeyFile } from '#drivers/vault/key-file.ts';
import { encryptedPayloads } from '#drivers/workflows/codec.ts';
import { createTemporalUi } from './server.ts';

const [port = '', uiPort = '', namespace = '', secretsDir = ''] = process.argv.slice(2);
const codec = encryptedPayloads(await openKeyFile(join(secretsDir, 'platform.key')));
const server = createTemporalUi({ uiPort: Number(uiPort), namespace, codec });
server.listen(Number(port), '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
