/** Checks whether a caller may launch a token for an agent, in the order that clients know: 403, 409, then the picture. */
import { MarketError } from '@market/contract';
import { refuseToFund } from '../../../access/authority/owners.ts';
import type { Caller } from '../../../access/caller.ts';
import { isOwner } from '../../../access/ownership.ts';
import type { AgentRow } from '../../agents/index.ts';

type LaunchAgent = Pick<
  AgentRow,
  'id' | 'ownerWallet' | 'ownerUserId' | 'twitterUsername' | 'moderationStatus' | 'tokenMint' | 'tokenLaunchAttemptedAt' | 'avatarUrl'
>;

/** Returns the address of the picture. Runs also before a malformed request is refused. */
export function requireLaunchable(caller: Caller, agent: LaunchAgent, image: unknown): string {
  refuseToFund(caller, agent);
  const ofOwner = isOwner(caller, agent) ? caller.user?.identity.twitterUsername : undefined;
  if (agent.twitterUsername === null && ofOwner === undefined) throw new MarketError('x_account_required');
  if (agent.moderationStatus === 'spam')
    throw new MarketError('token_agent_hidden', {
      message: 'Operators hid this agent. It cannot launch a token until they show it again.',
    });
  requireNoToken(agent);
  const picture = typeof image === 'string' && image !== '' ? image : agent.avatarUrl;
  if (picture === null) throw new MarketError('token_image_required');
  return picture;
}

export function requireNoToken({ tokenMint, tokenLaunchAttemptedAt }: Pick<LaunchAgent, 'tokenMint' | 'tokenLaunchAttemptedAt'>): void {
  if (tokenMint !== null) throw new MarketError('token_already_set', { data: { token_mint: tokenMint } });
  if (tokenLaunchAttemptedAt !== null) throw new MarketError('token_launch_in_progress');
}
