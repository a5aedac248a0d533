/** An operator sends back a transfer that no acceptance could use. The table of payment claims refuses one that bought something. */
import { formatUsd, MarketError, networkFacts, parseUsd } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import { giveBackReceipt, requireForeignTransfer } from '../../money/index.ts';
import { networkOfReference } from '../../payments/index.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { requireBounty } from '../viewers.ts';

export function refundBounty(context: BountiesContext): HandlersOf<'bounties'>['refund'] {
  return async ({ id, tx_hash: reference, payer: payerText, chain, amount }, call) => {
    const bounty = await requireBounty(context.database.db, id);
    const network = networkOfReference(chain, reference);
    const transfer = await requireForeignTransfer(context, { network, reference });
    return await call.commit(async (tx) => {
      const payout = await giveBackReceipt(tx, context, transfer, ({ payer, receivedMicros }) => {
        if (payer !== canonicalWallet(payerText)?.address)
          throw new MarketError('payment_wrong_payer', { message: 'This transfer did not come from that payer.' });
        if (amount !== undefined && parseUsd(amount) !== receivedMicros)
          throw new MarketError('invalid_input', { message: `This transfer brought ${formatUsd(receivedMicros)} USDC. Nothing was sent.` });
      });
      await recordAdminAction(tx, call.caller, {
        action: 'bounty.refund',
        subjectId: bounty.id,
        reason: null,
        details: { payout_id: payout.id, network, destination: payout.destination, amount_usd: formatUsd(payout.amountMicros) },
      });
      return {
        data: {
          bounty_id: bounty.id,
          chain: networkFacts[network].chain,
          amount_usd: formatUsd(payout.amountMicros),
          refund_tx_hash: payout.reference,
        },
      };
    });
  };
}
