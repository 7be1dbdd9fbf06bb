// One thing that is checked of an installation, or of a backup of one.

/** What was looked at, and sentences on what is wrong: the first ones, and how many there are. */
export interface CheckResult {
  checked: number;
  faults: string[];
  faultCount: number;
}

const SHOWN = 20;

export class Findings implements CheckResult {
  checked = 0;
  faultCount = 0;
  readonly faults: string[] = [];

  add(fault: string): void {
    this.faultCount += 1;
    if (this.faults.length < SHOWN) this.faults.push(fault);
  }
}
