/** The refusal of a wallet proof that is too weak. It contains the text to sign. */
import { type ActionSubject, MarketError } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import type { Credentials } from '../credentials.ts';
import { custodySignatureRefusal } from '../require-access.ts';
import type { CallerResolver } from '../resolve-caller.ts';
import type { ActionMessages } from './action-messages.ts';
import type { StrongerProof } from './require-wallet-proof.ts';

export interface StrongerProofOptions {
  readonly actionMessages: ActionMessages;
  readonly resolver: Pick<CallerResolver, 'agentByKey'>;
  /** The host that custody signatures name. */
  readonly host: string;
  readonly clock: Clock;
}

export function strongerProofFor(options: StrongerProofOptions, credentials: Credentials): StrongerProof {
  return async (needed, operation, args, caller) => {
    if (needed === 'custody') {
      const wallet = caller.wallet?.address;
      return await custodySignatureRefusal(credentials, { host: options.host, now: options.clock.realNow(), wallet });
    }
    const asked = await actionOf(options, operation.name, args, caller);
    const message = asked && options.actionMessages.challenge(asked.subject, asked.wallet).message;
    return new MarketError('sign_in_message_required', { ...(message !== undefined && { data: { message } }) });
  };
}

type Asked = { readonly subject: ActionSubject; readonly wallet: Parameters<ActionMessages['challenge']>[1] };

/** Undefined where the call does not name everything that the message needs. */
async function actionOf(
  { resolver }: StrongerProofOptions,
  name: string,
  args: Parameters<StrongerProof>[2],
  { wallet, user }: Parameters<StrongerProof>[3],
): Promise<Asked | undefined> {
  if (wallet === undefined) return undefined;
  if (name === 'auth.createSession') return { subject: { action: 'session' }, wallet };
  if (user === undefined) return undefined;
  const { email, googleEmail } = user.identity;
  const accountLabel = email ?? googleEmail;
  const account = { account: user.id, ...(accountLabel !== undefined && { accountLabel }) };
  if (name !== 'agents.link') return { subject: { action: 'link_wallet', ...account }, wallet };
  const agent = await resolver.agentByKey(String(args['api_key'] ?? ''));
  const owner = canonicalWallet(agent?.recordedOwnerWallet ?? '');
  return agent && owner && { subject: { action: 'link_agent', agentId: agent.id, ...account }, wallet: owner };
}
