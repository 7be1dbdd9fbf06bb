// Type-prefixed UUIDv7 (RFC 9562): sortable by creation time, 74 random bits from the system's CSPRNG.
import { randomBytes } from 'node:crypto';

export type IdKind =
  | 'usr'
  | 'ses'
  | 'agt'
  | 'dep'
  | 'ins'
  | 'imp'
  | 'job'
  | 'out'
  | 'aud'
  | 'rcp'
  | 'key'
  | 'tok'
  | 'run'
  | 'cal'
  | 'wait'
  | 'grt'
  | 'req'
  | 'src'
  | 'sct'
  | 'ptc'
  | 'art'
  | 'sbx'
  | 'box'
  | 'llc'
  | 'llg'
  | 'llu'
  | 'sch'
  | 'mrn'
  | 'ags'
  | 'thr'
  | 'msg'
  | 'trn'
  | 'dag'
  | 'prf'
  | 'rev'
  | 'rep'
  | 'tup'
  | 'dom'
  | 'crt'
  | 'mbx'
  | 'mml'
  | 'mev'
  | 'dst'
  | 'itm'
  | 'evl'
  | 'acc'
  | 'ltx'
  | 'hld'
  | 'bty'
  | 'pdn'
  | 'pdc'
  | 'fnd'
  | 'pte'
  | 'trm'
  | 'trl'
  | 'tpl'
  | 'tmm'
  | 'org'
  | 'mem'
  | 'scm'
  | 'sso'
  | 'sop'
  | 'apv'
  | 'prc'
  | 'chg'
  | 'pol'
  | 'por'
  | 'pot'
  | 'cex'
  | 'cpg'
  | 'scu'
  | 'scg'
  | 'dbp'
  | 'dbb'
  | 'dbr'
  | 'dbl'
  | 'dbi'
  | 'dbe'
  | 'top'
  | 'pck'
  | 'inv'
  | 'bch'
  | 'bfb'
  | 'bds'
  | 'bar'
  | 'spl'
  | 'std'
  | 'prp'
  | 'vot'
  | 'dlg'
  | 'upl';

/** `dep_0192f0c4-7b1e-7a3c-9d2e-5f6a7b8c9d0e`. */
export function newId(kind: IdKind, now: number = Date.now()): string {
  return `${kind}_${uuidv7(now)}`;
}

/** Only by the id: accounts of organizations have ids of their own kind. */
export function isOrganizationId(id: string): boolean {
  return id.startsWith('org_');
}

/** Before every id that is made from that time on, after all older ones. */
export function firstId(kind: IdKind, at: number): string {
  return newId(kind, at).slice(0, kind.length + '_01a2139f-cae4-'.length);
}

export function uuidv7(now: number): string {
  const b = randomBytes(16);
  b.writeUIntBE(now, 0, 6);
  b[6] = 0x70 | ((b[6] ?? 0) & 0x0f);
  b[8] = 0x80 | ((b[8] ?? 0) & 0x3f);
  const hex = b.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
