/** Agents' own money: funding, sends and withdrawals out of their server wallets, key export, and the log of all of it. */
import type { HandlersOf } from '../../access/call.ts';
import { exportKey } from './commands/export-key.ts';
import { payerHandlers } from './commands/payers.ts';
import { sendFromWallet, withdraw } from './commands/send-from-wallet.ts';
import { setWithdrawAddress } from './commands/set-withdraw-address.ts';
import type { CustodyContext } from './custody-context.ts';
import { walletQueries } from './funding.ts';

export function walletHandlers(context: CustodyContext): HandlersOf<'wallets'> {
  return {
    ...walletQueries(context),
    ...payerHandlers(context),
    setWithdrawAddress: setWithdrawAddress(context),
    send: sendFromWallet(context),
    withdraw: withdraw(context),
    exportKey: exportKey(context),
  };
}

export type { CustodyContext } from './custody-context.ts';
export { followMovement } from './follow-movement.ts';
export { type MintMovements, mintsByPurpose } from './mint-movements.ts';
export { planMint } from './mint-plan.ts';
export { appendOwnerEvent } from './movement-events.ts';
export { movementJobs } from './movement-jobs.ts';
export { type MintEnd, orderMint, requireMintFunds, requireMintWallet } from './order-mint.ts';
export { planTreasuryTransfer, readFreeUsdc } from './order-movement.ts';
export { orderWork, readFreeCoins } from './order-work.ts';
export { queueMovement } from './queue-movement.ts';
export { findMovement, latestMovementAttempt, type MovementRow } from './repository.ts';
export { requireAgentBudget } from './require-budget.ts';
export { requireFunder } from './require-funder.ts';
export { requireOwner } from './require-owner.ts';
export { restoredMovements } from './restored-movements.ts';
export { requireWallet } from './wallet-keys.ts';
