import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { canonicalWallet } from '../../../../platform/wallets/wallet-address.ts';
import { labelOf } from '../account-label.ts';
import type { IdentityContext } from '../identity-context.ts';

/** Writes the message that a wallet signs for an action. Nothing is stored. */
export function challenge({ database: { db }, actionMessages, agents }: IdentityContext): HandlersOf<'auth'>['challenge'] {
  return async ({ action, wallet, chain, agent_id: agent }, { caller: { user } }) => {
    const known = canonicalWallet(wallet, chain);
    if (known === undefined) throw new MarketError('invalid_input', { message: 'wallet is not an address of the named chain.' });
    const needsAccount = action === 'link_wallet' || action === 'link_agent';
    if (needsAccount && user === undefined) {
      throw new MarketError('unauthenticated', { message: 'This message names your account. Send its sign-in token.' });
    }
    const needsAgent = action === 'link_agent' || action === 'own_agent';
    if (needsAgent && agent === undefined) throw new MarketError('invalid_input', { message: 'agent_id is missing.' });
    const agentId = needsAgent ? await agents.findId(db, agent ?? '') : undefined;
    if (needsAgent && agentId === undefined) throw new MarketError('agent_not_found');
    const account = needsAccount && user !== undefined ? { account: user.id, ...labelOf(user.identity) } : {};
    return { data: actionMessages.challenge({ action, ...account, ...(agentId !== undefined && { agentId }) }, known) };
  };
}
