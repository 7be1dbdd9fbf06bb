// Policies as an author writes them; the card carries them in wire names with every default filled in.
import type { WorkspaceMode } from '../../../contract/wire/card.ts';

export interface EgressPolicy {
  /** Exact host names or "*.suffix". */
  allowHosts?: readonly string[];
  allowInternalServices?: readonly string[];
  /** default true; false: every public host, on ports 80 and 443 */
  denyInternetByDefault?: boolean;
}

export interface Resources {
  /** "100m" or "2"; default 100m */
  cpu?: string;
  /** "256Mi"; default 256Mi */
  memory?: string;
  /** Refused at a deploy unless 0. */
  gpu?: number;
  /** default 600 */
  maxRuntimeSeconds?: number;
}

export interface WorkspaceAccess {
  enabled: boolean;
  maxFiles: number;
  allowedModes: readonly WorkspaceMode[];
  requireReason: boolean;
  denyPatterns: readonly string[];
  requireHumanApproval: boolean;
  maxTotalSizeBytes: number;
}

const NONE: WorkspaceAccess = {
  enabled: false,
  maxFiles: 0,
  allowedModes: [],
  requireReason: true,
  denyPatterns: [],
  requireHumanApproval: false,
  maxTotalSizeBytes: 104_857_600,
};

export const WorkspaceAccess = {
  /** For agents that touch no workspace. */
  none: (): WorkspaceAccess => NONE,
  /** For access negotiated call by call. */
  dynamic: (policy: Partial<Omit<WorkspaceAccess, 'enabled'>> = {}): WorkspaceAccess => ({
    ...NONE,
    maxFiles: 25,
    allowedModes: ['read_only'],
    ...policy,
    enabled: true,
  }),
} as const;
