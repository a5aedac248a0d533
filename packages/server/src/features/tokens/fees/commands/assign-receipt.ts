/** POST /api/fees/assign: gives a receipt without a token to one, as if its transaction had named it. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { lockBalance, post } from '../../../ledger/index.ts';
import { recordAdminAction } from '../../../moderation/index.ts';
import { sharesOf } from '../book-receipts.ts';
import { float } from '../fee-accounts.ts';
import type { FeesContext } from '../fees-context.ts';
import { presentSweep } from '../present.ts';
import { assignReceipt, findTokens, lockReceipt } from '../repository.ts';

export function assignFeeReceipt({ database }: FeesContext): HandlersOf<'fees'>['assign'] {
  return async ({ tx_hash: reference, token_mint: mint }, call) => {
    const [token] = await findTokens(database.db, [mint]);
    if (token === undefined) throw new MarketError('token_mint_unknown', { message: 'No agent has this token on record.' });
    return await call.commit(async (tx) => {
      const receipt = await lockReceipt(tx, reference);
      if (receipt === undefined) throw new MarketError('fee_receipt_unknown');
      if (receipt.mint !== null) throw new MarketError('fee_receipt_assigned');
      if ((await lockBalance(tx, float)) < receipt.lamports)
        throw new MarketError('fee_share_too_small', {
          message: 'Network fees have used up a part of this receipt. Send the vault some SOL.',
        });
      const { columns, entries } = sharesOf(receipt.lamports, token);
      await assignReceipt(tx, receipt, columns);
      await post(tx, {
        kind: 'creator_fee_assigned',
        subjectId: reference,
        idempotencyKey: `creator-fee-assign:${reference}`,
        entries: [{ account: float, micros: -receipt.lamports }, ...entries],
      });
      const details = { mint, reference, lamports: String(receipt.lamports) };
      await recordAdminAction(tx, call.caller, { action: 'creator_fee.assign', subjectId: token.agentId, reason: null, details });
      return { data: presentSweep({ ...receipt, mint }) };
    });
  };
}
