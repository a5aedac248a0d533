/**
 * The service signs the transfers of agents' wallets. Anybody can copy such a transfer before a block holds it. It pays only for the
 * movement it was signed for.
 */
import { MarketError } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import { listRecentMovements } from '../../payments/index.ts';
import { standardOffer } from '../offers/offers.ts';
import type { X402Context } from '../x402-context.ts';

/** `alias`: the payment's name, as of `Facilitator.identityOf`. */
export async function refuseOwnSignature(context: X402Context, chain: Chain, alias: string, payer: string): Promise<void> {
  const movements = await listRecentMovements(context.database.db, { network: chain.network, wallet: payer });
  const requirement = standardOffer(chain, context, 1n);
  const isOurs = movements.some(({ id, signedBytes: transaction }) =>
    chain.kind === 'evm'
      ? // The name of an authorisation ends with its nonce, which is the name of our intent.
        alias.endsWith(`:${chain.intentKey(id)}`)
      : alias === context.facilitator.identityOf({ network: chain.network, requirement, payload: { transaction } }),
  );
  if (isOurs)
    throw new MarketError('payment_already_used', {
      message: 'This payment was signed for a transfer out of an agent’s wallet. It pays for nothing else.',
    });
}
