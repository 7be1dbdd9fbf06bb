// The log of an agent session, checked line by line as it comes: each event has the hash of what came before
// it, and the last line signs the whole.
import type { SessionEvent, SessionHeader, SessionLine, SessionSeal } from '#contract/wire/session.ts';
import { fromBase64Url } from '#contract/wire/base64url.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { canonicalDigest } from '#contract/wire/sha256.ts';

export type VerifySignature = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => Promise<boolean>;
/** 32 bytes; undefined: no such key is published. */
export type KeyOf = (kid: string) => Uint8Array | undefined;

export class SessionLog {
  header: SessionHeader | undefined;
  readonly events: SessionEvent[] = [];
  seal: SessionSeal | undefined;
  /** What does not hold; nothing after it is believed. */
  fault: string | undefined;
  #head = '';
  #headerHash = '';

  /**
   * In the order in which they come. After a break the header comes again, and events that are known are left
   * out.
   */
  async add(line: SessionLine): Promise<void> {
    if (this.fault !== undefined || this.seal) return;
    if (line.type === 'svc.session.v1') await this.#begin(line);
    else if (!this.header) this.fault = 'The first line is not the header of a session.';
    else if (line.type === 'event') await this.#follow(line);
    else this.#end(line);
  }

  async #begin(header: SessionHeader): Promise<void> {
    const hash = await canonicalDigest(header);
    if (this.header && hash !== this.#headerHash) this.fault = 'The header is another one than before.';
    if (this.header) return;
    this.header = header;
    this.#headerHash = hash;
    this.#head = hash;
  }

  async #follow(event: SessionEvent): Promise<void> {
    if (event.seq <= this.events.length) return;
    const { hash, ...content } = event;
    if (event.seq !== this.events.length + 1) this.fault = `Event ${this.events.length + 1} is missing or out of its place.`;
    else if (event.prev !== this.#head) this.fault = `Event ${event.seq} does not follow the line before it.`;
    else if ((await canonicalDigest(content)) !== hash) this.fault = `Event ${event.seq} was changed.`;
    if (this.fault !== undefined) return;
    this.#head = hash;
    this.events.push(event);
  }

  #end(seal: SessionSeal): void {
    if (seal.session_id !== this.header?.session_id || seal.header_sha256 !== this.#headerHash) this.fault = 'The last line is of another session or header.';
    else if (seal.events !== this.events.length || seal.head !== this.#head) this.fault = 'The events are not those that were signed.';
    this.seal = seal;
  }

  /** @returns what is wrong; undefined: the signature is good. Only of a log with its last line. */
  async signatureFault(keyOf: KeyOf, verify: VerifySignature): Promise<string | undefined> {
    if (this.fault !== undefined) return this.fault;
    if (!this.seal) return 'The last line has not come yet.';
    const { signature, ...signed } = this.seal;
    const [bytes, key] = [fromBase64Url(signature), keyOf(signed.kid)];
    if (key?.length !== 32) return `No published key has the kid ${signed.kid}.`;
    const isGood = bytes?.length === 64 && (await verify(bytes, new TextEncoder().encode(canonicalJson(signed)), key));
    return isGood ? undefined : 'The signature does not match what was signed.';
  }
}
