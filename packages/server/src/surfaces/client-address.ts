/** The client address of a request: that of the connection, or the one our own proxies report. */
import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { plainAddress } from '../platform/limits/client-address.ts';

export type ReadClientAddress = (request: IncomingMessage) => string;

/** Some proxies write `address:port`. Text that is no address ends the walk at the proxy that wrote it. */
export function readClientAddress(trustedProxies: readonly string[]): ReadClientAddress {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return ({ socket, headers }) => {
    let address = socket.remoteAddress ?? '';
    const forwarded = String(headers['x-forwarded-for'] ?? '');
    for (let end = forwarded.length, hop = 0; end > 0 && isTrusted(address, hop); hop++) {
      const start = forwarded.lastIndexOf(',', end - 1) + 1;
      const named = plainAddress(forwarded.slice(start, end));
      if (named === undefined) return address;
      address = named;
      end = start - 1;
    }
    return address;
  };
}
