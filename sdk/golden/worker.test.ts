// Spec 2, "Events" and "Errors", and the worker protocol: what runtime and workers of every language say to
// each other.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CONTEXT_METHODS } from '../../contract/wire/context-methods.ts';
import { AgentEvent, EVENT_PAYLOADS, RESERVED_EVENT_KINDS } from '../../contract/wire/events.ts';
import { FromWorker, ToWorker, WorkerError } from '../../contract/wire/worker.ts';
import { SvcError } from '../typescript/authoring/errors.ts';
import { fromWorker, toWorker } from '../typescript/sidecar/errors.ts';
import { cites } from '../../test/spec/verifies.ts';

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const events = z.array(z.strictObject({ method: z.string(), args: z.record(z.string(), z.unknown()), event: z.unknown() })).parse(read('events.json'));
const errors = z.array(z.strictObject({ name: z.string(), error: WorkerError })).parse(read('errors.json'));
const turns = z.array(z.strictObject({ runtime: z.unknown(), worker: z.array(z.unknown()) })).parse(read('worker.json'));

describe('golden vectors of the worker protocol', () => {
  it('each event fits the payload of its kind; those that are none are not allowed', cites('events.golden'), () => {
    for (const { args, event } of events) {
      if (event === null) {
        const refused = z.object({ kind: z.string() }).parse(args['event']).kind;
        expect(RESERVED_EVENT_KINDS.includes(refused as never) || !AgentEvent.safeParse({ kind: refused }).success, refused).toBe(true); // any text may be asked about
        continue;
      }
      const parsed = AgentEvent.parse(event);
      expect(parsed).toEqual(event);
      const payload = Object.entries(EVENT_PAYLOADS).find(([kind]) => kind === parsed.kind)?.[1];
      if (payload) expect(payload.parse(parsed.payload)).toEqual(parsed.payload);
    }
  });

  it.each(errors)('$name keeps code, message, status and what comes with it', cites('errors.names'), ({ error }) => {
    const received = fromWorker(error);
    expect(received).toBeInstanceOf(SvcError);
    expect(toWorker(received)).toEqual(error);
  });

  it('the conversation fits the protocol', () => {
    for (const { runtime, worker } of turns) {
      if (runtime !== null) expect(ToWorker.parse(runtime)).toEqual(runtime);
      for (const frame of worker) {
        const parsed = FromWorker.parse(frame);
        expect(parsed).toEqual(frame);
        if (parsed.t === 'call') expect(CONTEXT_METHODS[parsed.method].params.safeParse(parsed.params).success, parsed.method).toBe(true);
      }
    }
  });
});
