/**
 * Logs and histories keep addresses, also those of calls that are refused or unknown. So a signature that stands in one is noted before
 * anything else happens, and a copy of it recovers no key and spends no transfer.
 */
import { createHash } from 'node:crypto';
import { MarketError } from '@market/contract';
import type { FastifyInstance } from 'fastify';
import { isNoted, type SeenSignatures } from '../../access/authority/seen-signatures.ts';
import type { CallerResolver } from '../../access/resolve-caller.ts';
import { readAddressedSignature } from './read-credentials.ts';

export interface AddressedSignatures {
  readonly resolver: Pick<CallerResolver, 'resolve'>;
  readonly seenSignatures: SeenSignatures;
}

export function noteAddressedSignatures(app: FastifyInstance, { resolver, seenSignatures }: AddressedSignatures): void {
  app.addHook('onRequest', async (request) => {
    const signature = readAddressedSignature(request);
    if (signature === undefined) return;
    const [path = ''] = request.url.split('?');
    const signedRequest = { method: request.method, path, body: undefined };
    try {
      const { wallet } = await resolver.resolve({ clientAddress: request.ip, signature, request: signedRequest });
      if (wallet === undefined || !isNoted(wallet)) return;
      await seenSignatures.note(wallet, createHash('sha256').update(`${request.method} ${path}`).digest());
    } catch (error) {
      // What proves no wallet needs no note. The call itself says what is wrong with it.
      if (!(error instanceof MarketError)) throw error;
    }
  });
}
