/**
 * Gives the private key of a wallet to the owner. Log entry and notification are stored before the key leaves. If only the account vouches
 * for the export, it waits; the next call after the wait returns the key, once.
 */
import { MarketError, networkFacts, networkOfChain, operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { holdMove, type MoveRow, type MoveRunner, presentWait, takeReadyMove } from '../../accounts/moves/index.ts';
import type { WalletRow } from '../../wallet-keys/index.ts';
import type { AgentWalletsContext } from '../agent-wallets-context.ts';
import { insertLogEntry } from '../log-repository.ts';
import { appendOwnerEvent } from '../movement-events.ts';
import { requireAgentBudget } from '../require-budget.ts';
import { type ProvenOwner, requireOwner } from '../require-owner.ts';
import { exportSecret, requireWallet } from '../wallet-keys.ts';

export function exportKey(context: AgentWalletsContext): HandlersOf<'wallets'>['exportKey'] {
  return async ({ id, chain }, call) => {
    const owner = await requireOwner(context, call, id);
    const { agent, by } = owner;
    if (!context.settings.enabled) throw new MarketError('wallets_disabled');
    const network = networkOfChain(chain);
    const { kind } = networkFacts[network];
    await requireAgentBudget(context, call, operations.wallets.exportKey, `${agent.id}:${kind}`);
    const wallet = await requireWallet(context, agent.id, kind);
    const privateKey = exportSecret(context, wallet);
    const waits = await context.database.transaction(async (tx) => {
      const move = owner.wait === undefined ? undefined : await takeOrHold(tx, context, call, owner, wallet);
      if (move !== undefined) return presentWait(move, owner.wait ?? '');
      await insertLogEntry(tx, { agentId: agent.id, action: 'key_exported', orderedBy: by, network, address: wallet.address });
      await appendOwnerEvent(tx, context, agent, 'agent.wallet_key_exported', { network, address: wallet.address });
      return undefined;
    });
    reachCrashPoint('wallet.after_export');
    const { address } = wallet;
    return {
      data: { chain, address, ...(waits === undefined ? { private_key: privateKey } : { private_key: null, ...waits }) },
    };
  };
}

/** The waiting move of this export. Undefined when a ready move was used up now, so the key may leave. */
async function takeOrHold(
  tx: Tx,
  context: AgentWalletsContext,
  call: Call,
  { agent, person }: ProvenOwner,
  { kind: topic, address }: WalletRow,
): Promise<MoveRow | undefined> {
  const of = { agentId: agent.id, kind: 'key_export', topic } as const;
  // An agent that an operator stopped cannot fetch a ready export; the export waits again.
  const isStopped = agent.moderationStatus === 'spam';
  const found = isStopped ? { kind: 'none' as const } : await takeReadyMove(tx, context, { ...of, owner: person });
  if (found.kind === 'taken') return undefined;
  if (found.kind === 'waiting') return found.move;
  const summary = `Export the private key of ${address}, the wallet of “${agent.name}”.`;
  return await holdMove(tx, context, call, { ...of, owner: person, summary, payload: { wallet_kind: topic, address } });
}

/** Makes the export ready; the account fetches the key with another call. */
export const exportRunner: MoveRunner = async () => async () => ({ state: 'ready' });
