// Reads the messages of gRPC within bounds: who sends one is not known yet, and what 8 MiB of empty fields
// become is read for seconds. What cannot be read is the caller's mistake, and answered as such.
import type { ServiceDefinition } from '@grpc/grpc-js';
// The reader that the official package's messages are read with; they take one in place of bytes.
import { BinaryReader } from '@bufbuild/protobuf/wire';

/**
 * Heads of fields, their lengths and small numbers: more than 15,000 entries of a list, which take some 20
 * ms.
 */
const MAX_READS = 50_000;

/** What stands in place of a message that was not read. */
export class Unreadable extends Error {}

class BoundedReader extends BinaryReader {
  constructor(bytes: Uint8Array) {
    super(bytes);
    let left = MAX_READS;
    const next = this.uint32.bind(this);
    this.uint32 = () => {
      left -= 1;
      if (left < 0) throw new Unreadable('The message has too many fields: send fewer, or large data as a file');
      return next();
    };
  }
}

/** The same methods; a request of them may be Unreadable. */
export function readBounded(methods: ServiceDefinition): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => {
      const requestDeserialize = (bytes: Buffer): unknown => {
        try {
          // Safe: the package's readers look whether they got bytes or a reader.
          return method.requestDeserialize(new BoundedReader(bytes) as unknown as Buffer);
        } catch (error) {
          if (error instanceof Unreadable) return error;
          return new Unreadable(
            error instanceof RangeError ? 'The message is nested too deeply or is cut off' : 'The message cannot be read as the protocol defines it',
          );
        }
      };
      return [name, { ...method, requestDeserialize }];
    }),
  );
}
