// Resource quantities of the card as numbers.
import type { Resources } from './card.ts';

const UNIT = { Ki: 1 / 1024, Mi: 1, Gi: 1024 } as const;

/** `"256Mi"` → 256, rounded up to whole MiB. The text must have passed the card's schema. */
export function memoryMib(memory: Resources['memory']): number {
  const unit = memory.endsWith('Ki') ? UNIT.Ki : memory.endsWith('Gi') ? UNIT.Gi : UNIT.Mi;
  return Math.max(1, Math.ceil(Number.parseInt(memory, 10) * unit));
}

/** `"100m"` → 100, `"2"` → 2000, `"0.5"` → 500; thousandths of a core, at least 1. */
export function cpuMillis(cpu: Resources['cpu']): number {
  const millis = cpu.endsWith('m') ? Number.parseInt(cpu, 10) : Number.parseFloat(cpu) * 1000;
  return Math.max(1, Math.round(millis));
}
