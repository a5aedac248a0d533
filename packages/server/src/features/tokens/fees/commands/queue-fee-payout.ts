/** POST /api/fees/payout: an administrator pays out a share of creator fees. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { findAgent } from '../../../agents/index.ts';
import { adminName, recordAdminAction } from '../../../moderation/index.ts';
import type { FeesContext } from '../fees-context.ts';
import { reserveFeePayout } from '../reserve-fee-payout.ts';

export function queueFeePayout(context: FeesContext): HandlersOf<'fees'>['payout'] {
  const { database, feeVault } = context;
  return async ({ share, agent_id, token_mint, recipient_wallet: recipientWallet, amount_lamports }, call) => {
    if (feeVault === undefined) throw new MarketError('fees_unavailable');
    if (feeVault.canonicalAddress(recipientWallet) === undefined || recipientWallet === feeVault.treasury)
      throw new MarketError('invalid_input', { message: 'recipient_wallet must be a Solana wallet other than the vault.' });
    const of = share === 'agent' ? await requireToken(agent_id, token_mint) : { agentId: null, mint: null };
    const lamports = BigInt(amount_lamports);
    return await call.commit(async (tx) => {
      const payout = { share, ...of, recipientWallet, createdBy: adminName(call.caller) };
      const reserved = await reserveFeePayout(tx, { ...context, feeVault }, payout, (owed) => (owed >= lamports ? lamports : undefined));
      if (reserved.kind === 'no_float') throw new MarketError('fee_float_missing');
      if (reserved.kind === 'refused') {
        const { owed } = reserved;
        throw new MarketError('fee_share_too_small', {
          message: `The share holds ${owed} lamports.`,
          data: { share_lamports: Number(owed) },
        });
      }
      const details = { share, mint: of.mint, recipient_wallet: recipientWallet, lamports: String(lamports) };
      await recordAdminAction(tx, call.caller, {
        action: 'creator_fee.payout',
        subjectId: of.agentId ?? reserved.id,
        reason: null,
        details,
      });
      return { data: { payout_id: reserved.id, tx_hash: null, status: 'pending' } };
    });
  };

  async function requireToken(agentId: string | undefined, mint: string | undefined) {
    if (agentId === undefined || mint === undefined)
      throw new MarketError('invalid_input', { message: 'agent_id and token_mint name whose share is paid.' });
    const agent = await findAgent(database.db, agentId);
    if (agent === undefined) throw new MarketError('agent_not_found');
    return { agentId: agent.id, mint };
  }
}
