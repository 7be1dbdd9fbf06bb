// A certificate authority that means harm: its directory names addresses inside the operator's network, and
// answers without end.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { acmeAuthority } from '#drivers/certificates/acme.ts';

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  // Safe: it listens on TCP.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The directory is honest but for what `also` says. */
const authorityThat = async (also: (at: string) => object, answer: RequestListener = (_request, response) => void response.end('{}')) => {
  const at: string = await serve((request, response) => {
    response.setHeader('replay-nonce', 'bm9uY2U');
    if (request.url !== '/directory') return answer(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ newNonce: `${at}/nonce`, newAccount: `${at}/account`, newOrder: `${at}/orders`, ...also(at) }));
  });
  return acmeAuthority({ directoryUrl: `${at}/directory` });
};

test('addresses inside the network that its directory names are not asked', async () => {
  const asked: string[] = [];
  const inside = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response
      .setHeader('replay-nonce', 'bm9uY2U')
      .setHeader('location', '/x')
      .end(JSON.stringify({ secret: 'of the network' }));
  });
  for (const names of [{ newNonce: `${inside}/latest/meta-data` }, { newAccount: `${inside}/latest/meta-data` }]) {
    const authority = await authorityThat(() => names);
    await expect(authority.register(await authority.newKey())).rejects.toMatchObject({
      name: 'AuthorityRefused',
      message: expect.stringContaining('another host'),
    });
  }
  const honest = await authorityThat(
    () => ({}),
    (_request, response) => void response.writeHead(201, { location: `${inside}/account`, 'content-type': 'application/json' }).end('{"status":"valid"}'),
  );
  const account = { key: await honest.newKey(), url: await honest.register(await honest.newKey()) };
  await expect(honest.look(account, `${inside}/order`)).rejects.toMatchObject({ message: expect.stringContaining('another host') });
  expect(asked).toEqual([]);
});

test('a redirection, and an answer without end, are refused', async () => {
  const asked: string[] = [];
  const inside = await serve((request, response) => void response.end(asked.push(request.url ?? '')));
  const redirecting = await authorityThat(
    () => ({}),
    (_request, response) => void response.writeHead(307, { location: `${inside}/x` }).end(),
  );
  await expect(redirecting.register(await redirecting.newKey())).rejects.toMatchObject({ name: 'AuthorityRefused' });
  expect(asked).toEqual([]);
  let sent = 0;
  const endless = await authorityThat(
    () => ({}),
    (request, response) => {
      if (request.method === 'HEAD') return void response.end();
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, ' '))) sent += 65_536;
      };
      response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more);
      more();
    },
  );
  await expect(endless.register(await endless.newKey())).rejects.toMatchObject({ name: 'AuthorityRefused' });
  // A few buffers of the network more than it reads.
  expect(sent).toBeLessThan(30_000_000);
});

test('one that gives an account no address is left after some requests', async () => {
  let asked = 0;
  const authority = await authorityThat(
    () => ({}),
    (_request, response) => {
      asked += 1;
      response.setHeader('content-type', 'application/json').end('{}');
    },
  );
  await expect(authority.register(await authority.newKey())).rejects.toMatchObject({
    name: 'AuthorityRefused',
    message: expect.stringContaining('too many requests'),
  });
  expect(asked).toBeLessThan(40);
});

test('an authority that hangs up, or does not exist, was not reached: nothing of the library or the network is said', async () => {
  const hangsUp = await authorityThat(
    () => ({}),
    (request) => void request.socket.destroy(),
  );
  const gone = await acmeAuthority({ directoryUrl: 'http://127.0.0.1:9/directory' });
  for (const authority of [hangsUp, gone])
    await expect(authority.register(await authority.newKey())).rejects.toMatchObject({
      name: 'AuthorityRefused',
      message: 'the certificate authority could not be reached',
      away: true,
    });
});
