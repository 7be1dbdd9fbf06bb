type Environment = Readonly<Record<string, string | undefined>>;
type Place = 'repository' | 'cache' | 'system';
export interface MachineFacts {
  platform: string;
  arch: string;
  node: string;
  /** Undefined: it does not exist, or installs nothing. */
  npm: string | undefined;
  /** Text of the file. */
  osRelease: string;
  root: boolean;
  user: string;
  memoryMib: number;
  kvm: 'usable' | 'forbidden' | 'absent';
  restrictedNamespaces: boolean;
  forbiddenNamespaces: boolean;
  /** Text of /etc/subuid. */
  subuid: string;
  /** Names of those that have something to do. */
  steps: readonly string[];
  disks: Readonly<Record<Place, { path: string; device: number; freeMib: number }>>;
}
export declare function machineFacts(env: Environment, options: { repository: string; cache: string; steps: readonly string[] }): MachineFacts;
export declare function judgeMachine(facts: MachineFacts): { problems: string[]; notes: string[] };
export declare function osFields(text: string): Record<string, string>;
