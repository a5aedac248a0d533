/** Marks signatures in addresses before anything else happens: before limits, refusals, and addresses that do not exist. */
import type { FastifyInstance } from 'fastify';
import type { AddressedSignatures } from '../../access/authority/addressed-signatures.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';

export function markAddressedSignatures(app: FastifyInstance, { mark }: Pick<AddressedSignatures, 'mark'>, log: Logger): void {
  app.addHook('onRequest', async ({ query, ip }) => {
    if (typeof query !== 'object' || query === null || !('wallet_sig' in query)) return;
    // Without a database the call is refused, and so is every copy of its signature for the moment.
    await mark(query as Record<string, unknown>, ip).catch((error: unknown) =>
      log.warn({ err: error }, 'a signature in an address could not be marked'),
    );
  });
}
