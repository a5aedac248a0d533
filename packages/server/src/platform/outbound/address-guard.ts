/**
 * Decides which IP addresses a user-supplied URL may reach. Refuses all IANA special-purpose registries, including their few globally
 * reachable blocks (AS112, AMT, anycast relays): they are network infrastructure, never a customer's web server.
 */
import { BlockList, isIP } from 'node:net';

const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier NAT, some clouds' metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud platform's host services, on a public-looking address
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relay, withdrawn
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** Only blocks inside 2000::/3: everything outside it is refused anyway. */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, anycast
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, embeds IPv4
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6');

/** The only part of IPv6 assigned for global unicast; mapped, compatible and NAT64 forms of IPv4 all lie outside it. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

export function isPublicAddress(ip: string): boolean {
  switch (isIP(ip)) {
    case 4:
      return !special.check(ip, 'ipv4');
    case 6:
      return !ip.includes('%') && globalUnicast.check(ip, 'ipv6') && !special.check(ip, 'ipv6');
    default:
      return false;
  }
}
