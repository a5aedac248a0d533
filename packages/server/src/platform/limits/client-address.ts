/** The client that a limit counts: an IPv4 address, or the /64 of an IPv6 address, because one client can use all of it. */
import { isIP, isIPv4 } from 'node:net';

/** Clients that have hung up have no address any more; they all count as one. */
const LEFT = 'left';
const NETWORK = '::/64';

export function limitedClient(ip: string | undefined): string {
  if (ip === undefined || ip === '') return LEFT;
  // An IPv4 address without a port has no colon.
  if (!ip.includes(':')) return ip;
  const address = plainAddress(ip);
  if (address === undefined || isIPv4(address)) return address ?? ip;
  return `${groupsOf(address).slice(0, 4).join(':')}${NETWORK}`;
}

/** The /48 of an IPv6 client, which one customer may own: 65,536 networks. Undefined for IPv4. */
export function siteOf(client: string): string | undefined {
  if (!client.endsWith(NETWORK)) return undefined;
  return `${client.slice(0, -NETWORK.length).split(':').slice(0, 3).join(':')}::/48`;
}

/**
 * An address as proxies write it, without port, brackets and zone. IPv4 inside IPv6 becomes IPv4. Undefined for text that is no address.
 */
export function plainAddress(text: string): string | undefined {
  const bare = withoutPort(text.trim()).replace(/%[^%]*$/, '');
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? bare : undefined;
  const groups = groupsOf(bare);
  const isMapped = groups[5] === 'ffff' && groups.slice(0, 5).every((group) => group === '0');
  return isMapped ? toIPv4(groups[6] ?? '0', groups[7] ?? '0') : bare;
}

function withoutPort(text: string): string {
  const [, bracketed, ipv4] = /^\[([^\]]+)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  return bracketed ?? ipv4 ?? text;
}

/** The eight groups without leading zeros, in lower case. */
function groupsOf(ip: string): readonly string[] {
  const [head = '', tail] = ip.replace(/\b(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, joinOctets).split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back].map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
}

function joinOctets(_all: string, ...octets: unknown[]): string {
  const [a, b, c, d] = octets.slice(0, 4).map((octet) => Number(octet).toString(16).padStart(2, '0'));
  return `${a}${b}:${c}${d}`;
}

function toIPv4(high: string, low: string): string {
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.');
}
