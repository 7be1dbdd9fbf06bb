// Mail as the domain sees it: what came, whether its sender is who they say, and a way to send.

/** A reply of SMTP that takes nothing: 4xx, the peer tries again; 5xx, it gives up. */
export interface Refusal {
  code: number;
  /** With the status of RFC 3463 before it. */
  message: string;
}

export interface Incoming {
  /** Empty: of a program that wants no answer, such as a bounce. */
  envelopeFrom: string;
  /** As they were accepted, in lower case, each once. */
  recipients: readonly string[];
  clientIp: string;
  helo: string;
  raw: Buffer;
}

export interface MailReceiver {
  port: number;
  close(): Promise<void>;
}

export type Checked = 'pass' | 'fail' | 'none' | 'temperror';

export interface Verdict {
  /** The one address in From, in lower case; undefined: there is none, or several. */
  from: string | undefined;
  spf: string;
  dkim: string;
  dmarc: Checked;
  /** What the domain in From wants done with what fails. */
  policy: 'none' | 'quarantine' | 'reject';
  arc: string;
  /** dmarc=pass on a signature of the whole body or on the client's address, or a trusted sealer says so. */
  authenticated: boolean;
}

export interface Outgoing {
  envelopeFrom: string;
  to: string;
  raw: Buffer;
}

/** What sending failed with. */
export class SendFailed extends Error {
  /** Trying again is of no use. */
  readonly permanent: boolean;
  /** Of the peer's reply, or of the connection: never its text. */
  readonly code: string;
  constructor(permanent: boolean, code: string) {
    super(`the mail was not sent: ${code}`);
    this.name = 'SendFailed';
    this.permanent = permanent;
    this.code = code;
  }
}

export interface DnsRecord {
  type: 'MX' | 'TXT';
  name: string;
}

export interface Mail {
  /** What follows the `@` of agents' addresses. */
  domain: string;
  /** Name of our server, as peers see it. */
  hostname: string;
  /** Selector of the key that signs what is sent. */
  selector: string;
  /** Bounded in time. */
  verify(mail: Incoming): Promise<Verdict>;
  /** @throws SendFailed */
  send(mail: Outgoing): Promise<void>;
  /** Texts of a record as the name servers have it; undefined: they did not answer. */
  look(record: DnsRecord): Promise<string[] | undefined>;
}
