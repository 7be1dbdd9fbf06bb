// Secrets at rest: envelope encryption. Default driver: AES-256-GCM under a key file; production: a key
// service.

export interface Vault {
  /** `context` is bound as additional data: a value sealed for one place does not open in another. */
  seal(plain: Uint8Array, context: string): Promise<string>;
  /** Rejects when the value was altered, or sealed for another context. */
  open(sealed: string, context: string): Promise<Uint8Array>;
  /** What every value starts with that the newest key sealed. */
  currentPrefix(): string;
  /**
   * A key derived for one purpose, 32 bytes, the same ever after. Callers ask at each use: a driver that asks
   * a key service keeps what it got.
   */
  derive(purpose: string): Promise<Uint8Array>;
}
