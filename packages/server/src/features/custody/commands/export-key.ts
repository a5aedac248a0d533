/** Hands the private key of a wallet to the owner. The log and the notice are stored before the key leaves. */
import { MarketError, networkFacts, networkOfChain, operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { CustodyContext } from '../custody-context.ts';
import { insertLogEntry } from '../log-repository.ts';
import { appendOwnerEvent } from '../movement-events.ts';
import { requireAgentBudget } from '../require-budget.ts';
import { requireOwner } from '../require-owner.ts';
import { exportSecret, requireWallet } from '../wallet-keys.ts';

export function exportKey(context: CustodyContext): HandlersOf<'wallets'>['exportKey'] {
  return async ({ id, chain }, call) => {
    const { agent, by } = await requireOwner(context, call, id);
    if (!context.custody.enabled) throw new MarketError('wallets_disabled');
    const network = networkOfChain(chain);
    const { kind } = networkFacts[network];
    await requireAgentBudget(context, call, operations.wallets.exportKey, `${agent.id}:${kind}`);
    const wallet = await requireWallet(context, agent.id, kind);
    const privateKey = exportSecret(context, wallet);
    await context.database.transaction(async (tx) => {
      await insertLogEntry(tx, { agentId: agent.id, action: 'key_exported', orderedBy: by, network, address: wallet.address });
      await appendOwnerEvent(tx, context, agent, 'agent.wallet_key_exported', { network, address: wallet.address });
    });
    reachCrashPoint('wallet.after_export');
    return { data: { chain, address: wallet.address, private_key: privateKey } };
  };
}
