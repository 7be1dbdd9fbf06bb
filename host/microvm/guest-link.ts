// What the host says to a guest's first process, in the order that matters: nothing reaches the guest's
// programs before clock and entropy.
import type { Duplex } from 'node:stream';
import { countRequest, environmentRequest, freezeRequest, killRequest, resumeRequest, terminateRequest } from './control.ts';
import { within } from './deadline.ts';
import { errnoName, runExec } from './exec.ts';
import { MicroVmError, type MicroVmErrorCode } from './images/tools.ts';
import { Mux } from './mux/mux.ts';
import { ENVIRONMENT_BYTES, type ExecOptions } from './port.ts';
import type { Live } from './qemu/live.ts';

/**
 * The guest's first process answers in a millisecond; on a host with far too much to do it may take seconds.
 * Longer means that it is gone.
 */
export const ANSWER_MS = 15_000;
/** A clock that was read so much later than it was written is set again. */
const STALE_MS = 100;

export class GuestLink {
  #mux: Mux;
  #name: string;
  /** The guest's streams belong to an earlier owner: the next contact takes the channel over. */
  #foreign = true;

  /** `onViolation` is called when the guest breaks the channel's protocol. */
  constructor(name: string, onViolation: (error: Error) => void) {
    this.#name = name;
    this.#mux = new Mux(onViolation);
  }

  open(service: string): Duplex {
    return this.#mux.open(service);
  }

  serve(service: string, handler: (stream: Duplex) => void): void {
    this.#mux.serve(service, handler);
  }

  program(service: '!exec' | '!attach', request: Buffer, options: ExecOptions): Promise<number> {
    const stream = this.#mux.open(service);
    return runExec(stream, request, options, () => this.#mux.tell(killRequest(stream.id)));
  }

  async setEnvironment(env: Readonly<Record<string, string>>): Promise<void> {
    const request = environmentRequest(env);
    const bad = Object.entries(env).some(([name, value]) => name === '' || name.includes('=') || `${name}${value}`.includes('\0'));
    if (bad || request.length > ENVIRONMENT_BYTES)
      throw new MicroVmError('qemu_refused', `Variables need names without '=' and no zero bytes, ${ENVIRONMENT_BYTES} bytes in all.`);
    await this.#soon(this.#done(this.#mux.control(request), 'take its environment'));
  }

  programs(): Promise<number> {
    return this.#soon(this.#mux.control(countRequest()));
  }

  async terminatePrograms(): Promise<void> {
    await this.#soon(this.#mux.control(terminateRequest()));
  }

  #soon<T>(answer: Promise<T>): Promise<T> {
    return within(ANSWER_MS, answer, 'guest_unresponsive', "The guest's first process did not answer; it may be overloaded or broken.");
  }

  lose(reason: string): void {
    this.#mux.loseStreams(reason);
  }

  /** First contact with a guest that runs already. */
  greet(live: Live, options: { preamble: boolean }): Promise<void> {
    return this.#takeOver(live, options.preamble, () => Promise.resolve());
  }

  /** Starts the processors of a machine loaded from files into a new process. */
  async resumeIn(live: Live, onSilence: (error: unknown) => void): Promise<void> {
    if (!this.#foreign) this.#mux.resumeOn(live.channel);
    await this.goOn(live, onSilence);
  }

  /**
   * Starts the processors; what waits follows at once instead of after a round trip (some 20 ms when
   * suspended).
   */
  async goOn(live: Live, onSilence: (error: unknown) => void): Promise<void> {
    if (this.#foreign) return this.#takeOver(live, true, () => live.qmp.command('cont'));
    const resumed = this.#mux.control(resumeRequest(this.#name));
    this.#mux.release();
    await live.qmp.command('cont');
    void within(ANSWER_MS, this.#done(resumed, 'take the clock'), 'guest_unresponsive', 'the guest did not answer after it was woken').catch(onSilence);
  }

  /**
   * Starts the processors of a machine whose template was saved; resolves when its programs have fresh
   * randomness, like any clone's.
   */
  async unfreeze(live: Live): Promise<void> {
    const resumed = this.#tellTime('reseed its programs');
    resumed.catch(() => undefined); // awaited below, when the processors run
    await live.qmp.command('cont');
    await resumed;
    this.#mux.release();
  }

  /** Of a guest that runs, and whose programs are not parked. */
  setClock(): Promise<void> {
    return this.#soon(this.#tellTime('take the clock', 'guest_unresponsive'));
  }

  /** Programs that follow clones block, all others stop, until the guest is resumed. */
  freeze(): Promise<void> {
    return within(
      2 * ANSWER_MS,
      this.#done(this.#mux.control(freezeRequest()), 'park its programs', 'guest_unresponsive'),
      'guest_unresponsive',
      'The guest did not park its programs.',
    );
  }

  /** Everything sent has been read and nothing more is; then the processors stop. */
  async halt(live: Live): Promise<void> {
    this.#mux.hold();
    try {
      await within(ANSWER_MS, this.#mux.ping(), 'guest_unresponsive', 'The guest did not answer a ping; it may be overloaded or broken.');
      await live.qmp.command('stop');
    } catch (error) {
      this.#mux.release();
      throw error;
    }
  }

  // The request lies in the channel before the guest runs.
  async #takeOver(live: Live, preamble: boolean, start: () => Promise<unknown>): Promise<void> {
    const welcomed = this.#mux.takeOver(live.channel, { preamble });
    const sent = performance.now();
    const resumed = this.#tellTime('take the clock and fresh entropy');
    resumed.catch(() => undefined); // awaited below
    await start();
    await Promise.all([welcomed, resumed]);
    // A guest that still booted read the time of when it began to.
    if (performance.now() - sent > STALE_MS) await this.setClock();
    this.#foreign = false;
  }

  /** Clock and entropy; parked programs continue with it. */
  #tellTime(what: string, code?: MicroVmErrorCode): Promise<void> {
    return this.#done(this.#mux.control(resumeRequest(this.#name)), what, code);
  }

  async #done(answer: Promise<number>, what: string, code: MicroVmErrorCode = 'clone_not_reseeded'): Promise<void> {
    const error = await answer;
    if (error !== 0) throw new MicroVmError(code, `The guest could not ${what}: ${errnoName(error)}.`);
  }
}
