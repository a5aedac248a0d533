/** Addresses that would make us call into our own network, and a canary listener that must never be reached. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** An allowed port: on another one the port alone would be refused, and the address never checked. */
export const CANARY_PORT = 8443;

export interface Canary {
  /** Connections that reached it. */
  reached(): number;
  close(): void;
}

/** Listens on both loopback addresses, and counts connections. */
export async function openCanary(): Promise<Canary> {
  let reached = 0;
  const servers: Server[] = [];
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    if (await listenPatiently(server, host)) servers.push(server);
  }
  return {
    reached: () => reached,
    close() {
      for (const server of servers) server.close();
    },
  };
}

/** Retries, because another run on the same machine may hold the port for a while. False if the machine has no such address. */
async function listenPatiently(server: Server, host: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    server.listen(CANARY_PORT, host);
    try {
      await once(server, 'listening');
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return false;
      if (code !== 'EADDRINUSE' || attempt === 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** Answers of a name server that a stranger controls. */
export const attackersZone: Readonly<Record<string, readonly string[]>> = {
  'loopback.attacker.com': ['127.0.0.1'],
  'private.attacker.com': ['10.0.0.5'],
  'mixed.attacker.com': ['93.184.216.34', '127.0.0.1'],
  'mapped.attacker.com': ['::ffff:127.0.0.1'],
  'mapped-hex.attacker.com': ['::ffff:7f00:1'],
  'six.attacker.com': ['::1'],
  'metadata.attacker.com': ['169.254.169.254'],
  'nat64.attacker.com': ['64:ff9b::7f00:1'],
  'zero.attacker.com': ['0.0.0.0'],
  'scoped.attacker.com': ['fe80::1%lo'],
  'text.attacker.com': ['127.0.0.1.'],
};

/** Spellings of this machine's address. */
export const THIS_MACHINE = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7F.0.0.0x1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.01',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0.0.0.0',
  '0',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌocalhost',
];

export const ELSEWHERE_INSIDE = [
  '127.0.0.2',
  '127.255.255.254',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '2852039166',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[3fff::1]',
  '[5f00::1]',
  'api.localhost',
  'localhost.localdomain',
  'metadata.google.internal',
  'kubernetes.default.svc.cluster.local',
  'printer.local',
  'router.lan',
  'nas.home',
  'intranet',
  'postgres',
  'service.test',
];
