// What dev boxes are made from and how much of a machine they may use. Times in milliseconds, memory in MiB.

export interface BoxSettings {
  /** Path of the disk with sshd and its tools, made on first use. */
  disk(say: (text: string) => void): Promise<string>;
  memoryMib: number;
  /** Largest that the files of one box may become; the disk is sparse. */
  diskMib: number;
  /** Boxes with a machine, sleeping ones included. */
  maxMachines: number;
  /** Without a connection and without bytes for this long: suspended. */
  suspendAfterMs: number;
  /** Suspended for this long: its machine is gone, its files are kept. */
  goneAfterMs: number;
  /** Hosts that boxes may reach: those of builds. */
  egressHosts: readonly string[];
  registry?: string | undefined;
  pythonIndex?: string | undefined;
  /** Certificate authorities of this host, when TLS to the outside is intercepted. */
  caFile?: string | undefined;
}

export const defaultBoxes = { memoryMib: 1_024, diskMib: 8_192, maxMachines: 64, suspendAfterMs: 15_000, goneAfterMs: 1_800_000 };

/** What programs may write outside of the home folder, in memory. */
export const scratchMib = 256;
/** Connections to one box's sshd. */
export const maxConnections = 64;
