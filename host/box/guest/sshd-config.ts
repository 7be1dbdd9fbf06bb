// What a box's sshd allows: one key, one user, forwarding to the box itself. Written into the guest when it
// starts.

export interface SshdSettings {
  /** Variables of every program that is started over SSH. */
  env: Readonly<Record<string, string>>;
}

export const boxRun = '/run/svc-box';
export const boxHome = '/home/agent';
export const boxCa = `${boxRun}/ca.pem`;

export function sshdConfig({ env }: SshdSettings): string {
  const variables = Object.entries(env).map(([name, value]) => `"${name}=${value.replaceAll(/["\\\n]/g, '')}"`);
  return `${[
    `HostKey ${boxRun}/host_key`,
    'PidFile none',
    'LogLevel ERROR',
    'UsePAM no',
    'UseDNS no',
    'PrintMotd no',
    'PrintLastLog no',
    'AllowUsers agent',
    'PermitRootLogin no',
    'AuthenticationMethods publickey',
    'PubkeyAuthentication yes',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    // It may wait for its client as long as the box is there; who connects has shown a token.
    'LoginGraceTime 0',
    'MaxAuthTries 20',
    'MaxSessions 32',
    'AllowTcpForwarding local',
    'PermitOpen 127.0.0.1:* localhost:* [::1]:*',
    'PermitListen none',
    'GatewayPorts no',
    'AllowStreamLocalForwarding no',
    'AllowAgentForwarding no',
    'PermitTunnel no',
    'X11Forwarding no',
    'PermitUserRC no',
    'ClientAliveInterval 60',
    'ClientAliveCountMax 3',
    // The cheapest of the good ones: a box may be emulated.
    'KexAlgorithms curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256',
    'AcceptEnv LANG LC_* COLORTERM TERM_PROGRAM',
    ...(variables.length === 0 ? [] : [`SetEnv ${variables.join(' ')}`]),
    'Subsystem sftp internal-sftp',
  ].join('\n')}\n`;
}
