// The program of the part `temporal-ui`: main.ts PORT UI-PORT NAMESPACE
import { createTemporalUi } from './server.ts';

const [port = '', uiPort = '', namespace = ''] = process.argv.slice(2);
const server = createTemporalUi({ uiPort: Number(uiPort), namespace });
server.listen(Number(port), '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
