// Machines for boxes: clones of one snapshot in which our listener waits. What is a box's own (disk, host
// key, addresses) it gets after that.
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnusable, MicroVmError, run } from '../microvm/images/tools.ts';
import type { Machine, MicroVmEngine } from '../microvm/port.ts';
import { createEgressProxy, type EgressProxy } from '../egress/proxy.ts';
import { dropFolder } from '../resources/files.ts';
import { fileStamp, type SharedTemplates } from '../resources/templates.ts';
import { egressService, proxyVariables } from '../sandbox/egress.ts';
import { boxCa, boxHome, boxRun, sshdConfig } from './guest/sshd-config.ts';
import { listenPath } from './image.ts';
import { type BoxSettings, scratchMib } from './options.ts';
import { diskOf } from './record.ts';

export interface BoxMachines {
  /** A machine over the box's files, its sshd ready. */
  start(box: { id: string; dir: string; hostKey: string }): Promise<{ machine: Machine; egress: EgressProxy }>;
  /** Of a machine that an earlier host started. */
  serveEgress(machine: Machine): EgressProxy;
  dirOf(id: string): string;
}

interface Parts {
  engine: MicroVmEngine;
  base(): string;
  machinesDir: string;
  templates: SharedTemplates;
  settings: BoxSettings;
  log(fields: Record<string, unknown>): void;
}

const TEMPLATE = 'box';
const LISTENER = 'listen';
const STEP_MS = 60_000;
const path = '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin';

/** Read into memory before the snapshot: what a first session needs. */
const WARM_UP = `/usr/sbin/sshd -T -f /dev/null >/dev/null 2>&1
bash -lc true; git --version >/dev/null; rsync --version >/dev/null; node -e 0; ls / >/dev/null
printf 'ok' | python3 -c 'import sys; sys.stdin.read()'`;

/** $1: sshd's configuration. Standard input: certificate authorities, or nothing. */
const EQUIP = `set -e
for disk in /sys/block/vd*; do [ "$(cat $disk/serial 2>/dev/null)" = data ] && device=/dev/\${disk##*/}; done
mount -t ext4 -o nosuid,nodev,noatime,discard "$device" ${boxHome}
[ -e ${boxHome}/.bashrc ] || printf '. /etc/svc-box.bashrc\\n' | tee ${boxHome}/.bashrc > ${boxHome}/.bash_profile
rm -rf ${boxHome}/lost+found
chown 1000:1000 ${boxHome} ${boxHome}/.bashrc ${boxHome}/.bash_profile
printf '%s' "$1" > ${boxRun}/sshd_config
cat > ${boxCa}`;

