// A name server of a test's own, on UDP and TCP of loopback: it answers what the test puts into it, for every
// zone.
import { setTimeout as delay } from 'node:timers/promises';
import dns2 from 'dns2';
import { freePort } from './free-port.ts';

type Kind = 'TXT' | 'A' | 'AAAA' | 'CNAME' | 'CAA';

export interface TestDns {
  /** `127.0.0.1:port` */
  address: string;
  /** Replaces what the name says of that kind; nothing: there is no such record. */
  set(kind: Kind, name: string, ...values: string[]): void;
  /** From now on every question is answered as by a server that is broken. */
  fail(failing: boolean): void;
  /** Names that were asked for, with their kinds. */
  asked: string[];
  close(): Promise<void>;
}

const { Packet } = dns2;
const SERVFAIL = 2;
const NXDOMAIN = 3;

export async function testDns(): Promise<TestDns> {
  const records = new Map<string, string[]>();
  const asked: string[] = [];
  let failing = false;
  const keyOf = (kind: string, name: string): string => `${kind} ${name.toLowerCase()}`;
  const server = dns2.createServer({
    udp: true,
    tcp: true,
    handle: (request, send) => {
      const response = Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      if (!question || failing) {
        response.header.rcode = SERVFAIL;
        return void send(response);
      }
      const kind = Packet.typeName(question.type);
      asked.push(keyOf(kind, question.name));
      response.header.aa = 1;
      let { name } = question;
      // An alias is followed, as a resolver does.
      for (let alias = records.get(keyOf('CNAME', name)); alias?.[0] !== undefined; alias = records.get(keyOf('CNAME', name))) {
        response.answers.push(new Packet.Resource({ name, type: Packet.TYPE.CNAME, class: Packet.CLASS.IN, ttl: 1, domain: alias[0] }));
        if (kind === 'CNAME') return void send(response);
        name = alias[0];
      }
      for (const value of records.get(keyOf(kind, name)) ?? [])
        response.answers.push(new Packet.Resource({ name, type: question.type, class: Packet.CLASS.IN, ttl: 1, ...dataOf(kind, value) }));
      const known = [...records.keys()].some((key) => key.endsWith(` ${name.toLowerCase()}`));
      if (response.answers.length === 0 && !known) response.header.rcode = NXDOMAIN;
      void send(response);
    },
  });
  const port = await freePort();
  await server.listen({ udp: { port, address: '127.0.0.1' }, tcp: { port, address: '127.0.0.1' } });
  return {
    address: `127.0.0.1:${port}`,
    asked,
    set: (kind, name, ...values) => void (values.length === 0 ? records.delete(keyOf(kind, name)) : records.set(keyOf(kind, name), values)),
    fail: (now) => void (failing = now),
    close: async () => {
      await server.close();
      await delay(0);
    },
  };
}

function dataOf(kind: string, value: string): object {
  switch (kind) {
    case 'TXT':
      return { data: value };
    case 'CAA':
      return { flags: 0, tag: 'issue', value };
    default:
      return { address: value };
  }
}
