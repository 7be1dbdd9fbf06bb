// QEMU's command line. The same for boot and restore, or the saved device state would not fit.
import type { MachineSpec } from '../port.ts';

export type Accelerator = 'kvm' | 'tcg';

/** Descriptors the process inherits, so that it needs no right to any path (see spawn.ts). */
export const inherited = { kernel: 3, initrd: 4, base: 5, memory: 6, layer: 7, state: 8, guest: 9, swap: 10, data: 11 } as const;

const at = (fd: number): string => `/proc/self/fd/${fd}`;

export interface BootFacts {
  accelerator: Accelerator;
  /** Rate of the host's time stamp counter, kHz. */
  clockRateKhz: number;
  debugConsole: boolean;
}

export function kernelCommandLine(spec: MachineSpec, facts: BootFacts): string {
  const words = [
    facts.debugConsole ? 'console=ttyS0 earlyprintk=serial,ttyS0' : 'console=none quiet',
    'mitigations=off cryptomgr.notests random.trust_cpu=on panic=-1',
    // Security modules, pressure and memory accounting that nothing in a guest uses: a third of the kernel's
    // code that a wake runs through.
    'lsm= psi=0 noautogroup nowatchdog cgroup_disable=memory,io',
    `svc.scratch=${spec.scratchMib}`,
  ];
  // tsc=reliable: the watchdog would compare the counter with emulated ticks and trust those. Without the
  // others, one emulated boot in fifteen hangs for ever while it calibrates the counter against a timer.
  if (facts.accelerator === 'tcg') words.push(`tsc_early_khz=${facts.clockRateKhz} no_timer_check tsc=reliable`);
  return words.join(' ');
}

export function qemuArguments(
  spec: MachineSpec,
  append: string,
  facts: BootFacts,
  options: { incoming: boolean; guestDisk: boolean; sharedMemory: boolean },
): string[] {
  const kvm = facts.accelerator === 'kvm';
  const disk = (name: 'base' | 'guest' | 'layer') => [
    '-drive',
    `id=${name},file=${at(inherited[name])},format=raw,if=none,readonly=on,file.locking=off`,
    '-device',
    `virtio-blk-device,drive=${name},serial=${name}`,
  ];
  // Its data end with the machine: flushes of the guest need not reach the disk, and what it frees is given
  // back.
  const swapDisk = [
    '-drive',
    `id=swap,file=${at(inherited.swap)},format=raw,if=none,file.locking=off,cache=unsafe,discard=unmap`,
    '-device',
    'virtio-blk-device,drive=swap,serial=swap',
  ];
  // What the guest flushes does reach the file.
  const dataDisk = [
    '-drive',
    `id=data,file=${at(inherited.data)},format=raw,if=none,file.locking=off,discard=unmap`,
    '-device',
    'virtio-blk-device,drive=data,serial=data',
  ];
  // MiB of translated code. One Python program needs some 60: where each program is a new one, a cache that
  // is full starts from nothing.
  const translatedMib = options.sharedMemory ? 128 : 64;
  // Without the promise of fast "rep movsb": kernel and C library would copy and clear byte by byte, which
  // emulation does half as fast. Without 5-level paging, which Linux would try.
  const emulated = 'max,la57=off,erms=off';
  return [
    ['-name', `guest=${spec.id.replaceAll(/[^a-zA-Z0-9_.-]/g, '_')}`],
    ['-M', 'microvm,memory-backend=mem,dump-guest-core=off'],
    kvm ? ['-accel', 'kvm', '-cpu', 'host'] : ['-accel', `tcg,tb-size=${translatedMib}`, '-cpu', emulated],
    ['-smp', String(spec.cpus), '-m', String(spec.memoryMib)],
    ['-object', `memory-backend-file,id=mem,size=${spec.memoryMib}M,mem-path=${at(inherited.memory)},share=${options.sharedMemory ? 'off' : 'on'}`],
    ['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    facts.debugConsole ? ['-serial', 'file:console.log'] : [],
    ['-kernel', at(inherited.kernel), '-initrd', at(inherited.initrd), '-append', append],
    disk('base'),
    options.guestDisk ? disk('guest') : [],
    spec.disks.layer === undefined ? [] : disk('layer'),
    spec.swapMib === undefined ? [] : swapDisk,
    spec.dataDisk === undefined ? [] : dataDisk,
    ['-device', 'virtio-serial-device'],
    ['-chardev', 'socket,id=channel,path=channel.sock,server=on,wait=off', '-device', 'virtserialport,chardev=channel,name=svc'],
    ['-chardev', 'socket,id=control,path=control.sock,server=on,wait=off', '-mon', 'chardev=control,mode=control'],
    options.incoming ? ['-incoming', 'defer'] : [],
    ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
  ].flat();
}