export function createBoxMachines({ engine, base, machinesDir, templates, settings, log }: Parts): BoxMachines {
  const dirOf = (id: string): string => join(machinesDir, id);
  const specOf = (id: string, layer: string, dataDisk: string) => ({
    id,
    dir: dirOf(id),
    disks: { base: base(), layer },
    memoryMib: settings.memoryMib,
    cpus: 1,
    scratchMib,
    dataDisk,
  });
  const madeFrom = async (layer: string): Promise<string> =>
    [await engine.platform(), fileStamp(base()), fileStamp(layer), settings.memoryMib, settings.diskMib, WARM_UP].join(':');

  async function boot(layer: string): Promise<void> {
    const began = Date.now();
    const disk = join(machinesDir, 'empty.ext4');
    await emptyDisk(disk, settings.diskMib);
    const machine = await engine.boot(specOf(TEMPLATE, layer, disk));
    try {
      await must(machine, 'sh', ['-c', `mkdir -p ${boxRun} && chmod 755 ${boxRun}`]);
      const ready = Promise.withResolvers<void>();
      // It continues without this stream, and without the machine that its clones come from.
      machine
        .exec('/usr/bin/python3', ['-I', listenPath], { user: 'root', name: LISTENER, env: { PATH: path }, onOutput: () => ready.resolve() })
        .then((code) => ready.reject(new MicroVmError('boot_failed', `The box's listener ended with ${code}.`)), ready.reject);
      await ready.promise;
      await machine.exec('sh', ['-c', WARM_UP], { user: 'agent', signal: AbortSignal.timeout(STEP_MS) }).catch(() => undefined);
      await templates.save(TEMPLATE, await madeFrom(layer), machine);
      log({ msg: 'box_snapshot_made', ms: Date.now() - began });
    } finally {
      await machine.kill();
      await dropFolder(dirOf(TEMPLATE));
      await rm(disk, { force: true });
    }
  }

  async function clone(id: string, dir: string, layer: string): Promise<Machine> {
    for (let attempt = 0; ; attempt++) {
      const made = await madeFrom(layer);
      const template =
        (await templates.find(TEMPLATE, made)) ??
        (await templates.exclusive(TEMPLATE, made, async () => {
          if ((await templates.find(TEMPLATE, made)) === undefined) await boot(layer);
          return templates.find(TEMPLATE, made);
        }));
      if (template === undefined) throw new MicroVmError('restore_failed', 'The snapshot of boxes could not be made.');
      try {
        return await engine.clone(template, { id, dir: dirOf(id), scratchMib, dataDisk: diskOf(dir), memory: 'own' });
      } catch (error) {
        await dropFolder(dirOf(id));
        if (attempt > 0 || !isUnusable(error)) throw error;
        await templates.drop(TEMPLATE, made);
      }
    }
  }

  function serveEgress(machine: Machine): EgressProxy {
    const hosts = [...settings.egressHosts];
    const egress = createEgressProxy({
      policy: { allowHosts: hosts, allowInternalServices: [] },
      configuration: { services: {}, trustedHosts: hosts },
      onRefusal: () => undefined,
    });
    machine.serve(egressService, (stream) => egress.handle(stream));
    return egress;
  }

  function variables(): Record<string, string> {
    const { registry, pythonIndex, caFile } = settings;
    const npm = registry === undefined ? {} : { npm_config_registry: registry, BUN_CONFIG_REGISTRY: registry };
    const pip = pythonIndex === undefined ? {} : { PIP_INDEX_URL: pythonIndex, UV_INDEX_URL: pythonIndex };
    const ca = caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: boxCa, SSL_CERT_FILE: boxCa, PIP_CERT: boxCa, GIT_SSL_CAINFO: boxCa, CURL_CA_BUNDLE: boxCa };
    // Installers and git have their own way to a proxy. Node's loads what it needs at each start, three times
    // as long under emulation.
    const { NODE_USE_ENV_PROXY: _slow, ...proxy } = proxyVariables();
    return { ...proxy, ...npm, ...pip, ...ca };
  }

  return {
    dirOf,
    serveEgress,
    async start({ id, dir, hostKey }) {
      const layer = await settings.disk((text) => log({ msg: 'box_image', text }));
      await ensureFiles(diskOf(dir), settings.diskMib);
      const machine = await clone(id, dir, layer);
      try {
        const egress = serveEgress(machine);
        const ca = settings.caFile === undefined ? Buffer.alloc(0) : await readFile(settings.caFile);
        await Promise.all([
          must(machine, 'sh', ['-c', `umask 077; cat > ${boxRun}/host_key`], Buffer.from(hostKey)),
          must(machine, 'sh', ['-c', EQUIP, 'equip', sshdConfig({ env: variables() })], ca),
        ]);
        return { machine, egress };
      } catch (error) {
        await machine.kill();
        await dropFolder(dirOf(id));
        throw error;
      }
    },
  };
}

/** A file system of that size; sparse. Made aside, so that a killed host leaves none half made. */
async function ensureFiles(path: string, mib: number): Promise<void> {
  const there = await open(path, 'r').then(
    (file) => file.close().then(() => true),
    () => false,
  );
  if (there) return;
  await emptyDisk(`${path}.partial`, mib);
  await run('mke2fs', ['-q', '-F', '-t', 'ext4', '-m', '0', '-E', 'lazy_itable_init=1,lazy_journal_init=1,root_owner=1000:1000', `${path}.partial`]);
  await rename(`${path}.partial`, path);
}

async function emptyDisk(path: string, mib: number): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  await file.truncate(mib * 1_048_576);
  await file.close();
}

export async function must(machine: Machine, command: string, args: string[], stdin?: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  let output = '';
  const code = await machine.exec(command, args, {
    user: 'root',
    env: { PATH: path },
    signal: AbortSignal.timeout(STEP_MS),
    onOutput: (_stream, chunk) => void (output = (output + Buffer.from(chunk).toString()).slice(-500)),
    ...(stdin === undefined ? {} : { stdin: stdin instanceof Uint8Array ? pieces(stdin) : stdin }),
  });
  if (code !== 0) throw new MicroVmError('boot_failed', `Setting up the dev box failed: ${command} ended with ${code}: ${output.trim()}`);
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
