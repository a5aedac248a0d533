/** Sends from an agent's wallet by order of its owner. */
import { networkOfChain, operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { CustodyContext } from '../custody-context.ts';
import { requestMovement } from '../request-movement.ts';
import { requireAgentBudget } from '../require-budget.ts';
import { requireOwner } from '../require-owner.ts';
import { holdSend } from '../waiting-send.ts';

export function sendFromWallet(context: CustodyContext): HandlersOf<'wallets'>['send'] {
  return async ({ id, chain, to, asset, amount, not_sent_before: notSentBefore }, call) => {
    const owner = await requireOwner(context, call, id);
    const { agent, by, wait } = owner;
    await requireAgentBudget(context, call, operations.wallets.send, agent.id);
    const order = { agent, by, purpose: 'send', network: networkOfChain(chain), asset, amount, destination: to, notSentBefore } as const;
    return wait === undefined ? await requestMovement(context, call, order) : await holdSend(context, call, order, { ...owner, wait });
  };
}
