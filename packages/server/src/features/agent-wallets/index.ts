/** Agents' own money: funding, sends and withdrawals out of their server wallets, key export, and the log of all of it. */
import type { HandlersOf } from '../../access/call.ts';
import type { MoveRunners } from '../accounts/moves/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { exportKey, exportRunner } from './commands/export-key.ts';
import { payerHandlers } from './commands/payers.ts';
import { sendFromWallet } from './commands/send-from-wallet.ts';
import { setWithdrawAddress, withdrawAddressRunner } from './commands/set-withdraw-address.ts';
import { withdrawFromWallet } from './commands/withdraw-from-wallet.ts';
import { walletQueries } from './funding.ts';
import { sendRunner } from './waiting-send.ts';

export function walletHandlers(context: AgentWalletsContext): HandlersOf<'wallets'> {
  return {
    ...walletQueries(context),
    ...payerHandlers(context),
    setWithdrawAddress: setWithdrawAddress(context),
    send: sendFromWallet(context),
    withdraw: withdrawFromWallet(context),
    exportKey: exportKey(context),
  };
}

/** Runners for waiting moves of an agent's wallets. */
export function walletMoveRunners(context: AgentWalletsContext): Pick<MoveRunners, 'wallet_send' | 'key_export' | 'withdraw_address'> {
  return { wallet_send: sendRunner(context), key_export: exportRunner, withdraw_address: withdrawAddressRunner(context) };
}

export type { AgentWalletsContext } from './agent-wallets-context.ts';
export { followMovement } from './follow-movement.ts';
export { type MintMovements, mintsByPurpose } from './mint-movements.ts';
export { planMint, tokenName } from './mint-plan.ts';
export { appendOwnerEvent } from './movement-events.ts';
export { movementJobs } from './movement-jobs.ts';
export { queueMovement } from './queue-movement.ts';
export { findMovement, type MovementRow } from './repository.ts';
export { readFreeCoins, requestContractCall } from './request-contract-call.ts';
export { type MintEnd, requestMint, requireMintFunds, requireMintWallet } from './request-mint.ts';
export { planTreasuryTransfer, readFreeUsdc } from './request-movement.ts';
export { requireAgentBudget } from './require-budget.ts';
export { walletHolder } from './wallet-holder.ts';
export { requireWallet } from './wallet-keys.ts';
