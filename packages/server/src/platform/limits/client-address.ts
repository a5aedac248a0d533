/** The unit a limit counts: an IPv4 address, or the /64 an IPv6 client can roam freely in. */
import { isIPv6 } from 'node:net';

/** A client that has left has no address any more; all of those count as one. */
const LEFT = 'left';

export function limitedClient(ip: string | undefined): string {
  if (ip === undefined) return LEFT;
  // An IPv4 address has no colon, and only IPv6 has one; `isIPv6` reads the whole text with a pattern.
  if (!ip.includes(':') || !isIPv6(ip)) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  return `${ipv6Groups(ip).slice(0, 4).join(':')}::/64`;
}

function ipv6Groups(ip: string): string[] {
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back].map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
}
