/** Sends from an agent's wallet when its owner asks. */
import { networkOfChain, operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { AgentWalletsContext } from '../agent-wallets-context.ts';
import { requestMovement } from '../request-movement.ts';
import { requireAgentBudget } from '../require-budget.ts';
import { requireOwner } from '../require-owner.ts';
import { holdSend } from '../waiting-send.ts';

export function sendFromWallet(context: AgentWalletsContext): HandlersOf<'wallets'>['send'] {
  return async ({ id, chain, to, asset, amount, not_sent_before: notSentBefore }, call) => {
    const owner = await requireOwner(context, call, id);
    const { agent, by, wait } = owner;
    await requireAgentBudget(context, call, operations.wallets.send, agent.id);
    const request = { agent, by, purpose: 'send', network: networkOfChain(chain), asset, amount, destination: to, notSentBefore } as const;
    return wait === undefined ? await requestMovement(context, call, request) : await holdSend(context, call, request, { ...owner, wait });
  };
}
