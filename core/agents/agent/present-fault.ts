// Safe: written by the platform only, as { code, message }.
export function faultOf(fault: unknown): { code: string; message: string } | null {
  return fault as { code: string; message: string } | null;
}
